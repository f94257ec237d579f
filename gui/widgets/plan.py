"""The plan: the table from straight above, to scale, with heights; turned as the overhead camera sees it."""

from __future__ import annotations

import math

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent, QPainter, QPaintEvent, QTransform
from PyQt6.QtWidgets import QSizePolicy, QWidget

from calibration.camera import Camera
from gui.reseat import Grip
from gui.scene import Scene
from gui.theme import RADIUS, STEP, Theme
from gui.widgets.city_paint import CORNER_PX, CityPainter
from gui.widgets.plan_grasp import grasped, grasped_part
from gui.widgets.plan_paint import PlanPainter

FIT_MARGIN_MM, CITY_MARGIN_MM = 22.0, 45.0
LEAST_MM, CITY_LEAST_MM = 240.0, 480.0
"""While a city is put down there is room for all of it, and to take parts further out."""
NEAR_PX = 22


class PlanView(QWidget):
    """Draws a scene to scale; with `editable` on, pieces can be picked up and dragged, and spots clicked."""

    piece_dragged = pyqtSignal(str, str, float, float)
    """Its name, where it is held, and how far it went since the last time, in mm."""
    piece_picked = pyqtSignal(str)
    spot_clicked = pyqtSignal(float, float)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme, self.scene = theme, Scene()
        self.editable, self.picked = False, ""
        self.holds_city = False
        """Whether parts of the city are picked up, and no pieces."""
        self._turn = QTransform(1, 0, 0, -1, 0, 0)
        self._held: tuple[str, Grip, float, float] | None = None
        self._held_at: QTransform | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(200, 160)
        self.setAccessibleName("Plan of the table, to scale")
        theme.changed.connect(self.update)

    def show_scene(self, scene: Scene) -> None:
        if scene != self.scene:
            self.scene = scene
            self.update()

    def turn_as(self, camera: Camera | None) -> None:
        """Turn the plan as a camera that looks down sees the table."""
        turn = QTransform(1, 0, 0, -1, 0, 0)
        if camera is not None:
            u, _, v = np.linalg.svd(np.array(camera.R)[:2, :2])
            m = u @ v
            turn = QTransform(m[0, 0], m[1, 0], m[0, 1], m[1, 1], 0, 0)
        if turn != self._turn:
            self._turn = turn
            self.update()

    @property
    def pixels_from_table(self) -> QTransform:
        """Where a spot of the table lies in the widget; nothing slips away while a piece is held."""
        if self._held_at is not None:
            return self._held_at
        turn = np.array([(self._turn.m11(), self._turn.m12()), (self._turn.m21(), self._turn.m22())])
        turned = np.array(self._spots() or [(0.0, 0.0)]) @ turn
        (left, top), (right, bottom) = turned.min(0).tolist(), turned.max(0).tolist()
        margin_mm, least_mm = (CITY_MARGIN_MM, CITY_LEAST_MM) if self.holds_city else (FIT_MARGIN_MM, LEAST_MM)
        box = QRectF(left, top, right - left, bottom - top).adjusted(-margin_mm, -margin_mm, margin_mm, margin_mm)
        width, height = max(box.width(), least_mm), max(box.height(), least_mm * 0.6)
        scale = min(self.width() / width, self.height() / height)
        placed = QTransform()
        placed.translate(self.width() / 2 - box.center().x() * scale, self.height() / 2 - box.center().y() * scale)
        placed.scale(scale, scale)
        return self._turn * placed

    def _spots(self) -> list[tuple[float, float]]:
        layout = self.scene.layout
        spots = [(c.x, c.y) for c in layout.columns]
        spots += [tip[:2] for road in layout.roads for tip in (road.a, road.b)]
        spots += [corner for piece in layout.city() for corner in piece.outline]
        return spots

    def paintEvent(self, _: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        place = self.pixels_from_table
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.colour("panel"))
        painter.drawRoundedRect(QRectF(self.rect()), self.theme.px(RADIUS), self.theme.px(RADIUS))
        plan = PlanPainter(painter, self.theme, self.scene, place, self.picked, self.devicePixelRatioF())
        plan.paint()
        if self.holds_city:
            CityPainter(plan).paint()
        self._paint_scale(painter, math.hypot(place.m11(), place.m12()))

    def _paint_scale(self, painter: QPainter, px_per_mm: float) -> None:
        """A bar of 100 mm: this is a drawing to scale."""
        length, margin = 100 * px_per_mm, self.theme.px(STEP)
        bottom, right = self.height() - margin, self.width() - margin
        painter.setPen(self.theme.colour("dim"))
        painter.setFont(self.theme.font(12))
        painter.drawLine(QPointF(right - length, bottom), QPointF(right, bottom))
        for x in (right - length, right):
            painter.drawLine(QPointF(x, bottom - margin / 2), QPointF(x, bottom))
        box = QRectF(right - length, bottom - self.theme.px(24), length, self.theme.px(18))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "100 mm")

    def grasp(self, spot: QPointF) -> tuple[str, Grip] | None:
        """The piece under a spot of the widget, and where it is held."""
        place = self.pixels_from_table
        px_per_mm = math.hypot(place.m11(), place.m12())
        if self.holds_city:
            near_mm = self.theme.px(CORNER_PX) / px_per_mm
            return grasped_part(self.scene.layout, self.table_at(spot), near_mm, self.picked)
        return grasped(self.scene, self.table_at(spot), self.theme.px(NEAR_PX) / px_per_mm)

    def table_at(self, spot: QPointF) -> tuple[float, float]:
        """The spot of the table, in mm, under a spot of the widget."""
        inverse, _ = self.pixels_from_table.inverted()
        point = inverse.map(spot)
        return point.x(), point.y()

    def table_way(self, across: float, down: float) -> tuple[float, float]:
        """A way over the plan as it is shown, in mm, as a way over the table."""
        inverse, _ = self._turn.inverted()
        way = inverse.map(QPointF(across, down))
        return way.x(), way.y()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is None or not self.editable:
            return
        grasped = self.grasp(event.position())
        if grasped is not None:
            self._held = (*grasped, *self.table_at(event.position()))
            self._held_at = self.pixels_from_table
            self.picked = grasped[0]
            self.piece_picked.emit(self.picked)
        else:
            self.spot_clicked.emit(*self.table_at(event.position()))
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and self._held is not None:
            name, grip, was_x, was_y = self._held
            x, y = self.table_at(event.position())
            self._held = (name, grip, x, y)
            self.piece_dragged.emit(name, grip, x - was_x, y - was_y)

    def mouseReleaseEvent(self, _: QMouseEvent | None) -> None:
        self._held = self._held_at = None
        self.update()
