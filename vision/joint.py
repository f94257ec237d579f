"""Which sticks lie and how high all columns are, together: each hides others, and all must agree with both views."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from referee.pieces import Kit
from vision.bits import bits_of, members
from vision.bodies import stick_tips
from vision.bridges import GROUND
from vision.crowd import Crowd
from vision.once import once
from vision.solids import Prism, cylinder, stick
from vision.spans import Span
from vision.stage import Stage, total
from vision.view import Floats

STICK_COST = 12.0
COLUMN_COST = 5.0
DOWN_COST = 2.0
"""What a stick must be worth more for that needs one column only: more such fit anywhere by chance."""
CLASH_COST = 80.0

ROUNDING = 0.01
"""More than what is added in single precision can be off by."""
IMPOSSIBLE = -1
"""The number of what cannot be: a column that is too high, a stick that cannot reach."""


@dataclass(frozen=True)
class State:
    """Heights of the tops in use, and for each stick that lies (a group) which of its ways."""

    heights: dict[int, int]
    chosen: dict[int, int]
    numbers: list[int] = field(default_factory=list, compare=False)
    """What its table calls every column and stick of it, once that was asked for."""

    @once
    def key(self) -> Hashable:
        """The same for all states in which the same stands."""
        return tuple(sorted(self.heights.items())), tuple(sorted(self.chosen.items()))


@dataclass(eq=False)
class Table:
    """All that may stand on a table: places of tops at each height, and groups of ways for each stick to lie."""

    places: Floats
    own: Floats
    """What each top (k) adds as a column of each height (h) by itself, (k, h)."""
    told: Floats
    """What it adds to a top as a column of each height that both views, laid on that level, speak for it, (k, h)."""
    groups: Sequence[Sequence[Span]]
    stages: Sequence[Stage]
    kit: Kit
    _numbers: dict[tuple[int, ...], int] = field(default_factory=dict)
    _pieces: list[tuple[int, Prism]] = field(default_factory=list)
    _names: list[tuple[str, int]] = field(default_factory=list)
    """Of each number the kind of piece, and its top or its group."""
    _scores: dict[tuple[int, ...], float] = field(default_factory=dict)
    _bounds: dict[tuple[int, ...], float] = field(default_factory=dict)
    _reaching: dict[int, Sequence[tuple[int, int, Span]]] = field(default_factory=dict)
    _beside: dict[int, Sequence[int]] = field(default_factory=dict)
    _best_at: dict[Hashable, tuple[float, dict[int, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._crowd = Crowd(self.kit)

    @classmethod
    def of(
        cls, places: Floats, told: Floats, groups: Sequence[Sequence[Span]], stages: Sequence[Stage], kit: Kit
    ) -> Table:
        """A table on which nothing has been chosen yet."""
        own = np.zeros(places.shape[:2])
        table = cls(places, own, told, groups, stages, kit)
        table._tell_own({ring for spans in groups for span in spans for ring in span.ends} - {GROUND})
        return table

    def _tell_own(self, used: Collection[int]) -> None:
        """Work out what tops add as columns by themselves."""
        columns = [(ring, height) for ring in used for height in range(1, self.places.shape[1] + 1)]
        alone = [State({ring: height}, {}) for ring, height in columns]
        self.prepare(alone)
        for (ring, height), state in zip(columns, alone, strict=True):
            self.own[ring, height - 1] = self.most(state) + COLUMN_COST

    def span(self, group: int, way: int) -> Span:
        return self.groups[group][way]

    def pose(self, state: State, group: int) -> Floats:
        """The pose of a stick that lies."""
        span = self.span(group, state.chosen[group])
        pose: Floats = span.poses[span.at(state.heights)]
        return pose

    def _standing(self, state: State) -> list[int]:
        """The numbers of every column and stick of a state."""
        if not state.numbers:
            state.numbers.extend(self._numbered(state))
        return state.numbers

    def _numbered(self, state: State) -> list[int]:
        heights, groups, height_of = state.heights, self.groups, state.heights.get
        keys: list[tuple[int, ...]] = list(heights.items())
        for group, way in state.chosen.items():
            first, second = groups[group][way].ends
            keys.append((group, way, height_of(first, 0), height_of(second, 0)))
        try:
            return [*map(self._numbers.__getitem__, keys)]
        except KeyError:
            return [self._number(key) for key in keys]

    def _number(self, key: tuple[int, ...]) -> int:
        """The number of a column (a top and a height) or of a stick (a group, a way and the heights under it)."""
        if key not in self._numbers:
            self._numbers[key] = self._column(*key) if len(key) == 2 else self._stick(*key)
        return self._numbers[key]

    def _column(self, ring: int, height: int) -> int:
        """The number of a further column."""
        if not 1 <= height <= self.places.shape[1]:
            return IMPOSSIBLE
        x, y = self.places[ring, height - 1]
        top_mm = self.kit.column_top_mm(height)
        self._pieces.append((len(self._pieces), cylinder(x, y, 0.0, top_mm, self.kit.disc_radius_mm)))
        self._names.append(("c", ring))
        return self._crowd.add_column(ring, (x, y, top_mm))

    def _stick(self, group: int, way: int, *heights: int) -> int:
        """The number of a further stick."""
        span = self.span(group, way)
        under = dict(zip(span.ends, heights, strict=True))
        if not all(ring == GROUND or 1 <= height <= self.places.shape[1] for ring, height in under.items()):
            return IMPOSSIBLE
        if not math.isfinite(self.worth(group, way, under)):
            return IMPOSSIBLE
        tips = stick_tips(span.poses[span.at(under)], self.kit.road_length_mm)
        self._pieces.append((len(self._pieces), stick(*tips, self.kit)))
        self._names.append(("r", group))
        return self._crowd.add_stick(group, span.ends, tips)

    def number(self, states: Iterable[State]) -> None:
        """Number what states need that are about to be asked for what clashes: all that is new is compared at once."""
        for state in states:
            self._standing(state)

    def prepare(self, states: Iterable[State]) -> None:
        """Make ready what states need that are about to be scored: many pieces at once are quicker."""
        numbers: set[int] = set()
        for state in states:
            some = self._standing(state)
            numbers.update(some if IMPOSSIBLE not in some else ())
        for stage in self.stages:
            stage.prepare(self._pieces[number] for number in sorted(numbers))

    def score(self, state: State, least: float = -math.inf) -> float:
        """How well both views bear out all of it, less what each piece must be worth.

        Where that is not more than `least`, it may be some other number that is not either: most of what a search
        tries is so much worse that all of it need not be worked out.
        """
        key = tuple(sorted(self._standing(state)))
        if key in self._scores:
            return self._scores[key]
        if IMPOSSIBLE in key:
            return -math.inf
        if least > -math.inf:
            if key not in self._bounds:
                self._bounds[key] = self.most(state) + ROUNDING
            if self._bounds[key] <= least:
                return self._bounds[key]
        self._scores[key] = total(self.stages, [self._pieces[number] for number in key]) + self._own(state, key)
        return self._scores[key]

    def most(self, state: State) -> float:
        """What the score of a state that can be is at most, but for rounding; of one piece alone it is the score."""
        numbers = self._standing(state)
        pieces = [self._pieces[number] for number in numbers]
        return sum(stage.most(pieces) for stage in self.stages) + self._own(state, numbers)

    def _own(self, state: State, numbers: Sequence[int]) -> float:
        """What is told of the columns of a state, less what each piece must be worth."""
        down = sum(GROUND in self.span(group, way).ends for group, way in state.chosen.items())
        cost = STICK_COST * len(state.chosen) + COLUMN_COST * len(state.heights) + DOWN_COST * down
        cost += CLASH_COST * len(self._crowd.clashes(numbers))
        return sum(float(self.told[ring, height - 1]) for ring, height in state.heights.items()) - cost

    def reaching(self, ring: int) -> Sequence[tuple[int, int, Span]]:
        """Every way for a stick to lie on a top."""
        if ring not in self._reaching:
            ways = [(group, way, span) for group, spans in enumerate(self.groups) for way, span in enumerate(spans)]
            self._reaching[ring] = [one for one in ways if ring in one[2].ends]
        return self._reaching[ring]

    def beside(self, ring: int) -> Sequence[int]:
        """Other tops that look so near that not both can be columns."""
        if ring not in self._beside:
            away = np.hypot(*(self.places[:, 0] - self.places[ring, 0]).T)
            self._beside[ring] = [int(one) for one in np.flatnonzero(away < self.kit.disc_diameter_mm) if one != ring]
        return self._beside[ring]

    def worth(self, group: int, way: int, heights: Mapping[int, int]) -> float:
        """What a stick is worth by itself."""
        span = self.span(group, way)
        return float(span.scores[span.at(heights)])

    def best_at(self, span: Span, heights: Mapping[int, int]) -> tuple[float, dict[int, int]]:
        """What a stick and its new columns are worth at best where known heights are held, and the new heights."""
        key = span, *map(heights.get, span.ends)
        if key not in self._best_at:
            scores = span.scores
            for axis, ring in enumerate(span.ends):
                if ring in heights:
                    scores = np.take(scores, [heights[ring] - 1], axis=axis)
                elif ring != GROUND:
                    scores = scores + np.expand_dims(self.own[ring] - COLUMN_COST, 1 - axis)
            i, j = np.unravel_index(int(scores.argmax()), scores.shape)
            free = {r: int(n) + 1 for r, n in zip(span.ends, (i, j), strict=True) if r != GROUND and r not in heights}
            self._best_at[key] = float(scores[i, j]), free
        return self._best_at[key]

    def grow(self, places: Floats, told: Floats, groups: Sequence[Sequence[Span]]) -> None:
        """From now on further tops may be columns, and further sticks may lie."""
        first = len(self.places)
        self.places = np.concatenate([self.places, places])
        self.told = np.concatenate([self.told, told])
        self.own = np.concatenate([self.own, np.zeros(places.shape[:2])])
        self.groups = [*self.groups, *groups]
        self._reaching.clear()
        self._beside.clear()
        self._tell_own({ring for spans in groups for span in spans for ring in span.ends if ring >= first})

    def forget(self, groups: Collection[int]) -> None:
        """From now on some sticks cannot lie in any way; no state may hold them any more."""
        self.groups = [() if i in groups else spans for i, spans in enumerate(self.groups)]
        self._reaching.clear()

    def only_used(self, state: State) -> State:
        """The state without columns that bear nothing."""
        used = {ring for group, way in state.chosen.items() for ring in self.span(group, way).ends}
        if used.issuperset(state.heights):
            return state
        return State({ring: n for ring, n in state.heights.items() if ring in used}, state.chosen)

    def less(self, state: State, groups: Collection[int]) -> State:
        """The state without some sticks, and without columns that then bear nothing."""
        return self.only_used(State(state.heights, {g: w for g, w in state.chosen.items() if g not in groups}))

    def against(self, state: State, group: int) -> list[tuple[str, int]] | None:
        """The kind and top or group of what would stand in a stick; none where the state cannot be."""
        numbers = self._standing(state)
        if IMPOSSIBLE in numbers:
            return None
        mine = numbers[len(state.heights) + list(state.chosen).index(group)]
        return [self._names[number] for number in members(self._crowd.against(mine, bits_of(numbers)))]

    def cleared(self, state: State, kept: Collection[int]) -> State:
        """The state without other sticks (and their columns) that would stand in those that are kept."""
        numbers = self._standing(state)
        if IMPOSSIBLE in numbers:
            return state
        mine = {ring for group in kept for ring in self.span(group, state.chosen[group]).ends}
        gone: set[int] = set()
        lost: set[int] = set()
        for pair in self._crowd.clashes(numbers):
            (kind, one), (other_kind, other) = (self._names[number] for number in pair)
            ours = one in (mine if kind == "c" else kept), other in (mine if other_kind == "c" else kept)
            if ours == (True, False):
                (lost if other_kind == "c" else gone).add(other)
            elif ours == (False, True):
                (lost if kind == "c" else gone).add(one)
        if lost:
            gone |= {g for g, w in state.chosen.items() if g not in kept and lost & set(self.span(g, w).ends)}
        if not gone:
            return self.only_used(state)
        return self.only_used(State(state.heights, {g: w for g, w in state.chosen.items() if g not in gone}))
