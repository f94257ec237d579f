"""The scrubber: where a replay is, with a mark for every turn."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from gui.theme import STEP, Theme


class Scrubber(QWidget):
    """A line of time; drag or click to go there."""

    sought = pyqtSignal(float)

    def __init__(self, theme: Theme, duration_s: float, marks_s: tuple[float, ...]) -> None:
        super().__init__()
        self.theme, self.duration_s, self.marks_s = theme, max(duration_s, 0.001), marks_s
        self.time_s = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Time in the recording")
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(200, self.theme.px(32))

    def show_time(self, time_s: float) -> None:
        self.time_s = time_s
        self.update()

    def _x(self, time_s: float) -> float:
        margin = self.theme.px(STEP)
        return margin + (self.width() - 2 * margin) * min(max(time_s / self.duration_s, 0.0), 1.0)

    def paintEvent(self, _: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        px, middle = self.theme.px, self.height() / 2
        painter.setPen(Qt.PenStyle.NoPen)
        for end_s, name in ((self.duration_s, "line"), (self.time_s, "accent")):
            painter.setBrush(self.theme.colour(name))
            track = QRectF(self._x(0), middle - px(2), self._x(end_s) - self._x(0), px(4))
            painter.drawRoundedRect(track, px(2), px(2))
        for mark_s in self.marks_s:
            painter.setBrush(self.theme.colour("text" if mark_s <= self.time_s else "dim"))
            painter.drawRect(QRectF(self._x(mark_s) - px(1), middle - px(7), px(2), px(14)))
        painter.setBrush(self.theme.colour("text"))
        painter.drawEllipse(QPointF(self._x(self.time_s), middle), px(8), px(8))

    def _seek(self, event: QMouseEvent) -> None:
        margin = self.theme.px(STEP)
        share = (event.position().x() - margin) / max(self.width() - 2 * margin, 1)
        self.sought.emit(min(max(share, 0.0), 1.0) * self.duration_s)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None:
            self._seek(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self._seek(event)
