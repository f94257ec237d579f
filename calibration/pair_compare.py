"""How two programs place one camera beside the other, on moments of the board that ours was not solved from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from scipy.optimize import least_squares

from calibration.board import BoardSpec
from calibration.camera import Camera, Floats
from calibration.charuco import BoardSeen
from calibration.lens import Lens
from calibration.rig_checks import NAMES
from calibration.rig_quality import lens_numbers
from calibration.rig_solve import solve_rig
from calibration.together import board_pose, boards_together, flat_corners_mm

HELD_OUT = 5
"""Every so manieth moment."""

Pair = Mapping[str, BoardSeen]


class PairCompared(NamedTuple):
    """Two cameras: RMS px in held-out moments, and how far apart the two answers are."""

    solved_from: int
    held_out: int
    side_later_s: float
    """How much later the second video shows the same moment."""
    ours_px: float
    theirs_px: float
    as_filmed_ours_px: float
    """In the frames that carry the same number, as if both cameras had taken them at once."""
    as_filmed_theirs_px: float
    turn_apart_deg: float
    place_apart_mm: float
    baseline_mm: float


def compare_pair(
    views: Mapping[str, Sequence[BoardSeen]], lenses: Mapping[str, Lens], theirs: Mapping[str, Camera], spec: BoardSpec
) -> PairCompared:
    """Solve the pair with our lenses, and hold both answers against the moments that were held back."""
    found = boards_together(views, lenses, spec)
    held = found.pairs[HELD_OUT - 1 :: HELD_OUT]
    used = [pair for number, pair in enumerate(found.pairs) if number % HELD_OUT != HELD_OUT - 1]
    ours = solve_rig({}, lenses, 1.0, used, spec).cameras
    times = {pair["overhead"].time_s for pair in held}
    sides = {view.time_s: view for view in views["side"]}
    filmed = [
        {"overhead": view, "side": sides[view.time_s]}
        for view in views["overhead"]
        if view.time_s in times and view.time_s in sides
    ]
    (our_turn, our_place), (their_turn, their_place) = (_side_in_overhead(cameras) for cameras in (ours, theirs))
    turned, _ = cv2.Rodrigues(our_turn @ their_turn.T)
    return PairCompared(
        len(used), len(held), found.side_later_s,
        pair_error_px(ours, held, spec), pair_error_px(theirs, held, spec),
        pair_error_px(ours, filmed, spec), pair_error_px(theirs, filmed, spec),
        float(np.degrees(np.linalg.norm(turned))), float(np.linalg.norm(our_place - their_place)),
        float(np.linalg.norm(our_place)),
    )  # fmt: skip


def pair_error_px(cameras: Mapping[str, Camera], pairs: Sequence[Pair], spec: BoardSpec) -> float:
    """RMS distance in px of found and predicted corners, one best pose of the board for both cameras of a pair."""
    off = np.concatenate([_best_off_px(cameras, pair, spec) for pair in pairs])
    return float(np.sqrt((off**2).sum(axis=1).mean()))


def _best_off_px(cameras: Mapping[str, Camera], pair: Pair, spec: BoardSpec) -> Floats:
    """(n, 2) in both pictures."""
    on_board = flat_corners_mm(spec)
    first = cameras[NAMES[0]]
    turn, shift = board_pose(pair[NAMES[0]], lens_numbers(first), spec)
    turned, _ = cv2.Rodrigues(np.array(first.R).T @ turn)
    start = np.concatenate([turned.ravel(), np.array(first.R).T @ (shift - np.array(first.t))])

    def off(pose: Floats) -> Floats:
        points = on_board @ cv2.Rodrigues(pose[:3])[0].T + pose[3:]
        missed = [cameras[name].project(points[pair[name].ids]) - pair[name].corners_px for name in NAMES]
        return np.concatenate(missed).ravel()

    best = least_squares(off, start, x_scale=np.array([0.01, 0.01, 0.01, 1.0, 1.0, 1.0]))
    return np.asarray(best.fun, dtype=np.float64).reshape(-1, 2)


def _side_in_overhead(cameras: Mapping[str, Camera]) -> tuple[Floats, Floats]:
    """How the side camera is turned and where it stands, in the overhead camera's frame."""
    overhead, side = (cameras[name] for name in NAMES)
    turn: Floats = np.array(overhead.R) @ np.array(side.R).T
    place: Floats = np.array(overhead.R) @ side.centre_in_table() + np.array(overhead.t)
    return turn, place
