"""Both views laid on the level of each number of discs: where they agree on a disc top, a column ends.

What is laid there is what the first net takes each pixel for, and how light it is. A second net, taught on nothing but
tables that `sample_frames.school` made up, says at each spot of each level how likely a column of so many discs stands
there. The side camera is always below in what it is shown, and it is told where a column's foot must show.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from referee.pieces import Kit
from vision.at_once import at_once
from vision.evidence import Evidence
from vision.nets import Net
from vision.once import once
from vision.seek import Box
from vision.view import Floats, Lens, Picture, Singles, sampled

NET = Net("floors.onnx")
CELLS_A_RADIUS = 4.0
STEP_CELLS = 16
"""The net takes sides that are multiples of this."""
FOOT_CELLS = (16.0, 64.0)
"""By how many cells a foot that shows elsewhere than its top counts as 1, from above and from the side."""
EVEN, FAR_MM = 4.0, 40.0
"""Grey levels added to a picture's spread, and how far around light is evened."""
MOST_ODDS = 5.0
"""Log-odds that are told at most: it may be mistaken, and then others must be able to outvote it."""
APART = 0.9
"""How near two columns may stand, in radii, for the odds of one to count."""
ODDS_WEIGHT = 2.5
"""Score points for each unit of log-odds."""
UNSEEN = -2.0
"""Log-odds of a column where not both views show the spot."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells (rows, columns) over the table, whose rows run towards the side camera."""

    corner: Floats
    """The first cell's middle, x and y in mm."""
    right: Floats
    down: Floats
    """Unit vectors along a row, and from row to row."""
    cell_mm: float
    shape: tuple[int, int]

    def spots(self) -> Floats:
        """Middles (rows, columns, 2) of all cells, in mm."""
        rows, columns = (np.arange(size)[..., None] * self.cell_mm for size in self.shape)
        return self.corner + rows[:, None] * self.down + columns * self.right

    def cells(self, spots: Floats) -> Floats:
        """Where spots (..., 2) in mm lie in cells, column and row."""
        away = spots - self.corner
        return np.stack([away @ self.right, away @ self.down], axis=-1) / self.cell_mm


def grid_over(box: Box, side_eye: Floats, kit: Kit) -> Grid:
    """A grid that covers a box of the table."""
    middle = np.array([(box.left + box.right) / 2, (box.bottom + box.top) / 2])
    away = side_eye[:2] - middle
    down = away / max(float(np.hypot(*away)), 1e-9)
    right = np.array([down[1], -down[0]])
    corners = np.array([(x, y) for x in (box.left, box.right) for y in (box.bottom, box.top)]) - middle
    cell_mm = kit.disc_radius_mm / CELLS_A_RADIUS
    wide, high = (2 * float(np.abs(corners @ axis).max()) for axis in (right, down))
    shape = tuple(math.ceil(size / cell_mm / STEP_CELLS) * STEP_CELLS for size in (high, wide))
    corner = middle - (shape[0] - 1) / 2 * cell_mm * down - (shape[1] - 1) / 2 * cell_mm * right
    return Grid(corner, right, down, cell_mm, (shape[0], shape[1]))


@dataclass(frozen=True, eq=False)
class Layers:
    """What of a view is laid on levels (h, w, 8): what the first net takes pixels for, how light they are, and 1."""

    lens: Lens
    scale: float
    """Size against the picture's own: two pixels to a cell, or nothing would be laid there but noise."""
    maps: tuple[Singles, Singles]
    """The first four of them and the others, (h, w, 4) each: no more are read at once."""

    def sampled(self, points_in_table: Floats) -> list[Singles]:
        """The maps at table points (..., 3), four (..., 4) and four; all 0 beside the picture."""
        pixels = (self.lens.project(points_in_table) + 0.5) * self.scale - 0.5
        return [sampled(four, pixels) for four in self.maps]


def layers_of(lens: Lens, picture: Picture, shares: Singles, middle_in_table: Floats, kit: Kit) -> Layers:
    """A view made ready to be laid on levels; `shares` (h, w, 7) are what the first net takes its pixels for."""
    pixel_mm = float(lens.depth_mm(middle_in_table)) / lens.camera.K[0][0]
    scale = min(pixel_mm * 2 * CELLS_A_RADIUS / kit.disc_radius_mm, 1.0)
    size = tuple(round(side * scale) for side in picture.shape[1::-1])
    grey = cv2.resize(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), size, interpolation=cv2.INTER_AREA).astype(np.float32)
    around = 2 * round(FAR_MM / pixel_mm * scale / 2) + 1
    even = grey - cv2.blur(grey, (around, around))
    even /= float(np.sqrt(np.square(even).mean())) + EVEN
    small = [cv2.resize(shares[..., i], size, interpolation=cv2.INTER_AREA) for i in range(1, 7)]
    maps = [*small, even, np.ones_like(even)]
    four, others = (np.asarray(cv2.merge(some), np.float32) for some in (maps[:4], maps[4:]))
    return Layers(lens, scale, (four, others))


def laid_on(layers: Sequence[Layers], grid: Grid, level_mm: float) -> Singles:
    """What the net is shown (n, rows, columns): the layers of both views on a level, and where a foot must show."""
    spots = grid.spots()
    points = np.concatenate([spots, np.full((*grid.shape, 1), level_mm)], axis=-1)
    shown: list[Singles] = []
    for view, usual in zip(layers, FOOT_CELLS, strict=True):
        for four in view.sampled(points):
            shown += cv2.split(four)  # type: ignore[arg-type]
        eye = view.lens.eye
        share = (eye[2] - level_mm) / eye[2]
        foot = (eye[:2] + (spots - eye[:2]) * share - spots) / (grid.cell_mm * usual)
        shown += [(foot @ axis).astype(np.float32) for axis in (grid.right, grid.down)]
    return np.stack(shown)


@dataclass(frozen=True, eq=False)
class Floors:
    """Log-odds (levels, rows, columns) that a column of so many discs, from one on, stands about a cell."""

    grid: Grid
    odds: Singles

    def at(self, spots: Floats, discs: int) -> Singles:
        """The log-odds of columns of so many discs about spots (..., 2)."""
        return sampled(self._about[discs - 1], self.grid.cells(spots))

    def heights_at(self, overhead: Lens, top_in_table: Floats, kit: Kit) -> Floats:
        """The log-odds (levels,) that what the overhead view shows at a spot (3,) is the top of a column so high."""
        ray = overhead.project(top_in_table[None])
        levels = range(1, len(self.odds) + 1)
        odds = [float(self.at(overhead.on_plane(ray, kit.column_top_mm(n))[:, :2], n)[0]) for n in levels]
        return np.array(odds)

    def worth(self, spot: tuple[float, float], discs: int) -> float:
        """Score points of a column of so many discs at a spot; one that is too high for the levels has the least."""
        if discs > len(self.odds):
            return -ODDS_WEIGHT * MOST_ODDS
        return ODDS_WEIGHT * float(self.at(np.array([spot]), discs)[0])

    @once
    def _about(self) -> Singles:
        """The highest odds within a cell: spots are known that well."""
        return np.stack([cv2.dilate(level, np.ones((3, 3), np.uint8)) for level in self.odds])

    def count(self, least: float) -> int:
        """How many spots have a height with odds above a least."""
        return int(cv2.connectedComponents((self.odds.max(axis=0) > least).astype(np.uint8))[0]) - 1

    def likely(self, least: float) -> list[tuple[int, Floats]]:
        """Of each number of discs the spots (k, 2) that both views show where odds are highest about and above a
        least."""
        size = 2 * int(APART * CELLS_A_RADIUS) + 1
        found = []
        for discs, level in enumerate(self.odds, start=1):
            highest = level >= cv2.dilate(level, np.ones((size, size), np.uint8))
            rows, columns = np.nonzero(highest & (level > least) & (level != UNSEEN))
            away = rows[:, None] * self.grid.down + columns[:, None] * self.grid.right
            found.append((discs, self.grid.corner + self.grid.cell_mm * away))
        return found


def floors_of(views: Sequence[Evidence], box: Box, kit: Kit, highest: int) -> Floors | None:
    """What both views say of columns up to a height; nothing where there is one view, or no net is asked."""
    told = [(view, view.told) for view in views if view.told is not None]
    if len(told) < 2:
        return None
    grid = grid_over(box, views[1].lens.eye, kit)
    middle = np.array([(box.left + box.right) / 2, (box.bottom + box.top) / 2, kit.disc_height_mm])
    layers = at_once(lambda one: layers_of(one[0].lens, one[0].view.picture, one[1], middle, kit), told)

    def odds_on(discs: int) -> Singles:
        shown = laid_on(layers, grid, kit.column_top_mm(discs))
        odds = np.clip(NET.answer(shown)[0], -MOST_ODDS, MOST_ODDS)
        return np.where((shown[7] > 0.5) & (shown[17] > 0.5), odds, np.float32(UNSEEN))

    return Floors(grid, np.asarray(at_once(odds_on, range(1, highest + 1)), np.float32))
