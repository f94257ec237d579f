"""What `highway calibrate` can be told; reading it loads no pictures."""

from __future__ import annotations

import argparse
from pathlib import Path

CAMERAS = ("overhead", "side")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `highway calibrate` takes."""
    parser.add_argument(
        "take", nargs="?", type=Path, metavar="DIR",
        help="a folder with overhead_lens.*, side_lens.* (the moved lens board) and overhead_table.*, side_table.* "
        "(the strips on the table): videos, pictures or folders of pictures",
    )  # fmt: skip
    for name in CAMERAS:
        parser.add_argument(f"--{name}-lens", nargs="+", type=Path, metavar="FILE", help=f"{name}: the lens board")
        parser.add_argument(f"--{name}-table", nargs="+", type=Path, metavar="FILE", help=f"{name}: the strips")
        parser.add_argument(f"--{name}-kept", metavar="NAME", help=f"{name}: a lens that is kept already")
    parser.add_argument("--together", action="store_true", help="the two lens videos run together: use that too")
    parser.add_argument("--live", nargs=2, metavar=("OVERHEAD", "SIDE"), help="cameras by number or address")
    parser.add_argument("--seconds", type=float, default=90.0, help="with --live: longest time for a board (90)")
    board = parser.add_argument_group("another board than the printed one")
    board.add_argument("--board", metavar="COLSxROWS", help="squares, such as 7x9")
    board.add_argument("--square", type=float, metavar="MM", help="side of a square")
    board.add_argument("--marker", type=float, metavar="MM", help="side of a marker")
    board.add_argument("--dictionary", metavar="NAME", help="such as DICT_5X5_100")
    board.add_argument("--inverted", action="store_true", help="printed white on black")
    board.add_argument("--legacy", action="store_true", help="OpenCV's pattern before 4.6")
    scale = parser.add_argument_group("the print's size")
    scale.add_argument("--ruler", type=float, metavar="MM", help="what the printed 100 mm really measure")
    scale.add_argument(
        "--bank-card", type=Path, metavar="FILE", help="overhead picture with a bank card on its outline"
    )
    scale.add_argument("--correct", action="store_true", help="agree to correct a print that is off")
    parser.add_argument(
        "--clicks", type=Path, metavar="FILE",
        help="no printer: four or more known points of the table clicked in each picture, as JSON: "
        '{"overhead": {"size": [width, height], "clicks": [[x_mm, y_mm, x_px, y_px], ...]}, "side": {...}}',
    )  # fmt: skip
    kit = parser.add_argument_group("the pieces, on the printed kit card")
    kit.add_argument(
        "--kit-card", nargs="*", type=Path, metavar="FILE",
        help="measure the pieces instead of the cameras: the overhead and the side picture of the card; without files "
        "they are overhead_kit.* and side_kit.* in DIR, or come from the --live cameras",
    )  # fmt: skip
    kit.add_argument("--rig", type=Path, metavar="FILE", help="with --kit-card: rig.json of the cameras")
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="rig.json, or kit.json with --kit-card")
    parser.add_argument("--keep", metavar="NAME", help="keep the lenses and the rig under this name")
    parser.add_argument("--list", action="store_true", help="list what is kept")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from gui.calibrate import run

    return run(arguments)
