"""A page for what takes a moment: it works in the background, can be left, and says in plain words what went wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QProgressBar, QWidget

from calibration.errors import CalibrationError
from gui.long_work import Cancelled, Work
from gui.theme import STEP, Theme
from gui.widgets.parts import button, label, row, shortcut, stack
from referee.errors import BadGame
from vision.errors import BadSession, VisionError

FINE = 1000
"""Steps of the bar."""


class OpeningPage(QWidget):
    """Runs one thing; `ready` brings what came of it. Left before, it is broken off, and `discard` has the rest."""

    ready = pyqtSignal(object)
    left = pyqtSignal()
    _failed = pyqtSignal(str)
    _far = pyqtSignal(float)
    _made = pyqtSignal(object)

    def __init__(
        self,
        theme: Theme,
        words: str,
        make: Callable[[Work], object],
        discard: Callable[[Any], None] = lambda made: None,
    ) -> None:
        super().__init__()
        self.words = label(words, "large", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(theme.px(420))
        self.back = button(theme, "Cancel", self.left.emit, "x", key="Esc")
        middle = row(None, self.bar, None)
        self.setLayout(
            stack(None, self.words, middle, row(None, self.back, None), None, space=3 * STEP, margin=6 * STEP)
        )
        shortcut(self, "Escape", self.left.emit)
        self._failed.connect(self._show_failed)
        self._far.connect(self._show_far)
        self._made.connect(self._hand_over)
        self._make, self._discard = make, discard
        self._lock = threading.Lock()
        self._gone = False
        self.work = Work(self._tell_far)

    def begin(self) -> None:
        """Start, once somebody listens."""
        threading.Thread(target=self._run, daemon=True).start()

    def close_table(self) -> None:
        """Nobody waits for it any more."""
        with self._lock:
            self._gone = True
            self.work.cancel()

    def _run(self) -> None:
        try:
            made = self._make(self.work)
        except Cancelled:
            return
        except (BadGame, BadSession, CalibrationError, VisionError, OSError) as error:
            with suppress(RuntimeError):  # the page is gone
                self._failed.emit(str(error))
            return
        with self._lock:  # either the page hears of it before it goes, or it is cancelled
            if not self.work.is_cancelled:
                self._made.emit(made)
                return
        self._discard(made)

    def _hand_over(self, made: object) -> None:
        """In the window's thread, where a page is either there or gone."""
        if self._gone:
            threading.Thread(target=self._discard, args=(made,), daemon=True).start()
        else:
            self.ready.emit(made)

    def _tell_far(self, share: float) -> None:
        with suppress(RuntimeError):
            self._far.emit(share)

    def _show_far(self, share: float) -> None:
        self.bar.setRange(0, FINE)
        self.bar.setValue(round(FINE * share))

    def _show_failed(self, why: str) -> None:
        self.bar.hide()
        self.words.setText(why[:1].upper() + why[1:])
        self.back.setText(" Home")
