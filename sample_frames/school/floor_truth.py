"""What is true of a level of a made-up table, cell by cell: where columns end on it, and where sticks lie."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from referee.pieces import Kit
from vision.floors import TURNS, Grid, Layers

SPREAD_CELLS = 1.3
"""How far about a column's middle it is marked."""
NEAR_LEVEL = 0.75
"""How far from a level, in discs, a stick is still marked on it: halfway between two it is on both."""
NEAR_TURN = 0.75
"""The same for the directions in which sticks are told apart."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """Both views of a table made ready, its columns (n, 3), and both tips (m, 2, 3) of its sticks."""

    layers: tuple[Layers, ...]
    columns: np.ndarray
    sticks: np.ndarray
    kit: Kit


def truth_of(lesson: Lesson, grid: Grid, discs: int) -> np.ndarray:
    """What the net is to tell of a level (1 + TURNS, rows, columns), 0 to 1."""
    return np.concatenate([_columns(lesson, grid, discs)[None], _sticks(lesson, grid, discs)])


def _columns(lesson: Lesson, grid: Grid, discs: int) -> np.ndarray:
    here = lesson.columns[lesson.columns[:, 2] == discs]
    y, x = np.mgrid[: grid.shape[0], : grid.shape[1]]
    true = np.zeros(grid.shape, np.float32)
    for column, row in grid.cells(here[:, :2]):
        away = (x - column) ** 2 + (y - row) ** 2
        true = np.maximum(true, np.exp(-0.5 * away / SPREAD_CELLS**2).astype(np.float32))
    return true


def _sticks(lesson: Lesson, grid: Grid, discs: int) -> np.ndarray:
    kit, true = lesson.kit, np.zeros((TURNS, *grid.shape), np.float32)
    level_mm, slack_mm = kit.lying_z_mm(discs), NEAR_LEVEL * kit.disc_height_mm
    spots = grid.spots()
    middle = spots.reshape(-1, 2).mean(axis=0)
    reach_mm = float(np.hypot(*(spots[0, 0] - middle))) + kit.road_length_mm
    for a, b in lesson.sticks:
        low, high = sorted((a[2], b[2]))
        if low > level_mm + slack_mm or high < level_mm - slack_mm or math.dist(a[:2], middle) > reach_mm:
            continue
        ahead = (b - a)[:2]
        length_mm = float(np.hypot(*ahead))
        ahead = ahead / length_mm
        arms = spots - a[:2]
        along = arms @ ahead
        aside = np.abs(arms[..., 1] * ahead[0] - arms[..., 0] * ahead[1])
        z_mm = a[2] + along / length_mm * (b[2] - a[2])
        on = (aside < kit.road_width_mm / 2) & (along > 0) & (along < length_mm) & (np.abs(z_mm - level_mm) < slack_mm)
        turn = grid.turn(ahead)
        for k in range(TURNS):
            if abs((turn - k + TURNS / 2) % TURNS - TURNS / 2) < NEAR_TURN:
                true[k][on] = 1.0
    return true
