"""`highway replay`: a session in the dashboard, or its rulings printed, from the record or judged again."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any

import msgspec

from gui.display import has_display
from gui.progress import bar
from gui.rejudging import other_rules, rejudge
from gui.session import Recorded, load
from gui.terminal import Paint, result_lines, ruling_lines
from referee.errors import BadGame
from referee.layout import BARE_TABLE, Layout
from referee.ruling import Ruling


def run(arguments: argparse.Namespace) -> int:
    """In a window; or print every turn, and what differs from the record where it was judged again."""
    printed = arguments.headless or arguments.json or arguments.rejudge or arguments.vision
    if has_display() and not (printed or arguments.edition or arguments.options):
        return int(importlib.import_module("gui.app").run(session=arguments.session))
    file, recorded = load(arguments.session, bar("indexing the session"))
    with file:
        rulings, differs = recorded.rulings, None
        layouts = [turn.record.layout for turn in recorded.turns]
        if arguments.rejudge or arguments.edition or arguments.options or arguments.vision:
            head = other_rules(recorded.head, arguments.edition, house_rules(arguments.options))
            tell = bar("looking at every turn again") if arguments.vision else None
            again = rejudge(file, recorded, head, arguments.vision, None, tell)
            rulings, differs = again.match.rulings, again.differences
            layouts = [record.layout for record in again.match.timeline]
        if arguments.json:
            begin_ns = file.span_ns()[0]
            times = [round((turn.time_ns - begin_ns) / 1e9, 3) for turn in recorded.turns]
            _say_json(rulings, layouts, times, differs)
        else:
            _say_text(arguments.session.name, recorded, rulings, layouts, differs)
    return 0


def house_rules(text: str | None) -> dict[str, Any] | None:
    """The options that a person gave as JSON."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any]) if text else None
    except msgspec.DecodeError as error:
        raise BadGame(f"--options: {error}") from None


def _say_json(
    rulings: Sequence[Ruling], layouts: Sequence[Layout], times_s: Sequence[float], differs: Sequence[str] | None
) -> None:
    lines: list[dict[str, Any]] = [
        {
            "turn": ruling.turn, "player": ruling.player, "complete": ruling.complete, "time_s": time_s,
            "layout": layout, "ruling": ruling, "state": ruling.state,
        }
        for ruling, layout, time_s in zip(rulings, layouts, times_s, strict=True)
    ]  # fmt: skip
    if differs is not None:
        lines.append({"differences": differs})
    sys.stdout.flush()
    sys.stdout.buffer.write(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))


def _say_text(
    name: str,
    recorded: Recorded,
    rulings: Sequence[Ruling],
    layouts: Sequence[Layout],
    differs: Sequence[str] | None,
) -> None:
    paint, players = Paint.for_stream(sys.stdout), recorded.head.players
    print(paint.strong(f"Highway Referee replays {name}") + f"\n{recorded.head.edition}; {', '.join(players)}\n")
    if not rulings:
        print("no turn was accepted in it")
    before = BARE_TABLE
    for ruling, layout in zip(rulings, layouts, strict=True):
        print("\n".join(ruling_lines(ruling, before, layout, players, paint)))
        before = layout
    if rulings:
        print("\n" + "\n".join(result_lines(rulings[-1].state, players, paint)))
    if differs is not None:
        print("\nJudged again: " + ("\n  ".join(["what differs", *differs]) if differs else "nothing differs."))
