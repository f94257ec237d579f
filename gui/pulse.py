"""The pulse of the window's thread: how long it was ever held up between two beats."""

from __future__ import annotations

import time

from PyQt6.QtCore import QObject, Qt, QTimer

BEAT_MS = 5


class Pulse(QObject):
    """A timer that notices when it comes late."""

    def __init__(self) -> None:
        super().__init__()
        self._late_ms: list[float] = []
        self._busy_ms: list[float] = []
        self._last_s, self._last_cpu_s = time.perf_counter(), time.thread_time()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)

    def _beat(self) -> None:
        now_s = time.perf_counter()
        self._late_ms.append(max((now_s - self._last_s) * 1000 - BEAT_MS, 0.0))
        cpu_s = time.thread_time()
        self._busy_ms.append((cpu_s - self._last_cpu_s) * 1000)
        self._last_s, self._last_cpu_s = now_s, cpu_s

    def told(self) -> dict[str, float]:
        """The longest hold-up, and the longest work of its own between two beats; what 99 of 100 stay under; in ms."""
        late, busy = sorted(self._late_ms) or [0.0], sorted(self._busy_ms) or [0.0]
        high = int(len(late) * 0.99) - 1
        return {
            "longest_ms": round(late[-1], 1),
            "p99_ms": round(late[high], 1),
            "longest_cpu_ms": round(busy[-1], 1),
            "p99_cpu_ms": round(busy[high], 1),
        }
