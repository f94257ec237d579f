"""The pulse of the window's thread: how long it was ever held up between two beats, and by what."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from PyQt6.QtCore import QObject, Qt, QTimer

from gui.standstill import Standstill, stood_ms

BEAT_MS = 5
THREADS = "/proc/self/task"
"""Where Linux tells of each thread how long it stood ready to run while others had the processors."""


@dataclass(frozen=True, slots=True)
class Beat:
    """One beat: how late it came by the clock, and where that time went, in ms."""

    late_ms: float
    busy_ms: float
    """The thread's own work."""
    queued_ms: float
    """It, or a thread that it may have waited for, was ready to run, but every processor was taken; 0 if untold."""
    end_ms: float = 0.0
    """When it came, by the monotonic clock."""
    cpu: int | None = None
    """The processor that the thread ran on, where that is told."""

    def held_ms(self, stops: Sequence[Standstill] = ()) -> float:
        """What the program itself is to blame for: work of its own, and waits for threads that were at work.

        A processor that stands still is counted as busy by its own clocks, so that is taken off.
        """
        begin_ms = self.end_ms - self.late_ms - BEAT_MS
        waited_ms = self.late_ms - self.queued_ms - stood_ms(stops, begin_ms, self.end_ms)
        worked_ms = min(self.busy_ms, self.late_ms)
        if self.cpu is not None:
            worked_ms -= stood_ms(stops, begin_ms, self.end_ms, self.cpu)
        return max(waited_ms, worked_ms, 0.0)


class Queues:
    """How long the threads of this process have been waiting for a processor."""

    def __init__(self) -> None:
        self._own = str(threading.get_native_id())
        self._last: dict[str, float] = {}

    def since_last_ms(self) -> float:
        """The wait of this thread, and the longest one of any other, since this was asked before."""
        now = self._read()
        waits = {thread: ms - self._last.get(thread, ms) for thread, ms in now.items()}
        self._last = now
        return waits.pop(self._own, 0.0) + max(waits.values(), default=0.0)

    def cpu(self) -> int | None:
        """The processor that this thread runs on."""
        with suppress(OSError, ValueError, IndexError), open(f"{THREADS}/{self._own}/stat", "rb") as told:
            return int(told.read().rpartition(b")")[2].split()[36])
        return None

    def _read(self) -> dict[str, float]:
        found = {}
        with suppress(OSError):  # no such thing outside Linux
            for thread in os.listdir(THREADS):
                with suppress(OSError, ValueError, IndexError), open(f"{THREADS}/{thread}/schedstat", "rb") as told:
                    found[thread] = int(told.read().split()[1]) / 1e6
        return found


class Pulse(QObject):
    """A timer that notices when it comes late."""

    def __init__(self) -> None:
        super().__init__()
        self.beats: list[Beat] = []
        self._queues = Queues()
        self._queues.since_last_ms()
        self._last_ms, self._last_busy_ms = _now_ms()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)

    def stop(self) -> None:
        """Feel no more."""
        self._timer.stop()

    def _beat(self) -> None:
        now_ms, busy_ms = _now_ms()
        late_ms, work_ms = max(now_ms - self._last_ms - BEAT_MS, 0.0), busy_ms - self._last_busy_ms
        self.beats.append(Beat(late_ms, work_ms, self._queues.since_last_ms(), now_ms, self._queues.cpu()))
        self._last_ms, self._last_busy_ms = _now_ms()  # looking is no work of the window's

    def told(self, stops: Sequence[Standstill]) -> dict[str, float]:
        """The longest of each in ms, and what 99 of 100 stay under, on a machine that stood still at these times."""
        found = {"longest_stood_ms": round(max((stop.stood_ms for stop in stops), default=0.0), 1)}
        figures: dict[str, list[float]] = {
            "": [beat.late_ms for beat in self.beats],
            "_held": [beat.held_ms(stops) for beat in self.beats],
            "_cpu": [beat.busy_ms for beat in self.beats],
        }
        for key, unsorted in figures.items():
            values = sorted(unsorted) or [0.0]
            found[f"longest{key}_ms"] = round(values[-1], 1)
            found[f"p99{key}_ms"] = round(values[int(len(values) * 0.99) - 1], 1)
        return found


def _now_ms() -> tuple[float, float]:
    return time.monotonic() * 1000, time.thread_time() * 1000
