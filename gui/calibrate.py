"""`highway calibrate`: printed sheets in files or before live cameras become rig.json, with how good it is in words."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from calibration.board import BoardSpec
from calibration.errors import CalibrationError
from calibration.lens import Lens
from calibration.rig_quality import SolvedRig
from calibration.store import keep_lens, keep_rig, kept_lens, lenses, rigs, write_whole
from gui.calibrate_kit import KIT_FILE, kit_files, read_pictures, registered, run_kit, write_kit
from gui.calibrate_options import CAMERAS

OPENS_S, AWAY_S, TABLE_S = 5.0, 5.0, 20.0


def run(arguments: argparse.Namespace) -> int:
    """Calibrate by what was given."""
    if arguments.list:
        return _list()
    if arguments.kit_card is not None:
        return run_kit(arguments)
    rig, found = _solved(arguments)
    # Before anything is written: a card that cannot be read must not leave a rig without its kit.
    kit = registered(read_pictures(files), rig) if arguments.take and (files := kit_files(arguments.take)) else None
    out = arguments.out or Path("rig.json")
    write_whole(out, msgspec.json.format(msgspec.json.encode(rig)))
    for line in report(rig, found):
        print(line)
    print(f"{out}: written")
    if arguments.keep:
        for name, lens in found.items():
            keep_lens(f"{arguments.keep} {name}", lens)
        keep_rig(arguments.keep, rig)
        print(f"kept as '{arguments.keep}'")
    if kit is not None:
        write_kit(kit, out.with_name(KIT_FILE))
    return 0


def report(rig: SolvedRig, found: dict[str, Lens]) -> list[str]:
    """How good a calibration is, for people."""
    lines = [
        f"{name} lens: {lens.fitted_px:.2f} px in the views it was solved from, {lens.held_out_px:.2f} px in views "
        f"held back ({lens.views} views, {lens.width} x {lens.height})"
        for name, lens in found.items()
        if lens.views
    ]
    tags = f"{len(rig.tags)} tags, " if rig.tags else ""
    lines.append(f"rig: {tags}{rig.reprojection_px:.2f} px")
    if rig.quality is not None:
        lines.append(f"on the table: {rig.quality.words}")
    return lines


def _solved(arguments: argparse.Namespace) -> tuple[SolvedRig, dict[str, Lens]]:
    from calibration.self_test import check_corners

    if arguments.clicks:
        return _clicked(arguments), {}
    check_corners()
    spec = board_spec(arguments)
    if arguments.live:
        return _live(arguments, spec)
    from calibration.both_lenses import lenses_from
    from calibration.take import Take, check_files, solve_take, take_in

    if arguments.take is not None:
        take = take_in(arguments.take, arguments.together)
    else:
        files = {kind: _named(arguments, kind) for kind in ("lens", "table")}
        if not any(files.values()):
            raise CalibrationError("nothing to calibrate from: name a folder, or files with --overhead-lens and so on")
        take = Take(files["lens"], files["table"], arguments.together)
    known = _kept(arguments, {name: _size(files[0]) for name, files in [*take.lens.items(), *take.table.items()]})
    bar = _Bar()
    told = bar.show if bar.wanted else None
    try:
        if arguments.bank_card is not None and arguments.ruler is None and "overhead" not in known:
            # The card is measured through the lens, which is the same however large the board was printed.
            check_files(take, known)
            unknown = {name: files for name, files in take.lens.items() if name not in known}
            known |= {name: found.lens for name, found in lenses_from(unknown, spec, told).items()}
        return solve_take(take, spec, known, _print_scale(arguments, known), told)
    finally:
        bar.end()


def board_spec(arguments: argparse.Namespace) -> BoardSpec:
    """Ours, or another by its numbers."""
    given: dict[str, Any] = {"inverted": arguments.inverted, "legacy": arguments.legacy}
    if arguments.board:
        columns, by, rows = arguments.board.lower().partition("x")
        if not (by and columns.isdigit() and rows.isdigit()):
            raise CalibrationError(f"--board {arguments.board}: is not like 7x9, squares across and down")
        given |= {"columns": int(columns), "rows": int(rows)}
    for option, field in (("square", "square_mm"), ("marker", "marker_mm"), ("dictionary", "dictionary")):
        if getattr(arguments, option) is not None:
            given[field] = getattr(arguments, option)
    return BoardSpec(**given)


def _named(arguments: argparse.Namespace, kind: str) -> dict[str, tuple[Path, ...]]:
    found = {name: tuple(getattr(arguments, f"{name}_{kind}") or ()) for name in CAMERAS}
    return {name: files for name, files in found.items() if files}


def _kept(arguments: argparse.Namespace, sizes: Mapping[str, tuple[int, int]]) -> dict[str, Lens]:
    """Lenses that are known already, at the size of the pictures."""
    asked = {name: getattr(arguments, f"{name}_kept") for name in CAMERAS}
    return {name: kept_lens(kept, sizes[name]).value for name, kept in asked.items() if kept and name in sizes}


def _size(file: Path) -> tuple[int, int]:
    from calibration.frames import pictures

    height, width = next(iter(pictures(file))).picture.shape[:2]
    return width, height


def _print_scale(arguments: argparse.Namespace, known: dict[str, Lens]) -> float:
    from calibration.print_scale import scale_from_bank_card, scale_from_ruler

    if arguments.ruler is not None:
        scale = scale_from_ruler(arguments.ruler)
    elif arguments.bank_card is not None:
        scale = scale_from_bank_card(_grey(arguments.bank_card), known["overhead"])
    else:
        print("print scale not checked: measure the printed 100 mm and give it as --ruler", file=sys.stderr)
        return 1.0
    if scale.grade == "off" and not arguments.correct:
        raise CalibrationError(f"{scale.words}; add --correct to reckon with that, or print again at 100 %")
    print(scale.words)
    return scale.factor_with(arguments.correct)


def _grey(file: Path) -> Any:
    import cv2

    from calibration.frames import pictures

    return cv2.cvtColor(next(iter(pictures(file))).picture, cv2.COLOR_BGR2GRAY)


def _clicked(arguments: argparse.Namespace) -> SolvedRig:
    """{"overhead": {"size": [w, h], "clicks": [[x_mm, y_mm, x_px, y_px], ...]}, "side": {...}}"""
    from calibration.manual import Click, rig_from_clicks

    class View(msgspec.Struct):
        size: tuple[int, int]
        clicks: tuple[tuple[float, float, float, float], ...]

    file = arguments.clicks
    try:
        views = msgspec.json.decode(file.read_bytes(), type=dict[str, View])
    except OSError as error:
        raise CalibrationError(f"{file}: {(error.strerror or str(error)).lower()}") from None
    except msgspec.DecodeError as error:
        raise CalibrationError(f"{file}: {error}; see highway calibrate --help for what it holds") from None
    clicks = {name: [Click(*numbers) for numbers in view.clicks] for name, view in views.items()}
    sizes = {name: view.size for name, view in views.items()}
    return rig_from_clicks(clicks, sizes, _kept(arguments, sizes))


def _live(arguments: argparse.Namespace, spec: BoardSpec) -> tuple[SolvedRig, dict[str, Lens]]:
    from calibration.lens_fit import fit_lens
    from calibration.live import collect_tags, collect_views
    from calibration.rig_solve import solve_rig
    from gui.live_frames import live_frames

    sources = dict(zip(CAMERAS, arguments.live, strict=True))
    through_lens = arguments.bank_card is not None and arguments.ruler is None
    scale = 1.0 if through_lens else _print_scale(arguments, {})
    bar = _Bar()
    found: dict[str, Lens] = {}
    for name, source in sources.items():
        if getattr(arguments, f"{name}_kept"):
            height, width = next(live_frames(source, OPENS_S)).picture.shape[:2]
            found |= _kept(arguments, {name: (width, height)})
            continue
        print(f"{name}: move the lens board before the camera, near and far, tilted, in every part of the picture")
        views = collect_views(
            live_frames(source, arguments.seconds), spec,
            lambda covered: bar.show(covered.share, next(iter(covered.missing), "enough seen")),
        )  # fmt: skip
        try:
            found[name] = fit_lens(views, spec)
        except CalibrationError as error:
            raise CalibrationError(f"the {name} camera: {error}") from None
        finally:
            bar.end()
    if any(lens.views and not getattr(arguments, f"{name}_kept") for name, lens in found.items()):
        print(f"take the board away and leave the table still: its strips are looked at in {AWAY_S:.0f} s")
        time.sleep(AWAY_S)
    tags = {name: collect_tags(live_frames(source, TABLE_S), found[name], name) for name, source in sources.items()}
    return solve_rig(tags, found, _print_scale(arguments, found) if through_lens else scale, (), spec), found


def _list() -> int:
    for lens in lenses():
        held = f"{lens.value.held_out_px:.2f} px in views held back"
        print(f"lens  {lens.name}  {lens.value.width} x {lens.value.height}  {_when(lens.made)}  {held}")
    for rig in rigs():
        words = rig.value.quality.words if rig.value.quality else ""
        print(f"rig   {rig.name}  {_when(rig.made)}  {words}")
    if not lenses() and not rigs():
        print("no calibration is kept yet: highway calibrate DIR --keep NAME")
    return 0


def _when(made: str) -> str:
    return f"{datetime.fromisoformat(made).astimezone():%Y-%m-%d %H:%M}"


class _Bar:
    """Progress on a terminal, silent elsewhere."""

    def __init__(self) -> None:
        self.wanted = sys.stderr.isatty()
        self._said = ""

    def show(self, share: float, words: str) -> None:
        line = f"[{'#' * round(24 * share):<24}] {words}"
        if self.wanted and line != self._said:
            print(f"\r{line:<100}"[:110], end="", file=sys.stderr, flush=True)
            self._said = line

    def end(self) -> None:
        """Leave the line, where there is one."""
        if self._said:
            print(file=sys.stderr)
            self._said = ""
