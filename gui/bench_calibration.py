"""How good and how fast calibration is: takes whose truth is known, real footage beside its makers' program, time."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Rig
from calibration.errors import CalibrationError
from calibration.kit_compare import compare_cards, summary
from calibration.lens_compare import Compared, compare_with_caliscope
from calibration.pair_compare import PairCompared
from calibration.rig_quality import REACH_95, RigErrors, SolvedRig, points_over, rig_errors
from calibration.self_test import check_corners
from calibration.strips import laid
from calibration.take import solve_take, take_in
from gui.long_video import two_minutes

BUNDLED = Path(__file__).resolve().parent.parent / "sample_frames" / "calibration_take"
XY_MEDIAN_MM, XY_P95_MM, Z_MEDIAN_MM = 0.10, 0.30, 0.15
INSIDE = (0.93, 0.97)
LONGEST_S = 60.0
KIT_PLAN_MM, KIT_HEIGHT_MM, KIT_HEIGHTS = 0.2, 0.3, ("height_mm", "thickness_mm")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure what was asked for."""
    folders = _takes(arguments.takes) if arguments.takes else [BUNDLED]
    figures: dict[str, Any] = {"corners_px": check_corners(), "rendered": True, "takes": [], "failed": []}
    errors = []
    for folder in folders:
        print(f"{folder.name} ...", file=sys.stderr)
        try:
            measured, found = measure_take(folder)
        except CalibrationError as error:
            figures["failed"].append({"name": folder.name, "why": str(error)})
            continue
        figures["takes"].append(measured)
        errors.append(found)
    if errors:
        figures["together"] = summed(errors)
    if arguments.real:
        lenses, pair = compare_with_caliscope(arguments.real)
        figures["real"] = {"lenses": [_lens(one) for one in lenses], "pair": pair and pair._asdict()}
    if arguments.kits:
        figures["kits"] = _kits(arguments.kits)
    if arguments.two_minutes:
        with two_minutes(take_in(folders[0])) as take:
            figures["two_minutes"] = _timed(lambda: solve_take(take, BoardSpec()))[1]
    return figures


def measure_take(folder: Path) -> tuple[dict[str, Any], RigErrors]:
    """Calibrate from a take's pictures, and hold the result against its truth all over the play area."""
    (rig, lenses), spent = _timed(lambda: solve_take(take_in(folder), BoardSpec()))
    true = msgspec.json.decode((folder / "rig.json").read_bytes(), type=Rig)
    tags = msgspec.json.decode((folder / "tags.json").read_bytes(), type=dict[int, list[list[float]]])
    errors = rig_errors(true, rig, points_over(_area_in_true(rig, tags)))
    words = rig.quality.words if rig.quality else ""
    held_out = {f"{name}_held_out_px": lens.held_out_px for name, lens in lenses.items()}
    return {"name": folder.name, **summed([errors]), "tags": len(rig.tags), **held_out, **spent, "words": words}, errors


def summed(errors: list[RigErrors]) -> dict[str, Any]:
    """Errors of points in mm, and how many of their coordinates the stated 95 % holds."""
    xy, z = (np.concatenate([getattr(one, part) for one in errors]) for part in ("xy_mm", "z_mm"))
    in_sigmas = np.concatenate([one.in_sigmas for one in errors if one.in_sigmas is not None])
    return {
        "points": len(xy),
        "xy_median_mm": float(np.median(xy)),
        "xy_p95_mm": float(np.percentile(xy, 95)),
        "z_median_mm": float(np.median(z)),
        "inside": float(np.mean(in_sigmas <= REACH_95)),
        "inside_x_y_z": np.mean(in_sigmas <= REACH_95, axis=0).tolist(),
        # A take errs as a whole: of a few takes this, which should be 1, tells more than the share inside.
        "error_over_sigma": float(np.sqrt(np.mean(in_sigmas**2))),
    }


def _area_in_true(rig: SolvedRig, tags: dict[int, list[list[float]]]) -> list[tuple[float, float]]:
    """The play area as solved, in the frame of the truth: by where the tags lie in both."""
    if rig.play_area is None:
        raise CalibrationError("no play area: the strips lie on fewer than three sides")
    common = sorted(set(rig.tags) & set(tags))
    solved, true = (np.concatenate([np.array(side[tag])[:, :2] for tag in common]) for side in (rig.tags, tags))
    return [(float(x), float(y)) for x, y in laid(solved, true).in_table(np.array(rig.play_area))]


def _timed(work: Any) -> tuple[Any, dict[str, float]]:
    """What the work gives, its wall time, and the CPU time of this and its child processes."""
    begun, before = time.perf_counter(), os.times()
    done = work()
    after = os.times()
    cpu_s = sum(after[:4]) - sum(before[:4])
    return done, {"wall_s": time.perf_counter() - begun, "cpu_s": cpu_s}


def _takes(root: Path) -> list[Path]:
    found = sorted(file.parent for file in root.glob("*/take.json"))
    if not found:
        raise CalibrationError(f"{root}: holds no takes; make some with python -m sample_frames.studio takes")
    return found


def _kits(root: Path) -> dict[str, Any]:
    cards = compare_cards(root)
    if not cards:
        raise CalibrationError(f"{root}: holds no kit cards; make some with python -m sample_frames.studio kit-cards")
    refused = {card.card: card.refused for card in cards if card.refused is not None}
    return {"cards": len(cards), "refused": refused, "sizes": summary(cards)}


def _lens(one: Compared) -> dict[str, Any]:
    plain = {"ours": one.ours.parameters().tolist(), "theirs": one.theirs.parameters().tolist()}
    return one._asdict() | plain | {"sigma": np.sqrt(np.diag(one.ours.covariance)).tolist()}


def table(figures: dict[str, Any]) -> str:
    """The figures as plain text."""
    lines = [
        f"Calibration: corners of a drawn board come back within {figures['corners_px']:.3f} px (0.05 at most)",
        "Takes (rendered): points all over the play area, 0 to 70 mm high, against the truth",
        f"{'':<12}{'xy median':>11}{'xy 95 %':>10}{'z median':>10}{'inside 95 %':>13}{'error/sigma':>13}"
        f"{'CPU':>8}   it says",
    ]
    lines += [_take_row(one["name"], one) for one in figures["takes"]]
    if len(figures["takes"]) > 1:
        lines.append(_take_row("all", figures["together"]))
    low, high = INSIDE
    wanted = f"{100 * low:.0f}-{100 * high:.0f} %"
    lines.append(
        f"{'wanted':<12}{XY_MEDIAN_MM:>8.2f} mm{XY_P95_MM:>7.2f} mm{Z_MEDIAN_MM:>7.2f} mm{wanted:>13}{1.0:>13.1f}"
    )
    if "together" in figures:
        x, y, z = (f"{100 * share:.1f} %" for share in figures["together"]["inside_x_y_z"])
        lines.append(f"inside: {x} in x, {y} in y, {z} in z, which allows for paper of any usual thickness")
    lines += [f"failed: {one['name']}: {one['why']}" for one in figures["failed"]]
    if "real" in figures:
        lines += ["", *_real_rows(figures["real"])]
    if "kits" in figures:
        lines += ["", *_kit_rows(figures["kits"])]
    if "two_minutes" in figures:
        spent = figures["two_minutes"]
        lines += [
            "",
            f"Two minutes of two 1080p videos: {_seconds(spent)} (under {LONGEST_S:.0f} s on two cores wanted)",
        ]
    return "\n".join(lines)


def _take_row(name: str, one: dict[str, Any]) -> str:
    spent = f"{one['cpu_s']:.0f} s" if "cpu_s" in one else ""
    return (
        f"{name:<12}{one['xy_median_mm']:>8.3f} mm{one['xy_p95_mm']:>7.3f} mm{one['z_median_mm']:>7.3f} mm"
        f"{100 * one['inside']:>11.1f} %{one['error_over_sigma']:>13.2f}{spent:>8}   {one.get('words', '')}"
    )


def _seconds(spent: dict[str, float]) -> str:
    return f"{spent['wall_s']:.0f} s, {spent['cpu_s']:.0f} s of CPU on {os.cpu_count()} cores"


def _real_rows(real: dict[str, Any]) -> list[str]:
    lines = [
        "Real footage: RMS in views that ours was not solved from, the same frames and corners for both programs",
        f"{'':<12}{'views':>6}{'ours':>10}{'theirs':>10}{'they say':>10}",
    ]
    for one in real["lenses"]:
        said = "" if one["stated_px"] is None else f"{one['stated_px']:.2f} px"
        theirs = f"{one['theirs_px']:.3f}"
        lines.append(f"{one['name']:<12}{one['views']:>6}{one['ours_px']:>7.3f} px{theirs:>7} px{said:>10}")
    if real["pair"]:
        pair = PairCompared(**real["pair"])
        lines += [
            f"{'the pair':<12}{pair.held_out:>6}{pair.ours_px:>7.3f} px{pair.theirs_px:>7.3f} px",
            f"Both lenses fit about alike. The pairs differ, by {pair.turn_apart_deg:.1f} degrees and "
            f"{pair.place_apart_mm:.0f} mm of {pair.baseline_mm:.0f} mm:",
            f"frames that came together were taken {1000 * abs(pair.side_later_s):.0f} ms apart; ours solves for that, "
            f"theirs takes them as they came ({pair.as_filmed_theirs_px:.2f} px so).",
        ]
    return lines


def _kit_rows(kits: dict[str, Any]) -> list[str]:
    lines = [
        f"Kit registration (rendered): {kits['cards']} cards, {len(kits['refused'])} refused; measured less true",
        f"{'':<20}{'median':>10}{'worst':>10}{'lean':>11}{'wanted':>10}",
    ]
    for name, errors in kits["sizes"].items():
        limit_mm = KIT_HEIGHT_MM if name.endswith(KIT_HEIGHTS) else KIT_PLAN_MM
        median, worst, lean = (f"{errors[part]:.2f} mm" for part in ("median_mm", "worst_mm", "bias_mm"))
        wanted = "" if name.startswith("car") else f"{limit_mm:.1f} mm"
        words = name.removesuffix("_mm").replace("_", " ")
        lines.append(f"{words:<20}{median:>10}{worst:>10}{lean:>11}{wanted:>10}")
    return [*lines, *(f"refused: {card}: {why}" for card, why in kits["refused"].items())]
