"""Moves of a search that take a top into use, or trade a column for the one beside it, with all sticks that fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import numpy as np

from vision.bridges import GROUND
from vision.joint import COLUMN_COST, State, Table
from vision.search import LEAST_WORTH, Search
from vision.spans import Span
from vision.view import Floats

CLAIMS_TRIED = 3
CLAIM_SLACK = 6.0
CLEAR = 0.7


def claim_moves(search: Search) -> None:
    """Each top that is not in use taken into use, with every stick lying on it that may."""
    table = search.table
    for ring in search.tries("claim", range(len(table.places))):
        state, reaching = search.state, table.reaching(ring)
        tried = [
            _claimed(table, state, ring, height, reaching, standing)
            for height in _votes(table, state, ring)
            if state.heights.get(ring) != height
            for standing in (True, False)
        ]
        table.prepare(tried)
        for claimed in tried:
            search.offer(claimed)


def _claimed(
    table: Table,
    state: State,
    ring: int,
    height: int,
    reaching: Sequence[tuple[int, int, Span]],
    standing: bool,
    room: bool = True,
) -> State:
    """A state with a top in use; sticks go to columns that stand, or wherever they fit best, and others make room."""
    heights, chosen = state.heights | {ring: height}, dict(state.chosen)
    usual = median([table.worth(group, way, heights) for group, way in chosen.items()] or [LEAST_WORTH])
    ways: dict[int, list[tuple[float, int, dict[int, int]]]] = {}
    for group, way, span in reaching:
        found, free = table.best_at(span, heights)
        if free and group not in chosen:
            continue
        least = table.worth(group, chosen[group], heights) - CLAIM_SLACK if group in chosen else CLEAR * usual
        if found > max(least, LEAST_WORTH):
            ways.setdefault(group, []).append((found, way, free))
    taken = set()
    for group, some in sorted(ways.items(), key=lambda item: -max(worth for worth, _, _ in item[1])):
        laid = [(way, free) for _, way, free in sorted(some, key=lambda one: (standing and bool(one[2]), -one[0]))]
        laid = [(way, free) for way, free in laid if np.isfinite(table.worth(group, way, free | heights))]
        if laid:
            # One that stands in nothing first: ways of a stick differ little.
            empty = next((one for one in laid if _is_free(table, heights, chosen, group, one)), None)
            if empty is None and not room:
                continue
            way, free = empty or laid[0]
            heights, chosen[group] = free | heights, way
            taken.add(group)
    return table.cleared(table.only_used(State(heights, chosen)), taken)


def _is_free(
    table: Table, heights: dict[int, int], chosen: dict[int, int], group: int, laid: tuple[int, dict[int, int]]
) -> bool:
    """Whether a stick that is laid in a way stands in no other."""
    way, free = laid
    state = table.only_used(State(free | heights, chosen | {group: way}))
    return table.against(state, group) == []


def trade_moves(search: Search) -> None:
    """Each column in use given up for one beside it that cannot stand there too, with all sticks that lay on it."""
    table = search.table
    pairs = [(old, new) for old in search.state.heights for new in table.beside(old)]
    for place in search.tries("trade", pairs):
        old, new = pairs[place]
        state = search.state
        if old not in state.heights or new in state.heights:
            continue
        heights = {ring: n for ring, n in state.heights.items() if ring != old}
        lying = {g: w for g, w in state.chosen.items() if old not in table.span(g, w).ends}
        bare, reaching = State(heights, lying), table.reaching(new)
        tried = [_claimed(table, bare, new, height, reaching, True, room=False) for height in _votes(table, bare, new)]
        table.prepare(tried)
        for one in tried:
            search.offer(one)


def _votes(table: Table, state: State, ring: int) -> list[int]:
    """The heights at which most speaks for a top as a column, by the sticks that may lie on it."""
    reaching = table.reaching(ring)
    votes = table.own[ring] - COLUMN_COST
    for group in {group for group, _, _ in reaching}:
        mine = [_by_height(span, state.heights, ring) for g, _, span in reaching if g == group]
        votes = votes + np.maximum(np.max(mine, axis=0), 0.0)
    return [int(height) + 1 for height in np.argsort(-votes)[:CLAIMS_TRIED] if votes[height] > LEAST_WORTH]


def _by_height(span: Span, heights: Mapping[int, int], ring: int) -> Floats:
    """Scores of a span by the height of one of its ends, where the other one stands or lies on the table."""
    axis = span.ends.index(ring)
    other = span.ends[1 - axis]
    if other == GROUND:
        return span.scores[:, 0]
    if other not in heights:
        return np.zeros(span.scores.shape[axis])
    held: Floats = np.take(span.scores, heights[other] - 1, axis=1 - axis)
    return held
