"""The host of one table: the feed and the desk work in threads of their own, windows hear signals."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from gui.desk import Desk
from gui.feed import (
    Acted,
    Ended,
    Feed,
    Found,
    HandsIn,
    Judged,
    Lost,
    Moment,
    Puzzled,
    Reading,
    Report,
    Settled,
    Shown,
)
from gui.session_writer import SessionWriter
from referee.errors import BadGame
from referee.layout import Layout
from vision.errors import VisionError
from vision.gate import Settled as Pair

Step = Callable[[Desk], Desk]
log = logging.getLogger(__name__)


class Host(QObject):
    """Runs steps on the desk one after the other, off the window's thread."""

    desk_changed = pyqtSignal(object)
    shown = pyqtSignal(object)
    settled = pyqtSignal(object)
    judged = pyqtSignal(object)
    refused = pyqtSignal(str)
    ended = pyqtSignal()
    closed = pyqtSignal()

    def __init__(
        self,
        desk: Desk,
        feed: Feed | None = None,
        accept_after_s: float | None = None,
        writer: SessionWriter | None = None,
    ) -> None:
        super().__init__()
        self.desk, self.feed, self.writer = desk, feed, writer
        self.aside = ""
        """A word to those who are asked something."""
        self._still: int | None = None
        self._begin_ns = time.time_ns() - time.monotonic_ns()
        """What frames call second 0: they come by the clock that nobody sets."""
        self.accept_after_s = accept_after_s
        self._steps: queue.SimpleQueue[Step | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, name="desk", daemon=True)]
        if feed is not None:
            self._threads.append(threading.Thread(target=self._watch, args=(feed,), name="feed", daemon=True))
        self._closing = threading.Thread(target=self._close, name="closing")
        self.accept_timer = QTimer(self)
        self.accept_timer.setSingleShot(True)
        self.accept_timer.timeout.connect(self._accept_by_itself)
        self.desk_changed.connect(self._time_acceptance)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()
        self.desk_changed.emit(self.desk)

    def stop(self) -> None:
        """End in the background: a long recording takes seconds to get its index, and the window goes on meanwhile."""
        self.accept_timer.stop()
        if self.feed is not None:
            self.feed.stop()
        self._steps.put(None)
        self._closing.start()

    def wait_closed(self) -> None:
        """Until cameras are free and the recording is closed."""
        self._closing.join()

    def _close(self) -> None:
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        if self.writer is not None:
            self.writer.close()
            self.writer = None
        self.closed.emit()

    def do(self, step: Step) -> None:
        """One more step on the desk, after those that wait."""
        self._steps.put(step)

    def _work(self) -> None:
        while (step := self._steps.get()) is not None:
            try:
                desk = step(self.desk)
            except BadGame as error:
                self.refused.emit(str(error))
                continue
            if desk is not self.desk:
                if self.writer is not None and desk.match is not None and desk.match is not self.desk.match:
                    self.writer.follow(desk.match, self._still)  # on the disk before anybody hears of it
                self.desk = desk
                if self.feed is not None:
                    self.feed.follow(desk)
                self.desk_changed.emit(desk)

    def _watch(self, feed: Feed) -> None:
        try:
            feed.run(self._told)
        except (BadGame, VisionError, OSError) as error:
            why = str(error)
            log.warning("the feed ended: %s", why)
            self.do(lambda desk: desk.camera_lost(why))

    def _told(self, report: Report) -> None:
        match report:
            case Shown():
                self._film(report)
                self.shown.emit(report)
            case HandsIn():
                self.do(Desk.hands_in)
            case Reading():
                self.do(Desk.looked_at)
            case Settled(layout, pictures, pair):
                self.settled.emit(report)
                seen_in = pair or Pair(pictures, 0.0, None)
                self.do(lambda desk: self._kept(desk.settled(layout), layout, seen_in))
            case Puzzled(why):
                self.do(lambda desk: desk.puzzled(why))
            case Acted(step):
                self.do(step)
            case Lost(why):
                self.do(lambda desk: desk.camera_lost(why))
            case Found():
                self.do(Desk.camera_found)
            case Moment(desk):
                self.do(lambda _: desk)
            case Judged():
                self.judged.emit(report)
            case Ended():
                self.ended.emit()

    def _film(self, shown: Shown) -> None:
        """Every frame at the time it came."""
        if self.writer is not None:
            for camera, frames in shown.came.items():
                for frame in frames:
                    self.writer.recorder.frame(camera, frame.picture, self._begin_ns + round(frame.time_s * 1e9))

    def _kept(self, desk: Desk, layout: Layout, pair: Pair) -> Desk:
        """The desk, what was settled on it recorded."""
        if self.writer is not None:
            self._still = self.writer.settled(layout, desk.mover, desk.ruling, pair)
        return desk

    def _time_acceptance(self, desk: Desk) -> None:
        self.accept_timer.stop()
        if self.accept_after_s is not None and desk.sure and not desk.lacks_city:
            self.accept_timer.start(round(self.accept_after_s * 1000))

    def _accept_by_itself(self) -> None:
        self.do(lambda desk: desk.accept() if desk.sure else desk)
