"""Honest odds: what a new piece might be instead, and when that has to be asked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from referee.layout import Candidate, Column, Layout, Road, with_pieces
from referee.pieces import Kit
from vision.fit import Scene
from vision.found import Found, Way, laid, with_columns
from vision.rests import Rest

TEMPERATURE = 3.0
"""Score points per unit of log-odds: neighbouring contour points err alike."""
ASK_BELOW = 0.9


def rivals(scenes: Sequence[Scene], found: Found, kit: Kit) -> dict[int, dict[int, float]]:
    """For each end on a new column whose height is not beyond doubt: scores by height."""
    doubts: dict[int, dict[int, float]] = {}
    for end, rest in enumerate(found.rests):
        if not rest.is_new or rest.height is None:
            continue
        scores = {rest.height: found.score}
        ways: dict[int, Way] = {}
        for height in (rest.height - 1, rest.height + 1):
            if height < 1:
                continue
            rests = list(found.rests)
            rests[end] = Rest(kit.lying_z_mm(height), height=height)
            ways[height] = (found.stick.pose, (rests[0], rests[1]))
        others = with_columns(scenes, laid(scenes, list(ways.values()), kit), kit)
        scores |= {height: other.score for height, other in zip(ways, others, strict=True)}
        if odds_of(scores)[rest.height] < ASK_BELOW:
            doubts[end] = scores
    return doubts


def odds_of(scores: Mapping[int, float]) -> dict[int, float]:
    """Scores as odds that sum to 1."""
    top = max(scores.values())
    weights = {key: math.exp((score - top) / TEMPERATURE) for key, score in scores.items()}
    return {key: weight / sum(weights.values()) for key, weight in weights.items()}


def with_heights(column: Column, scores: Mapping[int, float]) -> Column:
    """The column, marked unsure with its candidates where its height is not beyond doubt."""
    odds = odds_of(scores)
    return column if odds[column.height] >= ASK_BELOW else asked_height(column, odds)


def asked_height(column: Column, odds: Mapping[int, float]) -> Column:
    """The column, marked unsure with the heights that it may have."""
    candidates = [Candidate(p=round(p, 3), height=n) for n, p in sorted(odds.items(), key=lambda o: -o[1]) if p > 0.01]
    return replace(column, unsure="height", candidates=tuple(candidates))


def doubted(
    layout: Layout, added: list[Road | Column], doubts: Mapping[int, Mapping[int, float]]
) -> tuple[Layout, list[Road | Column]]:
    """What was added, with the columns marked whose heights are in doubt, and the road that lies on them."""
    scores = list(doubts.values())
    marked: list[Road | Column] = []
    for piece in added:
        if isinstance(piece, Column):
            mine = [one for one in scores if piece.height == max(one, key=lambda n: one[n])]
            marked.append(with_heights(piece, mine[0]) if mine else piece)
        else:
            marked.append(replace(piece, unsure="height of its column"))
    pieces = {piece.id: piece for piece in layout.pieces()} | {piece.id: piece for piece in marked}
    return with_pieces(layout, pieces), marked


def asked_heights(
    layout: Layout, added: list[Road | Column], odds: Sequence[Mapping[int, float]]
) -> tuple[Layout, list[Road | Column]]:
    """What was added, with its columns, of which these are the odds in turn, and the road on them marked."""
    in_turn = iter(odds)
    marked = [
        asked_height(piece, next(in_turn))
        if isinstance(piece, Column)
        else replace(piece, unsure="height of its column" if odds else piece.unsure)
        for piece in added
    ]
    pieces = {piece.id: piece for piece in layout.pieces()} | {piece.id: piece for piece in marked}
    return with_pieces(layout, pieces), marked
