"""What people tell the referee about a turn that no picture shows."""

from __future__ import annotations

from typing import Literal

import msgspec

from .errors import BadGame


class Knock(msgspec.Struct, frozen=True):
    """One incident: somebody brought pieces of one owner down."""

    by: str
    owner: str
    discs: int = 0
    roads: int = 0
    cars: int = 0


class Payment(msgspec.Struct, frozen=True):
    """Which discs (and, like for like, roads) changed hands."""

    from_: str = msgspec.field(name="from")
    to: str
    grey: int = 0
    yellow: int = 0
    roads: int = 0


class Note(msgspec.Struct, frozen=True, omit_defaults=True):
    """A turn's note; what is left out the referee infers from the layouts."""

    pass_: bool | None = msgspec.field(name="pass", default=None)
    knocked: tuple[Knock, ...] | None = None
    paid: tuple[Payment, ...] = ()
    rebuilt: tuple[str, ...] = ()
    overruled: Literal["legal", "illegal"] | None = None
    player: str | None = None
    """Who really took this turn, where the order of play went wrong."""


NO_NOTE = Note()


def check_note(note: Note, where: str, players: tuple[str, ...]) -> None:
    """Raise BadGame where a note names nobody at the table or counts below zero."""
    named = [("player", note.player)]
    for i, knock in enumerate(note.knocked or ()):
        named += [(f"knocked[{i}].by", knock.by), (f"knocked[{i}].owner", knock.owner)]
        _counts(knock, ("discs", "roads", "cars"), f"{where}.knocked[{i}]")
    for i, payment in enumerate(note.paid):
        named += [(f"paid[{i}].from", payment.from_), (f"paid[{i}].to", payment.to)]
        _counts(payment, ("grey", "yellow", "roads"), f"{where}.paid[{i}]")
    for field, player in named:
        if player is not None and player not in players:
            raise BadGame(f"{where}.{field}: '{player}' is not one of {', '.join(players)}")


def _counts(item: Knock | Payment, fields: tuple[str, ...], where: str) -> None:
    for field in fields:
        value = getattr(item, field)
        if not 0 <= value <= 1_000:
            raise BadGame(f"{where}.{field}: {value} is out of range (0 to 1000)")
