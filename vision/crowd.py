"""Columns and sticks that are tried together, and which of them would stand in each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.bits import bits_of, members
from vision.clashes import columns_clash, stick_through_column, sticks_clash
from vision.view import Floats

SPARE = 256


@dataclass(eq=False)
class Crowd:
    """Pieces by number: each is compared with all that came before it, so that whole states are looked up."""

    kit: Kit
    _against: list[int] = field(default_factory=list)
    """For each piece the set of those that would stand in it."""

    def __post_init__(self) -> None:
        self._tips: Floats = np.zeros((0, 2, 3))
        """Of columns the middle of the top, twice."""
        self._rings: NDArray[np.intp] = np.zeros((0, 2), np.intp)
        """The tops that a piece is or lies on."""
        self._middles: Floats = np.zeros((0, 2))
        self._reach_mm: Floats = np.zeros(0)
        self._is_stick: NDArray[np.bool_] = np.zeros(0, bool)

    def add_column(self, ring: int, top: Sequence[float]) -> int:
        """The number of a further column."""
        return self._add(np.array([top, top]), (ring, ring), self.kit.disc_radius_mm, False)

    def add_stick(self, rings: tuple[int, int], tips: Sequence[Floats]) -> int:
        """The number of a further stick."""
        reach_mm = (self.kit.road_length_mm + self.kit.road_width_mm) / 2
        return self._add(np.array(tips), rings, reach_mm, True)

    def against(self, number: int, there: int) -> int:
        """Those of a set of pieces that would stand in one."""
        return self._against[number] & there

    def clashes(self, numbers: Sequence[int]) -> list[tuple[int, int]]:
        """Pairs of pieces that would stand in each other."""
        there = bits_of(numbers)
        pairs = ((one, other) for one in numbers for other in members(self._against[one] & there))
        return [(one, other) for one, other in pairs if one < other]

    def _add(self, tips: Floats, rings: tuple[int, int], reach_mm: float, is_stick: bool) -> int:
        number = len(self._against)
        if number == len(self._tips):
            self._tips = np.pad(self._tips, ((0, SPARE), (0, 0), (0, 0)))
            self._rings = np.pad(self._rings, ((0, SPARE), (0, 0)))
            self._middles = np.pad(self._middles, ((0, SPARE), (0, 0)))
            self._reach_mm, self._is_stick = np.pad(self._reach_mm, (0, SPARE)), np.pad(self._is_stick, (0, SPARE))
        self._tips[number], self._rings[number], self._middles[number] = tips, rings, tips[:, :2].mean(axis=0)
        self._reach_mm[number], self._is_stick[number] = reach_mm, is_stick
        against = bits_of(self._clashing(number))
        self._against.append(against)
        for other in members(against):
            self._against[other] |= 1 << number
        return number

    def _clashing(self, number: int) -> list[int]:
        """The pieces before one that would stand in it."""
        tips, kit = self._tips[number], self.kit
        away = np.hypot(*(self._middles[:number] - self._middles[number]).T)
        near = np.flatnonzero(away < self._reach_mm[:number] + self._reach_mm[number])
        sticks, columns = near[self._is_stick[near]], near[~self._is_stick[near]]
        if self._is_stick[number]:
            columns = columns[~np.isin(self._rings[columns, 0], self._rings[number])]
            levels, mine = self._tips[sticks, :, 2], tips[:, 2]
            gap_mm = np.maximum(levels.min(axis=1) - mine.max(), mine.min() - levels.max(axis=1))
            sticks, tops = sticks[gap_mm < kit.road_thickness_mm], self._tips[columns, 0]
            found = [
                sticks[sticks_clash(_each(tips, sticks), self._tips[sticks], kit)],
                columns[stick_through_column(_each(tips, columns), tops[:, :2], tops[:, 2], kit)],
            ]
        else:
            sticks = sticks[(self._rings[sticks] != self._rings[number, 0]).all(axis=1)]
            spots = _each(tips[0, :2], columns)
            found = [
                columns[columns_clash(spots, self._tips[columns, 0, :2], kit)],
                sticks[
                    stick_through_column(self._tips[sticks], _each(tips[0, :2], sticks), _each(tips[0, 2], sticks), kit)
                ],
            ]
        return [int(one) for some in found for one in some]


def _each(value: Floats, some: NDArray[np.intp]) -> Floats:
    """A value for each of some pieces."""
    return np.broadcast_to(value, (len(some), *np.shape(value)))
