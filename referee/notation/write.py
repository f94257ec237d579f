"""Writing the notation: every place is given, so that reading it back gives the same game to the last bit."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from ..game import Game
from ..layout import BARE_TABLE, Area, Building, Car, Column, Layout, Piece, Road
from ..notes import NO_NOTE, Note
from ..pieces import Kit
from .words import quoted

_COMMON = {"id", "x", "y", "z", "yaw", "height", "junction", "owner", "a", "b", "kind", "from", "to", "road", "type"}


def write_game(game: Game) -> str:
    """A whole game; each turn lists what changed."""
    lines = [f"edition {quoted(game.edition)}", f"players {' '.join(map(quoted, game.players))}"]
    if game.first is not None:
        lines.append(f"first {quoted(game.first)}")
    if game.mission:
        lines.append("mission")
    lines += [f"option {key} = {json.dumps(value)}" for key, value in game.options.items()]
    plain_kit = msgspec.to_builtins(Kit())
    for key, value in msgspec.to_builtins(game.kit).items():
        if value != plain_kit[key]:
            lines.append(f"kit {key} = {json.dumps(value)}")
    before = BARE_TABLE
    for number, layout in enumerate(game.layouts):
        lines += ["", f"turn {number}", *_changes(before, layout)]
        if number and number <= len(game.turns):
            lines += _note(game.turns[number - 1])
        before = layout
    return "\n".join(lines) + "\n"


def write_layout(layout: Layout) -> str:
    """One layout, a piece a line."""
    return "\n".join(_changes(BARE_TABLE, layout)) + "\n"


def _changes(before: Layout, after: Layout) -> list[str]:
    old = {p.id: p for p in _all(before)}
    now = {p.id: p for p in _all(after)}
    kept = [i for i in old if i in now]
    in_order = [*kept, *(i for i in now if i not in old)]
    alike = all(type(old[i]) is type(now[i]) for i in kept)
    lines = []
    if not alike or sorted(in_order, key=lambda i: _KINDS.index(type(now[i]))) != list(now):
        lines, old = ["clear"], {}
    gone = [i for i in old if i not in now]
    if gone:
        lines.append("gone " + " ".join(map(quoted, gone)))
    lines += [_piece(piece) for piece in now.values() if old.get(piece.id) != piece]
    if after.joint is not None:
        lines.append(f"joint {json.dumps(msgspec.to_builtins(after.joint))}")
    return lines


_KINDS: tuple[type[Any], ...] = (Column, Road, Car, Building, Area)


def _all(layout: Layout) -> tuple[Piece | Building | Area, ...]:
    return (*layout.columns, *layout.roads, *layout.cars, *layout.buildings, *layout.areas)


def _piece(piece: Piece | Building | Area) -> str:
    match piece:
        case Column():
            top = "y" if piece.junction else ""
            text = f"column {quoted(piece.id)} {quoted(piece.owner)} {piece.height}{top} {_place(piece.x, piece.y)}"
        case Road():
            start = "" if piece.kind == "entrance" else quoted(piece.from_) + " "
            end = "" if piece.kind == "exit" else quoted(piece.to) + " "
            tips = f"{_place(*piece.a)} {_place(*piece.b)}"
            text = f"{piece.kind} {quoted(piece.id)} {quoted(piece.owner)} {start}> {end}{tips}"
        case Car():
            place = f"on {quoted(piece.road)} {_place(piece.x, piece.y, piece.z)} yaw {piece.yaw!r}"
            text = f"car {quoted(piece.id)} {quoted(piece.owner)} {quoted(piece.type)} {place}"
        case Building():
            return f"{piece.kind} {quoted(piece.id)} {piece.height_mm!r} {_outline(piece.outline)}"
        case Area():
            return f"area {piece.kind} {quoted(piece.id)} {_outline(piece.outline)}"
    rare = {k: v for k, v in msgspec.to_builtins(piece).items() if k not in _COMMON}
    return f"{text} {json.dumps(rare)}" if rare else text


def _place(*numbers: float) -> str:
    return f"({', '.join(repr(float(n)) for n in numbers)})"


def _outline(outline: tuple[tuple[float, float], ...]) -> str:
    return " ".join(_place(*corner) for corner in outline)


def _note(note: Note | None) -> list[str]:
    if note is None:
        return []
    lines = ["note"] if note == NO_NOTE else []
    if note.pass_ is not None:
        lines.append("pass" if note.pass_ else "pass no")
    if note.knocked == ():
        lines.append("knocked nothing")
    for knock in note.knocked or ():
        counts = f"discs {knock.discs} roads {knock.roads} cars {knock.cars}"
        lines.append(f"knocked {quoted(knock.by)} {quoted(knock.owner)} {counts}")
    for paid in note.paid:
        counts = f"grey {paid.grey} yellow {paid.yellow} roads {paid.roads}"
        lines.append(f"paid {quoted(paid.from_)} > {quoted(paid.to)} {counts}")
    if note.rebuilt:
        lines.append("rebuilt " + " ".join(map(quoted, note.rebuilt)))
    if note.overruled is not None:
        lines.append(f"overruled {note.overruled}")
    if note.player is not None:
        lines.append(f"player {quoted(note.player)}")
    return lines
