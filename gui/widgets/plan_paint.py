"""How the plan is drawn: the city below, then columns, roads and cars from the table up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from PyQt6.QtCore import QLineF, QPointF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF, QTransform

from gui.look_palette import AREAS, SIGNS, player_shape
from gui.outlines import meeting_mm
from gui.scene import Scene
from gui.theme import SMALL, Theme
from gui.widgets.marks import paint_pill, spread
from gui.widgets.piece_marks import disc_mark, height_mark, paint_mark
from gui.words import crossing_badge
from referee.layout import Car, Column, Road
from referee.ruling import Crossing
from vision.solids import car_size_mm

Spots = Sequence[Sequence[float]]
BUILDINGS = {"building": "building", "tower": "radio-tower", "tree": "tree-pine", "aeroplane": "plane"}
"""The sign of each kind of building."""
SIGN_PX = 16


class PlanPainter:
    """One painting of one scene."""

    def __init__(
        self, painter: QPainter, theme: Theme, scene: Scene, place: QTransform, picked: str, ratio: float = 1.0
    ) -> None:
        """`ratio` is how fine the screen is."""
        self.painter, self.theme, self.scene, self.picked, self.ratio = painter, theme, scene, picked, ratio
        self._players: dict[str | None, QColor] = {}
        self._affine = (place.m11(), place.m12(), place.m21(), place.m22(), place.dx(), place.dy())
        self.px_per_mm = math.hypot(place.m11(), place.m12())

    def paint(self) -> None:
        self._city()
        layout, kit = self.scene.layout, self.scene.kit
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
            self.painter.drawEllipse(self.spot(column.x, column.y), radius, radius)
        self._tops()
        self._crossings()

    def _px(self, x: float, y: float) -> tuple[float, float]:
        a, b, c, d, dx, dy = self._affine
        return a * x + c * y + dx, b * x + d * y + dy

    def spot(self, x: float, y: float) -> QPointF:
        """Where a spot of the table, in mm, lies in the widget."""
        return QPointF(*self._px(x, y))

    def _polygon(self, corners: Spots) -> QPolygonF:
        return QPolygonF([self.spot(x, y) for x, y in corners])

    def _player(self, player: str | None) -> QColor:
        if player not in self._players:
            self._players[player] = self.theme.player(player, self.scene.players)
        return self._players[player]

    def _ring(self, name: str, colour: QColor, width: float) -> tuple[QColor, int]:
        """Colour and width of a piece's rim: loud for what is new or at fault, quiet else."""
        if name in self.scene.faults:
            return QColor(SIGNS["illegal"].ground), self.theme.px(4)
        if name in self.scene.doubts:
            return QColor(SIGNS["too_close"].ground), self.theme.px(4)
        if name == self.picked:
            return self.theme.colour("accent"), self.theme.px(4)
        if name in self.scene.fresh:
            return self.theme.colour("text"), self.theme.px(2.5)
        return colour, self.theme.px(width)

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
            spot = self._px(sum(xs) / len(xs), sum(ys) / len(ys))
            sign = self.theme.pixmap(BUILDINGS[building.kind], self.theme.colour("text"), SIGN_PX)
            paint_mark(self.painter, sign, *spot, sign.devicePixelRatio())

    def _road(self, road: Road) -> None:
        colour = self._player(road.owner)
        # Higher roads are lighter, as they are to the eye of the overhead camera.
        share = round(0.34 + 0.3 * min((road.a[2] + road.b[2]) / 2 / 60.0, 1.0), 2)
        wood = _mixed(colour.rgb(), self.theme.colour("raised").rgb(), share)
        width = self.scene.kit.road_width_mm
        self._bar(*self._px(*road.a[:2]), *self._px(*road.b[:2]), width, wood, self._ring(road.id, colour, 1))

    def _car(self, car: Car) -> None:
        length, width, _ = car_size_mm(car.type, self.scene.kit)
        x, y = length / 2 * math.cos(car.yaw), length / 2 * math.sin(car.yaw)
        ends = (*self._px(car.x - x, car.y - y), *self._px(car.x + x, car.y + y))
        self._bar(*ends, width, self._player(car.owner), self._ring(car.id, self.theme.colour("window"), 1))

    def _bar(
        self, x: float, y: float, to_x: float, to_y: float, width_mm: float, ink: QColor, ring: tuple[QColor, int]
    ) -> None:
        """A long thing and its rim as two broad lines: Qt takes several times as long for outlines with a rim."""
        rim, rim_px = ring
        width = width_mm * self.px_per_mm
        share = rim_px / 2 / max(math.hypot(to_x - x, to_y - y), 1e-6)
        u, v = (to_x - x) * share, (to_y - y) * share
        self.painter.setPen(_broad(rim.rgb(), width + rim_px))
        self.painter.drawLine(QLineF(x - u, y - v, to_x + u, to_y + v))
        self.painter.setPen(_broad(ink.rgb(), max(width - rim_px, 0.1)))
        self.painter.drawLine(QLineF(x + u, y + v, to_x - u, to_y - v))

    def _column(self, column: Column) -> None:
        rim, rim_px = self._ring(column.id, self._player(column.owner), 2)
        top = self.theme.colour("yellow_disc" if column.junction else "grey_disc")
        radius = self.scene.kit.disc_radius_mm * self.px_per_mm
        mark = disc_mark(top.rgb(), rim.rgb(), rim_px, radius, self.ratio)
        paint_mark(self.painter, mark, *self._px(column.x, column.y), self.ratio)

    def _tops(self) -> None:
        """Heights, readable whatever lies over a column, with the owner's shape."""
        radius = max(self.theme.px(9), min(self.scene.kit.disc_radius_mm * self.px_per_mm * 0.7, self.theme.px(14)))
        ink, text_px = self.theme.colour("window").rgb(), self.theme.px(SMALL)
        for column in self.scene.layout.columns:
            shape = player_shape(column.owner, self.scene.players) if column.owner is not None else "circle"
            colour = self._player(column.owner).rgb()
            rim = self.theme.colour("yellow_disc" if column.junction else "panel").rgb()
            x, y = self._px(column.x, column.y)
            mark = height_mark(shape, colour, rim, ink, column.height, radius, text_px, self.ratio)
            paint_mark(self.painter, mark, x, y, self.ratio)
            if column.id in self.scene.tallest:
                flag = self.theme.pixmap("flag", self.theme.colour("text"), 18)
                self.painter.drawPixmap(QPointF(x + radius * 0.6, y - radius - self.theme.px(14)), flag)

    def _crossings(self) -> None:
        if self.scene.ruling is None or not self.scene.badged:
            return
        roads = {road.id: road for road in self.scene.layout.roads}
        found: list[tuple[QPointF, Crossing]] = []
        for crossing in self.scene.ruling.crossings:
            for name in self.scene.fresh & roads.keys():
                spot = meeting_mm(roads[name], roads[crossing.road]) if crossing.road in roads else None
                if spot is not None:
                    found.append((self.spot(spot[0], spot[1]), crossing))
        places = spread([spot for spot, _ in found], QPointF(self.theme.px(74), self.theme.px(22)))
        for place, (_, crossing) in zip(places, found, strict=True):
            sign = SIGNS["legal" if crossing.earns else "quiet"]
            words = crossing_badge(crossing)
            paint_pill(self.painter, self.theme, place, words, QColor(sign.ground), QColor(sign.ink))


@lru_cache(maxsize=256)
def _broad(colour: int, width: float) -> QPen:
    """A pen for long things, made once: a crowded plan asks hundreds of times."""
    return QPen(QColor(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)


@lru_cache(maxsize=256)
def _mixed(colour: int, ground: int, share: float) -> QColor:
    """So much of a colour on a ground."""
    over, under = QColor(colour), QColor(ground)
    return QColor.fromRgbF(
        share * over.redF() + (1 - share) * under.redF(),
        share * over.greenF() + (1 - share) * under.greenF(),
        share * over.blueF() + (1 - share) * under.blueF(),
    )
