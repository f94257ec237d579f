"""The search for what stands on a table as both views bear it out best: changes that help are kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

import numpy as np

from vision.bridges import GROUND
from vision.joint import State, Table
from vision.search import LEAST_GAIN, LEAST_WORTH, Search
from vision.uptake import claim_moves, trade_moves

SWEEPS = 3
WEAK, MIDDLING = 25.0, 60.0
"""What a stick adds below which it may be a mistake that holds others in place: some are taken away, then more."""
HEIGHT_STEPS = (-3, -2, -1, 1, 2, 3)
PAIR_STEPS = tuple((i, j) for i in (-1, 1) for j in (-1, 1))
STANDING_TRIED, WAYS_TRIED = 5, 2
LEAST_HIDDEN = -6.0
"""What a stick must be worth by itself to be tried at last, when others may hide it, where columns stand."""


def settled(table: Table) -> tuple[State, float]:
    """The best state found from what is likely, and again from what is left when some of it is taken away."""
    ways = [
        (_stick_moves, claim_moves, trade_moves, _height_moves),
        (claim_moves, _stick_moves, trade_moves, _height_moves),
    ]
    # What is found hangs on where the search begins.
    likely = _likely(table) if table.told.any() else State({}, {})
    begun = [(likely, ways[0]), (State({}, {}), ways[1])]
    refused: set[Hashable] = set()
    search = max((_improved(table, *one, refused) for one in begun), key=lambda one: one.best)
    for limit in (WEAK, MIDDLING):
        state, best = search.state, search.best
        weak = {g for g in state.chosen if best - table.score(table.less(state, {g})) < limit}
        kinds = (_height_moves, claim_moves, trade_moves, _stick_moves)
        again = _improved(table, table.less(state, weak), kinds, refused)
        if again.best > best + LEAST_GAIN:
            search = again
    _stick_moves(search, LEAST_HIDDEN)
    return search.state, search.best


def settled_from(table: Table, state: State) -> tuple[State, float]:
    """The best state found from one of a table on which more may stand now."""
    search = _improved(table, state, (claim_moves, trade_moves, _stick_moves, _height_moves), set())
    return search.state, search.best


def without(table: Table, state: State, groups: Collection[int]) -> tuple[State, float]:
    """The best state found from one of which some sticks are none, and cannot be chosen again."""
    left = table.less(state, groups)
    table.forget(groups)
    search = _improved(table, left, (_stick_moves, claim_moves, trade_moves, _height_moves), set())
    _stick_moves(search, LEAST_HIDDEN)
    return search.state, search.best


def _likely(table: Table) -> State:
    """Columns where they are likely, at their likeliest heights, with the sticks that fit between them best."""
    heights = {int(ring): int(table.told[ring].argmax()) + 1 for ring in np.flatnonzero(table.told.max(axis=1) > 0)}
    laid = sorted(
        (-table.worth(group, way, heights), group, way)
        for group, spans in enumerate(table.groups)
        for way, span in enumerate(spans)
        if all(ring == GROUND or ring in heights for ring in span.ends)
    )
    state = State(heights, {})
    for cost, group, way in laid:
        if group not in state.chosen and -cost > WEAK:
            more = State(heights, state.chosen | {group: way})
            if table.against(more, group) == []:
                state = more
    return table.only_used(state)


def _improved(table: Table, start: State, kinds: Sequence[Callable[[Search], None]], refused: set[Hashable]) -> Search:
    """The best state that changes of a stick, of a column with its sticks, or of two columns lead to."""
    search = Search(table, start, table.score(start), refused)
    for _ in range(SWEEPS):
        before = search.best
        for moves in kinds:
            moves(search)
        if search.best <= before + LEAST_GAIN:
            break
    return search


def _stick_moves(search: Search, least: float = LEAST_WORTH) -> None:
    """Each stick taken away, or lying in other ways; new columns get the heights that fit it best."""
    table, first, kind = search.table, search.state, ("stick", least)
    groups = range(len(table.groups))
    laid = {group: _laid(table, first, group, least) for group in groups if not search.is_refused(kind, group)}
    # Most of what is tried later too: no change is taken by far the most often.
    table.prepare(whole for some in laid.values() for _, whole in some)
    for group in search.tries(kind, groups):
        state = search.state
        if group in state.chosen:
            search.offer(table.less(state, {group}))
        for worth, whole in laid[group] if state is first else _laid(table, state, group, least):
            search.offer(table.cleared(whole, {group}))
            if group not in state.chosen and worth > WEAK:
                _make_room(search, whole, group)


def _laid(table: Table, state: State, group: int, least: float) -> list[tuple[float, State]]:
    """A state with a stick lying in each other way that is worth a try, and what that is worth by itself."""
    others = {g: w for g, w in state.chosen.items() if g != group}
    bare = table.less(state, {group})
    ranked = []
    for way, span in enumerate(table.groups[group]):
        worth, heights = table.best_at(span, bare.heights)
        ranked.append((worth, way, heights))
    ranked.sort(key=lambda one: -one[0])
    # Between columns that stand already first: a false top can look better than it is once all is known.
    standing, new = [one for one in ranked if not one[2]], [one for one in ranked if one[2]]
    return [
        (worth, State(bare.heights | heights, others | {group: way}))
        for worth, way, heights in standing[:STANDING_TRIED] + new[:WAYS_TRIED]
        if worth > (LEAST_WORTH if heights else least) and (state.chosen.get(group) != way or heights)
    ]


def _make_room(search: Search, state: State, group: int) -> None:
    """A state with a stick that would stand in others, with one of their columns a disc higher or lower."""
    table = search.table
    mine = set(table.span(group, state.chosen[group]).ends)
    sticks = {one for kind, one in table.against(state, group) or () if kind == "r"}
    rings = {ring for g in sticks for ring in table.span(g, state.chosen[g]).ends}
    lifts = [_lifted(state, {ring: step}) for ring in sorted(rings - mine - {GROUND}) for step in (-1, 1)]
    table.number(lifts)
    tried = [table.cleared(lifted, {group}) for lifted in lifts]
    table.prepare(tried)
    for one in tried:
        search.offer(one)


def _height_moves(search: Search) -> None:
    """Each column, and the two of each stick, some discs higher or lower."""
    table = search.table
    lifts = [{ring: step} for ring in search.state.heights for step in HEIGHT_STEPS]
    between = [ends for g, w in search.state.chosen.items() if GROUND not in (ends := table.span(g, w).ends)]
    lifts += [dict(zip(ends, steps, strict=True)) for ends in between for steps in PAIR_STEPS]
    moved = [tuple(steps.items()) for steps in lifts]
    table.prepare(
        _lifted(search.state, s) for s, m in zip(lifts, moved, strict=True) if not search.is_refused("lift", m)
    )
    for place in search.tries("lift", moved):
        search.offer(_lifted(search.state, lifts[place]))


def _lifted(state: State, steps: Mapping[int, int]) -> State:
    raised = {ring: state.heights[ring] + step for ring, step in steps.items() if ring in state.heights}
    return State(state.heights | raised, state.chosen)
