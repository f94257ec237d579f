"""The pulse of the window's thread: how long it was ever held up between two beats, and by what."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PyQt6.QtCore import QObject, Qt, QTimer

BEAT_MS = 5
SCHEDULE = Path("/proc/thread-self/schedstat")
"""Where Linux tells how long a thread stood ready to run while others had the processors."""


@dataclass(frozen=True, slots=True)
class Beat:
    """One beat: how late it came by the clock, and where that time went, in ms."""

    late_ms: float
    busy_ms: float
    """The thread's own work."""
    queued_ms: float
    """Ready to run, but other programs (or our own vision) had every processor; 0 where nobody tells."""

    @property
    def held_ms(self) -> float:
        """Without the wait for a processor: work of its own, and waits for other threads of the program."""
        return max(self.late_ms - self.queued_ms, 0.0)


class Pulse(QObject):
    """A timer that notices when it comes late."""

    def __init__(self) -> None:
        super().__init__()
        self.beats: list[Beat] = []
        self._last = self._now()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)

    def _now(self) -> tuple[float, float, float]:
        queued_ms = 0.0
        with suppress(OSError, ValueError, IndexError):
            queued_ms = int(SCHEDULE.read_text().split()[1]) / 1e6
        return time.perf_counter() * 1000, time.thread_time() * 1000, queued_ms

    def _beat(self) -> None:
        now, last = self._now(), self._last
        wall_ms, busy_ms, queued_ms = (new - old for new, old in zip(now, last, strict=True))
        self.beats.append(Beat(max(wall_ms - BEAT_MS, 0.0), busy_ms, queued_ms))
        self._last = now

    def told(self) -> dict[str, float]:
        """The longest of each in ms, and what 99 of 100 stay under."""
        found: dict[str, float] = {}
        for name, key in (("late_ms", ""), ("held_ms", "_held"), ("busy_ms", "_cpu")):
            values = sorted(getattr(beat, name) for beat in self.beats) or [0.0]
            found[f"longest{key}_ms"] = round(values[-1], 1)
            found[f"p99{key}_ms"] = round(values[int(len(values) * 0.99) - 1], 1)
        return found
