"""Corrections: a past turn's pieces, note or whole layout are changed, and later layouts with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from .errors import BadGame
from .layout import Area, Building, Car, Column, Layout, Piece, Road, with_city, with_pieces
from .notes import NO_NOTE, Note


class Record(msgspec.Struct, frozen=True):
    """One accepted turn."""

    layout: Layout
    note: Note = NO_NOTE


if TYPE_CHECKING:
    AnyPiece = Piece
else:
    AnyPiece = Any  # msgspec tells structs of a union apart by a tag, which pieces in layout.json do not carry


class PutPiece(msgspec.Struct, frozen=True, tag="put"):
    """From this turn on the piece is like this: added, or with its place, height, owner or type changed."""

    piece: AnyPiece

    def __post_init__(self) -> None:
        """Read from JSON, a piece tells by its fields what it is."""
        found: Any = self.piece
        if not isinstance(found, Column | Road | Car):
            kind = Column if "height" in found else Road if "kind" in found else Car
            msgspec.structs.force_setattr(self, "piece", msgspec.convert(found, kind))


class DropPiece(msgspec.Struct, frozen=True, tag="drop"):
    """From this turn on the piece is not there."""

    id: str


class SetCity(msgspec.Struct, frozen=True, tag="city"):
    """The city, which never moves: it is like this in every turn, whichever it is told at."""

    buildings: tuple[Building, ...]
    areas: tuple[Area, ...]


class SetNote(msgspec.Struct, frozen=True, tag="note"):
    """Another note: a ruling overruled, a penalty, a pass, the player who really moved."""

    note: Note


class SetTurn(msgspec.Struct, frozen=True, tag="turn"):
    """The whole turn, entered by hand."""

    layout: Layout
    note: Note = NO_NOTE


class InsertTurn(msgspec.Struct, frozen=True, tag="insert"):
    """A turn that was missed, before this one."""

    layout: Layout
    note: Note = NO_NOTE


class DeleteTurn(msgspec.Struct, frozen=True, tag="delete"):
    """A turn that never was."""


Edit = PutPiece | DropPiece | SetCity | SetNote | SetTurn | InsertTurn | DeleteTurn
Timeline = tuple[Record, ...]


def corrected(timeline: Timeline, turn: int, edits: tuple[Edit, ...]) -> Timeline:
    """The timeline with these edits made to one turn, in order."""
    for edit in edits:
        if not 0 <= turn < len(timeline):
            raise BadGame(f"turn: {turn} is not one of 0 to {len(timeline) - 1}")
        timeline = _edited(timeline, turn, edit)
    return timeline


def _edited(timeline: Timeline, turn: int, edit: Edit) -> Timeline:
    before, record, after = timeline[:turn], timeline[turn], timeline[turn + 1 :]
    match edit:
        case SetCity(buildings, areas):
            return tuple(Record(with_city(r.layout, (*buildings, *areas)), r.note) for r in timeline)
        case SetNote(note):
            return (*before, Record(record.layout, note), *after)
        case SetTurn(layout, note):
            return (*before, Record(layout, note), *after)
        case InsertTurn(layout, note):
            if turn == 0:
                raise BadGame("turn: 0 is the set-up; nothing comes before it")
            return (*before, Record(layout, note), record, *after)
        case DeleteTurn():
            if turn == 0:
                raise BadGame("turn: 0 is the set-up and cannot be deleted")
            return (*before, *after)
        case DropPiece(piece_id):
            if piece_id not in {p.id for p in record.layout.pieces()}:
                raise BadGame(f"turn {turn}: there is no piece '{piece_id}' to drop")
            return (*before, *(_without(r, piece_id) for r in (record, *after)))
        case PutPiece(piece):
            old = {p.id: p for p in record.layout.pieces()}.get(piece.id)
            if old is not None and type(old) is not type(piece):
                raise BadGame(f"turn {turn}: '{piece.id}' is a {type(old).__name__.lower()}")
            return (*before, *(_with(r, old, piece) for r in (record, *after)))


def _without(record: Record, piece_id: str) -> Record:
    kept = {p.id: p for p in record.layout.pieces() if p.id != piece_id}
    return Record(with_pieces(record.layout, kept), record.note)


def _with(record: Record, old: Piece | None, new: Piece) -> Record:
    """A new piece is added; one that was there is changed by as much as it was changed in the corrected turn."""
    pieces = {p.id: p for p in record.layout.pieces()}
    there = pieces.get(new.id)
    if old is None:
        pieces[new.id] = new
    elif there is not None:
        changes = {}
        for field in type(new).__struct_fields__:
            was, now, here = getattr(old, field), getattr(new, field), getattr(there, field)
            if was != now:
                changes[field] = _carried(field, was, now, here)
        pieces[new.id] = msgspec.structs.replace(there, **changes)
    return Record(with_pieces(record.layout, pieces), record.note)


def _carried(field: str, was: object, now: object, here: object) -> object:
    """A place moves by the same way; anything else is set, where it still was what was corrected."""
    if field in ("x", "y", "z") and isinstance(was, float) and isinstance(now, float) and isinstance(here, float):
        return here + (now - was) if here != was else now
    if field in ("a", "b") and isinstance(was, tuple) and isinstance(now, tuple) and isinstance(here, tuple):
        return tuple(_carried("x", w, n, h) for w, n, h in zip(was, now, here, strict=True))
    return now if here == was else here
