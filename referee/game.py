"""game.json: a game as layouts. Reading it, refusing what is no game, and judging it."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec

from .check import check_kit
from .edition import rules_for
from .errors import BadGame
from .layout import Layout
from .match import Match, Setup
from .notes import NO_NOTE, Note
from .pieces import Kit

MOST_BYTES = 16_000_000
MOST_TURNS = 500

T = TypeVar("T")


class Game(msgspec.Struct, frozen=True, omit_defaults=True):
    """A game for the referee alone: turn k takes layouts[k-1] to layouts[k]."""

    edition: str
    players: tuple[str, ...]
    layouts: tuple[Layout, ...]
    first: str | None = None
    mission: bool = False
    options: dict[str, Any] = {}
    kit: Kit = Kit()
    turns: tuple[Note | None, ...] = ()

    def note(self, turn: int) -> Note:
        """What was said of turn k, from 1."""
        return (self.turns[turn - 1] if turn <= len(self.turns) else None) or NO_NOTE


def setup_of(game: Game) -> Setup:
    """Check who plays what; the set-up that the match begins from."""
    if len(set(game.players)) != len(game.players):
        raise BadGame(f"players: {', '.join(game.players)}: a name is used twice")
    for index, player in enumerate(game.players):
        if not player or len(player) > 64:
            raise BadGame(f"players[{index}]: '{player[:70]}' is not a name (1 to 64 characters)")
    rules = rules_for(game.edition, len(game.players), game.mission, game.options)
    check_kit(game.kit)
    if not game.layouts:
        raise BadGame("layouts: there are none; the first is the set-up")
    if len(game.layouts) > MOST_TURNS:
        raise BadGame(f"layouts: {len(game.layouts)}; at most {MOST_TURNS} are read")
    if len(game.turns) > len(game.layouts) - 1:
        raise BadGame(f"turns: {len(game.turns)} notes for {len(game.layouts) - 1} turns")
    return Setup(rules, game.kit, game.players, game.first or game.players[0], game.layouts[0])


def play(game: Game) -> Match:
    """Judge a whole game; every layout counts as played whatever its verdict."""
    match = Match.begin(setup_of(game))
    for number, layout in enumerate(game.layouts[1:], start=1):
        match = match.play(layout, game.note(number))
    return match


def read_json(data: bytes, kind: type[T]) -> T:
    """A value of this kind from JSON; BadGame names the field and its value."""
    if len(data) > MOST_BYTES:
        raise BadGame(f"the file has {len(data)} bytes; at most {MOST_BYTES} are read")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadGame(f"the file is not UTF-8 text (byte {error.start})") from None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadGame(f"line {error.lineno}, column {error.colno}: broken JSON: {error.msg}") from None
    except RecursionError:
        raise BadGame("broken JSON: nested too deeply") from None
    except ValueError as error:
        raise BadGame(f"broken JSON: {error}") from None
    _all_text(value, data)
    if kind is Game and isinstance(value, dict):
        value = _filled(value)
    return convert(value, kind)


def _all_text(value: Any, data: bytes) -> None:
    """JSON can escape halves of characters (\\ud800), which are no text that could ever be shown or written."""
    if rb"\u" not in data:
        return
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError as error:
        where = _path_to(value, error.object) or "the file"
        raise BadGame(f"{where}: {ascii(error.object)[:60]} is not text (half a character)") from None
    except RecursionError:
        raise BadGame("broken JSON: nested too deeply") from None


def _path_to(value: Any, text: str, path: str = "") -> str | None:
    """Where a string stands, such as layouts[0].columns[3].id."""
    if value == text:
        return path
    items: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        items = [(f"{path}.{key}".lstrip("."), item) for key, item in value.items() if key != text]
    elif isinstance(value, list):
        items = [(f"{path}[{index}]", item) for index, item in enumerate(value)]
    return next((found for name, item in items if (found := _path_to(item, text, name))), None)


_MAY_BE_LEFT_OUT: dict[str, dict[str, Any]] = {
    "columns": {"junction": False, "owner": None},
    "roads": {"kind": "road", "owner": None},
    "cars": {"z": 0.0, "yaw": 0.0, "road": None, "owner": None, "type": None},
}


def _filled(game: dict[str, Any]) -> dict[str, Any]:
    """The game with what may be left out filled in: null for "not given", and the end that a ramp has on the table."""
    game = {key: item for key, item in game.items() if item is not None}
    layouts = game.get("layouts")
    if isinstance(layouts, list):
        game["layouts"] = [_filled_layout(layout) if isinstance(layout, dict) else layout for layout in layouts]
    return game


def _filled_layout(layout: dict[str, Any]) -> dict[str, Any]:
    filled = dict(layout)
    for name, fields in _MAY_BE_LEFT_OUT.items():
        if isinstance(layout.get(name), list):
            filled[name] = [{**fields, **_ramp_end(p), **p} if isinstance(p, dict) else p for p in layout[name]]
    return filled


def _ramp_end(piece: dict[str, Any]) -> dict[str, None]:
    match piece.get("kind"):
        case "entrance":
            return {"from": None}
        case "exit":
            return {"to": None}
    return {}


def convert(value: Any, kind: type[T]) -> T:
    """A typed value; what does not fit is told with where it stands."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        field = path.rstrip("`").lstrip(".")
        raise BadGame(f"{field or 'the file'}: {_plain(message)}{_value_at(value, field)}") from None
    except RecursionError:
        raise BadGame("the file is nested too deeply") from None


def _plain(message: str) -> str:
    return message.replace("`", "'").replace("Object missing required field", "missing").replace("Expected", "expected")


def _value_at(value: Any, field: str) -> str:
    """The value that a path such as layouts[0].columns[3].x leads to, as text."""
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", field):
        try:
            value = value[int(index)] if index else value[name]
        except (KeyError, IndexError, TypeError):
            return ""
    if isinstance(value, dict | list):
        return ""
    shown = repr(value)
    return f" ({shown if len(shown) <= 60 else shown[:57] + '...'})"
