"""Which sticks lie and how high all columns are, together: each hides others, and all must agree with both views."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.bodies import stick_tips
from vision.bridges import GROUND
from vision.clashes import columns_clash, stick_through_column, sticks_clash
from vision.parts import Stage, total
from vision.solids import Prism, cylinder, stick
from vision.spans import Span
from vision.view import Floats

STICK_COST = 12.0
COLUMN_COST = 5.0
DOWN_COST = 4.0
"""What a stick must be worth more for that needs one column only: more such fit anywhere by chance."""
CLASH_COST = 80.0
UNKNOWN, SPARE = -1, 256

Key = tuple[str, int, int, int, int]


@dataclass(frozen=True)
class State:
    """Heights of the tops in use, and for each stick that lies (a group) which of its ways."""

    heights: dict[int, int]
    chosen: dict[int, int]


@dataclass(eq=False)
class Table:
    """All that may stand on a table: places of tops at each height, and groups of ways for each stick to lie."""

    places: Floats
    own: Floats
    """What each top (k) adds as a column of each height (h) by itself, (k, h)."""
    groups: Sequence[Sequence[Span]]
    stages: Sequence[Stage]
    kit: Kit
    _prisms: dict[Key, Prism] = field(default_factory=dict)
    _scores: dict[Hashable, float] = field(default_factory=dict)
    _numbers: dict[Key, int] = field(default_factory=dict)
    _clash: NDArray[np.int8] = field(default_factory=lambda: np.zeros((0, 0), np.int8))
    """Whether pieces of two numbers would stand in each other, where that is known."""
    _clashes: dict[tuple[Key, ...], list[tuple[Key, Key]]] = field(default_factory=dict)

    @classmethod
    def of(cls, places: Floats, groups: Sequence[Sequence[Span]], stages: Sequence[Stage], kit: Kit) -> Table:
        """A table on which nothing has been chosen yet."""
        own = np.zeros(places.shape[:2])
        table = cls(places, own, groups, stages, kit)
        used = {ring for spans in groups for span in spans for ring in span.ends} - {GROUND}
        for ring in used:
            for height in range(1, places.shape[1] + 1):
                own[ring, height - 1] = total(stages, table.pieces(State({ring: height}, {})))
        return table

    def span(self, group: int, way: int) -> Span:
        return self.groups[group][way]

    def pose(self, state: State, group: int) -> Floats:
        """The pose of a stick that lies."""
        span = self.span(group, state.chosen[group])
        pose: Floats = span.poses[span.at(state.heights)]
        return pose

    def pieces(self, state: State) -> list[tuple[Hashable, Prism]]:
        """Every column and stick of a state, with a key that tells its pose."""
        return [(key, self._prism(key)) for key in self._keys(state)]

    def _keys(self, state: State) -> list[Key]:
        keys: list[Key] = [("c", ring, height, 0, 0) for ring, height in sorted(state.heights.items())]
        sticks = sorted(state.chosen.items())
        return keys + [("r", group, way, *self.span(group, way).at(state.heights)) for group, way in sticks]

    def _prism(self, key: Key) -> Prism:
        """A piece in space, made once."""
        if key not in self._prisms:
            kind, one, other, i, j = key
            if kind == "c":
                x, y = self.places[one, other - 1]
                top_mm = self.kit.column_top_mm(other)
                self._prisms[key] = cylinder(x, y, 0.0, top_mm, self.kit.disc_radius_mm)
            else:
                pose = self.span(one, other).poses[i, j]
                self._prisms[key] = stick(*stick_tips(pose, self.kit.road_length_mm), self.kit)
        return self._prisms[key]

    def score(self, state: State) -> float:
        """How well both views bear out all of it, less what each piece must be worth."""
        key = (tuple(sorted(state.heights.items())), tuple(sorted(state.chosen.items())))
        if key not in self._scores:
            self._scores[key] = self._score(state)
        return self._scores[key]

    def _score(self, state: State) -> float:
        highest = self.places.shape[1]
        if any(not 1 <= height <= highest for height in state.heights.values()):
            return -math.inf
        if any(not np.isfinite(self.worth(group, way, state.heights)) for group, way in state.chosen.items()):
            return -math.inf
        clashes = len(self.clashes(state))
        down = sum(GROUND in self.span(group, way).ends for group, way in state.chosen.items())
        cost = STICK_COST * len(state.chosen) + COLUMN_COST * len(state.heights) + DOWN_COST * down
        return total(self.stages, self.pieces(state)) - cost - CLASH_COST * clashes

    def reaching(self, ring: int) -> Iterator[tuple[int, int, Span]]:
        """Every way for a stick to lie on a top."""
        for group, spans in enumerate(self.groups):
            for way, span in enumerate(spans):
                if ring in span.ends:
                    yield group, way, span

    def worth(self, group: int, way: int, heights: Mapping[int, int]) -> float:
        """What a stick is worth by itself."""
        span = self.span(group, way)
        return float(span.scores[span.at(heights)])

    def only_used(self, state: State) -> State:
        """The state without columns that bear nothing."""
        used = {ring for group, way in state.chosen.items() for ring in self.span(group, way).ends}
        return State({ring: n for ring, n in state.heights.items() if ring in used}, state.chosen)

    def less(self, state: State, groups: Collection[int]) -> State:
        """The state without some sticks, and without columns that then bear nothing."""
        return self.only_used(State(state.heights, {g: w for g, w in state.chosen.items() if g not in groups}))

    def clashes(self, state: State) -> list[tuple[Key, Key]]:
        """Pairs of pieces that would stand in each other."""
        keys = tuple(self._keys(state))
        if keys not in self._clashes:
            self._clashes[keys] = self._clashing(keys)
        return self._clashes[keys]

    def _clashing(self, keys: Sequence[Key]) -> list[tuple[Key, Key]]:
        numbers = [self._numbers.setdefault(key, len(self._numbers)) for key in keys]
        if (more := len(self._numbers) - len(self._clash)) > 0:
            self._clash = np.pad(self._clash, (0, more + SPARE), constant_values=UNKNOWN)
        among = np.ix_(numbers, numbers)
        unknown = [(keys[i], keys[j]) for i, j in np.argwhere(self._clash[among] == UNKNOWN) if i < j]
        for kinds in ("cc", "cr", "rr") if unknown else ():
            some = [pair for pair in unknown if pair[0][0] + pair[1][0] == kinds]
            for pair, clash in zip(some, self._compared(kinds, some), strict=True) if some else ():
                one, other = (self._numbers[key] for key in pair)
                self._clash[one, other] = self._clash[other, one] = clash and not self._bears(*pair)
        return [(keys[i], keys[j]) for i, j in np.argwhere(self._clash[among] == 1) if i < j]

    def _bears(self, one: Key, other: Key) -> bool:
        """Whether the one is a column that bears the other."""
        return one[0] == "c" and other[0] == "r" and one[1] in self.span(other[1], other[2]).ends

    def _compared(self, kinds: str, pairs: Sequence[tuple[Key, Key]]) -> list[bool]:
        """Whether the pieces of each pair, all of the same two kinds, would stand in each other."""
        firsts, seconds = ([pair[i] for pair in pairs] for i in (0, 1))
        if kinds == "rr":
            found = sticks_clash(self._tips(firsts), self._tips(seconds), self.kit)
        elif kinds == "cc":
            found = columns_clash(self._spots(firsts), self._spots(seconds), self.kit)
        else:
            tops_mm = np.array([self.kit.column_top_mm(key[2]) for key in firsts])
            found = stick_through_column(self._tips(seconds), self._spots(firsts), tops_mm, self.kit)
        return [bool(one) for one in found]

    def _tips(self, keys: Sequence[Key]) -> Floats:
        """Both tips (m, 2, 3) of sticks."""
        prisms = [self._prism(key) for key in keys]
        halves = [prism.axes[0] * self.kit.road_length_mm / 2 for prism in prisms]
        return np.array(
            [(prism.origin - half, prism.origin + half) for prism, half in zip(prisms, halves, strict=True)]
        )

    def _spots(self, keys: Sequence[Key]) -> Floats:
        return np.array([self.places[key[1], key[2] - 1] for key in keys])

    def cleared(self, state: State, kept: Collection[int]) -> State:
        """The state without other sticks (and their columns) that would stand in those that are kept."""
        if any(not np.isfinite(self.worth(group, way, state.heights)) for group, way in state.chosen.items()):
            return state
        mine = {ring for group in kept for ring in self.span(group, state.chosen[group]).ends}
        gone: set[int] = set()
        lost: set[int] = set()
        for (kind, one, *_), (other_kind, other, *_) in self.clashes(state):
            ours = one in (mine if kind == "c" else kept), other in (mine if other_kind == "c" else kept)
            if ours == (True, False):
                (lost if other_kind == "c" else gone).add(other)
            elif ours == (False, True):
                (lost if kind == "c" else gone).add(one)
        gone |= {g for g, w in state.chosen.items() if g not in kept and lost & set(self.span(g, w).ends)}
        return self.only_used(State(state.heights, {g: w for g, w in state.chosen.items() if g not in gone}))
