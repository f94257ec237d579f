"""`highway replay`: a session in the dashboard, or its rulings printed, from the record or judged again."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from gui.display import has_display
from gui.progress import bar
from gui.rejudging import other_rules, rejudge
from gui.replay_pace import Pace
from gui.session import Head, load
from gui.terminal import Paint, result_lines, ruling_lines, say_lost
from referee.errors import BadGame
from referee.layout import BARE_TABLE, Layout
from referee.ruling import Ruling


def run(arguments: argparse.Namespace) -> int:
    """In a window; or print every turn, and what differs from the record where it was judged again."""
    pace = Pace(arguments.turn, arguments.at, arguments.speed, arguments.step)
    printed = arguments.headless or arguments.json or arguments.rejudge or arguments.vision or pace != Pace()
    if has_display() and not (printed or arguments.edition or arguments.options):
        return int(importlib.import_module("gui.app").run(session=arguments.session))
    file, recorded = load(arguments.session, bar("indexing the session"))
    with file:
        say_lost(file.path, file.lost)
        head, rulings, differs = recorded.head, recorded.rulings, None
        layouts = [turn.record.layout for turn in recorded.turns]
        if arguments.rejudge or arguments.edition or arguments.options or arguments.vision:
            head = other_rules(recorded.head, arguments.edition, house_rules(arguments.options))
            tell = bar("looking at every turn again") if arguments.vision else None
            again = rejudge(file, recorded, head, arguments.vision, None, tell)
            rulings, differs = again.match.rulings, again.differences
            layouts = [record.layout for record in again.match.timeline]
        begin_ns, end_ns = file.span_ns()
        times = [round((turn.time_ns - begin_ns) / 1e9, 3) for turn in recorded.turns]
        # Judged again a turn may no longer fit: those after it were accepted when the record says so all the same.
        times = [times[min(turn, len(times) - 1)] for turn in range(len(rulings))]
        pace.check(len(rulings), (end_ns - begin_ns) / 1e9)
        if arguments.json:
            _say_json(rulings, layouts, times, differs, pace)
        else:
            _say_text(arguments.session.name, recorded.head, head, rulings, layouts, differs, pace.turns(times))
    return 0


def house_rules(text: str | None) -> dict[str, Any] | None:
    """The options that a person gave as JSON."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any]) if text else None
    except msgspec.DecodeError as error:
        raise BadGame(f"--options: {error}") from None


def _say_json(
    rulings: Sequence[Ruling],
    layouts: Sequence[Layout],
    times_s: Sequence[float],
    differs: Sequence[str] | None,
    pace: Pace,
) -> None:
    for turn in pace.turns(times_s):
        ruling = rulings[turn]
        line = {
            "turn": ruling.turn, "player": ruling.player, "complete": ruling.complete, "time_s": times_s[turn],
            "layout": layouts[turn], "ruling": ruling, "state": ruling.state,
        }  # fmt: skip
        _write(line)
    if differs is not None:
        _write({"differences": differs})


def _write(line: dict[str, Any]) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.flush()


def _say_text(
    name: str,
    played: Head,
    head: Head,
    rulings: Sequence[Ruling],
    layouts: Sequence[Layout],
    differs: Sequence[str] | None,
    turns: Iterable[int],
) -> None:
    paint, players = Paint.for_stream(sys.stdout), played.players
    by = f"{played.edition}, judged by {head.edition}" if head.edition != played.edition else played.edition
    if head.options:
        by += f" with {', '.join(f'{option} = {value}' for option, value in head.options.items())}"
    print(paint.strong(f"Highway Referee replays {name}") + f"\n{by}; {', '.join(players)}\n")
    if not rulings:
        print("no turn was accepted in it")
    for turn in turns:
        before = layouts[turn - 1] if turn else BARE_TABLE
        print("\n".join(ruling_lines(rulings[turn], before, layouts[turn], players, paint)), flush=True)
    if rulings:
        print("\n" + "\n".join(result_lines(rulings[-1].state, players, paint)))
    if differs is not None:
        print("\nJudged again: " + ("\n  ".join(["what differs", *differs]) if differs else "nothing differs."))
