"""Fields turned so that sticks of one direction lie along rows: how much is seen of each, and where most is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.once import once
from vision.seek import GRID_MM, Field, Seed
from vision.view import Floats, Picture

Sums = NDArray[np.uint16]

LEAST = 0.35
"""Share of its sides that must be seen of a stick."""
PEAK = (8, 4)
"""Along and across a stick, in points of the field: so far about it a place must be the best."""
Places = tuple[slice, slice]
ALL: Places = (slice(0, None), slice(0, None))
BEGIN = np.zeros(2)


@dataclass(frozen=True, eq=False)
class Rows:
    """A grid turned so that sticks of one direction lie along its rows, and how much is seen of each."""

    turn: Floats
    """From the grid to the rows (2, 3)."""
    gap: int
    """Rows between the two sides of a stick."""
    whole: int
    """The sum of a stick that is seen all along."""
    sums: Sums
    """At the middle of the stick's first side."""

    def peaks(self) -> Floats:
        """Where more is seen of a stick than beside it: shares and places (3, n) on the grid."""
        high = self.sums > int(LEAST * self.whole)
        if not high.any():
            return np.empty((3, 0))
        high &= self.sums == cv2.dilate(self.sums, np.ones((3, 5), np.uint8))
        v, u = np.divmod(np.flatnonzero(high), high.shape[1])
        places = cv2.invertAffineTransform(self.turn) @ (u, v + self.gap / 2, np.ones(len(u)))
        return np.concatenate([self.sums[v, u][None] / self.whole, places])

    @once
    def most(self) -> float:
        """The largest share of all."""
        return float(self.sums.max(initial=0)) / self.whole

    def most_about(self, x: float, y: float, reach: float) -> float:
        """The largest share within reach of a point of the grid."""
        u, v = self.turn @ (x, y, 1.0) - (0, self.gap / 2)
        first, last = (np.maximum(np.rint((u + far, v + far)).astype(int), 0) for far in (-reach, reach))
        near = self.sums[first[1] : last[1] + 1, first[0] : last[0] + 1]
        return float(near.max(initial=0)) / self.whole


def rows_of(where: Field, yaw_rad: float, kit: Kit, knee: float) -> Rows:
    """How much is seen of sticks along a direction, at all places of a field."""
    height, width = where.tensors[0].shape[:2]
    gap, length = gap_and_length(kit)
    turn, size = turned(width, height, yaw_rad)
    sums = sums_of(seen_in(where, yaw_rad, knee), turn, (size[0], max(size[1], gap + 1)), gap, length)
    return Rows(turn, gap, 255 * length, sums)


def seeds_at(where: Field, rows: Rows, yaw_rad: float, places: Places = ALL, first: Floats = BEGIN) -> list[Seed]:
    """Sticks of which more is seen than beside them, at places of rows; these may be a part of a field's, from `first`
    (2,) on."""
    sums = rows.sums
    high = sums[places] > int(LEAST * rows.whole)
    if not high.any():
        return []
    best = cv2.dilate(sums, np.ones((2 * PEAK[1] + 1, 2 * PEAK[0] + 1), np.uint8))
    row, column = np.divmod(np.flatnonzero(high & (sums[places] == best[places])), high.shape[1])
    left, top = first + np.array([places[1].start, places[0].start])
    at = (column + left, row + top + rows.gap // 2, np.ones(len(row)))
    x, y = cv2.invertAffineTransform(rows.turn) @ at
    spots = zip((x * GRID_MM + where.box.left).tolist(), (y * GRID_MM + where.box.bottom).tolist(), strict=True)
    shares = (sums[places][row, column] / rows.whole).tolist()
    return [Seed(*spot, yaw_rad, where.z_mm, share) for spot, share in zip(spots, shares, strict=True)]


def turned(width: int, height: int, yaw_rad: float) -> tuple[Floats, tuple[int, int]]:
    """From a grid to one whose rows run along a direction (2, 3), and the width and height of that one."""
    cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
    size = int(width * abs(cos) + height * abs(sin)) + 4, int(width * abs(sin) + height * abs(cos)) + 4
    turn = np.array([[cos, sin, 0], [-sin, cos, 0]])
    turn[:, 2] = np.array(size) / 2 - turn[:, :2] @ (width / 2, height / 2)
    return turn, size


def gap_and_length(kit: Kit) -> tuple[int, int]:
    """A stick's width and the length of its straight sides, in points of the field."""
    gap = 2 * max(round(kit.road_width_mm / 2 / GRID_MM), 1)
    return gap, max(int((kit.road_length_mm - kit.road_width_mm) / GRID_MM), 3)


def seen_in(where: Field, yaw_rad: float, knee: float) -> Picture:
    """How well edges along a direction are seen, in 255ths: bytes are turned and summed several times as fast."""
    strength = where.strength(yaw_rad)
    seen = cv2.convertScaleAbs(strength / (strength + knee), alpha=255)
    return np.asarray(cv2.dilate(seen, np.ones((3, 3), np.uint8)), np.uint8)


def sums_of(seen: Picture, turn: Floats, size: tuple[int, int], gap: int, length: int) -> Sums:
    """What is seen of both sides together of sticks about each place of the rows."""
    rows = cv2.warpAffine(seen, turn, size, flags=cv2.INTER_LINEAR)
    upper, lower = rows[:-gap], rows[gap:]
    both = cv2.addWeighted(cv2.min(upper, lower), 0.5, cv2.addWeighted(upper, 0.5, lower, 0.5, 0), 0.5, 0)
    total = cv2.boxFilter(both, cv2.CV_16U, (length, 1), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(total, np.uint16)
