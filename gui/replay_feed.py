"""A recorded session as a feed: played, held, sought and stepped through; the match comes along as it stood then."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from calibration.camera import Rig
from gui.desk import Desk
from gui.feed import Judged, Moment, Shown, Tell
from gui.rejudging import other_rules, rejudge
from gui.replay import Replay
from referee.edition import editions
from referee.errors import BadGame
from referee.layout import BARE_TABLE
from vision.errors import BadSession
from vision.session_scan import Progress

TICK_S = 0.05
Order = Callable[[Replay], None]


class ReplayFeed:
    """Plays a session. Orders come from other threads and are carried out in the feed's own."""

    def __init__(self, path: Path, progress: Progress | None = None) -> None:
        self.replay = Replay(path, progress)
        head = self.replay.recorded.head
        self.rig: Rig | None = head.rig
        self.desk = Desk.begin(head.setup(BARE_TABLE))
        self.duration_s = self.replay.duration_s
        self.turn_times_s = tuple(self.replay.turn_times_s())
        self.playing = True
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._tell: Tell = lambda report: None

    def run(self, tell: Tell) -> None:
        """Play until stopped."""
        self._tell = tell
        shown: tuple[float, int] | None = None
        last_s = time.monotonic()
        with self.replay as replay:
            while True:
                try:
                    order = self._orders.get(timeout=TICK_S)
                    if order is None:
                        return
                    order(replay)
                except queue.Empty:
                    pass
                now_s = time.monotonic()
                if self.playing:
                    replay.advance(now_s - last_s)
                last_s = now_s
                here = (replay.time_s, replay.steps_done)
                if here == shown:
                    continue
                pictures = replay.frames().pictures()  # may take a while after a leap: both change together
                if shown is None or here[1] != shown[1]:
                    tell(Moment(self._moment(replay)))
                tell(Shown(pictures, replay.time_s, replay.duration_s))
                shown = here
                if replay.is_over:
                    self.playing = False

    def _moment(self, replay: Replay) -> Desk:
        match = replay.match
        return Desk(match.setup, match) if match is not None else self.desk

    def order(self, order: Order) -> None:
        """Something to do with the replay, soon."""
        self._orders.put(order)

    def seek_s(self, time_s: float) -> None:
        self.order(lambda replay: replay.seek_s(time_s))

    def seek_turn(self, turn: int) -> None:
        self.order(lambda replay: replay.seek_turn(turn))

    def step(self, pictures: int) -> None:
        self.playing = False
        self.order(lambda replay: replay.step(pictures))

    def set_speed(self, speed: float) -> None:
        self.order(lambda replay: setattr(replay, "speed", speed))

    def judge_by(self, edition: str) -> None:
        """Judge the whole game by another edition, and tell what differs."""
        self.order(lambda replay: self._tell(Judged(edition, _differences(replay, edition))))

    def follow(self, desk: Desk) -> None:
        """What was accepted stands in the record."""

    def pause(self, paused: bool) -> None:
        self.playing = not paused

    def stop(self) -> None:
        self._orders.put(None)


def _differences(replay: Replay, edition: str) -> tuple[str, ...]:
    try:
        head = other_rules(replay.recorded.head, edition, None)
        head = msgspec.structs.replace(head, mission=head.mission and editions()[edition].mission is not None)
        return rejudge(replay.file, replay.recorded, head).differences
    except (BadGame, BadSession) as error:
        return (str(error),)
