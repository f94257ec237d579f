"""How much of what a lens needs the board has shown so far: places, sizes and tilts, and what is missing in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Floats
from calibration.charuco import BoardSeen
from calibration.lens_solve import Corners, guess, pose_of

GRID = 4  # cells along each side of the picture
NEAR_SHARE = 0.40  # of the picture's side, by area
FAR_SHARE = 0.30
TILT_RAD = math.radians(15.0)
USUAL_FOCAL = 0.85  # of the picture's width: enough to tell a tilt
SIDES = ("left", "right", "top", "bottom")
ENOUGH_VIEWS = 12


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a board has shown; every view gives a new one."""

    spec: BoardSpec
    cells: frozenset[tuple[int, int]] = frozenset()
    """(column, row) of the picture's GRID x GRID cells that held a corner."""
    sizes: frozenset[str] = frozenset()
    """near, far."""
    tilts: frozenset[str] = frozenset()
    """Which side of the board, as the picture shows it, was nearer than the other: of SIDES."""
    views: int = 0

    def with_view(self, seen: BoardSeen) -> Coverage:
        """What is covered when this view counts too."""
        cell = np.floor((seen.corners_px + 0.5) / np.array(seen.size) * GRID).astype(int).clip(0, GRID - 1)
        share = _share(seen, self.spec)
        sizes = {name for name, met in (("near", share >= NEAR_SHARE), ("far", share <= FAR_SHARE)) if met}
        return replace(
            self,
            cells=self.cells | {(int(x), int(y)) for x, y in cell},
            sizes=self.sizes | sizes,
            tilts=self.tilts | _nearer_sides(seen, self.spec),
            views=self.views + 1,
        )

    @property
    def missing(self) -> tuple[str, ...]:
        """What to do next, tilts first, as they matter most."""
        wanted = [f"tilt its {side} side towards the camera" for side in SIDES if side not in self.tilts]
        if "near" not in self.sizes:
            wanted.append("bring it nearer")
        if "far" not in self.sizes:
            wanted.append("take it farther away")
        every = ((column, row) for row in range(GRID) for column in range(GRID))
        places = dict.fromkeys(_place(*cell) for cell in every if cell not in self.cells)
        wanted += [f"show it at the {place} of the picture" for place in places]
        if not wanted and self.views < ENOUGH_VIEWS:
            wanted.append(f"go on: {self.views} of {ENOUGH_VIEWS} views")
        return tuple(wanted)

    @property
    def enough(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing

    @property
    def share(self) -> float:
        """How much is covered, from 0 to 1."""
        have = len(self.cells) / GRID**2 + len(self.sizes) / 2 + len(self.tilts) / len(SIDES)
        return min(have / 3, self.views / ENOUGH_VIEWS)


def outline_px(seen: BoardSeen, spec: BoardSpec) -> Floats:
    """About where the four outer corners (4, 2) of the board lie, outside the picture too."""
    found, _ = cv2.findHomography(spec.corners_mm()[seen.ids], seen.corners_px)
    width, height = spec.width_mm, spec.height_mm
    rim = np.array([[0, 0, 1], [width, 0, 1], [width, height, 1], [0, height, 1.0]]) @ np.asarray(found).T
    return np.asarray(rim[:, :2] / rim[:, 2:], dtype=np.float64)


def _share(seen: BoardSeen, spec: BoardSpec) -> float:
    area = abs(cv2.contourArea(outline_px(seen, spec).astype(np.float32)))
    return math.sqrt(area / (seen.size[0] * seen.size[1]))


def _nearer_sides(seen: BoardSeen, spec: BoardSpec) -> set[str]:
    pose = pose_of(guess(USUAL_FOCAL, seen.size), Corners(spec.corners_mm()[seen.ids], seen.corners_px))
    x, y, z = cv2.Rodrigues(pose[:3])[0][:, 2]  # out of the board's back
    across, down = math.atan2(x, z), math.atan2(y, z)
    leaning = zip(SIDES, (-across, across, -down, down), strict=True)
    return {side for side, angle in leaning if angle >= TILT_RAD}


def _place(column: int, row: int) -> str:
    down = {0: "top", GRID - 1: "bottom"}.get(row, "")
    across = {0: "left", GRID - 1: "right"}.get(column, "")
    if down and across:
        return f"{down} {across} corner"
    return f"{down or across} edge" if down or across else "middle"
