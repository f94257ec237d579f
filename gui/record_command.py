"""`highway record`: a game into a session file, without a window."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from calibration.rig_quality import SolvedRig
from gui.files import load_game
from gui.origin import Accepts, Origin
from gui.progress import bar
from gui.record_sources import source_from
from gui.recorded_table import Accept, Outcome, RecordedTable, accepted_in
from gui.replay_command import house_rules
from gui.session import Head, load, read_recorded
from gui.session_options import PLAYERS
from gui.session_writer import SessionWriter, recovered
from gui.sessions_folder import is_session, last_session, new_session
from gui.stills import read_struct
from gui.table_keys import hints
from gui.terminal import Paint, ruling_lines
from referee.errors import BadGame
from referee.game import Game, setup_of
from referee.layout import Layout
from referee.pieces import Kit
from vision.errors import VisionError
from vision.h264 import LIVE, PATIENT
from vision.session_index import scan_to_go_on
from vision.session_scan import Scan

GAME_OPTIONS = ("setup", "rig", "kit", "edition", "mission", "options", "players", "first")


def run(arguments: argparse.Namespace) -> int:
    """Record, or record on."""
    if arguments.resume:
        _refuse_other_game(arguments)
    path = arguments.session or (last_session() if arguments.resume else new_session())
    origin = Origin.of(arguments) or (_kept_origin(path, arguments.accept) if arguments.resume else None)
    if origin is None:
        raise VisionError("there is nothing to record from: give --live OVERHEAD SIDE, --frames DIR or --game GAME")
    is_live, game = origin.kind == "live", load_game(origin.names[0]) if origin.kind == "game" else None
    source = source_from(origin, game)
    accept: Accept = origin.accept if source.accepts_as_told else "every"
    if arguments.resume:
        table, done = _resumed(path, accept)
        table.writer.comes_from(origin.kept())
    else:
        head = msgspec.structs.replace(_head(arguments, game), origin=origin.kept())
        said = read_struct(arguments.setup, Layout) if arguments.setup else None
        quality = LIVE if is_live else PATIENT
        table, done = RecordedTable(SessionWriter.begin(path, head, _warn, quality=quality), accept, said=said), None
    writer, paint, is_kept = table.writer, Paint.for_stream(sys.stdout), True
    try:
        for outcome in source.outcomes(table, done):
            waits = hints(table.desk) if is_live and accept == "sure" else []
            print("\n".join([*_lines(outcome, writer.head, paint), *waits]), flush=True)
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
    finally:
        if done is None:
            is_kept = writer.close_unless_bare(bar("closing the session"))
        else:
            writer.close(bar("closing the session"))
        for camera, dropped in writer.recorder.dropped.items():
            if dropped:
                _warn(f"{dropped} {camera} pictures came faster than they could be recorded")
    if not is_kept:
        print("nothing came, nothing was recorded")
        return 0
    print(f"{path}: {len(writer.match.rulings) - 1 if writer.match else 0} turns recorded")
    return 0


def _lines(outcome: Outcome | str, head: Head, paint: Paint) -> list[str]:
    if isinstance(outcome, str):
        return [f"not judged: {outcome}"]
    if outcome.ruling is None:
        return ["not judged yet"]
    lines = ruling_lines(outcome.ruling, outcome.before, outcome.layout, head.players, paint)
    if not outcome.is_accepted:
        waits = "being built" if not outcome.ruling.complete else "waits to be accepted by the players"
        lines.append(f"         {waits}")
    return lines


def _refuse_other_game(arguments: argparse.Namespace) -> None:
    """A game that goes on is the one that it was."""
    told = [f"--{name}" for name in GAME_OPTIONS if getattr(arguments, name)]
    if told:
        raise VisionError(
            f"{', '.join(told)}: a session goes on with the game that is in it; "
            "to judge that one by other rules use `highway replay`, for another game leave --resume away"
        )


def _kept_origin(path: Path, accept: Accepts | None) -> Origin | None:
    """Where a session was recorded from before it was left."""
    origin = read_recorded(scan_to_go_on(path)).head.origin
    return origin.taken_up(accept) if origin is not None else None


def _resumed(path: Path, accept: Accept) -> tuple[RecordedTable, Scan]:
    """The session as it was left, and what is in it."""
    writer, recorded, found = SessionWriter.resume(path, _warn, progress=bar("reading the session"))
    print(f"{path}: {recovered(max(len(recorded.turns) - 1, 0), found)}", flush=True)
    accepted = accepted_in(found, recorded, writer.match)
    return RecordedTable(writer, accept, accepted.settled if accepted is not None else None), found


def _head(arguments: argparse.Namespace, game: Game | None) -> Head:
    """Who plays what: as the game says, as the session says that is watched again, or as the arguments do."""
    if game is not None:
        setup_of(game)
        return Head.of_game(game)
    if arguments.frames is not None and is_session(arguments.frames):
        file, recorded = load(arguments.frames)
        file.close()
        return msgspec.structs.replace(recorded.head, app="")
    if arguments.rig is None or arguments.edition is None:
        raise VisionError("to see and judge a game --rig and --edition are needed (`highway editions` lists them)")
    told = arguments.players or PLAYERS
    players = tuple(name.strip() for name in told.split(",") if name.strip())
    first = arguments.first or (players[0] if players else "")
    if len(players) < 2 or len(set(players)) < len(players):
        raise BadGame(f"--players {told}: name at least two different colours, as purple,green")
    if first not in players:
        raise BadGame(f"--first {first}: is none of the players {', '.join(players)}")
    kit = read_struct(arguments.kit, Kit) if arguments.kit else Kit()
    rig = read_struct(arguments.rig, SolvedRig)
    return Head(arguments.edition, players, first, arguments.mission, house_rules(arguments.options) or {}, kit, rig)


def _warn(text: str) -> None:
    print(f"highway: {text}", file=sys.stderr)
