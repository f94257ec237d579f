"""What `highway layout` and `highway watch` can be told; reading it loads no pictures."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import Any


def add_layout(commands: Any) -> None:
    """One pair of stills without history."""
    parser = commands.add_parser("layout", help="one pair of stills, no history, becomes layout.json")
    parser.add_argument("--overhead", type=Path, metavar="IMG", help="what the overhead camera sees")
    parser.add_argument("--side", type=Path, metavar="IMG", help="what the side camera sees")
    parser.add_argument(
        "--city", action="store_true", help="propose the city's cards and buildings too: look them over and correct"
    )
    _shared(parser)
    parser.set_defaults(run=lambda arguments: importlib.import_module("gui.look").run_layout(arguments))


def add_watch(commands: Any) -> None:
    """Settled stills, two videos or live cameras, each settled state explained by what was accepted before."""
    parser = commands.add_parser("watch", help="stills, videos or live cameras: one JSON line per settled state")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--frames", type=Path, metavar="DIR",
        help="turn_00_overhead.jpg, turn_00_side.jpg and so on, two videos overhead.*, side.*, or a recorded session",
    )  # fmt: skip
    source.add_argument(
        "--live", nargs=2, metavar=("OVERHEAD", "SIDE"),
        help="cameras: a number (`highway cameras` lists them), an address as a phone app shows it, or a video",
    )  # fmt: skip
    parser.add_argument("--edition", help="judge each turn by this edition; without it there are no rulings")
    parser.add_argument("--mission", action="store_true", help="mission mode")
    parser.add_argument("--options", metavar="JSON", help='house rules, such as \'{"first_rule": "next"}\'')
    parser.add_argument("--first", metavar="PLAYER", help="who begins (the first of --players)")
    _shared(parser)
    parser.set_defaults(run=lambda arguments: importlib.import_module("gui.look").run_watch(arguments))


def _shared(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rig", type=Path, required=True, help="rig.json of `highway calibrate`")
    parser.add_argument("--kit", type=Path, help="kit.json; else the default kit")
    parser.add_argument("--players", default="purple,green", help="colours in turn order (purple,green)")
    parser.add_argument("--debug", type=Path, metavar="DIR", help="write a picture of what was seen, pair by pair")
    parser.add_argument("-o", "--out", type=Path, metavar="OUT", help="write to OUT instead of standard output")
