"""The timeline of turns: whose, how ruled, what earned; one click or arrow key away."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QMouseEvent, QPainter, QPaintEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from gui.look_palette import SIGNS, player_shape
from gui.theme import RADIUS, SMALL, Theme
from gui.widgets.marks import paint_shape
from referee.ruling import Ruling

WIDEST, GAP = 46.0, 4.0
NOW = -1
"""Selected: the turn that is being played."""


class Timeline(QWidget):
    """A chip for each accepted turn, and one for the turn being played."""

    turn_chosen = pyqtSignal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.rulings: tuple[Ruling, ...] = ()
        self.players: tuple[str, ...] = ()
        self.mover: str | None = None
        self.selected = NOW
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Turns")
        self.setMouseTracking(True)
        theme.changed.connect(self._fit)

    def _fit(self) -> None:
        """PyQt forgets methods of ours with the widget, but would call Qt's own on one that is gone."""
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(400, self.theme.px(54))

    def show_turns(
        self, rulings: tuple[Ruling, ...], players: tuple[str, ...], mover: str | None, selected: int
    ) -> None:
        self.rulings, self.players, self.mover, self.selected = rulings, players, mover, selected
        self.update()

    def _boxes(self) -> list[QRectF]:
        count = len(self.rulings) + (self.mover is not None)
        gap = self.theme.px(GAP) if count < 40 else 2.0
        width = min(self.theme.px(WIDEST), (self.width() - gap) / max(count, 1) - gap)
        return [QRectF(gap + i * (width + gap), 2, width, self.height() - 4) for i in range(count)]

    def paintEvent(self, _: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, box in enumerate(self._boxes()):
            self._chip(painter, number, box)

    def _chip(self, painter: QPainter, number: int, box: QRectF) -> None:
        theme, px = self.theme, self.theme.px
        playing = number == len(self.rulings)
        selected = number == self.selected or (playing and self.selected == NOW)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("raised" if selected else "panel"))
        painter.drawRoundedRect(box, px(RADIUS) / 2, px(RADIUS) / 2)
        if selected:
            painter.fillRect(QRectF(box.left(), box.top(), box.width(), px(3)), theme.colour("accent"))
        player = None if number == 0 else self.mover if playing else self.rulings[number].player
        if player is not None:
            spot = QPointF(box.center().x(), box.top() + px(14))
            size = min(px(5), box.width() / 4)
            paint_shape(painter, player_shape(player, self.players), spot, size, theme.player(player, self.players))
        if box.width() >= px(17) or number % 5 == 0:
            painter.setPen(theme.colour("text" if selected else "dim"))
            painter.setFont(theme.font(SMALL, QFont.Weight.Bold if selected else QFont.Weight.Medium))
            words = QRectF(box.left() - 8, box.top() + px(20), box.width() + 16, px(16))
            painter.drawText(words, Qt.AlignmentFlag.AlignCenter, "set" if number == 0 else str(number))
        if not playing:
            self._bar(painter, self.rulings[number], box)

    def _bar(self, painter: QPainter, ruling: Ruling, box: QRectF) -> None:
        """A dot for each car, and a bar where the turn was not plainly legal."""
        px = self.theme.px
        overruled = any(event.kind == "overruled" for event in ruling.events)
        if ruling.verdict != "legal" or overruled:
            sign = SIGNS[ruling.verdict if not overruled else "too_close"]
            painter.fillRect(QRectF(box.left(), box.bottom() - px(4), box.width(), px(4)), QColor(sign.ground))
        painter.setBrush(self.theme.colour("text"))
        painter.setPen(Qt.PenStyle.NoPen)
        cars = min(ruling.placed, 4)
        for i in range(cars):
            spot = QPointF(box.center().x() + (i - (cars - 1) / 2) * px(7), box.bottom() - px(9))
            painter.drawEllipse(spot, px(2.2), px(2.2))

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is None:
            return
        for number, box in enumerate(self._boxes()):
            if box.contains(event.position()):
                self.turn_chosen.emit(NOW if number == len(self.rulings) else number)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is None:
            return
        for ruling, box in zip(self.rulings, self._boxes(), strict=False):
            if box.contains(event.position()):
                self.setToolTip(chip_words(ruling))
                return
        self.setToolTip("Turns: a dot for each car, a bar where a turn was not plainly legal")


def chip_words(ruling: Ruling) -> str:
    """What a chip says of a turn: who, how ruled, and its cars."""
    who = f"Turn {ruling.turn}: {ruling.player}" if ruling.player is not None else "The set-up"
    overruled = ", by the players' word" if any(event.kind == "overruled" for event in ruling.events) else ""
    cars = f", {ruling.placed} car{'s' if ruling.placed > 1 else ''}" if ruling.placed else ""
    return f"{who}, {SIGNS[ruling.verdict].word.lower()}{overruled}{cars}"
