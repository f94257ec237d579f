"""`highway watch` on two videos, every frame in order, or on live cameras, whose state is told as it changes."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import cv2

from calibration.camera import Rig
from calibration.store import write_whole
from gui.explaining import AtOnce, Beside
from gui.sessions_folder import is_session
from gui.state_lines import StateLines, starting
from gui.stopping import stop_asked_for
from gui.table_watch import UNSEEN, NotSeen, Seen, TableWatch, gate_for
from gui.turn_lines import TurnLines
from referee.errors import BadGame
from referee.layout import Layout
from referee.pieces import Kit
from vision.debug import debug_picture
from vision.frame import FramePair
from vision.gate import Gate, GateReport
from vision.reader import LiveCameras
from vision.session_source import session_videos
from vision.sources import FrameSource, Recorded, in_step, refuse_unreadable, source_of
from vision.view import Picture

CAMERAS = ("overhead", "side")
VIDEOS = frozenset({".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpg", ".ts", ".webm"})
WAIT_S = 0.05

Line = dict[str, Any]


def videos_in(folder: Path) -> dict[str, FrameSource]:
    """The two videos of a folder, or of a recorded session, by camera; empty where one is missing."""
    if is_session(folder):
        return {**session_videos(folder)}
    found: dict[str, FrameSource] = {
        name: Recorded(file)
        for name in CAMERAS
        for file in sorted(folder.glob(f"{name}.*"))
        if file.suffix.lower() in VIDEOS
    }  # fmt: skip
    return found if len(found) == len(CAMERAS) else {}


def watch_videos(
    videos: Mapping[str, FrameSource], game: TurnLines, rig: Rig, kit: Kit, players: tuple[str, ...], debug: Path | None
) -> Iterator[Line]:
    """Settled states of two videos: the same lines on every run."""
    gate = gate_for(rig)
    watching = _Watching(TableWatch(gate, rig, kit, players, AtOnce()), gate, game, rig, kit, debug)
    yield from watching.lines(in_step(videos))


def watch_live(
    named: Mapping[str, str], game: TurnLines, rig: Rig, kit: Kit, players: tuple[str, ...], debug: Path | None
) -> Iterator[Line]:
    """Settled states as they come, until somebody stops it; what the gate says goes to standard error."""
    sizes = {name: (camera.width, camera.height) for name, camera in rig.cameras.items()}
    sources = {name: source_of(text, sizes[name]) for name, text in named.items()}
    refuse_unreadable(sources.values())
    print(starting(sources), file=sys.stderr)
    with stop_asked_for() as stop, LiveCameras(sources, sizes) as cameras:
        gate = gate_for(rig)
        watch = TableWatch(gate, rig, kit, players, Beside())
        try:
            pairs = itertools.takewhile(lambda _: not stop.is_set(), cameras)
            yield from _Watching(watch, gate, game, rig, kit, debug, cameras).lines(pairs, stop.is_set)
            if stop.is_set():
                print("stopped", file=sys.stderr)
        finally:
            watch.close()


class _Watching:
    """One table on its way from pairs to lines."""

    def __init__(
        self, watch: TableWatch, gate: Gate, game: TurnLines, rig: Rig, kit: Kit, debug: Path | None,
        cameras: LiveCameras | None = None,
    ) -> None:  # fmt: skip
        self._watch, self._gate, self._game = watch, gate, game
        self._rig, self._kit, self._debug, self._cameras = rig, kit, debug, cameras
        self._states = StateLines()
        self._last: Layout | None = None
        self._number = 0
        self._warned = False

    def lines(self, pairs: Iterable[FramePair], is_stopped: Callable[[], bool] = lambda: False) -> Iterator[Line]:
        """A line for each state; what was not told yet when the pairs end is waited for, unless somebody stopped it."""
        for pair in pairs:
            for news in self._watch.look(pair):
                if isinstance(news, GateReport):
                    self._tell(news)
                else:
                    yield from self._line(news)
            for note in self._cameras.notes() if self._cameras is not None else ():
                print(note, file=sys.stderr)
        while self._watch.is_busy and not is_stopped():
            for answer in self._watch.answers():
                yield from self._line(answer)
            time.sleep(WAIT_S)

    def _tell(self, report: GateReport) -> None:
        """What people need to know: for files, only that drift goes unseen."""
        if report.settled is not None and not self._warned and not self._gate.watches_drift:
            self._warned = True
            print(UNSEEN, file=sys.stderr)
        line = self._states.line(report) if self._cameras is not None else None
        if line is not None:
            print(line, file=sys.stderr)

    def _line(self, news: Seen | NotSeen) -> Iterator[Line]:
        """The line of a state that is not the last one again."""
        if isinstance(news, NotSeen):
            print(f"not judged: {news.words}", file=sys.stderr)
            return
        game, seen, settled = self._game, news.layout, news.settled
        if seen in (self._last, game.accepted):
            self._last = seen
            return
        before = game.accepted
        try:
            line, played = game.shown(seen)
        except BadGame as error:
            print(f"not judged: {error}", file=sys.stderr)
            return
        if played:
            self._watch.accepted(seen, game.player, settled)
        self._last = seen
        if self._debug is not None:
            picture = self._debug / f"state_{self._number:03d}.png"
            write_debug(picture, seen, settled.pictures, settled.rig or self._rig, self._kit, before)
        self._number += 1
        yield {**line, "time_s": round(settled.time_s, 3)}


def write_debug(
    file: Path, seen: Layout, pictures: Mapping[str, Picture], rig: Rig, kit: Kit, before: Layout | None
) -> None:
    """One picture with both views and what was seen in them."""
    drawn = cv2.imencode(".png", debug_picture(seen, dict(pictures), rig, kit, before))[1]
    write_whole(file, drawn.tobytes())
