"""What a session can be recorded from: a game's layouts, settled stills, two videos, or live cameras."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from calibration.camera import Rig
from gui.explaining import AtOnce, Beside
from gui.origin import Origin
from gui.recorded_table import Outcome, RecordedTable
from gui.recorded_watch import RecordedWatch
from gui.sessions_folder import is_session
from gui.state_lines import starting
from gui.stills import read_picture, settled_stills
from gui.stopping import stop_asked_for
from gui.table_keys import Typed
from gui.table_watch import UNSEEN, TableWatch, gate_for
from gui.watch_frames import videos_in
from referee.game import Game
from referee.notes import NO_NOTE
from vision.errors import BadSession, VisionError
from vision.frame import FramePair
from vision.gate import Settled
from vision.health import Health
from vision.reader import LiveCameras
from vision.session_scan import Scan
from vision.sources import FrameSource, in_step, refuse_unreadable, source_of
from vision.views import CAMERAS


class Source(Protocol):
    """Something to record from. `done` is what a session that is gone on with holds already."""

    @property
    def accepts_as_told(self) -> bool:
        """Whether it is asked which states count as turns; else each of them does."""

    def outcomes(self, table: RecordedTable, done: Scan | None) -> Iterator[Outcome | str]:
        """Record it, telling what becomes of it."""


def source_from(origin: Origin, game: Game | None) -> Source:
    """What is recorded from there."""
    if game is not None:
        return Layouts(game)
    if origin.kind == "live":
        return Live(dict(zip(CAMERAS, origin.names, strict=True)))
    frames = Path(origin.names[0])
    if not is_session(frames) and (stills := settled_stills(frames)):
        return Stills(tuple(stills.values()))
    videos = videos_in(frames)
    if not videos:
        raise VisionError(
            f"{frames}: holds no settled stills (turn_00_overhead.jpg and so on) "
            "and no two videos (overhead.mp4, side.mp4)"
        )
    return Videos(videos)


@dataclass(frozen=True, slots=True)
class Layouts:
    """A game without pictures."""

    game: Game
    accepts_as_told: bool = False

    def outcomes(self, table: RecordedTable, done: Scan | None) -> Iterator[Outcome | str]:
        for turn in range(_turns(table), len(self.game.layouts)):
            yield table.take(self.game.layouts[turn], self.game.note(turn) if turn else NO_NOTE, None)


@dataclass(frozen=True, slots=True)
class Stills:
    """Settled pairs, each of which counts as a turn, as for `highway watch`."""

    files: tuple[Mapping[str, Path], ...]
    accepts_as_told: bool = False

    def outcomes(self, table: RecordedTable, done: Scan | None) -> Iterator[Outcome | str]:
        for files in self.files[_turns(table) :]:
            pictures = {camera: read_picture(file) for camera, file in files.items()}
            kept = {camera: file.read_bytes() for camera, file in files.items()}
            yield table.look(Settled(pictures, 0.0, table.writer.head.rig, kept))


@dataclass(frozen=True, slots=True)
class Videos:
    """Two videos, or those of another session, every frame once: gone on with, what is recorded is passed over."""

    sources: Mapping[str, FrameSource]
    accepts_as_told: bool = True

    def outcomes(self, table: RecordedTable, done: Scan | None) -> Iterator[Outcome | str]:
        times = {camera: done.times_ns(f"/{camera}") if done is not None else [] for camera in CAMERAS}
        begin_ns = min((of_one[0] for of_one in times.values() if of_one), default=time.time_ns())
        last_ns = {camera: of_one[-1] - begin_ns for camera, of_one in times.items() if of_one}
        watched = RecordedWatch(table, _watch(table, AtOnce()), begin_ns, is_live=False)
        yield from watched.outcomes(_after(in_step(self.sources), last_ns))


@dataclass(frozen=True, slots=True)
class Live:
    """Two cameras, until somebody stops it."""

    named: Mapping[str, str]
    accepts_as_told: bool = True

    def outcomes(self, table: RecordedTable, done: Scan | None) -> Iterator[Outcome | str]:
        rig = _rig(table)
        sizes = {name: (camera.width, camera.height) for name, camera in rig.cameras.items()}
        sources = {name: source_of(text, sizes[name]) for name, text in self.named.items()}
        refuse_unreadable(sources.values())
        print(starting(sources), file=sys.stderr)
        watch = _watch(table, Beside())
        try:
            with stop_asked_for() as stop, LiveCameras(sources, sizes) as cameras:
                begin_ns = time.time_ns() - round(time.monotonic() * 1e9)
                watched = RecordedWatch(table, watch, begin_ns, is_live=True, typed=Typed(0))
                pairs = itertools.takewhile(lambda _: not stop.is_set(), _with_notes(cameras, table))
                yield from watched.outcomes(pairs)
                for words in lost_pictures(cameras.health()):
                    table.writer.remark("camera", words)
                    print(words, file=sys.stderr)
        finally:
            watch.close()


def lost_pictures(health: Mapping[str, Health]) -> list[str]:
    """How many pictures of each camera a newer one replaced before they were fetched for the film."""
    return [
        f"{name}: {one.dropped} pictures came and were not fetched in time; the film lacks them, the game does not"
        for name, one in health.items()
        if one.dropped
    ]


def _with_notes(cameras: LiveCameras, table: RecordedTable) -> Iterator[FramePair]:
    """Pairs of live cameras; what the cameras say goes into the record and onto the screen."""
    for pair in cameras:
        for note in cameras.notes():
            table.writer.remark("camera", note)
            print(note, file=sys.stderr)
        yield pair


def _after(pairs: Iterable[FramePair], last_ns: Mapping[str, int]) -> Iterator[FramePair]:
    """Pairs with a frame that is not recorded yet. A crash comes between two cameras: one may have a frame more."""
    for pair in pairs:
        came = {
            camera: [frame for frame in frames if round(frame.time_s * 1e9) > last_ns.get(camera, -1)]
            for camera, frames in pair.came.items()
        }
        if any(came.values()):
            yield replace(pair, came=came)


def _watch(table: RecordedTable, explainer: AtOnce | Beside) -> TableWatch:
    head, rig = table.writer.head, _rig(table)
    gate = gate_for(rig)
    if not gate.watches_drift:
        print(UNSEEN, file=sys.stderr)
    return TableWatch(gate, rig, head.kit, head.players, explainer)


def _rig(table: RecordedTable) -> Rig:
    rig = table.writer.head.rig
    if rig is None:
        raise BadSession("this session was recorded without cameras; go on with --game, or record a new one")
    return rig


def _turns(table: RecordedTable) -> int:
    """Layouts that are in the game already."""
    return len(table.writer.match.timeline) if table.writer.match is not None else 0
