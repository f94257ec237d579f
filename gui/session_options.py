"""What `highway replay` and its neighbours can be told; reading it loads no pictures."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any

PLAYERS = "purple,green"
RESUME = "go on with a session that was cut off, or closed: SESSION or the last one, from where it was recorded before"


def add_replay(commands: Any) -> None:
    """A recorded session, played back or judged again."""
    parser = commands.add_parser("replay", help="play a recorded session back, or judge it again")
    parser.add_argument("session", type=Path, metavar="SESSION", help="what `highway record` has made (*.mcap)")
    parser.add_argument("--headless", action="store_true", help="print the rulings, open no window")
    parser.add_argument("--json", action="store_true", help="one JSON line per turn, the set-up first; opens no window")
    parser.add_argument("--rejudge", action="store_true", help="judge every turn again, and list what differs")
    parser.add_argument("--edition", help="judge by another edition than was played (implies --rejudge)")
    parser.add_argument("--options", metavar="JSON", help='with other house rules, as \'{"first_rule": "next"}\'')
    parser.add_argument("--vision", action="store_true", help="look at the stored stills again (implies --rejudge)")
    where = parser.add_argument_group("without a window, one turn after the other")
    begin = where.add_mutually_exclusive_group()
    begin.add_argument("--turn", type=int, metavar="N", help="begin at this turn")
    begin.add_argument("--at", type=float, metavar="S", help="begin so many seconds after the recording began")
    where.add_argument("--speed", type=float, metavar="X", help="let time pass, at 0.25 to 16 times its pace")
    where.add_argument("--step", action="store_true", help="wait for Enter before every further turn")
    _runs(parser, "replay_command")


def add_record(commands: Any) -> None:
    """A game into a session file."""
    parser = commands.add_parser("record", help="record a game: pictures, layouts and rulings in one session file")
    parser.add_argument(
        "session",
        type=Path,
        nargs="?",
        metavar="SESSION",
        help="the file to write (*.mcap); else one named by the time",
    )
    parser.add_argument("--resume", action="store_true", help=RESUME)
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--live", nargs=2, metavar=("OVERHEAD", "SIDE"),
        help="cameras: a number (`highway cameras` lists them), an address as a phone app shows it, or a video",
    )  # fmt: skip
    source.add_argument(
        "--frames", type=Path, metavar="DIR",
        help="two videos overhead.*, side.*, another session, or settled stills turn_00_overhead.jpg and so on",
    )  # fmt: skip
    source.add_argument("--game", metavar="GAME", help="the layouts of a game.json or a game in the notation")
    parser.add_argument(
        "--accept", choices=["sure", "complete"],
        help="which turns of videos and cameras are accepted by themselves: sure and legal ones (sure, where nothing "
        "is said), or all that lack nothing, whatever the verdict (complete)",
    )  # fmt: skip
    parser.add_argument(
        "--setup", type=Path, metavar="LAYOUT",
        help="a layout.json of what stands on the table at the start; else the cameras must find it by themselves",
    )  # fmt: skip
    parser.add_argument("--rig", type=Path, help="rig.json of `highway calibrate`")
    parser.add_argument("--kit", type=Path, help="kit.json; else the default kit")
    parser.add_argument("--edition", help="the edition that is played")
    parser.add_argument("--mission", action="store_true", help="mission mode")
    parser.add_argument("--options", metavar="JSON", help='house rules, such as \'{"first_rule": "next"}\'')
    parser.add_argument("--players", help=f"colours in turn order ({PLAYERS})")
    parser.add_argument("--first", metavar="PLAYER", help="who begins (the first of --players)")
    _runs(parser, "record_command")


def add_export(commands: Any) -> None:
    """A session as files for people and other programs."""
    parser = commands.add_parser("export", help="plans, scores, the game, a clip or a report out of a session")
    parser.add_argument("session", type=Path, metavar="SESSION", help="what `highway record` has made (*.mcap)")
    parser.add_argument(
        "what", choices=["report", "plan", "scores", "game", "clip"],
        help="report: the game as one HTML page; plan: a turn from above (svg, png); scores: csv, json; "
        "game: notation (hwy) or game.json; clip: a turn as MP4 with its ruling",
    )  # fmt: skip
    parser.add_argument("-o", "--out", type=Path, metavar="OUT", help="the file to write; else one beside the session")
    parser.add_argument("--turn", metavar="N", help="which turn's plan or clip (the last); `all` for all plans")
    parser.add_argument("--camera", choices=["overhead", "side"], default="overhead", help="whose clip (overhead)")
    _runs(parser, "export_command")


def add_rejudge(commands: Any) -> None:
    """Many sessions judged again."""
    parser = commands.add_parser("rejudge", help="judge every session of a folder again, and list what differs")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the sessions lie, in folders of it too")
    parser.add_argument("--edition", help="judge by another edition than was played")
    parser.add_argument("--options", metavar="JSON", help='with other house rules, as \'{"first_rule": "next"}\'')
    parser.add_argument("--vision", action="store_true", help="look at the stored stills again")
    parser.add_argument("--results", type=Path, metavar="DIR", help="where results are kept (FOLDER/rejudged)")
    parser.add_argument("--jobs", type=int, metavar="N", help="how many processes (one per core)")
    parser.add_argument("--dask", metavar="ADDRESS", help="run on a Dask cluster instead, as tcp://10.0.0.5:8786")
    _runs(parser, "rejudge_command")


def _runs(parser: argparse.ArgumentParser, module: str) -> None:
    parser.set_defaults(run=lambda arguments: importlib.import_module(f"gui.{module}").run(arguments))
