"""`highway export`: plans, scores, the game itself, a clip of a turn, or a report of the whole game."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import cv2
import msgspec

from calibration.store import write_whole
from gui.clip import write_clip
from gui.plan_svg import plan_svg
from gui.progress import bar
from gui.report_html import Report
from gui.scores import as_csv, score_rows
from gui.session import Recorded, load
from gui.shown_turn import ShownTurn, bounds_mm, shown_turns
from gui.svg_picture import pixels, size_of
from gui.terminal import say_lost
from referee.game import Game
from referee.notation import write_game
from referee.notes import NO_NOTE
from vision.errors import BadSession
from vision.playback import Video, still_pair
from vision.session_file import SessionFile
from vision.session_scan import Progress
from vision.view import Picture
from vision.views import CAMERAS

ENDINGS = {
    "plan": (".svg", ".png"),
    "scores": (".csv", ".json"),
    "game": (".hwy", ".json"),
    "clip": (".mp4",),
    "report": (".html",),
}


def run(arguments: argparse.Namespace) -> int:
    """Write one thing, and say where."""
    out = _out(arguments)
    write_export(arguments.session, arguments.what, out, arguments.turn, arguments.camera)
    print(out)
    return 0


def write_export(
    session: Path,
    what: str,
    out: Path,
    turn: str | None = None,
    camera: str = "overhead",
    progress: Progress | None = None,
) -> None:
    """Write one thing of a session; a plan or a clip is of the last turn where none is named.

    `progress` hears how far it is, instead of the terminal; where it raises, nothing is left half written.
    """
    file, recorded = load(session, progress or bar("indexing the session"))
    tell = progress or bar(f"writing the {what}")
    with file:
        if progress is None:
            say_lost(file.path, file.lost)
        turns = shown_turns(recorded)
        match what:
            case "plan":
                _write_plans(turns, turn, out)
            case "scores":
                rows = score_rows(turns, file.span_ns()[0])
                is_csv = out.suffix.lower() == ".csv"
                write_whole(out, as_csv(rows).encode() if is_csv else msgspec.json.format(msgspec.json.encode(rows)))
            case "game":
                game = game_of(recorded)
                write_whole(
                    out, write_game(game).encode() if out.suffix.lower() == ".hwy" else msgspec.json.encode(game)
                )
            case "clip":
                _write_clip(file, recorded, _turn(turns, turn), camera, out, tell)
            case "report":
                write_whole(out, report(file, recorded, turns, session.stem, tell).encode())


def game_of(recorded: Recorded) -> Game:
    """The game as it stood at the end, as game.json has it."""
    head, turns = recorded.head, recorded.turns
    notes = tuple(None if turn.record.note == NO_NOTE else turn.record.note for turn in turns[1:])
    layouts = tuple(turn.record.layout for turn in turns)
    return Game(
        head.edition, head.players, layouts, head.first, head.mission, head.options, head.kit,
        notes if any(notes) else (),
    )  # fmt: skip


def report(file: SessionFile, recorded: Recorded, turns: list[ShownTurn], title: str, tell: Progress) -> str:
    """The whole game as one page."""
    page = Report(recorded.head, turns, title)
    for done, turn in enumerate(turns, start=1):
        page.add(turn, pictures_of(file, recorded, turn))
        tell(done / len(turns))
    return page.html()


def pictures_of(file: SessionFile, recorded: Recorded, turn: ShownTurn) -> dict[str, Picture]:
    """What the cameras showed when a turn was accepted: the settled pair, else the video of that moment."""
    for time_ns, settled in recorded.settled:
        if settled.number == turn.settled and (pair := still_pair(file, settled.number, time_ns)):
            return pair
    shown = {camera: Video(file, camera).at(turn.time_ns) for camera in CAMERAS}
    return {camera: picture for camera, picture in shown.items() if picture is not None}


def _out(arguments: argparse.Namespace) -> Path:
    endings = ENDINGS[arguments.what]
    if arguments.what == "plan" and arguments.turn == "all":
        return Path(arguments.out or arguments.session.with_name(arguments.session.stem + "_plans"))
    if arguments.out is None:
        named = f"_turn_{arguments.turn}" if arguments.what in ("plan", "clip") and arguments.turn else ""
        return Path(arguments.session.with_name(arguments.session.stem + named + endings[0]))
    out = Path(arguments.out)
    if out.suffix.lower() not in endings:
        raise BadSession(f"{out}: a {arguments.what} is written as {' or '.join(endings)}; name it so")
    return out


def _turn(turns: list[ShownTurn], wanted: str | None) -> ShownTurn:
    if wanted is None:
        return turns[-1]
    if not wanted.isascii() or not wanted.isdecimal() or int(wanted) >= len(turns):
        raise BadSession(f"--turn {wanted}: the game has the turns 0 to {len(turns) - 1}")
    return turns[int(wanted)]


def _write_plans(turns: list[ShownTurn], wanted: str | None, out: Path) -> None:
    bounds = bounds_mm(turns)
    if wanted == "all":
        _write_together(out, {f"turn_{turn.ruling.turn:02d}.svg": plan_svg(turn, bounds).encode() for turn in turns})
        return
    svg = plan_svg(_turn(turns, wanted), bounds)
    if out.suffix.lower() == ".png":
        write_whole(out, cv2.imencode(".png", pixels(svg, *size_of(svg)))[1].tobytes())
    else:
        write_whole(out, svg.encode())


def _write_together(folder: Path, files: Mapping[str, bytes]) -> None:
    """A folder of files that appears whole; into one that is there each file comes whole."""
    part = folder.with_name(f".{folder.name}.part")
    try:
        for name, data in files.items():
            write_whole(part / name, data)
        if folder.exists():
            for name in files:
                os.replace(part / name, folder / name)
        else:
            os.replace(part, folder)
    except OSError as error:
        raise BadSession(f"{folder}: cannot be written ({(error.strerror or str(error)).lower()})") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _write_clip(file: SessionFile, recorded: Recorded, turn: ShownTurn, camera: str, out: Path, tell: Progress) -> None:
    if recorded.head.rig is None:
        raise BadSession(f"{file.path}: was recorded without cameras; there is no video of it")
    write_clip(file, turn, camera, recorded.head.rig.cameras[camera], out, tell)
