"""A moment: a large sign over the picture that comes, is read, and goes by itself."""

from __future__ import annotations

from collections import deque

from PyQt6.QtCore import QPropertyAnimation, Qt, QTimer
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QFrame, QGraphicsOpacityEffect, QLabel, QWidget

from gui.moments import Occasion
from gui.theme import STEP, Theme
from gui.widgets.parts import label, row, stack

STAYS_MS, FADES_MS = 3500, 160


class MomentSign(QFrame):
    """Shows one occasion after the other; a click sends it away."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setProperty("role", "moment")
        self.shown: Occasion | None = None
        self._waiting: deque[Occasion] = deque()
        self._icon, self._title, self._text = QLabel(), label("", "title"), label("", "large", wrap=True)
        words = stack(self._title, self._text, space=2)
        line = row(self._icon, words, space=2 * STEP, margin=2 * STEP)
        line.setStretch(1, 1)
        self.setLayout(line)
        self._effect = QGraphicsOpacityEffect(self)
        self.setGraphicsEffect(self._effect)
        self._fade = QPropertyAnimation(self._effect, b"opacity", self)
        self._fade.setDuration(FADES_MS)
        self._fade.setStartValue(0.0)
        self._fade.setEndValue(1.0)
        self._fade.finished.connect(self._stand)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.next)
        self.hide()

    def tell(self, occasions: tuple[Occasion, ...], players: tuple[str, ...]) -> None:
        """Show these, after those that wait."""
        self._players = players
        self._waiting.extend(occasions)
        if self.shown is None:
            self.next()

    def next(self) -> None:
        """The next one, or none."""
        self._timer.stop()
        self.shown = self._waiting.popleft() if self._waiting else None
        self.setVisible(self.shown is not None)
        if self.shown is None:
            return
        one = self.shown
        colour = self.theme.player(one.player, self._players) if one.player else self.theme.colour("accent")
        self._icon.setPixmap(self.theme.pixmap(one.icon, colour, 48))
        self._title.setText(one.title)
        self._text.setText(one.text)
        self.setAccessibleName(f"{one.title}. {one.text}")
        self.place()
        self._effect.setEnabled(True)
        self._fade.start()
        self._timer.start(STAYS_MS)

    def _stand(self) -> None:
        """All there: the effect would cost with every frame beneath."""
        self._effect.setEnabled(False)

    def forget(self) -> None:
        """None of what waits is news any more."""
        self._waiting.clear()
        self.next()

    def place(self) -> None:
        """In the upper part of what it lies over."""
        parent = self.parentWidget()
        if parent is None or self.shown is None:
            return
        width = min(parent.width() - 4 * STEP, self.theme.px(560))
        self.setFixedWidth(width)
        self.adjustSize()
        self.move((parent.width() - width) // 2, parent.height() // 8)
        self.raise_()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            self.next()
