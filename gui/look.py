"""`highway layout` and `highway watch`: pictures to layouts, and layouts to rulings, without a window."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from calibration.camera import Rig
from calibration.rig_quality import SolvedRig
from calibration.store import write_whole
from gui.sessions_folder import is_session
from gui.stills import read_picture, read_struct, settled_stills
from gui.table_watch import UNSEEN
from gui.turn_lines import TurnLines
from gui.watch_frames import videos_in, watch_live, watch_videos, write_debug
from referee.edition import rules_for
from referee.errors import BadGame
from referee.layout import Layout
from referee.pieces import Kit
from vision.buildings import city_of
from vision.errors import VisionError
from vision.misfit import REASON as MISFIT
from vision.set_up import table_of
from vision.view import Picture
from vision.watch import explain

Pair = Mapping[str, Picture]

CAMERAS = ("overhead", "side")


def run_layout(arguments: argparse.Namespace) -> int:
    """One pair of stills to layout.json."""
    files = {name: getattr(arguments, name) for name in CAMERAS if getattr(arguments, name)}
    pair = {name: read_picture(file) for name, file in files.items()}
    rig, kit = read_struct(arguments.rig, SolvedRig), _kit(arguments)
    layout = _looked_at(pair, rig, kit, _players(arguments))
    if arguments.city:
        areas, buildings = city_of(pair, rig, kit, layout)
        layout = msgspec.structs.replace(layout, areas=areas, buildings=buildings)
    if layout.unsure is not None:
        print(f"{layout.unsure}: all of it is asked for", file=sys.stderr)
    if arguments.debug is not None:
        write_debug(arguments.debug / "layout.png", layout, pair, rig, kit, None)
    _write(arguments.out, msgspec.json.encode(layout) + b"\n")
    return 0


def _looked_at(pair: Pair, rig: Rig, kit: Kit, players: tuple[str, ...]) -> Layout:
    """What a pair shows; refused where it shows nothing, or more with its pictures swapped."""
    layout = table_of(pair, rig, kit, players)
    doubtful = all(piece.unsure == MISFIT for piece in layout.built())
    if (
        doubtful
        and len(pair) == len(CAMERAS)
        and (rig.overhead.width, rig.overhead.height) == (rig.side.width, rig.side.height)
    ):
        swapped = table_of({"overhead": pair["side"], "side": pair["overhead"]}, rig, kit, players)
        if any(piece.unsure != MISFIT for piece in swapped.built()) and _count(swapped) > _count(layout):
            raise VisionError("The overhead and the side picture are swapped: name them the other way round.")
    if not _count(layout):
        raise VisionError("No piece is seen: is this the rig of this table, are the pictures mirrored, or is it bare?")
    return layout


def _count(layout: Layout) -> int:
    return len(layout.columns) + len(layout.roads)


def run_watch(arguments: argparse.Namespace) -> int:
    """Settled stills, two videos or live cameras to one line for each settled state."""
    lines: list[bytes] = []
    try:
        for line in watched(arguments):
            data = msgspec.json.encode(line) + b"\n"
            lines.append(data)
            if arguments.out is None:
                _write(None, data)
                sys.stdout.flush()
    except KeyboardInterrupt:
        if not arguments.live:
            raise
        print("stopped", file=sys.stderr)
    if arguments.out is not None:
        _write(arguments.out, b"".join(lines))
    return 0


def watched(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What each settled state shows, and what the referee says of it."""
    rig, kit, players = read_struct(arguments.rig, SolvedRig), _kit(arguments), _players(arguments)
    rules = None
    if arguments.edition:
        rules = rules_for(arguments.edition, len(players), arguments.mission, _options(arguments.options))
    game = TurnLines(rules, kit, players, arguments.first or players[0])
    if arguments.live:
        return watch_live(dict(zip(CAMERAS, arguments.live, strict=True)), game, rig, kit, players, arguments.debug)
    stills = {} if is_session(arguments.frames) else settled_stills(arguments.frames)
    if stills:
        return _watch_stills(stills, game, rig, kit, players, arguments.debug)
    videos = videos_in(arguments.frames)
    if not videos:
        raise VisionError(
            f"{arguments.frames}: holds neither settled stills (turn_00_overhead.jpg, turn_00_side.jpg and so on) "
            "nor two videos (overhead.mp4, side.mp4)"
        )
    return watch_videos(videos, game, rig, kit, players, arguments.debug)


def _watch_stills(
    stills: Mapping[int, Mapping[str, Path]], game: TurnLines, rig: Rig, kit: Kit, players: tuple[str, ...],
    debug: Path | None,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Each pair is a played turn."""
    print(UNSEEN, file=sys.stderr)
    before: Pair = {}
    for turn, files in stills.items():
        pair = {name: read_picture(file) for name, file in files.items()}
        accepted = game.accepted
        if accepted is None:
            seen = table_of(pair, rig, kit, players)
        else:
            common = [name for name in pair if name in before]
            old, now = ({name: pictures[name] for name in common} for pictures in (before, pair))
            seen = explain(accepted, old, now, rig, kit, players, game.player)
        if debug is not None:
            write_debug(debug / f"turn_{turn:02d}.png", seen, pair, rig, kit, accepted)
        yield game.played(seen, turn)
        before = pair


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
