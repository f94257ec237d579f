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
Numbers = NDArray[np.intp]


@dataclass(eq=False)
class Crowd:
    """Pieces by number: all pairs that are new are compared together before the first question after that."""

    kit: Kit
    _against: list[int] = field(default_factory=list)
    """For each piece that was compared the set of those that would stand in it."""
    _count: int = 0

    def __post_init__(self) -> None:
        self._tips: Floats = np.zeros((0, 2, 3))
        """Of columns the middle of the top, twice."""
        self._rings: NDArray[np.intp] = np.zeros((0, 2), np.intp)
        """The tops that a piece is or lies on."""
        self._groups: Numbers = np.zeros(0, np.intp)
        """Columns on one top, and sticks of one group: never is more than one of them there."""
        self._reach_mm: Floats = np.zeros(0)
        self._is_stick: NDArray[np.bool_] = np.zeros(0, bool)

    def add_column(self, ring: int, top: Sequence[float]) -> int:
        """The number of a further column."""
        return self._add(np.array([top, top]), (ring, ring), ring, self.kit.disc_radius_mm, False)

    def add_stick(self, group: int, rings: tuple[int, int], tips: Sequence[Floats]) -> int:
        """The number of a further stick."""
        reach_mm = (self.kit.road_length_mm + self.kit.road_width_mm) / 2
        return self._add(np.array(tips), rings, group, reach_mm, True)

    def against(self, number: int, there: int) -> int:
        """Those of a set of pieces that would stand in one."""
        self._compare()
        return self._against[number] & there

    def clashes(self, numbers: Sequence[int]) -> list[tuple[int, int]]:
        """Pairs of pieces that would stand in each other."""
        self._compare()
        there, against = bits_of(numbers), self._against
        found = [(one, some) for one in numbers if (some := against[one] & there)]
        return [(one, other) for one, some in found for other in members(some) if one < other]

    def _add(self, tips: Floats, rings: tuple[int, int], group: int, reach_mm: float, is_stick: bool) -> int:
        number = self._count
        if number == len(self._tips):
            self._tips = np.pad(self._tips, ((0, SPARE), (0, 0), (0, 0)))
            self._rings = np.pad(self._rings, ((0, SPARE), (0, 0)))
            self._groups, self._reach_mm = np.pad(self._groups, (0, SPARE)), np.pad(self._reach_mm, (0, SPARE))
            self._is_stick = np.pad(self._is_stick, (0, SPARE))
        self._tips[number], self._rings[number] = tips, rings
        self._groups[number], self._reach_mm[number], self._is_stick[number] = group, reach_mm, is_stick
        self._count += 1
        return number

    def _compare(self) -> None:
        """Find out about all pairs that are new."""
        known = len(self._against)
        if known == self._count:
            return
        self._against += [0] * (self._count - known)
        ones, others = self._near(known)
        kinds = self._is_stick[ones].astype(int) + self._is_stick[others]
        clash = np.zeros(len(ones), bool)
        for kind, compared in enumerate((self._columns_clash, self._stick_through_column, self._sticks_clash)):
            which = np.flatnonzero(kinds == kind)
            if len(which):
                clash[which] = compared(ones[which], others[which])
        for one, other in zip(ones[clash].tolist(), others[clash].tolist(), strict=True):
            self._against[one] |= 1 << other
            self._against[other] |= 1 << one

    def _near(self, first: int) -> tuple[Numbers, Numbers]:
        """Pairs of a piece from a number on with one before it that may be there too and touch it."""
        middles, reach_mm = self._tips[: self._count, :, :2].mean(axis=1), self._reach_mm[: self._count]
        away = np.hypot(*(middles[first:, None] - middles).transpose(2, 0, 1))
        ones, others = np.nonzero(away < reach_mm[first:, None] + reach_mm)
        ones += first
        is_other = (self._groups[ones] != self._groups[others]) | (self._is_stick[ones] != self._is_stick[others])
        may_meet = is_other & (others < ones)
        return ones[may_meet], others[may_meet]

    def _columns_clash(self, ones: Numbers, others: Numbers) -> np.ndarray:
        return columns_clash(self._tips[ones, 0, :2], self._tips[others, 0, :2], self.kit)

    def _stick_through_column(self, ones: Numbers, others: Numbers) -> np.ndarray:
        sticks, columns = np.where(self._is_stick[ones], (ones, others), (others, ones))
        tops = self._tips[columns, 0]
        clash = stick_through_column(self._tips[sticks], tops[:, :2], tops[:, 2], self.kit)
        clash &= (self._rings[sticks] != self._rings[columns]).all(axis=1)
        return clash

    def _sticks_clash(self, ones: Numbers, others: Numbers) -> np.ndarray:
        levels, other_levels = self._tips[ones, :, 2], self._tips[others, :, 2]
        gap_mm = np.maximum(
            levels.min(axis=1) - other_levels.max(axis=1), other_levels.min(axis=1) - levels.max(axis=1)
        )
        clash: np.ndarray = gap_mm < self.kit.road_thickness_mm
        ones, others = ones[clash], others[clash]
        clash[clash] = sticks_clash(
            self._tips[ones], self._tips[others], self._rings[ones], self._rings[others], self.kit
        )
        return clash
