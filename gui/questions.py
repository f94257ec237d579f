"""Questions: pieces that vision is not sure of and that a ruling hangs on, each with what it may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gui.reseat import settle, without
from referee.layout import Candidate, Car, Column, Layout, Piece, Road
from referee.pieces import CAR_TYPES, Kit

MOST_NAMED = 4
"""More candidates than these stand on the answers alone."""
TOP_UNSURE = "colour of its top disc"
"""Vision's own words for it."""


@dataclass(frozen=True, slots=True)
class Question:
    """One unsure piece and its candidates, the likeliest first; with none people say whether it is as seen."""

    piece: Piece
    candidates: tuple[Candidate, ...]

    @property
    def text(self) -> str:
        """The question as a person asks it."""
        said = [candidate_words(self.piece, c) for c in self.candidates]
        options = " or ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)
        match self.piece:
            case Column() if said and self.candidates[0].height is not None:
                return f"Is this column {options} high?"
            case Column() if said:
                return f"Is the top of this column {options}?"
            case Car() if len(said) > MOST_NAMED and self.candidates[0].type is not None:
                return "Which car is this?"
            case Car() if said and self.candidates[0].type is not None:
                return f"Which car is this: {options}?"
            case Car() if said:
                return f"Whose car is this: {options}?"
        name = type(self.piece).__name__.lower()
        return f"Is this {name} as drawn?"


def candidate_words(piece: Piece, candidate: Candidate) -> str:
    """A candidate in a word or two."""
    if candidate.height is not None:
        return f"{candidate.height}"
    if candidate.junction is not None:
        return "yellow" if candidate.junction else "grey"
    return (candidate.type or candidate.owner or "as drawn").replace("_", " ")


def questions(
    accepted: Layout, seen: Layout, typed: bool, untyped: frozenset[str] = frozenset()
) -> tuple[Question, ...]:
    """What has to be asked of a settled layout. Car types are asked only where they are played (C7).

    `untyped` are the cars of unknown type that a ruling hangs on; the types still to be had are what they may be.
    """
    known = {piece.id: piece for piece in accepted.pieces()}
    asked = []
    for piece in seen.pieces():
        if isinstance(piece, Car) and piece.id in untyped:
            asked.append(Question(piece, _free_types(piece, seen)))
            continue
        if piece.unsure is None or known.get(piece.id) == piece:
            continue
        candidates = tuple(sorted(piece.candidates, key=lambda c: -(c.p or 0.0))) or _tops(piece)
        if isinstance(piece, Road) and not candidates and _waits(piece, seen):
            continue
        if isinstance(piece, Car) and not typed and all(c.owner is None for c in candidates) and piece.owner:
            continue
        asked.append(Question(piece, candidates))
    return tuple(asked)


def _free_types(car: Car, seen: Layout) -> tuple[Candidate, ...]:
    """What vision thinks it may be, else every type, without those that another car of its owner has."""
    taken = {other.type for other in seen.cars if other.owner == car.owner and other.id != car.id}
    likely = tuple(c for c in sorted(car.candidates, key=lambda c: -(c.p or 0.0)) if c.type is not None)
    may_be = likely or tuple(Candidate(type=kind) for kind in CAR_TYPES)
    return tuple(c for c in may_be if c.type not in taken)


def _tops(piece: Piece) -> tuple[Candidate, ...]:
    """Both colours of a top disc, as drawn first, where that is what vision cannot tell."""
    if not isinstance(piece, Column) or piece.unsure != TOP_UNSURE:
        return ()
    return tuple(Candidate(junction=top) for top in (piece.junction, not piece.junction))


def _waits(road: Road, seen: Layout) -> bool:
    """A road that is unsure only because a column of its is."""
    return any(column.unsure is not None for column in seen.columns if column.id in road.columns())


def answered(
    layout: Layout, answers: Mapping[str, Candidate | None], kit: Kit, absent: frozenset[str] = frozenset()
) -> Layout:
    """The layout with what people said put in, wherever vision is still unsure of that piece."""
    for piece_id in absent & {piece.id for piece in layout.pieces() if piece.unsure is not None}:
        layout = without(layout, piece_id)
    unsure = {piece.id for piece in layout.pieces() if piece.unsure is not None}
    unsure |= {car.id for car in layout.cars if car.type is None or car.candidates}
    for piece_id, said in answers.items():
        if piece_id in unsure:
            layout = settle(layout, piece_id, said, kit)
    return layout
