"""What a turn changed: new, gone, back again, moved and altered pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .geometry import EXACT_MM, Floats
from .layout import Car, Column, Layout, Piece, Road
from .measure import Places, sigma_mm
from .ruling import natural

NOTICED_MM = 0.5
"""A measured piece has moved when it did so by this and by three sigmas."""


@dataclass(frozen=True, slots=True)
class Move:
    """A piece that stands, or may stand, elsewhere than before."""

    id: str
    mm: Floats
    """How far, one row per sample."""
    noticed: bool
    """Further than its own error: it has moved for sure, if only by a nudge."""


@dataclass(frozen=True, slots=True)
class Change:
    """Layout k against layout k-1, by piece id."""

    columns: tuple[Column, ...]
    roads: tuple[Road, ...]
    cars: tuple[Car, ...]
    gone: tuple[Piece, ...]
    shrunk: tuple[tuple[Column, Column], ...]
    """Columns that lost discs: (before, after)."""
    back: tuple[str, ...]
    """Pieces that had fallen in an earlier turn and stand again."""
    moved: tuple[Move, ...]
    """By id."""
    altered: tuple[str, ...]
    """Pieces that are not what they were: grown, another top, other columns."""

    @property
    def nothing_new(self) -> bool:
        return not (self.columns or self.roads or self.cars)

    def new(self) -> Iterator[Piece]:
        yield from self.columns
        yield from self.roads
        yield from self.cars

    def new_ids(self) -> frozenset[str]:
        return frozenset(p.id for p in self.new())


def compare(was_there: Layout, is_there: Layout, known: frozenset[str], push_mm: float) -> Change:
    """What changed between two layouts; `known` are all ids ever seen, so that fallen pieces can come back."""
    before, after = Places(was_there, shared=False), Places(is_there, shared=False)
    old = {p.id: p for p in was_there.pieces()}
    now = {p.id: p for p in is_there.pieces()}
    fresh = [p for p in now.values() if p.id not in old and p.id not in known]
    moved: list[Move] = []
    altered: list[str] = []
    shrunk: list[tuple[Column, Column]] = []
    for piece_id in old.keys() & now.keys():
        was, now_is = old[piece_id], now[piece_id]
        if isinstance(was, Column) and isinstance(now_is, Column) and now_is.height < was.height:
            shrunk.append((was, now_is))
        elif _altered(was, now_is):
            altered.append(piece_id)
        if type(was) is type(now_is) and _may_have_moved(was, now_is, before, after, push_mm):
            distance = _distance(was, now_is, before, after)
            moved.append(Move(piece_id, distance, _noticed(distance)))
    moved += _moved_city(was_there, is_there)
    return Change(
        columns=tuple(p for p in fresh if isinstance(p, Column)),
        roads=tuple(p for p in fresh if isinstance(p, Road)),
        cars=tuple(p for p in fresh if isinstance(p, Car)),
        gone=tuple(p for p in old.values() if p.id not in now),
        shrunk=tuple(shrunk),
        back=tuple(i for i in now if i not in old and i in known),
        moved=tuple(sorted(moved, key=lambda move: natural(move.id))),
        altered=tuple(altered),
    )


def _altered(was: Piece, now: Piece) -> bool:
    match was, now:
        case Column(), Column():
            return (was.height, was.junction) != (now.height, now.junction)
        case Road(), Road():
            return (was.kind, was.from_, was.to) != (now.kind, now.from_, now.to)
        case Car(), Car():
            return was.road != now.road
    return True


def _distance(was: Piece, now: Piece, before: Places, after: Places) -> Floats:
    """How far a piece moved, (rows,)."""
    match was, now:
        case Column(), Column():
            gap = (after.column(now) - before.column(was))[:, None]
        case Road(), Road():
            gap = after.road(now) - before.road(was)
        case Car(), Car():
            gap = (after.car(now) - before.car(was))[:, None]
        case _:
            raise AssertionError("pieces of one id are of one kind")
    distance: Floats = np.linalg.norm(gap, axis=-1).max(axis=1)
    return distance


def _noticed(distance: Floats) -> bool:
    if len(distance) == 1:
        return bool(distance[0] > EXACT_MM)
    return bool(distance[0] > max(NOTICED_MM, 3 * sigma_mm(distance)))


def _may_have_moved(was: Piece, now: Piece, before: Places, after: Places, push_mm: float) -> bool:
    """Worth sampling: it seems to have moved, or its error is so large that it may have been pushed.

    A piece told by the very same numbers was not measured anew: its error is the error that it had before.
    """
    if was == now:
        return False
    apart_mm = float(np.max(np.abs(np.subtract(_place(now), _place(was)))))
    error_mm = (before.reach_mm(was) + after.reach_mm(now)) / 2
    return apart_mm > (EXACT_MM if error_mm == 0 else NOTICED_MM / 2) or apart_mm * 2 + error_mm > push_mm


def _place(piece: Piece) -> tuple[float, ...]:
    match piece:
        case Column():
            return (piece.x, piece.y)
        case Road():
            return (*piece.a, *piece.b)
        case Car():
            return (piece.x, piece.y, piece.z)


def _moved_city(before: Layout, after: Layout) -> list[Move]:
    """Buildings and areas that do not lie as they did (S5: they never move)."""
    now = {b.id: b.outline for b in after.city()}
    found = []
    for piece in before.city():
        outline = now.get(piece.id, piece.outline)
        if len(outline) == len(piece.outline):
            gap = np.array(outline) - np.array(piece.outline)
            distance = np.linalg.norm(gap, axis=1).max(keepdims=True)
            if _noticed(distance):
                found.append(Move(piece.id, distance, True))
    return found
