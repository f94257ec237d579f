"""Small marks drawn the same everywhere: a player's shape, a word in a pill."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QIcon, QPainter, QPaintEvent, QPixmap, QPolygonF
from PyQt6.QtWidgets import QWidget

from gui.look_palette import Shape, player_shape, shape_corners
from gui.theme import SMALL, Theme


def paint_shape(painter: QPainter, shape: Shape, centre: QPointF, radius: float, colour: QColor) -> None:
    """A player's shape, filled; pen and brush are left changed."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    corners = shape_corners(shape)
    if corners:
        painter.drawPolygon(QPolygonF([centre + QPointF(x * radius, y * radius) for x, y in corners]))
    else:
        painter.drawEllipse(centre, radius, radius)


def player_icon(theme: Theme, player: str, players: Sequence[str], size: int) -> QIcon:
    """A player's shape for a button, on a ground that keeps it apart from the button's own colour."""
    ratio = theme.ratio
    side = theme.px(size) * ratio
    drawn = QPixmap(round(side), round(side))
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle, shape = QPointF(side / 2, side / 2), player_shape(player, players)
    paint_shape(painter, shape, middle, side * 0.42, theme.colour("panel"))
    paint_shape(painter, shape, middle, side * 0.34, theme.player(player, players))
    painter.end()
    drawn.setDevicePixelRatio(ratio)
    return QIcon(drawn)


def paint_pill(
    painter: QPainter, theme: Theme, at: QPointF, text: str, ground: QColor, ink: QColor, centred: bool = True
) -> QRectF:
    """A word on a rounded ground, centred on a point or beginning there; where it was drawn."""
    font = theme.font(SMALL, QFont.Weight.Bold)
    metrics = QFontMetricsF(font)
    width, height = metrics.horizontalAdvance(text) + theme.px(12), metrics.height() + theme.px(4)
    box = (
        QRectF(at.x() - width / 2, at.y() - height / 2, width, height) if centred else QRectF(at, QSizeF(width, height))
    )
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(box, height / 2, height / 2)
    painter.setPen(ink)
    painter.setFont(font)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.restore()
    return box


def spread(spots: Sequence[QPointF], apart: QPointF) -> list[QPointF]:
    """The spots, moved down where words on them would cover each other; `apart` is the size of a word."""
    placed: list[QPointF] = []
    for spot in sorted(spots, key=lambda one: one.y()):
        free = spot
        while any(abs(p.x() - free.x()) < apart.x() and abs(p.y() - free.y()) < apart.y() for p in placed):
            free = QPointF(free.x(), free.y() + apart.y() / 2)
        placed.append(free)
    order = sorted(range(len(spots)), key=lambda i: spots[i].y())
    return [placed[order.index(i)] for i in range(len(spots))]


class PlayerMark(QWidget):
    """A player's shape in their colour."""

    def __init__(self, theme: Theme, size: int = 20) -> None:
        super().__init__()
        self.theme, self.size_px = theme, size
        self.player: str | None = None
        self.players: Sequence[str] = ()
        self.setFixedSize(self.sizeHint())

    def show_player(self, player: str | None, players: Sequence[str]) -> None:
        self.player, self.players = player, players
        self.setFixedSize(self.sizeHint())
        self.setToolTip(player or "")
        self.update()

    def sizeHint(self) -> QSize:
        side = self.theme.px(self.size_px)
        return QSize(side, side)

    def paintEvent(self, _: QPaintEvent | None) -> None:
        if self.player is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        centre, radius = QPointF(self.width() / 2, self.height() / 2), self.width() * 0.4
        colour = self.theme.player(self.player, self.players)
        paint_shape(painter, player_shape(self.player, self.players), centre, radius, colour)
