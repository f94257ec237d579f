"""Reading the notation."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec

from ..check import MOST_PIECES, check_kit
from ..errors import BadGame
from ..game import MOST_BYTES, MOST_TURNS, Game, convert
from ..layout import BARE_TABLE, Area, Building, Car, Column, Joint, Layout, Piece, Road, RoadKind, with_pieces
from ..notes import Knock, Note, Payment
from ..pieces import Kit
from .lay import REACH_MM, car_place, column_place, ramp_tips, road_tips
from .words import Words

T = TypeVar("T")
FIRST_WORDS = frozenset({"edition", "players", "first", "mission", "option", "kit", "turn"})


class Script(msgspec.Struct, frozen=True):
    """A game, and what a test expects of its turns."""

    game: Game
    expects: dict[int, tuple[tuple[str, ...], ...]]


def read_game(text: str) -> Game:
    """A game from its notation."""
    return read_script(text).game


def read_script(text: str) -> Script:
    """A game and its `expect` lines from the notation."""
    if len(text) > MOST_BYTES:
        raise BadGame(f"the file has {len(text)} characters; at most {MOST_BYTES} are read")
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), start=1):
        reader.line(line, number)
    return reader.script()


class _Reader:
    """Builds a game line by line."""

    def __init__(self) -> None:
        self.head: dict[str, Any] = {"edition": None, "players": (), "first": None, "mission": False}
        self.options: dict[str, Any] = {}
        self.kit_fields: dict[str, Any] = {}
        self.kit = Kit()
        self.layouts: list[Layout] = []
        self.notes: list[dict[str, Any] | None] = []
        self.expects: dict[int, tuple[tuple[str, ...], ...]] = {}
        self.pieces: dict[str, Piece] = {}
        self.city: dict[str, Building | Area] = {}
        self.joint: Joint | None = None

    def line(self, line: str, number: int) -> None:
        if re.match(r"\s*(option|kit)\s", line):
            self._setting(line, number)
            return
        words = Words(line, number)
        if not words:
            return
        head = words.take("a word")
        if head in FIRST_WORDS:
            self._first_words(head, words)
        elif not self.layouts:
            raise words.bad(f"'{head}' stands before 'turn 0'")
        else:
            self._in_turn(head, words)
        words.done()

    def script(self) -> Script:
        if self.head["edition"] is None:
            raise BadGame("edition: missing")
        if not self.layouts:
            raise BadGame("turn 0: missing")
        self._close_turn()
        notes = [None if n is None else convert(n, Note) for n in self.notes[1:]]
        while notes and notes[-1] is None:
            notes.pop()
        game = Game(**self.head, layouts=tuple(self.layouts), options=self.options, kit=self.kit, turns=tuple(notes))
        return Script(game, self.expects)

    def _setting(self, line: str, number: int) -> None:
        """`option key = JSON` or `kit field = JSON`."""
        found = re.fullmatch(r"\s*(option|kit)\s+(\S+)\s*=\s*(.+?)\s*", line)
        if found is None:
            raise BadGame(f"line {number}: expected '{line.split()[0]} name = value'")
        kind, name, text = found.groups()
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise BadGame(f"line {number}: {name}: '{text[:40]}' is not a JSON value") from None
        if kind == "option":
            self.options[name] = value
        else:
            self.kit_fields[name] = value
            self.kit = convert(self.kit_fields, Kit)
            check_kit(self.kit)

    def _first_words(self, head: str, words: Words) -> None:
        if head == "turn":
            turn = words.whole("the turn's number")
            if turn != len(self.layouts):
                raise words.bad(f"turn {turn} follows turn {len(self.layouts) - 1}")
            if turn > MOST_TURNS:
                raise words.bad(f"turn {turn}: at most {MOST_TURNS} are read")
            self._close_turn()
            self.layouts.append(BARE_TABLE)
            self.notes.append(None)
        elif head == "players":
            names = []
            while words:
                names.append(words.take("a player"))
            self.head["players"] = tuple(names)
        elif head == "mission":
            self.head["mission"] = True
        else:
            self.head[head] = words.take(head)

    def _close_turn(self) -> None:
        if self.layouts:
            city = self.city.values()
            layout = msgspec.structs.replace(
                BARE_TABLE,
                buildings=tuple(b for b in city if isinstance(b, Building)),
                areas=tuple(a for a in city if isinstance(a, Area)),
                joint=self.joint,
            )
            self.layouts[-1] = with_pieces(layout, self.pieces)
            self.joint = None

    def _in_turn(self, head: str, words: Words) -> None:
        match head:
            case "column":
                self._put(self._column(words), words)
            case "road" | "entrance" | "exit":
                self._put(self._road(head, words), words)
            case "car":
                self._put(self._car(words), words)
            case "building" | "tower" | "tree" | "aeroplane":
                named = {"kind": head, "id": words.take("an id"), "height_mm": words.number_("the height in mm")}
                building = self._typed({**named, "outline": _outline(words)}, Building, words)
                self.city[building.id] = building
            case "area":
                named = {"kind": words.take("the kind of area"), "id": words.take("an id")}
                area = self._typed({**named, "outline": _outline(words)}, Area, words)
                self.city[area.id] = area
            case "gone":
                while words:
                    piece_id = words.take("a piece")
                    if self.pieces.pop(piece_id, None) is None and self.city.pop(piece_id, None) is None:
                        raise words.bad(f"there is no piece '{piece_id}' to be gone")
            case "clear":
                self.pieces, self.city = {}, {}
            case "joint":
                self.joint = self._typed(words.extra, Joint, words)
            case "expect":
                said = []
                while words:
                    said.append(words.take("a word"))
                turn = len(self.layouts) - 1
                self.expects[turn] = (*self.expects.get(turn, ()), tuple(said))
            case _:
                self._note(head, words)

    def _put(self, piece: Piece, words: Words) -> None:
        if words.extra:
            fields = msgspec.to_builtins(piece)
            piece = self._typed({**fields, **words.extra}, type(piece), words)
        if len(self.pieces) > 3 * MOST_PIECES:
            raise words.bad(f"more than {3 * MOST_PIECES} pieces")
        self.pieces[piece.id] = piece

    def _typed(self, fields: dict[str, Any], kind: type[T], words: Words) -> T:
        try:
            return convert(fields, kind)
        except BadGame as error:
            raise words.bad(str(error)) from None

    def _find(self, piece_id: str | None, kind: type[Any], words: Words) -> Any:
        piece = self.pieces.get(piece_id or "")
        if not isinstance(piece, kind):
            raise words.bad(f"there is no {kind.__name__.lower()} '{piece_id}' yet")
        return piece

    def _column(self, words: Words) -> Column:
        column_id, owner = words.take("an id"), words.known("an owner")
        found = re.fullmatch(r"(\d{1,6})(y?)", words.take("a height"))
        if found is None:
            raise words.bad("a height is a number of discs, with y for a yellow top")
        height, junction = int(found[1]), bool(found[2])
        place = words.place(2)
        if place is None:
            words.expect("from")
            base = self._find(words.known("a column"), Column, words)
            words.expect("heading")
            heading = words.number_("the heading in degrees")
            reach = words.number_("the reach in mm") if words.accept("reach") else REACH_MM
            place = column_place(self.kit, base, height, heading, reach, self._level(base.id))
        return Column(column_id, place[0], place[1], height, junction, owner)

    def _level(self, column_id: str) -> int:
        """How many roads lie on a column already: the next one lies on top of them."""
        return sum(isinstance(p, Road) and column_id in p.columns() for p in self.pieces.values())

    def _road(self, head: str, words: Words) -> Road:
        road_id, owner = words.take("an id"), words.known("an owner")
        start = None if words.peek() == ">" else words.known("where it starts")
        words.expect(">")
        ends = words.peek()
        end = None if ends is None or ends.startswith("(") or ends == "heading" else words.known("where it ends")
        a, b = words.place(3), words.place(3)
        if a is None or b is None:
            a, b = self._tips(head, road_id, start, end, words)
        kind: RoadKind = "entrance" if head == "entrance" else "exit" if head == "exit" else "road"
        return Road(road_id, (a[0], a[1], a[2]), (b[0], b[1], b[2]), kind, start, end, owner)

    def _tips(
        self, head: str, road_id: str, start: str | None, end: str | None, words: Words
    ) -> tuple[tuple[float, ...], tuple[float, ...]]:
        self.pieces.pop(road_id, None)
        if head == "road":
            first, last = self._find(start, Column, words), self._find(end, Column, words)
            shift = words.number_("the shift in mm") if words.accept("shift") else 0.0
            side = words.number_("the side in mm") if words.accept("side") else 0.0
            levels = self._level(first.id), self._level(last.id)
            if words.accept("level"):
                levels = words.whole("the level at the start"), words.whole("the level at the end")
            return road_tips(self.kit, first, last, levels, shift, side)
        column = self._find(end if head == "entrance" else start, Column, words)
        words.expect("heading")
        heading = words.number_("the heading in degrees")
        reach = words.number_("the reach in mm") if words.accept("reach") else REACH_MM
        return ramp_tips(self.kit, column, self._level(column.id), heading, reach, head == "entrance")

    def _car(self, words: Words) -> Car:
        car_id, owner, car_type = words.take("an id"), words.known("an owner"), words.known("a type")
        road_id = words.known("a road") if words.accept("on") else None
        place = words.place(3)
        if place is not None:
            yaw = words.number_("the yaw") if words.accept("yaw") else 0.0
            return Car(car_id, place[0], place[1], place[2], yaw, road_id, owner, car_type)
        fraction = words.number_("where on the road (0 to 1)") if words.accept("at") else 0.5
        x, y, z, yaw = car_place(self.kit, self._find(road_id, Road, words), fraction, car_type)
        return Car(car_id, x, y, z, yaw, road_id, owner, car_type)

    def _note(self, head: str, words: Words) -> None:
        note = self.notes[-1] if self.notes[-1] is not None else {}
        self.notes[-1] = note
        match head:
            case "note":
                pass
            case "pass":
                note["pass"] = not words.accept("no")
            case "knocked" if words.accept("nothing"):
                note["knocked"] = []
            case "knocked":
                knock = {"by": words.take("who knocked"), "owner": words.take("whose pieces")}
                note.setdefault("knocked", []).append({**knock, **_counts(words, Knock)})
            case "paid":
                payer = words.take("who paid")
                words.expect(">")
                note.setdefault("paid", []).append(
                    {"from": payer, "to": words.take("to whom"), **_counts(words, Payment)}
                )
            case "rebuilt":
                rebuilt = note.setdefault("rebuilt", [])
                while words:
                    rebuilt.append(words.take("a piece"))
            case "overruled" | "player":
                note[head] = words.take(head)
            case _:
                raise words.bad(f"'{head}' is no word of the notation")


def _counts(words: Words, kind: type[Knock | Payment]) -> dict[str, int]:
    """`discs 2 roads 1 ...`"""
    found = {}
    while words:
        name = words.take("what was counted")
        if name not in kind.__struct_fields__[2:]:
            raise words.bad(f"'{name}' is not counted here")
        found[name] = words.whole(f"how many {name}")
    return found


def _outline(words: Words) -> list[tuple[float, ...]]:
    corners = []
    while (corner := words.place(2)) is not None:
        corners.append(corner)
    return corners
