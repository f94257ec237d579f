"""What `highway cameras` can be told; reading it loads no pictures."""

from __future__ import annotations

import argparse
import importlib
from typing import Any


def add_cameras(commands: Any) -> None:
    """The cameras on this machine."""
    parser = commands.add_parser("cameras", help="list the cameras on this machine, with what they can send")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=_cameras)


def _cameras(arguments: argparse.Namespace) -> int:
    code: int = importlib.import_module("gui.cameras").run(arguments)
    return code
