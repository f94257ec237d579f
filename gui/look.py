"""`highway layout` and `highway watch`: pictures to layouts, and layouts to rulings, without a window."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import cv2
import msgspec

from calibration.camera import Rig
from calibration.store import write_whole
from gui.stills import read_picture, read_struct, settled_stills
from referee.edition import rules_for
from referee.errors import BadGame
from referee.layout import Layout
from referee.match import Match, Setup
from referee.pieces import Kit
from vision.debug import debug_picture
from vision.errors import VisionError
from vision.single import layout_of
from vision.view import Picture
from vision.watch import explain

Pair = Mapping[str, Picture]

CAMERAS = ("overhead", "side")


def run_layout(arguments: argparse.Namespace) -> int:
    """One pair of stills to layout.json."""
    files = {name: getattr(arguments, name) for name in CAMERAS if getattr(arguments, name)}
    pair = {name: read_picture(file) for name, file in files.items()}
    layout = layout_of(pair, read_struct(arguments.rig, Rig), _kit(arguments), _players(arguments))
    _write(arguments.out, msgspec.json.encode(layout) + b"\n")
    return 0


def run_watch(arguments: argparse.Namespace) -> int:
    """A folder of settled pairs to one line each."""
    print("no tags are watched: drift of the cameras goes unseen", file=sys.stderr)
    lines = []
    for line in watched(arguments):
        data = msgspec.json.encode(line) + b"\n"
        if arguments.out is None:
            _write(None, data)
        lines.append(data)
    if arguments.out is not None:
        _write(arguments.out, b"".join(lines))
    return 0


def watched(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What each settled pair shows, and what the referee says of it."""
    rig, kit, players = read_struct(arguments.rig, Rig), _kit(arguments), _players(arguments)
    first = arguments.first or players[0]
    if first not in players:
        raise BadGame(f"--first {first}: is none of the players {', '.join(players)}")
    rules = None
    if arguments.edition:
        rules = rules_for(arguments.edition, len(players), arguments.mission, _options(arguments.options))
    match: Match | None = None
    before: Pair = {}
    layout: Layout | None = None
    for played, (turn, files) in enumerate(_turns(arguments.frames).items()):
        pair = {name: read_picture(file) for name, file in files.items()}
        player = _to_move(match, players, first, played)
        if layout is None:
            seen = layout_of(pair, rig, kit, players)
        else:
            common = [name for name in pair if name in before]
            seen = explain(
                layout, {n: before[n] for n in common}, {n: pair[n] for n in common}, rig, kit, players, player
            )
        complete, ruling = True, None
        if rules is not None and match is None:
            match = Match.begin(Setup(rules, kit, players, first, seen))
            ruling = match.rulings[-1]
        elif match is not None:
            complete = match.observe(seen).complete
            match = match.play(seen)
            ruling = match.rulings[-1]
        if arguments.debug is not None:
            drawn = cv2.imencode(".png", debug_picture(seen, pair, rig, kit, layout))[1]
            write_whole(arguments.debug / f"turn_{turn:02d}.png", drawn.tobytes())
        state = ruling.state if ruling is not None else None
        told = player if played else None
        yield {
            "turn": turn, "player": told, "complete": complete, "layout": seen, "ruling": ruling, "state": state,
        }  # fmt: skip
        before, layout = pair, seen


def _to_move(match: Match | None, players: tuple[str, ...], first: str, played: int) -> str | None:
    """Whose turn a pair shows: by the referee where there is one, else round the table."""
    if match is not None:
        return match.position.to_move
    return players[(players.index(first) + played - 1) % len(players)] if played else None


def _turns(folder: Path) -> dict[int, dict[str, Path]]:
    """Files by turn and camera."""
    found = settled_stills(folder)
    if not found:
        videos = any(folder.glob("overhead.*")) and any(folder.glob("side.*"))
        reason = "videos cannot be watched yet, only stills" if videos else "holds no settled stills"
        raise VisionError(f"{folder}: {reason}; they are called turn_00_overhead.jpg, turn_00_side.jpg and so on")
    return found


def _kit(arguments: argparse.Namespace) -> Kit:
    return read_struct(arguments.kit, Kit) if arguments.kit else Kit()


def _players(arguments: argparse.Namespace) -> tuple[str, ...]:
    players = tuple(name.strip() for name in arguments.players.split(",") if name.strip())
    if len(players) < 2 or len(set(players)) < len(players):
        raise BadGame(f"--players {arguments.players}: name at least two different colours, as purple,green")
    return players


def _options(text: str | None) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text or "{}", type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise BadGame(f"--options: {error}") from None


def _write(out: Path | None, data: bytes) -> None:
    if out is not None:
        write_whole(out, data)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
