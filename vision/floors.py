"""Both views laid on the level of each number of discs: where they agree on a disc top, a column ends.

What is laid there is what the first net takes each pixel for, and how light it is. A second net, taught on nothing but
tables that `sample_frames.school` made up, says at each spot of each level how likely a column of so many discs stands
there, and how likely a stick lies there in each direction, seen or hidden. The side camera is always below in what it
is shown, and it is told where a column's foot must show.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import cv2
import numpy as np

from referee.pieces import Kit
from vision.evidence import Evidence
from vision.once import once
from vision.seek import Box
from vision.view import Floats, Lens, Picture, Singles, sampled

CELLS_A_RADIUS = 4.0
STEP_CELLS = 16
"""The net takes sides that are multiples of this."""
FOOT_CELLS = (16.0, 64.0)
"""By how many cells a foot that shows elsewhere than its top counts as 1, from above and from the side."""
EVEN, FAR_MM = 4.0, 40.0
"""Grey levels added to a picture's spread, and how far around light is evened."""
MOST_ODDS = 5.0
"""Log-odds that are told at most: it may be mistaken, and then others must be able to outvote it."""
REACH_CELLS, FARTHER, MUCH_MORE = 2, 0.12, 1.5
"""How far from where a rim is seen a column may stand by its odds, by how much they count less per cell squared, and by
how much they must be higher there: a rim is seen more finely than cells are."""
APART = 0.9
"""How near two columns may stand, in radii, for the odds of one to count."""
ODDS_WEIGHT = 2.5
"""Score points for each unit of log-odds."""
UNSEEN = -2.0
"""Log-odds of a column where not both views show the spot."""
TURNS = 6
"""In how many directions sticks are told apart, over half a turn."""
SAMPLES = 12
"""At how many spots along a stick it is asked for."""
STICK_WEIGHT = 6.0
"""Score points for each unit of the log-odds that a stick lies where it does, over all of its length."""


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

    def turn(self, ahead: Floats) -> Floats:
        """In which of the directions in which sticks are told apart vectors (..., 2) point, 0 to TURNS."""
        turn: Floats = np.arctan2(ahead @ self.down, ahead @ self.right) / (np.pi / TURNS) % TURNS
        return turn


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
    maps: Singles

    def sampled(self, points_in_table: Floats) -> list[Singles]:
        """The maps at table points (..., 3), four (..., 4) and four; all 0 beside the picture."""
        pixels = (self.lens.project(points_in_table) + 0.5) * self.scale - 0.5
        return [sampled(np.ascontiguousarray(self.maps[..., i : i + 4]), pixels) for i in (0, 4)]


def layers_of(lens: Lens, picture: Picture, shares: Singles, middle_in_table: Floats, kit: Kit) -> Layers:
    """A view made ready to be laid on levels; `shares` (h, w, 7) are what the first net takes its pixels for."""
    pixel_mm = float(lens.depth_mm(middle_in_table)) / lens.camera.K[0][0]
    scale = min(pixel_mm * 2 * CELLS_A_RADIUS / kit.disc_radius_mm, 1.0)
    size = tuple(round(side * scale) for side in picture.shape[1::-1])
    grey = cv2.resize(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), size, interpolation=cv2.INTER_AREA).astype(np.float32)
    around = 2 * round(FAR_MM / pixel_mm * scale / 2) + 1
    even = grey - cv2.blur(grey, (around, around))
    even /= float(np.sqrt(np.square(even).mean())) + EVEN
    small = [cv2.resize(shares[..., i : i + 3], size, interpolation=cv2.INTER_AREA) for i in (1, 4)]
    return Layers(lens, scale, np.dstack([*small, even, np.ones_like(even)]))


def laid_on(layers: Sequence[Layers], grid: Grid, level_mm: float) -> Singles:
    """What the net is shown (n, rows, columns): the layers of both views on a level, and where a foot must show."""
    spots = grid.spots()
    points = np.concatenate([spots, np.full((*grid.shape, 1), level_mm)], axis=-1)
    shown = []
    for view, usual in zip(layers, FOOT_CELLS, strict=True):
        shown += view.sampled(points)
        eye = view.lens.eye
        share = (eye[2] - level_mm) / eye[2]
        foot = (eye[:2] + (spots - eye[:2]) * share - spots) / (grid.cell_mm * usual)
        shown.append(np.stack([foot @ grid.right, foot @ grid.down], axis=-1).astype(np.float32))
    return np.ascontiguousarray(np.concatenate(shown, axis=-1).transpose(2, 0, 1), np.float32)


@cache
def _nets() -> list[cv2.dnn.Net]:
    """Two nets that were taught apart: of columns both tell, of sticks the second."""
    files = [resources.files("vision") / name for name in ("floors.onnx", "lying.onnx")]
    return [cv2.dnn.readNetFromONNX(np.frombuffer(file.read_bytes(), np.uint8)) for file in files]


@dataclass(frozen=True, eq=False)
class Floors:
    """Log-odds (levels, rows, columns) that a column of so many discs, from one on, stands about a cell, and those that
    a stick lies there (levels from the table's on, TURNS, rows, columns)."""

    grid: Grid
    odds: Singles
    sticks: Singles

    def at(self, spots: Floats, discs: int) -> Singles:
        """The log-odds of columns of so many discs about spots (..., 2)."""
        return sampled(self._about[discs - 1], self.grid.cells(spots))

    def standing(self, spots: Floats, discs: int) -> tuple[Singles, Floats]:
        """Where (k, 2) about spots (k, 2) a column of so many discs is likeliest, and its log-odds (k,) there."""
        rows, columns = self.grid.shape
        steps = np.arange(-REACH_CELLS, REACH_CELLS + 1)
        down, right = (grid.ravel() for grid in np.meshgrid(steps, steps, indexing="ij"))
        column, row = np.rint(self.grid.cells(spots)).astype(np.intp).T
        row, column = row[:, None] + down, column[:, None] + right
        inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
        odds = self.odds[discs - 1][np.clip(row, 0, rows - 1), np.clip(column, 0, columns - 1)]
        odds = np.where(inside, odds, UNSEEN) - FARTHER * (down**2 + right**2)
        best, own = odds.argmax(axis=1), self.at(spots, discs)
        moved = down[best, None] * self.grid.down + right[best, None] * self.grid.right
        is_off = odds.max(axis=1) > own + MUCH_MORE
        there = spots + self.grid.cell_mm * moved * is_off[:, None]
        return np.where(is_off, odds.max(axis=1), own), there

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

    def along(self, poses: Floats, kit: Kit) -> Floats:
        """Score points (m,) of sticks at poses (m, 5), whatever hides them."""
        yaw, low, high = poses[:, 2], poses[:, 3], poses[:, 4]
        shares = np.linspace(-0.46, 0.46, SAMPLES)
        ahead = np.stack([np.cos(yaw), np.sin(yaw)], axis=-1)
        flat = np.sqrt(np.maximum(kit.road_length_mm**2 - (high - low) ** 2, 1.0))
        spots = poses[:, None, :2] + shares[:, None] * (flat[:, None] * ahead)[:, None]
        level = ((low + high)[:, None] / 2 + shares * (high - low)[:, None]) / kit.disc_height_mm
        level = np.clip(level - kit.lying_z_mm(0) / kit.disc_height_mm, 0, len(self.sticks) - 1)
        column, row = np.rint(self.grid.cells(spots)).astype(np.intp).transpose(2, 0, 1)
        rows, columns = self.grid.shape
        inside = (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
        cell = np.where(inside, row * columns + column, 0)
        turn = np.broadcast_to(self.grid.turn(ahead)[:, None], level.shape)
        found = np.zeros(level.shape)
        # Between two levels, and between two directions, both have a say.
        for (one, level_share), (k, turn_share) in itertools.product(_between(level), _between(turn)):
            plane = np.minimum(one, len(self.sticks) - 1) * TURNS + k % TURNS
            found += level_share * turn_share * self.sticks.reshape(-1).take(plane * (rows * columns) + cell)
        points: Floats = STICK_WEIGHT * (found * inside).mean(axis=1)
        return points

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
    if len(views) < 2 or any(view.told is None for view in views):
        return None
    grid = grid_over(box, views[1].lens.eye, kit)
    middle = np.array([(box.left + box.right) / 2, (box.bottom + box.top) / 2, kit.disc_height_mm])
    layers = [layers_of(one.lens, one.view.picture, one.told, middle, kit) for one in views if one.told is not None]
    columns, sticks = [], []
    for discs in range(highest + 1):
        shown = laid_on(layers, grid, kit.column_top_mm(discs))
        told = []
        for net in _nets():
            net.setInput(shown[None])
            told.append(np.clip(net.forward()[0], -MOST_ODDS, MOST_ODDS))
        both = (shown[7] > 0.5) & (shown[17] > 0.5)
        columns.append(np.where(both, np.mean([one[0] for one in told], axis=0), UNSEEN))
        sticks.append(np.where(both, told[1][1:], 0.0))
    return Floors(grid, np.asarray(columns[1:], np.float32), np.asarray(sticks, np.float32))


def _between(values: Floats) -> list[tuple[np.ndarray, Floats]]:
    """Of values the whole numbers on both sides, and what each counts."""
    below = np.floor(values)
    share = values - below
    return [(below.astype(np.intp), 1 - share), (below.astype(np.intp) + 1, share)]
