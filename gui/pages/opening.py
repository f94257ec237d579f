"""A page for what takes a moment: it works in the background, can be left, and says in plain words what went wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QProgressBar, QWidget

from calibration.errors import CalibrationError
from gui.theme import STEP, Theme
from gui.widgets.parts import button, label, row, shortcut, stack
from referee.errors import BadGame
from vision.errors import BadSession, VisionError


class OpeningPage(QWidget):
    """Runs one thing; `ready` brings what came of it, unless the page was left before."""

    ready = pyqtSignal(object)
    left = pyqtSignal()
    _failed = pyqtSignal(str)

    def __init__(self, theme: Theme, words: str, make: Callable[[], object]) -> None:
        super().__init__()
        self.words = label(words, "large", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.setMaximumWidth(theme.px(420))
        back = button(theme, "Home", self.left.emit, "arrow-left", key="Esc")
        middle = row(None, self.bar, None)
        self.setLayout(stack(None, self.words, middle, row(None, back, None), None, space=3 * STEP, margin=6 * STEP))
        shortcut(self, "Escape", self.left.emit)
        self._failed.connect(self._show_failed)
        self._make = make

    def begin(self) -> None:
        """Start, once somebody listens."""
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        try:
            made = self._make()
        except (BadGame, BadSession, CalibrationError, VisionError, OSError) as error:
            self._failed.emit(str(error))
        else:
            self.ready.emit(made)

    def _show_failed(self, why: str) -> None:
        self.bar.hide()
        self.words.setText(why[:1].upper() + why[1:])
