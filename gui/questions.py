"""Questions: pieces that vision is not sure of and that a ruling hangs on, each with what it may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gui.reseat import settle
from referee.layout import Candidate, Car, Column, Layout, Piece, Road
from referee.pieces import Kit


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
            case Car() if said and self.candidates[0].type is not None:
                return f"Which car is this: {options}?"
            case Car() if said:
                return f"Whose car is this: {options}?"
        name = type(self.piece).__name__.lower()
        return f"Is this {name} as drawn? ({self.piece.unsure})"


def candidate_words(piece: Piece, candidate: Candidate) -> str:
    """A candidate in a word or two."""
    if candidate.height is not None:
        return f"{candidate.height}"
    if candidate.junction is not None:
        return "yellow" if candidate.junction else "grey"
    return (candidate.type or candidate.owner or "as drawn").replace("_", " ")


def questions(accepted: Layout, seen: Layout, typed: bool) -> tuple[Question, ...]:
    """What has to be asked of a settled layout. Car types are asked only where they are played (C7)."""
    known = {piece.id: piece for piece in accepted.pieces()}
    asked = []
    for piece in seen.pieces():
        if piece.unsure is None or known.get(piece.id) == piece:
            continue
        candidates = tuple(sorted(piece.candidates, key=lambda c: -(c.p or 0.0)))
        if isinstance(piece, Road) and not candidates and _waits(piece, seen):
            continue
        if isinstance(piece, Car) and not typed and all(c.owner is None for c in candidates) and piece.owner:
            continue
        asked.append(Question(piece, candidates))
    return tuple(asked)


def _waits(road: Road, seen: Layout) -> bool:
    """A road that is unsure only because a column of its is."""
    return any(column.unsure is not None for column in seen.columns if column.id in road.columns())


def answered(layout: Layout, answers: Mapping[str, Candidate | None], kit: Kit) -> Layout:
    """The layout with what people said put in, wherever vision is still unsure of that piece."""
    unsure = {piece.id for piece in layout.pieces() if piece.unsure is not None}
    for piece_id, said in answers.items():
        if piece_id in unsure:
            layout = settle(layout, piece_id, said, kit)
    return layout
