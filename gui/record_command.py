"""`highway record`: a game into a session file, without a window."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from calibration.camera import Rig
from gui.files import load_game
from gui.progress import bar
from gui.recorded_table import Outcome, RecordedTable
from gui.replay_command import house_rules
from gui.session import Head, Recorded
from gui.session_writer import SessionWriter
from gui.sessions_folder import last_session, new_session
from gui.stills import read_picture, read_struct, settled_stills
from gui.terminal import Paint, ruling_lines
from referee.errors import BadGame
from referee.game import Game, setup_of
from referee.notes import NO_NOTE
from referee.pieces import Kit
from vision.errors import BadSession, VisionError
from vision.playback import still_pair
from vision.session_scan import Entries
from vision.view import Picture


def run(arguments: argparse.Namespace) -> int:
    """Record, or record on."""
    game = load_game(arguments.game) if arguments.game else None
    if game is None and arguments.frames is None:
        raise VisionError("there is nothing to record from: give --frames DIR or --game GAME")
    stills = _stills(arguments.frames) if game is None else []
    if arguments.resume:
        path = arguments.session or last_session()
        writer, table, done = _resumed(path)
    else:
        path = arguments.session or new_session()
        writer = SessionWriter.begin(path, _head_of_game(game) if game else _head(arguments), _warn)
        table, done = RecordedTable(writer, {}, every_pair=True), 0
    paint = Paint.for_stream(sys.stdout)
    try:
        for outcome in _from_game(table, game, done) if game else _from_stills(table, writer.head, stills, done):
            if outcome.ruling is not None:
                lines = ruling_lines(outcome.ruling, outcome.before, outcome.layout, writer.head.players, paint)
                print("\n".join(lines), flush=True)
    finally:
        writer.close(bar("closing the session"))
    print(f"{path}: {len(writer.match.rulings) - 1 if writer.match else 0} turns recorded")
    return 0


def _resumed(path: Path) -> tuple[SessionWriter, RecordedTable, int]:
    """The session as it was left, and how many layouts of it are done."""
    writer, recorded, entries = SessionWriter.resume(path, _warn, progress=bar("reading the session"))
    turns = recorded.turns
    print(f"{path}: recovered to turn {max(len(turns) - 1, 0)}, nothing lost")
    return writer, RecordedTable(writer, _accepted_on(entries, recorded), every_pair=True), len(turns)


def _accepted_on(entries: Entries, recorded: Recorded) -> dict[str, Picture]:
    """The stills that the last turn was accepted on."""
    number = recorded.turns[-1].settled if recorded.turns else None
    times = [time_ns for time_ns, settled in recorded.settled if settled.number == number]
    return still_pair(entries, number, times[-1]) if number is not None and times else {}


def _from_game(table: RecordedTable, game: Game, done: int) -> Iterator[Outcome]:
    for turn in range(done, len(game.layouts)):
        yield table.take_layout(game.layouts[turn], game.note(turn) if turn else NO_NOTE, {})


def _stills(folder: Path) -> list[dict[str, Path]]:
    found = settled_stills(folder)
    if not found:
        raise VisionError(f"{folder}: holds no settled stills; they are called turn_00_overhead.jpg and so on")
    return list(found.values())


def _from_stills(table: RecordedTable, head: Head, stills: list[dict[str, Path]], done: int) -> Iterator[Outcome]:
    """Each pair counts as a turn, as for `highway watch`."""
    if head.rig is None:
        raise BadSession("this session was recorded without cameras; go on with --game, or record a new one")
    for files in stills[done:]:
        outcome = table.take({camera: read_picture(file) for camera, file in files.items()}, head.rig)
        if outcome is not None:
            yield outcome


def _head_of_game(game: Game) -> Head:
    setup_of(game)
    first = game.first or game.players[0]
    return Head(game.edition, game.players, first, game.mission, game.options, game.kit)


def _head(arguments: argparse.Namespace) -> Head:
    if arguments.rig is None or arguments.edition is None:
        raise VisionError("to see and judge a game --rig and --edition are needed (`highway editions` lists them)")
    players = tuple(name.strip() for name in arguments.players.split(",") if name.strip())
    first = arguments.first or (players[0] if players else "")
    if len(players) < 2 or len(set(players)) < len(players):
        raise BadGame(f"--players {arguments.players}: name at least two different colours, as purple,green")
    if first not in players:
        raise BadGame(f"--first {first}: is none of the players {', '.join(players)}")
    kit = read_struct(arguments.kit, Kit) if arguments.kit else Kit()
    rig = read_struct(arguments.rig, Rig)
    return Head(arguments.edition, players, first, arguments.mission, house_rules(arguments.options) or {}, kit, rig)


def _warn(text: str) -> None:
    print(f"highway: {text}", file=sys.stderr)
