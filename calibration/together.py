"""The lens board before both cameras at once: which views belong together, and how far apart the two clocks run.

Nobody starts two cameras at the same instant, and each takes its own time to deliver a picture: a tenth of a second of
a moving board is centimetres. The offset is found as the one at which both cameras agree on one pose of each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Floats
from calibration.charuco import BoardSeen, least_corners
from calibration.lens import Lens
from calibration.lens_solve import Corners, pose_of

FARTHEST_S = 0.5
COARSE_S, FINE_S = 0.02, 0.002
NEIGHBOURS_S = 0.45  # farther apart two views say nothing of how the board moved between them
LEAST_SHARE = 0.6  # of the pairs that the best offset has: fewer fit by chance
LEAST_GAIN = 0.9  # an offset has to bring the misfit below this share of what it is without one
WIDE_PX = 3.0
LEAST_PAIRS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """Moments at which both cameras saw the board, and how much later the side camera's clock shows the same moment."""

    pairs: Sequence[Mapping[str, BoardSeen]]
    side_later_s: float


def boards_together(views: Mapping[str, Sequence[BoardSeen]], lenses: Mapping[str, Lens], spec: BoardSpec) -> Together:
    """Views of both cameras that belong together, those of the side camera moved to the overhead one's moments."""
    overheads = sorted(views.get("overhead", ()), key=lambda view: view.time_s)
    sides = sorted(views.get("side", ()), key=lambda view: view.time_s)
    if not overheads or not sides:
        return Together([], 0.0)
    later_s = _offset(overheads, sides, lenses, spec)
    pairs = [(view, at_time(sides, view.time_s + later_s, spec)) for view in overheads]
    return Together([{"overhead": one, "side": two} for one, two in pairs if two is not None], later_s)


def at_time(views: Sequence[BoardSeen], time_s: float, spec: BoardSpec) -> BoardSeen | None:
    """The board between views in the order of time, as a curve through the three nearest has it."""
    times = np.array([view.time_s for view in views])
    nearest = int(np.argmin(np.abs(times - time_s)))
    if abs(times[nearest] - time_s) < 1e-6:
        return views[nearest]
    around = range(nearest - 1, nearest + 2)
    if around.start < 0 or around.stop > len(views):
        return None
    three = [views[number] for number in around]
    steps = np.diff([view.time_s for view in three])
    if steps.max() > NEIGHBOURS_S or not three[0].time_s <= time_s <= three[2].time_s:
        return None
    ids = np.array(sorted(set.intersection(*(set(view.ids.tolist()) for view in three))), dtype=np.intp)
    if len(ids) < least_corners(spec):
        return None
    a, b, c = (view.corners_px[np.searchsorted(view.ids, ids)] for view in three)
    before, middle, after = (time_s - view.time_s for view in three)
    first, second = steps
    corners: Floats = (
        a * (middle * after) / (first * (first + second))
        - b * (before * after) / (first * second)
        + c * (before * middle) / (second * (first + second))
    )
    return replace(three[1], ids=ids, corners_px=corners, time_s=time_s)


def _offset(
    overheads: Sequence[BoardSeen], sides: Sequence[BoardSeen], lenses: Mapping[str, Lens], spec: BoardSpec
) -> float:
    """How much later the side camera's clock shows what the overhead one's shows; 0.0 where that does as well."""
    poses = [board_pose(view, lenses["overhead"].parameters(), spec) for view in overheads]
    places = [flat_corners_mm(spec) @ turn.T + shift for turn, shift in poses]

    def misfit(later_s: float) -> tuple[float, int]:
        pairs = []
        for view, points in zip(overheads, places, strict=True):
            other = at_time(sides, view.time_s + later_s, spec)
            if other is not None:
                pairs.append((points[other.ids], other.corners_px))
        return _misfit_px(pairs, lenses["side"]), len(pairs)

    def best_of(tried: Floats) -> tuple[float, float]:
        found = [(*misfit(float(later_s)), float(later_s)) for later_s in tried]
        most = max(count for _, count, _ in found)
        return min((px, later_s) for px, count, later_s in found if count >= LEAST_SHARE * most)

    _, coarse_s = best_of(np.arange(-FARTHEST_S, FARTHEST_S + COARSE_S / 2, COARSE_S))
    px, fine_s = best_of(coarse_s + np.arange(-COARSE_S, COARSE_S + FINE_S / 2, FINE_S))
    without_px, count = misfit(0.0)
    return 0.0 if count >= LEAST_PAIRS and px > LEAST_GAIN * without_px else fine_s


def board_pose(view: BoardSeen, lens: Floats, spec: BoardSpec) -> tuple[Floats, Floats]:
    """camera_from_board as a rotation and a shift, the lens given in the order of PARAMETERS; y goes down the board."""
    pose = pose_of(np.array([*lens, 0.0, 0.0, 0.0]), Corners(spec.corners_mm()[view.ids], view.corners_px))
    return np.asarray(cv2.Rodrigues(pose[:3])[0], dtype=np.float64), pose[3:]


def flat_corners_mm(spec: BoardSpec) -> Floats:
    """All corners (n, 3) on the board, y down."""
    flat = spec.corners_mm()
    return np.column_stack([flat, np.zeros(len(flat))])


def _misfit_px(pairs: Sequence[tuple[Floats, Floats]], lens: Lens) -> float:
    """How far, RMS, pixels lie from points that one pose of a camera should take there; far ones count as WIDE_PX."""
    if len(pairs) < LEAST_PAIRS:
        return float("inf")
    points, pixels = (np.concatenate(part) for part in zip(*pairs, strict=True))
    matrix, dist = np.array(lens.K), np.array(lens.dist)
    found, turned, shift = cv2.solvePnP(points, pixels, matrix, dist, flags=cv2.SOLVEPNP_SQPNP)
    if not found:
        return float("inf")
    turned, shift = cv2.solvePnPRefineLM(points, pixels, matrix, dist, turned, shift)
    seen, _ = cv2.projectPoints(points, turned, shift, matrix, dist)
    off = np.linalg.norm(seen.reshape(-1, 2) - pixels, axis=1)
    return float(np.sqrt(np.mean(np.minimum(off, WIDE_PX) ** 2)))
