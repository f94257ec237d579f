"""Tops that no column was seen under taken into use, with the sticks that may lie on them."""

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
CLAIM_SLACK, DOWN_SLACK = 6.0, 40.0
"""How much less a stick may be worth by itself on a top that is taken into use; one that led down to the table finds
any place there that looks like wood, so that it may lose more."""
CLEAR = 0.7


def claim_moves(search: Search) -> None:
    """Each top that is not in use taken into use, with every stick lying on it that may."""
    table = search.table
    for ring in search.tries("claim", range(len(table.places))):
        state, reaching = search.state, table.reaching(ring)
        votes = np.zeros(table.places.shape[1])
        for group in {group for group, _, _ in reaching}:
            mine = [_by_height(span, state.heights, ring) for g, _, span in reaching if g == group]
            votes += np.maximum(np.max(mine, axis=0), 0.0)
        votes += table.own[ring] - COLUMN_COST
        tried = [
            _claimed(table, state, ring, int(height) + 1, reaching, standing)
            for height in np.argsort(-votes)[:CLAIMS_TRIED]
            if votes[height] > LEAST_WORTH and state.heights.get(ring) != height + 1
            for standing in (True, False)
        ]
        table.prepare(tried)
        for claimed in tried:
            search.offer(claimed)


def _claimed(
    table: Table, state: State, ring: int, height: int, reaching: Sequence[tuple[int, int, Span]], standing: bool
) -> State:
    """A state with a top in use; sticks go to columns that stand, or wherever they fit best."""
    heights, chosen = state.heights | {ring: height}, dict(state.chosen)
    usual = median([table.worth(group, way, heights) for group, way in chosen.items()] or [LEAST_WORTH])
    ways: dict[int, list[tuple[float, int, dict[int, int]]]] = {}
    for group, way, span in reaching:
        found, free = table.best_at(span, heights)
        if free and group not in chosen:
            continue
        least = CLEAR * usual
        if group in chosen:
            slack = DOWN_SLACK if GROUND in table.span(group, chosen[group]).ends else CLAIM_SLACK
            least = table.worth(group, chosen[group], heights) - slack
        if found > max(least, LEAST_WORTH):
            ways.setdefault(group, []).append((found, way, free))
    taken = set()
    for group, some in sorted(ways.items(), key=lambda item: -max(worth for worth, _, _ in item[1])):
        laid = [(way, free) for _, way, free in sorted(some, key=lambda one: (standing and bool(one[2]), -one[0]))]
        laid = [(way, free) for way, free in laid if np.isfinite(table.worth(group, way, free | heights))]
        if laid:
            # One that stands in nothing first: ways of a stick differ little.
            way, free = next((one for one in laid if _is_free(table, heights, chosen, group, one)), laid[0])
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
