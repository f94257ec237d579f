"""What `highway bench` can be told; each part lies in a module of its own that is loaded when it is run."""

from __future__ import annotations

import argparse
import importlib
import json
from pathlib import Path
from typing import Any

PARTS = ("referee", "calibration", "gate", "vision", "dashboard", "sessions")


def add_bench(commands: Any) -> None:
    """Speed and accuracy, as a table and as JSON."""
    parser = commands.add_parser("bench", help="measure speed and accuracy, as a table and as JSON")
    parser.add_argument("--only", choices=PARTS, action="append", help="one part alone; may be given more than once")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE too")
    calibration = parser.add_argument_group("calibration")
    calibration.add_argument(
        "--takes", type=Path, metavar="DIR", help="a folder of the studio's calibration takes (the bundled take)"
    )
    calibration.add_argument(
        "--real", type=Path, metavar="DIR", help="a folder of Caliscope's, to hold our lenses and pair against its own"
    )
    calibration.add_argument(
        "--kits", type=Path, metavar="DIR", help="a folder of the studio's kit cards, to register the pieces of"
    )
    calibration.add_argument(
        "--two-minutes", action="store_true",
        help="also time two minutes of two 1080p videos; they are made from a take first, which takes minutes",
    )  # fmt: skip
    gate = parser.add_argument_group("gate")
    gate.add_argument(
        "--films", type=Path, nargs="+", metavar="DIR", help="filmed games with film.json (the two bundled ones)"
    )
    gate.add_argument(
        "--hands", type=Path, nargs="+", metavar="DIR", help="folders of videos in which hands are in view all the time"
    )
    vision = parser.add_argument_group("vision")
    vision.add_argument(
        "--frames", type=Path, nargs="+", metavar="DIR",
        help="folders of frames with truth.json, or folders of such (the bundled stills)",
    )  # fmt: skip
    vision.add_argument(
        "--mode", choices=("given", "chained", "single"), action="append",
        help="with the true layout before, chained on own layouts, or a pair without history (all three)",
    )  # fmt: skip
    vision.add_argument(
        "--compare", action="store_true", help="also without side camera, colour or net, and a plain baseline"
    )
    vision.add_argument("--debug", type=Path, metavar="DIR", help="write a picture of what was seen, pair by pair")
    sessions = parser.add_argument_group("sessions")
    sessions.add_argument(
        "--minutes", type=float, default=1.0, metavar="M", help="how long two streams are recorded (1; a soak takes 10)"
    )
    parser.set_defaults(run=_bench)


def _bench(arguments: argparse.Namespace) -> int:
    results = {}
    for part in arguments.only or PARTS:
        bench = importlib.import_module(f"gui.bench_{part}")
        results[part] = bench.run(arguments)
        print(bench.table(results[part]))
    figures = json.dumps(results)
    print(figures)
    if arguments.json is not None:
        arguments.json.write_text(figures + "\n", "utf-8")
    return 0
