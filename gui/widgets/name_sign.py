"""The sign with the program's name: the head of the home page, and what stands there while the program starts."""

from __future__ import annotations

import math

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PyQt6.QtWidgets import QSplashScreen, QWidget

from gui.theme import LARGE, RADIUS, STEP, Theme

SPLASH_SIZE = (860, 300)


class NameSign(QWidget):
    """The name as a sign over the expressway, as one drives up to it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setMinimumHeight(theme.px(220))
        theme.changed.connect(self.update)

    def paintEvent(self, _: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, width, height = self.theme, self.width(), self.height()
        clip = QPainterPath()
        clip.addRoundedRect(QRectF(self.rect()), theme.px(RADIUS), theme.px(RADIUS))
        painter.setClipPath(clip)
        painter.fillRect(self.rect(), QColor("#0c6b43"))
        inset = theme.px(8)
        painter.setPen(QPen(QColor("#ffffff"), theme.px(3)))
        frame = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.drawRoundedRect(frame, theme.px(RADIUS), theme.px(RADIUS))
        self._crossing(painter, width, height)
        painter.setPen(QColor("#ffffff"))
        painter.setFont(theme.font(56, theme.font().Weight.Bold))
        left = theme.px(6 * STEP)
        painter.drawText(QRectF(left, height * 0.22, width, theme.px(66)), 0, "Highway Referee")
        painter.setFont(theme.font(LARGE))
        said = "Legal, illegal, or too close to call: measured, never guessed."
        painter.drawText(QRectF(left, height * 0.22 + theme.px(72), width, theme.px(30)), 0, said)

    def _crossing(self, painter: QPainter, width: int, height: int) -> None:
        """Two roads, one over the other, and the cars' colours: the game in a sign."""
        middle = QPointF(width - self.theme.px(230), height / 2)
        reach = height * 0.19
        for angle, colour in ((-18.0, "#d9d4c4"), (64.0, "#ffffff")):
            way = QPointF(math.cos(math.radians(angle)), math.sin(math.radians(angle))) * reach * 1.5
            painter.setPen(QPen(QColor("#0a4f33"), self.theme.px(26), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(middle - way, middle + way)
            painter.setPen(QPen(QColor(colour), self.theme.px(18), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(middle - way, middle + way)
            for end in (middle - way, middle + way):
                painter.setPen(QPen(QColor("#0a4f33"), self.theme.px(4)))
                painter.setBrush(QColor("#f4c430" if angle > 0 else "#9aa0a8"))
                painter.drawEllipse(end, self.theme.px(17), self.theme.px(17))


def splash(theme: Theme) -> QSplashScreen:
    """The sign alone, for the seconds that loading takes: a window that is there answers at once."""
    sign = NameSign(theme)
    sign.resize(*SPLASH_SIZE)
    return QSplashScreen(sign.grab())
