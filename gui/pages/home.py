"""The home page: what one can do, and the session that was cut off."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PyQt6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from gui.pages.resume import ResumeBar
from gui.theme import LARGE, RADIUS, STEP, Theme
from gui.widgets.parts import label, stack


@dataclass(frozen=True, slots=True)
class Door:
    """A way on from the home page."""

    name: str
    icon: str
    title: str
    text: str


DOORS = (
    Door("sample", "play", "Play the sample game", "A filmed game of 28 turns: watch the referee at work."),
    Door("new", "plus", "New game", "Edition, players, house rules, cameras."),
    Door("calibrate", "ruler", "Calibrate", "Print, lenses, table, kit: from pixels to millimetres."),
    Door("sessions", "library", "Sessions", "Games that were recorded: replay, export, judge again."),
)


class Tile(QPushButton):
    """A large door: icon, title, a line."""

    def __init__(self, theme: Theme, door: Door) -> None:
        super().__init__()
        self.theme, self.door = theme, door
        self._icon, self._title = QLabel(), label(door.title, "large")
        self._text = label(door.text, "dim", wrap=True)
        for part in (self._icon, self._title, self._text):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setLayout(stack(self._icon, STEP, self._title, self._text, None, margin=3 * STEP))
        self.setAccessibleName(door.title)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self._draw)
        self._draw()

    def _draw(self) -> None:
        self._icon.setPixmap(self.theme.pixmap(self.door.icon, self.theme.colour("accent"), 36))
        self.setMinimumSize(self.theme.px(220), self.theme.px(168))


class Road(QWidget):
    """The head of the page: asphalt, lane paint and the name, as one drives up to it."""

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


class HomePage(QWidget):
    """Where everything begins."""

    chosen = pyqtSignal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        grid = QGridLayout()
        grid.setSpacing(2 * STEP)
        self.tiles = {door.name: Tile(theme, door) for door in DOORS}
        for column, (name, tile) in enumerate(self.tiles.items()):
            tile.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
            grid.addWidget(tile, 0, column)
            grid.setColumnStretch(column, 1)
        self.resume = ResumeBar(theme)
        foot = label("F11 big screen   \u00b7   L light or dark   \u00b7   ? all keys", "small")
        foot.setAlignment(Qt.AlignmentFlag.AlignCenter)
        body = stack(Road(theme), self.resume, grid, foot, space=3 * STEP, margin=4 * STEP)
        body.setStretch(0, 3)
        body.setStretch(2, 2)
        self.setLayout(body)
        self.tiles["sample"].setFocus()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Arrows go from door to door, Enter opens one."""
        if event is None:
            return
        tiles = list(self.tiles.values())
        here = next((i for i, tile in enumerate(tiles) if tile.hasFocus()), 0)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            tiles[here].click()
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            way = 1 if event.key() == Qt.Key.Key_Right else -1
            tiles[(here + way) % len(tiles)].setFocus()
        else:
            super().keyPressEvent(event)
