"""The bar on the home page that offers to go on with a game that was cut off."""

from __future__ import annotations

import threading
from pathlib import Path

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame, QLabel

from gui.session_summary import Summary, cut_off, summary
from gui.theme import STEP, Theme
from gui.widgets.parts import button, label, row, stack
from gui.words import capital


class ResumeBar(QFrame):
    """Hidden unless a recording was cut off; read in the background."""

    wanted = pyqtSignal(object)
    _read = pyqtSignal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setProperty("role", "raised")
        self._words = label("", wrap=True)
        self._path: Path | None = None
        sign = QLabel()
        sign.setPixmap(theme.pixmap("rotate-ccw", theme.colour("accent"), 28))
        resume = button(theme, "Resume", self._resume, "skip-forward", "primary")
        words = stack(label("A game was cut off", "large"), self._words, space=0)
        line = row(sign, STEP, words, resume, margin=2 * STEP)
        line.setStretch(2, 1)
        self.setLayout(line)
        self.hide()
        self._read.connect(self.show_found)
        self.look()

    def look(self) -> None:
        """Look for a session that was cut off."""
        self.hide()
        path = cut_off()
        if path is not None:
            threading.Thread(target=lambda: self._read.emit(summary(path)), daemon=True).start()

    def show_found(self, found: Summary) -> None:
        """Offer a session that was cut off."""
        self._path = found.path
        players = " and ".join(found.players)
        self._words.setText(found.trouble or capital(f"{players}, {found.recovered}."))
        self.setVisible(True)

    def _resume(self) -> None:
        if self._path is not None:
            self.wanted.emit(self._path)
