"""A switch: on and off by place and by mark, never by colour alone."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QAbstractButton

from gui.theme import BODY, STEP, Theme

WIDE, HIGH = 36, 20


class Switch(QAbstractButton):
    """A word that is on or off."""

    def __init__(self, theme: Theme, text: str, on: bool) -> None:
        super().__init__()
        self.theme = theme
        self.setText(text)
        self.setCheckable(True)
        self.setChecked(on)
        self.setAccessibleName(text)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        font = self.theme.font(BODY, QFont.Weight.DemiBold)
        width = QFontMetrics(font).horizontalAdvance(self.text())
        return QSize(self.theme.px(WIDE + 2 * STEP) + width, self.theme.px(HIGH + 8))

    def paintEvent(self, _: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        px, on = self.theme.px, self.isChecked()
        track = QRectF(1, (self.height() - px(HIGH)) / 2, px(WIDE), px(HIGH))
        ring = self.theme.colour("text" if self.hasFocus() else "accent" if on else "dim")
        painter.setPen(QPen(ring, 2 if self.hasFocus() else 1))
        painter.setBrush(self.theme.colour("accent") if on else QColor(0, 0, 0, 0))
        painter.drawRoundedRect(track, track.height() / 2, track.height() / 2)
        half = track.height() / 2
        knob = QPointF(track.right() - half if on else track.left() + half, track.center().y())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.colour("on_accent" if on else "dim"))
        painter.drawEllipse(knob, track.height() * 0.32, track.height() * 0.32)
        painter.setPen(self.theme.colour("text"))
        painter.setFont(self.theme.font(BODY, QFont.Weight.DemiBold))
        words = QRectF(track.right() + px(STEP), 0, self.width(), self.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
