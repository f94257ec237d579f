"""Which seeds are for what, and how a command names them."""

from __future__ import annotations

import argparse
from pathlib import Path

from .assets import StudioError

SPLITS = {"train": range(0, 1_000_000), "dev": range(1_000_000, 1_001_000), "test": range(2_000_000, 2_001_000)}
"""Seeds of each split; those of `test` are never rendered for anything else."""


def add_split_arguments(parser: argparse.ArgumentParser) -> None:
    """What every command that makes numbered folders takes."""
    parser.add_argument("--split", choices=list(SPLITS), default="dev", help="which seeds")
    parser.add_argument("--start", type=int, default=0, help="the first one of the split")
    parser.add_argument("--count", type=int, default=1, help="how many")
    parser.add_argument("--out", type=Path, required=True, help="where the folders go")


def add_size_argument(parser: argparse.ArgumentParser) -> None:
    """How large its pictures are."""
    parser.add_argument("--size", help="width x height in px, such as 1280x720; else each has its own")


def seeds_in(arguments: argparse.Namespace) -> dict[int, int]:
    """The seed of each numbered folder that was asked for."""
    seeds = SPLITS[arguments.split]
    last = arguments.start + arguments.count
    if not 0 <= arguments.start < last <= len(seeds):
        raise StudioError(f"{arguments.start} to {last - 1}: the split {arguments.split} has 0 to {len(seeds) - 1}")
    return {number: seeds[number] for number in range(arguments.start, last)}


def size_in(arguments: argparse.Namespace) -> tuple[int, int] | None:
    """The size in px that was asked for."""
    if not arguments.size:
        return None
    width, _, height = arguments.size.partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise StudioError(f"--size {arguments.size}: write it as 1280x720")
    if int(width) % 2 or int(height) % 2 or not int(width) * int(height):
        raise StudioError(f"--size {arguments.size}: H.264 takes even numbers above 0, such as 1280x720")
    return int(width), int(height)
