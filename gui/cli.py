"""The command line. Windows load lazily: nothing here needs Qt."""

from __future__ import annotations

import argparse
import importlib
import io
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from calibration.errors import CalibrationError
from gui.bench_options import add_bench
from gui.calibrate_options import add_arguments as add_calibrate_arguments
from gui.display import has_display
from gui.files import load_game, sample_game
from gui.look_options import add_layout, add_watch
from gui.memory import keep_freed_memory
from gui.session_options import add_export, add_record, add_rejudge, add_replay
from gui.terminal import Paint, say_game
from gui.watch_options import add_cameras
from referee.edition import OPTION_WORDS, editions, option_values, rules_for
from referee.errors import BadGame
from referee.game import play
from referee.notation import write_game
from vision.errors import BadSession, VisionError

BAD_INPUT = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; bad input is one line on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no reason to fail
    keep_freed_memory()
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        code: int = arguments.run(arguments) if arguments.command is not None else _dashboard(parser)
        sys.stdout.flush()
    except (BadGame, BadSession, CalibrationError, VisionError) as error:
        print(f"highway: {_one_line(str(error))}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader has gone (head, a closed pager): that is no fault of the input.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("\nhighway: stopped", file=sys.stderr)
        return 130
    return code


class _Parser(argparse.ArgumentParser):
    """Argparse, but a wrong call is one line too."""

    def error(self, message: str) -> NoReturn:
        print(f"highway: {_one_line(message)} (see '{self.prog} --help')", file=sys.stderr)
        sys.exit(BAD_INPUT)


def _one_line(text: str) -> str:
    """Fit for a terminal: no line breaks, and nothing that it would take for a command."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(text.split()))[:500]


def _write(data: bytes) -> None:
    """Files and lines for programs are UTF-8, whatever the terminal speaks."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="highway", description="Highway Referee: the referee for Tokyo Highway.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    demo = commands.add_parser("demo", help="watch the bundled sample game being judged, turn by turn")
    demo.add_argument("--headless", action="store_true", help="print the rulings, open no window")
    demo.set_defaults(run=_demo)

    judge = commands.add_parser("judge", help="judge a game: one JSON line per turn, the set-up first")
    _game_argument(judge)
    judge.add_argument("--text", action="store_true", help="print the rulings for people instead of JSON")
    judge.add_argument("--edition", help="judge by another edition than the file names")
    judge.set_defaults(run=_judge)

    notation = commands.add_parser("notation", help="write a game in the text notation, or as game.json")
    _game_argument(notation)
    notation.add_argument("--json", action="store_true", help="write game.json instead")
    notation.set_defaults(run=_notation)

    listing = commands.add_parser("editions", help="list the editions and what each one sets")
    listing.add_argument("edition", nargs="?", help="one edition, with what its options mean")
    listing.add_argument("--json", action="store_true", help="as JSON")
    listing.set_defaults(run=_editions)

    printing = commands.add_parser("print", help="write the sheets to print for calibration, as PDF")
    printing.add_argument("folder", type=Path, metavar="DIR", help="where to write them; made if it is not there")
    printing.add_argument("--paper", choices=["a4", "letter", "both"], default="both", help="which paper (both)")
    printing.set_defaults(run=_print)

    calibrate = commands.add_parser("calibrate", help="pictures of the printed sheets become rig.json, with its error")
    add_calibrate_arguments(calibrate)

    add_layout(commands)
    add_watch(commands)
    add_record(commands)
    add_replay(commands)
    add_export(commands)
    add_rejudge(commands)
    add_cameras(commands)

    add_bench(commands)
    return parser


def _game_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="game.json or a game in the notation; - reads standard input")


def _dashboard(parser: argparse.ArgumentParser) -> int:
    """The dashboard; where no window can open, what else there is."""
    if has_display():
        return int(importlib.import_module("gui.app").run())
    parser.print_help()
    return 0


def _demo(arguments: argparse.Namespace) -> int:
    if has_display() and not arguments.headless:
        return int(importlib.import_module("gui.app").run("sample"))
    say_game(sample_game(), Paint.for_stream(sys.stdout), "the bundled sample game")
    return 0


def _judge(arguments: argparse.Namespace) -> int:
    game = load_game(arguments.game)
    if arguments.edition:
        game = msgspec.structs.replace(game, edition=arguments.edition)
    if arguments.text:
        say_game(game, Paint.for_stream(sys.stdout), arguments.game)
        return 0
    rulings = play(game).rulings
    _write(b"".join(msgspec.json.encode(ruling) + b"\n" for ruling in rulings))
    return 0


def _notation(arguments: argparse.Namespace) -> int:
    game = load_game(arguments.game)
    play(game)
    _write(msgspec.json.encode(game) + b"\n" if arguments.json else write_game(game).encode())
    return 0


def _editions(arguments: argparse.Namespace) -> int:
    known = editions()
    if arguments.edition is not None and arguments.edition not in known:
        raise BadGame(f"edition: '{arguments.edition}' is unknown; known are {', '.join(known)}")
    chosen = [arguments.edition] if arguments.edition else list(known)
    described = {name: _described(name) for name in chosen}
    if arguments.json:
        keys = {key: {"values": option_values(key), "meaning": words} for key, words in OPTION_WORDS.items()}
        print(json.dumps({"editions": described, "options": keys}, indent=1))
        return 0
    paint = Paint.for_stream(sys.stdout)
    for name in chosen:
        edition = known[name]
        low, high = edition.players
        span = str(low) if low == high else f"{low}-{high}"
        mission = ", mission mode" if edition.mission is not None else ""
        print(f"{paint.strong(name)}  {edition.title} ({span} players{mission})\n  {edition.special}")
        for key, value in edition.options.items():
            print(f"    {key} = {json.dumps(value)}")
        for key, value in (edition.mission or {}).items():
            print(f"    {key} = {json.dumps(value)}  (mission mode)")
        print()
    print(paint.strong("Options") + "  what each may be (and is, where an edition does not set it), and what it means")
    defaults = described[chosen[0]]["defaults"]
    for key, words in OPTION_WORDS.items():
        print(f"  {key}: {option_values(key)} ({json.dumps(defaults[key])})\n      {words}")
    return 0


def _described(name: str) -> dict[str, Any]:
    edition = editions()[name]
    low = edition.players[0]
    in_force = {"options": msgspec.to_builtins(rules_for(name, low).options)}
    if edition.mission is not None:
        in_force["mission"] = msgspec.to_builtins(rules_for(name, low, mission=True).options)
    return {
        "title": edition.title,
        "players": list(edition.players),
        "special": edition.special,
        "materials": msgspec.to_builtins(edition.materials),
        "sets": edition.options,
        **in_force,
        "defaults": msgspec.to_builtins(type(rules_for(name, low).options)()),
    }


def _print(arguments: argparse.Namespace) -> int:
    from calibration.pdf import write_sheets
    from calibration.sheets import PAPERS

    papers = [paper for paper in PAPERS if arguments.paper in (paper.name, "both")]
    for path in write_sheets(arguments.folder, papers):
        print(path)
    print("Print them at 100 % (actual size), not fit to page: the ruler on each page must measure 100 mm.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
