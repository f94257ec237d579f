"""A fall: which standing pieces came down, who did it, and what that makes the note of the turn say."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from referee.layout import Car, Column, Layout, Piece, Road
from referee.match import Match
from referee.notes import Knock, Note
from referee.ruling import Penalty


@dataclass(frozen=True, slots=True)
class Fall:
    """Pieces that came down in the turn being played."""

    pieces: tuple[Piece, ...]
    """As they stood before."""
    by: str
    down: frozenset[str]
    """Ids of those that do not stand again."""
    settled: bool = False
    """All stands again, or the players said to go on."""
    lost_discs: tuple[tuple[str, int], ...] = ()
    """How many discs of each fallen column lay beside it, at the most."""

    @property
    def rebuilt(self) -> tuple[str, ...]:
        return tuple(piece.id for piece in self.pieces if piece.id not in self.down)

    @property
    def owners(self) -> tuple[str, ...]:
        return tuple(sorted({piece.owner for piece in self.pieces if piece.owner is not None}))

    def knocks(self) -> tuple[Knock, ...]:
        """What the note says: one knock for each owner."""
        discs = dict(self.lost_discs)
        return tuple(
            Knock(
                self.by,
                owner,
                discs=sum(discs.get(p.id, 0) for p in self.pieces if p.owner == owner),
                roads=sum(isinstance(p, Road) for p in self.pieces if p.owner == owner),
                cars=sum(isinstance(p, Car) for p in self.pieces if p.owner == owner),
            )
            for owner in self.owners
        )


def fallen(fall: Fall | None, accepted: Layout, seen: Layout, by: str) -> Fall | None:
    """The fall after one more look at the table; None while nothing ever fell."""
    now = {piece.id: piece for piece in seen.pieces()}
    discs = dict(fall.lost_discs) if fall is not None else {}
    down: list[Piece] = []
    for piece in accepted.pieces():
        here = now.get(piece.id)
        if isinstance(piece, Column):
            left = here.height if isinstance(here, Column) else 0
            if left < piece.height:
                down.append(piece)
                discs[piece.id] = max(discs.get(piece.id, 0), piece.height - left)
        elif here is None:
            down.append(piece)
    if fall is None and not down:
        return None
    known = {piece.id for piece in fall.pieces} if fall is not None else set()
    pieces = (*(fall.pieces if fall is not None else ()), *(p for p in down if p.id not in known))
    ids = frozenset(piece.id for piece in down)
    if fall is None:
        return Fall(pieces, by, ids, not ids, tuple(discs.items()))
    # Players who said to go on have said it of what lay there then.
    settled = not ids or (fall.settled and ids <= fall.down)
    return replace(fall, pieces=pieces, down=ids, settled=settled, lost_discs=tuple(discs.items()))


def due(match: Match, fall: Fall, note: Note) -> tuple[Penalty, ...]:
    """What the fall costs by the rules in force, paid as the note says."""
    told = msgspec.structs.replace(note, knocked=fall.knocks(), pass_=None)
    return match.observe(match.position.layout, told).penalties


def loosened(layout: Layout) -> Layout:
    """The layout without roads that name a column that is not there, or cars a road: they lie where they lie."""
    columns, roads = {c.id for c in layout.columns}, {r.id for r in layout.roads}
    return msgspec.structs.replace(
        layout,
        roads=tuple(
            msgspec.structs.replace(
                r, from_=r.from_ if r.from_ in columns else None, to=r.to if r.to in columns else None
            )
            for r in layout.roads
        ),
        cars=tuple(msgspec.structs.replace(c, road=c.road if c.road in roads else None) for c in layout.cars),
    )
