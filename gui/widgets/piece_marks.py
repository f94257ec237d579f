"""The marks of columns on plan and picture: each kind is drawn once, then copied, which takes a tenth of the time."""

from __future__ import annotations

import math
from functools import lru_cache

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QPainter, QPen, QPixmap

from gui.look_palette import Shape
from gui.theme import FAMILY
from gui.widgets.marks import paint_shape

ROOM = 1.3
"""No shape reaches further from its middle than so many radii."""
RIM_PX = 1.5
SHADE = 1.5
"""How much larger than a shape the dark one under it is."""


@lru_cache(maxsize=256)
def disc_mark(colour: int, rim: int, rim_px: int, radius: float, ratio: float) -> QPixmap:
    """A disc with its rim; `ratio` is how fine the screen is."""
    mark, middle = _empty(radius + rim_px / 2, ratio)
    painter = QPainter(mark)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(rim), rim_px))
    painter.setBrush(QColor(colour))
    painter.drawEllipse(QPointF(middle, middle), radius, radius)
    painter.end()
    return mark


@lru_cache(maxsize=512)
def height_mark(
    shape: Shape, colour: int, rim: int, ink: int, height: int, radius: float, text_px: int, ratio: float
) -> QPixmap:
    """A player's shape with a height on it; its rim parts it from a disc that is smaller than it."""
    mark, middle = _empty((radius + RIM_PX) * ROOM, ratio)
    painter = QPainter(mark)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_shape(painter, shape, QPointF(middle, middle), radius + RIM_PX, QColor(rim))
    paint_shape(painter, shape, QPointF(middle, middle), radius, QColor(colour))
    font = QFont(FAMILY, weight=QFont.Weight.Bold)
    font.setPixelSize(text_px)
    painter.setPen(QColor(ink))
    painter.setFont(font)
    painter.drawText(QRectF(0, 0, 2 * middle, 2 * middle), Qt.AlignmentFlag.AlignCenter, str(height))
    painter.end()
    return mark


@lru_cache(maxsize=64)
def owner_mark(shape: Shape, colour: int, radius: float, ratio: float) -> QPixmap:
    """A player's shape for pictures, on a dark one that parts it from what it lies on."""
    mark, middle = _empty(radius * SHADE * ROOM, ratio)
    painter = QPainter(mark)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_shape(painter, shape, QPointF(middle, middle), radius * SHADE, QColor(0, 0, 0, 150))
    paint_shape(painter, shape, QPointF(middle, middle), radius, QColor(colour))
    painter.end()
    return mark


def paint_mark(painter: QPainter, mark: QPixmap, x: float, y: float, ratio: float) -> None:
    """A mark with its middle at a spot."""
    half = mark.width() / 2 / ratio
    painter.drawPixmap(QPointF(x - half, y - half), mark)


def _empty(reach: float, ratio: float) -> tuple[QPixmap, float]:
    """A clear square that holds a mark of a reach, and where its middle is."""
    side = 2 * math.ceil(reach * ratio)
    mark = QPixmap(side, side)
    mark.setDevicePixelRatio(ratio)
    mark.fill(Qt.GlobalColor.transparent)
    return mark, side / 2 / ratio
