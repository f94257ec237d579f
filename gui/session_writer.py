"""The match and its recording as one: an event that the match accepts is on disk before anybody hears of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from gui.origin import Origin
from gui.session import (
    HEAD,
    REMARK,
    SETTLED,
    STEP,
    Begun,
    Head,
    Recorded,
    Remark,
    Settled,
    Step,
    app_version,
    event_topics,
    kept_rulings,
    read_recorded,
    solved,
)  # fmt: skip
from referee.errors import BadGame
from referee.layout import BARE_TABLE, Layout
from referee.match import Match, MatchEvent
from referee.ruling import Ruling
from vision.gate import Settled as Pair
from vision.h264 import LIVE, Quality
from vision.recording import Recorder
from vision.session_index import scan_to_go_on
from vision.session_scan import Progress, Scan, lost_words
from vision.still import Still

Clock = Callable[[], int]


class SessionWriter:
    """A game being recorded."""

    def __init__(self, recorder: Recorder, head: Head, match: Match | None, next_number: int, clock: Clock) -> None:
        self.head = head
        self.match = match
        self.recorder = recorder
        self._next_number = next_number
        self._clock = clock

    @staticmethod
    def begin(
        path: Path, head: Head, warn: Callable[[str], None], clock: Clock = time.time_ns, quality: Quality = LIVE
    ) -> SessionWriter:
        """A new session; the match begins with the first layout."""
        head.setup(BARE_TABLE)  # rules that make no game are refused before there is a file
        head = msgspec.structs.replace(head, app=head.app or app_version())
        recorder = Recorder.begin(path, event_topics(), {"app": f"highway-referee {head.app}"}, warn, quality)
        recorder.event(HEAD, msgspec.json.encode(head), clock(), durable=True)
        return SessionWriter(recorder, head, None, 0, clock)

    @staticmethod
    def resume(
        path: Path, warn: Callable[[str], None], clock: Clock = time.time_ns, progress: Progress | None = None
    ) -> tuple[SessionWriter, Recorded, Scan]:
        """Go on with a session, cut off or closed, where it was; with what it held, and its messages."""
        found = scan_to_go_on(path, progress)
        recorded = read_recorded(found)
        match = recorded.match()
        number = max((settled.number for _, settled in recorded.settled), default=-1) + 1
        writer = SessionWriter(Recorder.go_on(found, event_topics(), warn), recorded.head, match, number, clock)
        writer.remark("resumed", recovered(len(match.rulings) - 1 if match else 0, found))
        return writer, recorded, found

    def comes_from(self, origin: Origin | None) -> None:
        """Keep where the pictures come from now, for whoever goes on."""
        if origin != self.head.origin:
            self.head = msgspec.structs.replace(self.head, origin=origin)
            self.recorder.event(HEAD, msgspec.json.encode(self.head), self._clock(), durable=True)

    def settled(
        self,
        layout: Layout,
        player: str | None,
        ruling: Ruling | None,
        pair: Pair | None,
        time_ns: int | None = None,
        said: bool = False,
    ) -> int:
        """Record what a settled pair shows, and the pair itself; its number."""
        at = self._clock() if time_ns is None else time_ns
        number, self._next_number = self._next_number, self._next_number + 1
        rig = pair.rig if pair is not None else None
        for camera, still in _stills(pair).items() if pair is not None else ():
            self.recorder.still(camera, still, at, number)
        moved = None if rig is None or rig == self.head.rig else solved(rig)
        settled = Settled(number, player, layout, ruling, moved, said)
        self.recorder.event(SETTLED, msgspec.json.encode(settled), at, number)
        return number

    def start(self, layout: Layout, settled: int | None = None, time_ns: int | None = None) -> Match:
        """Begin the match from the set-up's layout."""
        match = Match.begin(self.head.setup(layout))
        self._record(Begun(layout), (), match, settled, time_ns)
        return match

    def apply(self, event: MatchEvent, settled: int | None = None, time_ns: int | None = None) -> Match:
        """Accept a turn, a correction, undo or redo. It lies on the disk when this returns."""
        if self.match is None:
            raise BadGame("the match has not begun: the set-up comes first")
        match = self.match.apply(event)
        self._record(event, self.match.rulings, match, settled, time_ns)
        return match

    def follow(self, match: Match, settled: int | None = None, time_ns: int | None = None) -> None:
        """Record what happened in a match that somebody else leads, since it was last followed."""
        if self.match is None:
            self.start(match.setup.layout, settled, time_ns)
        for event in match.log[len(self.match.log) if self.match else 0 :]:
            self.apply(event, settled, time_ns)

    def remark(self, kind: str, text: str, camera: str | None = None, time_ns: int | None = None) -> None:
        """Note what happened to the recording."""
        at = self._clock() if time_ns is None else time_ns
        self.recorder.event(REMARK, msgspec.json.encode(Remark(kind, text, camera)), at)

    def close(self, progress: Progress | None = None) -> None:
        """End the session."""
        self.recorder.close(progress)

    def close_unless_bare(self, progress: Progress | None = None) -> bool:
        """End the session; one that nothing came into is taken away. Whether there is one."""
        if self.recorder.has_pictures or self._next_number:
            self.close(progress)
            return True
        self.recorder.cut()
        self.recorder.path.unlink()
        return False

    def _record(
        self, event: Begun | MatchEvent, before: tuple[Ruling, ...], match: Match, settled: int | None, at: int | None
    ) -> None:
        kept = kept_rulings(before, match.rulings)
        step = Step(event, kept, match.rulings[kept:], settled)
        self.recorder.event(STEP, msgspec.json.encode(step), self._clock() if at is None else at, durable=True)
        self.match = match


def recovered(turn: int, found: Scan) -> str:
    """How far a session could be read that is gone on with, and whether all of it."""
    lost = lost_words(found.lost)
    return f"recovered to turn {turn}" + (f"; {lost}" if lost else ", nothing lost")


def _stills(pair: Pair) -> dict[str, Still]:
    """The pictures as they are kept: in the bytes that they were read from, else without loss."""
    return {
        camera: Still(picture, pair.kept[camera]) if camera in pair.kept else Still.exactly(picture)
        for camera, picture in pair.pictures.items()
    }
