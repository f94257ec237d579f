"""A live table as a feed: cameras through the gate, vision beside it, and what was accepted told back to both."""

from __future__ import annotations

import threading

from calibration.camera import Rig
from gui.desk import Desk
from gui.explaining import Accepted, Explainer
from gui.feed import Ended, Found, HandsIn, Lost, Puzzled, Reading, Settled, Shown, Tell
from gui.state_lines import UNSEEING
from gui.table_watch import News, NotSeen, Seen, TableWatch, gate_for
from referee.match import Match
from referee.pieces import Kit
from vision.frame import FramePair
from vision.gate import GateReport, GateState
from vision.newest import newest
from vision.reader import LiveCameras

BUSY = (GateState.MOVING, GateState.HANDS)


class WatchFeed:
    """Watches live cameras, and tells what happens on the table. `accepted` is what stood there when it was left."""

    def __init__(
        self,
        cameras: LiveCameras,
        rig: Rig,
        kit: Kit,
        players: tuple[str, ...],
        explainer: Explainer,
        accepted: Accepted | None = None,
    ) -> None:
        self.rig, self._gate = rig, gate_for(rig)
        self._cameras, self._kit, self._players, self._explainer = cameras, kit, players, explainer
        self._accepted = accepted
        self._lock = threading.Lock()
        self._desk: Desk | None = None
        self._followed: Match | None = None
        self._stopped = self._lost = False

    def run(self, tell: Tell) -> None:
        """Show every pair, and look at the newest again and again, until there are no more."""
        watch = TableWatch(self._gate, self.rig, self._kit, self._players, self._explainer)
        if self._accepted is not None:
            watch.accepted(self._accepted.layout, self._accepted.player, self._accepted.settled)
        try:
            for pair in newest(self._cameras, lambda pair: _show(pair, tell)):
                if self._stopped:
                    return
                self._pass_on(watch)
                for news in watch.look(pair):
                    self._tell(news, tell)
            tell(Ended())
        finally:
            watch.close()
            self._cameras.close()

    def _pass_on(self, watch: TableWatch) -> None:
        """Tell the watch what the desk has accepted meanwhile."""
        with self._lock:
            desk, self._desk = self._desk, None
        if desk is None or desk.match is None or desk.match is self._followed:
            return
        went_on = self._followed is None or len(desk.match.timeline) > len(self._followed.timeline)
        self._followed = desk.match
        watch.accepted(desk.accepted, desk.mover)
        if not went_on:
            watch.look_again()

    def _tell(self, news: News, tell: Tell) -> None:
        match news:
            case Seen(layout, settled):
                tell(Settled(layout, settled.pictures, settled))
            case NotSeen(words):
                tell(Puzzled(words))
            case GateReport(state, words) if state in UNSEEING:
                self._lost = True
                tell(Lost(words))
            case GateReport(state, _, settled):
                if self._lost:
                    self._lost = False
                    tell(Found())
                if state in BUSY:
                    tell(HandsIn())
                elif settled is not None:
                    tell(Reading())

    def follow(self, desk: Desk) -> None:
        with self._lock:
            self._desk = desk

    def pause(self, paused: bool) -> None:
        """Cameras go on; there is nothing to hold."""

    def stop(self) -> None:
        self._stopped = True

    def close(self) -> None:
        """Let the cameras go, where `run` was never called."""
        self._explainer.close()
        self._cameras.close()


def _show(pair: FramePair, tell: Tell) -> None:
    if pair.frames:
        tell(Shown(pair.pictures(), pair.time_s, came=pair.came, doubts=pair.doubts))
