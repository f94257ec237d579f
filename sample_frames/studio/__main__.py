"""Makes photo-like frames with exact truth: `python -m sample_frames.studio stills --split dev --count 4 --out DIR`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from .assets import StudioError


def main(argv: list[str] | None = None) -> int:
    """Run one command of the studio."""
    parser = argparse.ArgumentParser(prog="python -m sample_frames.studio", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    stills = commands.add_parser("stills", help="render still pairs, a folder each; go on where it stopped")
    stills.add_argument("--split", choices=["train", "dev", "test"], default="dev", help="which seeds")
    stills.add_argument("--start", type=int, default=0, help="the first one of the split")
    stills.add_argument("--count", type=int, default=1, help="how many")
    stills.add_argument("--out", type=Path, required=True, help="where the folders go")
    stills.add_argument("--samples", type=int, default=96, help="light paths per pixel: more is less noisy")
    stills.add_argument("--size", help="width x height in px, such as 1280x720; else each pair has its own")
    stills.add_argument("--pixels", action="store_true", help="write piece numbers and depth per pixel too")
    arguments = parser.parse_args(argv)
    try:
        return _stills(arguments)
    except StudioError as error:
        print(f"studio: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstudio: stopped; the same line goes on from here", file=sys.stderr)
        return 130


def _stills(arguments: argparse.Namespace) -> int:
    try:
        import mitsuba as mi
    except ImportError:
        raise StudioError("Mitsuba is not installed: .venv/bin/uv pip install --group studio") from None
    mi.set_variant("llvm_ad_rgb")
    from .stills import SPLITS, plan, shoot

    size = None
    if arguments.size:
        width, _, height = arguments.size.partition("x")
        size = (int(width), int(height))
    begun, made = time.monotonic(), 0
    for number in range(arguments.start, arguments.start + arguments.count):
        folder = arguments.out / f"still_{number:03d}"
        if not folder.exists():
            shoot(plan(SPLITS[arguments.split][number], size), folder, arguments.samples, arguments.pixels)
            made += 1
        done = number - arguments.start + 1
        left_s = (time.monotonic() - begun) / max(made, 1) * (arguments.count - done)
        bar = "#" * round(30 * done / arguments.count)
        print(
            f"\r[{bar:<30}] {done}/{arguments.count}  {left_s / 60:.0f} min left ", end="", file=sys.stderr, flush=True
        )
    print(file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
