"""Stretches of a road that may be a car's, by what each point of it tells: the one that gains most, or two in a row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from referee.pieces import Kit
from vision.car_rows import STEP_MM, Rows
from vision.view import Floats

COST, MAY_BE = 6.0, 1.0
"""What a car must be worth, in log-odds times mm, and what makes one possible: true ones are worth 5 and more where
they show, nearly all else 5 at most; slivers beside a road that lies over one may be worth 2."""
MUCH, MORE = 15.0, 0.3
"""What one view may tell for a car in full, and the share of what it tells beyond that which counts."""
TWO, BARE, GAPS = 25.0, -4.0, (0, 4, 8, 14, 20)
"""What two cars must gain more than one that stands across them, unless what lies between them tells so much against a
car; and how many rows may lie there."""


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a road that a car takes: from and to in mm from tip a, and what it is worth in all views."""

    road: str
    start_mm: float
    end_mm: float
    gain: float

    @property
    def middle_mm(self) -> float:
        return (self.start_mm + self.end_mm) / 2

    @property
    def length_mm(self) -> float:
        return self.end_mm - self.start_mm

    def rows(self) -> slice:
        """Its rows."""
        return slice(max(round(self.start_mm / STEP_MM), 0), max(round(self.end_mm / STEP_MM), 1))


def gains_of(rows: Sequence[Rows]) -> Floats:
    """What each row of a road (views, n) tells for a car in each view."""
    return np.array([one.gain for one in rows])


def worth(gains: Floats) -> Floats:
    """What gains in all views (views, ...) are worth together: the more one view gains by itself the less it adds."""
    total: Floats = np.where(gains > MUCH, MUCH + MORE * (gains - MUCH), gains).sum(axis=0)
    return total


def best_places(road: str, gains: Floats, taken: Sequence[Place], kit: Kit, most: int = 2) -> list[Place]:
    """The stretch of a road, as long as a car and clear of taken ones, that gains most, or the two side by side that
    gain much more where so many may be; none where it is not worth it."""
    sums = np.cumsum(np.pad(gains, ((0, 0), (1, 0))), axis=1)
    shut = np.zeros(gains.shape[1], bool)
    for place in taken:
        shut[place.rows()] = True
    shuts = np.concatenate([[0], np.cumsum(shut)])
    totals = {}
    for length in lengths(kit):
        if length <= gains.shape[1]:
            told = sums[:, length:] - sums[:, :-length]
            is_none = (shuts[length:] > shuts[:-length]) | (worth(told) < MAY_BE)
            totals[length] = np.where(is_none, -np.inf, told.sum(axis=0))
    spans, by_itself = _best_span(totals)
    if by_itself == -np.inf:
        return []
    if most > 1 and by_itself > COST:
        pair, together = _best_pair(totals, sums.sum(axis=0))
        spans = pair if together > by_itself else spans
    return [
        Place(road, start * STEP_MM, end * STEP_MM, float(worth(sums[:, end] - sums[:, start]))) for start, end in spans
    ]


def _best_span(totals: Mapping[int, Floats]) -> tuple[list[tuple[int, int]], float]:
    """First row and the one after the last of what gains most, of the gains by length at each first row."""
    best: tuple[list[tuple[int, int]], float] = [], -math.inf
    for length, gains in totals.items():
        start = int(gains.argmax())
        if gains[start] > best[1]:
            best = [(start, start + length)], float(gains[start])
    return best


def _best_pair(totals: Mapping[int, Floats], sums: Floats) -> tuple[list[tuple[int, int]], float]:
    """The same for two close behind each other, less what makes them two: little where bare road lies between them."""
    best: tuple[list[tuple[int, int]], float] = [], -math.inf
    for first, ahead in totals.items():
        for second, behind in totals.items():
            for gap in GAPS:
                count = len(behind) - first - gap
                if count <= 0:
                    continue
                between = sums[first + gap :][:count] - sums[first:][:count]
                both = ahead[:count] + behind[first + gap :] - np.where(between < BARE, COST, TWO)
                start = int(both.argmax())
                if both[start] > best[1]:
                    next_start = start + first + gap
                    best = [(start, start + first), (next_start, next_start + second)], float(both[start])
    return best


def lengths(kit: Kit) -> list[int]:
    """How many rows cars take."""
    return sorted({round(size[0] / STEP_MM) for size in kit.cars.values()})
