"""How the plan is drawn: the city below, then columns, roads and cars from the table up."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QPainter, QPen, QPolygonF, QTransform

from gui.look_palette import AREAS, SIGNS, player_shape
from gui.outlines import meeting_mm
from gui.scene import Scene
from gui.theme import SMALL, Theme
from gui.widgets.marks import paint_pill, paint_shape, spread
from gui.words import crossing_badge
from referee.geometry.plan import stick_corners
from referee.layout import Car, Column, Road
from referee.ruling import Crossing
from vision.solids import car_size_mm

Spots = Sequence[Sequence[float]]


class PlanPainter:
    """One painting of one scene."""

    def __init__(self, painter: QPainter, theme: Theme, scene: Scene, place: QTransform, picked: str) -> None:
        self.painter, self.theme, self.scene, self.picked = painter, theme, scene, picked
        self.place = place
        self._affine = (place.m11(), place.m12(), place.m21(), place.m22(), place.dx(), place.dy())
        self.px_per_mm = math.hypot(place.m11(), place.m12())

    def paint(self) -> None:
        self._city()
        layout, kit = self.scene.layout, self.scene.kit
        tips = np.array([(road.a, road.b) for road in layout.roads]).reshape(-1, 2, 3)
        self._sticks = dict(
            zip((r.id for r in layout.roads), stick_corners(tips, kit.road_width_mm).tolist(), strict=True)
        )
        lifted: list[tuple[float, int, Column | Road | Car]] = []
        lifted += [(kit.column_top_mm(c.height), 0, c) for c in layout.columns]
        lifted += [((r.a[2] + r.b[2]) / 2, 1, r) for r in layout.roads]
        lifted += [(c.z, 2, c) for c in layout.cars]
        for _, _, piece in sorted(lifted, key=lambda one: one[:2]):
            match piece:
                case Column():
                    self._column(piece)
                case Road():
                    self._road(piece)
                case Car():
                    self._car(piece)
        for column in self.scene.ghosts.columns:
            self.painter.setPen(QPen(QColor(SIGNS["illegal"].ground), self.theme.px(2), Qt.PenStyle.DashLine))
            self.painter.setBrush(Qt.BrushStyle.NoBrush)
            radius = kit.disc_radius_mm * self.px_per_mm
            self.painter.drawEllipse(self._at(column.x, column.y), radius, radius)
        self._tops()
        self._crossings()

    def _at(self, x: float, y: float) -> QPointF:
        return self.place.map(QPointF(x, y))

    def _polygon(self, corners: Spots) -> QPolygonF:
        a, b, c, d, dx, dy = self._affine
        return QPolygonF([QPointF(a * x + c * y + dx, b * x + d * y + dy) for x, y in corners])

    def _ring(self, name: str, colour: QColor, width: float) -> QPen:
        """The pen of a piece: loud for what is new or at fault, quiet else."""
        if name in self.scene.faults:
            return QPen(QColor(SIGNS["illegal"].ground), self.theme.px(4))
        if name in self.scene.doubts:
            return QPen(QColor(SIGNS["too_close"].ground), self.theme.px(4))
        if name == self.picked:
            return QPen(self.theme.colour("accent"), self.theme.px(4))
        if name in self.scene.fresh:
            return QPen(self.theme.colour("text"), self.theme.px(2.5))
        return QPen(colour, self.theme.px(width))

    def _city(self) -> None:
        for area in self.scene.layout.areas:
            ground = QColor(AREAS[area.kind])
            ground.setAlphaF(0.45)
            self.painter.setPen(Qt.PenStyle.NoPen)
            self.painter.setBrush(ground)
            self.painter.drawPolygon(self._polygon(area.outline))
        for player, rings in self.scene.enclosed.items():
            colour = self.theme.player(player, self.scene.players)
            shade = QColor(colour)
            shade.setAlphaF(0.22)
            self.painter.setPen(QPen(colour, 1, Qt.PenStyle.DotLine))
            self.painter.setBrush(shade)
            for ring in rings:
                self.painter.drawPolygon(self._polygon(ring))
        for building in self.scene.layout.buildings:
            tower = building.kind == "tower"
            self.painter.setPen(QPen(self.theme.colour("text" if tower else "dim"), self.theme.px(1.5)))
            self.painter.setBrush(self.theme.colour("line"))
            self.painter.drawPolygon(self._polygon(building.outline))
            xs, ys = zip(*building.outline, strict=True)
            self._word(self._at(sum(xs) / len(xs), sum(ys) / len(ys)), "T" if tower else building.kind[0].upper())

    def _word(self, spot: QPointF, text: str) -> None:
        self.painter.setPen(self.theme.colour("text"))
        self.painter.setFont(self.theme.font(SMALL, QFont.Weight.Bold))
        box = QRectF(spot.x() - 30, spot.y() - 12, 60, 24)
        self.painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _road(self, road: Road) -> None:
        colour = self.theme.player(road.owner, self.scene.players)
        wood = QColor(colour)
        # Higher roads are lighter, as they are to the eye of the overhead camera.
        lift = min((road.a[2] + road.b[2]) / 2 / 60.0, 1.0)
        ground = self.theme.colour("raised")
        share = 0.34 + 0.3 * lift
        wood.setRgbF(*(share * a + (1 - share) * b for a, b in zip(_rgb(colour), _rgb(ground), strict=True)))
        self.painter.setPen(self._ring(road.id, colour, 1))
        self.painter.setBrush(wood)
        self.painter.drawPolygon(self._polygon(self._sticks[road.id]))

    def _column(self, column: Column) -> None:
        colour = self.theme.player(column.owner, self.scene.players)
        self.painter.setPen(self._ring(column.id, colour, 2))
        self.painter.setBrush(self.theme.colour("yellow_disc" if column.junction else "grey_disc"))
        radius = self.scene.kit.disc_radius_mm * self.px_per_mm
        self.painter.drawEllipse(self._at(column.x, column.y), radius, radius)

    def _tops(self) -> None:
        """Heights, readable whatever lies over a column, with the owner's shape."""
        self.painter.setFont(self.theme.font(SMALL, QFont.Weight.Bold))
        radius = max(self.theme.px(9), min(self.scene.kit.disc_radius_mm * self.px_per_mm * 0.7, self.theme.px(14)))
        for column in self.scene.layout.columns:
            spot = self._at(column.x, column.y)
            colour = self.theme.player(column.owner, self.scene.players)
            if column.owner is not None:
                paint_shape(self.painter, player_shape(column.owner, self.scene.players), spot, radius, colour)
            else:
                paint_shape(self.painter, "circle", spot, radius, self.theme.colour("dim"))
            self.painter.setPen(self.theme.colour("window"))
            box = QRectF(spot.x() - radius * 2, spot.y() - radius, radius * 4, radius * 2)
            self.painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(column.height))
            if column.id in self.scene.tallest:
                flag = self.theme.pixmap("flag", self.theme.colour("text"), 18)
                self.painter.drawPixmap(QPointF(spot.x() + radius * 0.6, spot.y() - radius - self.theme.px(14)), flag)

    def _car(self, car: Car) -> None:
        length, width, _ = car_size_mm(car.type, self.scene.kit)
        cos, sin = math.cos(car.yaw), math.sin(car.yaw)
        corners = tuple(
            (car.x + u * length / 2 * cos - v * width / 2 * sin, car.y + u * length / 2 * sin + v * width / 2 * cos)
            for u, v in ((1, 1), (1, -1), (-1, -1), (-1, 1))
        )
        self.painter.setPen(self._ring(car.id, self.theme.colour("window"), 1))
        self.painter.setBrush(self.theme.player(car.owner, self.scene.players))
        self.painter.drawPolygon(self._polygon(corners))

    def _crossings(self) -> None:
        if self.scene.ruling is None or not self.scene.badged:
            return
        roads = {road.id: road for road in self.scene.layout.roads}
        found: list[tuple[QPointF, Crossing]] = []
        for crossing in self.scene.ruling.crossings:
            for name in self.scene.fresh & roads.keys():
                spot = meeting_mm(roads[name], roads[crossing.road]) if crossing.road in roads else None
                if spot is not None:
                    found.append((self._at(spot[0], spot[1]), crossing))
        places = spread([spot for spot, _ in found], QPointF(self.theme.px(74), self.theme.px(22)))
        for place, (_, crossing) in zip(places, found, strict=True):
            sign = SIGNS["legal" if crossing.earns else "quiet"]
            words = crossing_badge(crossing)
            paint_pill(self.painter, self.theme, place, words, QColor(sign.ground), QColor(sign.ink))


def _rgb(colour: QColor) -> tuple[float, float, float]:
    return colour.redF(), colour.greenF(), colour.blueF()
