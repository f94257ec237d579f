"""Garbage is collected on the window's thread only.

Python collects in whichever thread happens to reach the limit. What it finds may own widgets, timers and pictures of
Qt's, and those must go on the thread that made them: elsewhere the program dies, seldom and without a word.
"""

from __future__ import annotations

import gc

from PyQt6.QtCore import QObject, QTimer

LOOK_EVERY_MS = 500


class Collector(QObject):
    """Does on the window's thread, between two events, what Python would do anywhere at any time."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(collect_due)
        self._timer.start(LOOK_EVERY_MS)


def collect_due() -> int:
    """Collect as much as Python itself would by now; the eldest generation that was gone through, -1 for none."""
    counts, limits = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > limits[generation]:
            gc.collect(generation)
            return generation
    return -1
