"""Rulings as a person wants to read them on a terminal."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from gui.words import built_words, event_words
from referee.game import Game, play
from referee.layout import BARE_TABLE, Layout
from referee.ruling import Ruling, State

_COLOURS = {
    "purple": 135, "green": 71, "orange": 208, "blue": 33, "pink": 205, "red": 160, "yellow": 220, "white": 255,
    "black": 245, "grey": 245,
}  # fmt: skip
_SHAPES = "●▲■◆⬟⬢"
_SIGNS = {"legal": ("✔ LEGAL", 34), "illegal": ("✘ ILLEGAL", 160), "too_close": ("? TOO CLOSE TO CALL", 178)}


@dataclass(frozen=True, slots=True)
class Paint:
    """Colour where the terminal shows it, plain text where not; shapes only where they can be written."""

    colour: bool
    shapes: bool

    @staticmethod
    def for_stream(stream: TextIO) -> Paint:
        colour = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        if colour and os.name == "nt":
            os.system("")  # switches the console to understand colours
        return Paint(colour, _can_write(stream, _SHAPES + "✔✘"))

    def tint(self, text: str, code: int) -> str:
        return f"\x1b[38;5;{code}m{text}\x1b[0m" if self.colour else text

    def strong(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def player(self, player: str, players: tuple[str, ...]) -> str:
        shape = _SHAPES[players.index(player) % len(_SHAPES)] + " " if self.shapes else ""
        return self.tint(shape + player, _COLOURS.get(player, 252))

    def sign(self, verdict: str) -> str:
        text, code = _SIGNS[verdict]
        return self.tint(text if self.shapes else text.split(" ", 1)[1], code)


def _can_write(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def say_game(game: Game, paint: Paint, title: str) -> None:
    """Judge a game and print every turn and the result."""
    match = play(game)
    mission = ", mission mode" if game.mission else ""
    print(paint.strong(f"Highway Referee judges {title}"))
    print(f"{game.edition}{mission}; {', '.join(paint.player(p, game.players) for p in game.players)}\n")
    before = BARE_TABLE
    for ruling, position in zip(match.rulings, match.positions, strict=True):
        for line in ruling_lines(ruling, before, position.layout, game.players, paint):
            print(line)
        before = position.layout
    print()
    for line in result_lines(match.rulings[-1].state, game.players, paint):
        print(line)


def ruling_lines(ruling: Ruling, before: Layout, after: Layout, players: tuple[str, ...], paint: Paint) -> list[str]:
    """A turn in a few lines: who, the verdict, what was built, why, what it earned, what happened besides."""
    who = "set-up" if ruling.player is None else paint.player(ruling.player, players)
    lines = [
        f"{paint.strong(f'Turn {ruling.turn:>2}')}  {who}  {paint.sign(ruling.verdict)}  {built_words(before, after)}"
    ]
    indent = " " * 9
    lines += [f"{indent}{paint.strong(violation.rule)} {violation.text}" for violation in ruling.violations]
    for crossing in ruling.crossings:
        blocked = f" ({', '.join(crossing.by)})" if crossing.by else ""
        gain = "earns a car" if crossing.earns else "earns nothing"
        lines.append(f"{indent}{crossing.side} {crossing.road}: {gain}, {crossing.why}{blocked}")
    if ruling.earned or ruling.placed:
        lines.append(f"{indent}{ruling.earned} earned, {ruling.placed} placed")
    for penalty in ruling.penalties:
        paid = [f"{count} {name}" for count, name in _amounts(penalty.grey, penalty.yellow, penalty.roads) if count]
        what = ", ".join(paid) or "nothing (has none)"
        lines.append(f"{indent}P1 {penalty.by} pays {what} to {penalty.owner}")
    lines += [f"{indent}{event_words(event)}" for event in ruling.events]
    return lines


def _amounts(grey: int, yellow: int, roads: int) -> tuple[tuple[int, str], ...]:
    return ((grey, "grey"), (yellow, "yellow"), (roads, "roads" if roads > 1 else "road"))


def result_lines(state: State, players: tuple[str, ...], paint: Paint) -> list[str]:
    """The score board, and who has won."""
    lines = []
    for player, has in state.players.items():
        rank = f"{has.rank}." if has.rank else "  "
        points = f", {has.points} points" if has.points is not None else ""
        stock = f"left: cars {has.cars}, discs {has.grey} grey and {has.yellow} yellow, roads {has.roads}"
        lines.append(f"{rank:>3} {paint.player(player, players)}  {stock}{points}{', out' if has.out else ''}")
        if has.missions:
            scored = ", ".join(f"{mission} {points}" for mission, points in has.missions.items() if points)
            lines.append(f"      {scored}")
    if state.over and state.winner:
        lines.append(paint.strong(f"{state.winner} wins."))
    elif state.over:
        lines.append(paint.strong(f"{' and '.join(state.winners) or 'Nobody'} share the win."))
    else:
        lines.append(f"{state.next} is next.")
    return lines


def say_lost(session: Path, lost: str | None) -> None:
    """What is missing in a session, where something is: the rest can be read all the same."""
    if lost is not None:
        print(f"highway: {session}: {lost}", file=sys.stderr)
