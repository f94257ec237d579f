"""How pieces are drawn over a picture: quiet outlines, loud news, faults, what is asked, and words on crossings."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF

from calibration.camera import Camera
from gui.look_palette import SIGNS, SURFACES, player_shape
from gui.outlines import Badge, silhouettes
from gui.scene import Scene
from gui.theme import Theme
from gui.widgets.marks import paint_pill, spread
from gui.widgets.piece_marks import owner_mark, paint_mark
from vision.view import Floats


class OutlinePainter:
    """One painting of one scene over one camera's picture, which lies in the widget at a scale and an offset."""

    def __init__(
        self,
        painter: QPainter,
        theme: Theme,
        scene: Scene,
        camera: Camera | None,
        scale: float,
        offset: QPointF,
        grown: float,
        ratio: float = 1.0,
    ) -> None:
        """`ratio` is how fine the screen is: cosmetic pens count its own pixels."""
        self.ratio = ratio
        self.painter, self.theme, self.scene, self.camera = painter, theme, scene, camera
        self.scale, self.offset, self.grown = scale, offset, grown

    def paint(self, polygons: dict[str, QPolygonF], ghosts: list[QPolygonF], badges: tuple[Badge, ...]) -> None:
        """Quiet pieces first, then what is new or at fault, then words."""
        px = self.theme.px
        owners = {p.id: p.owner for p in self.scene.layout.pieces()}
        loud = [name for name in polygons if self._is_loud(name)]
        quiet: dict[str | None, list[QPolygonF]] = {}
        for name in polygons.keys() - set(loud):
            quiet.setdefault(owners.get(name), []).append(polygons[name])
        self.painter.save()
        self.painter.translate(self.offset)
        self.painter.scale(self.scale, self.scale)  # pens are cosmetic: as wide as they say, whatever the self.scale
        for owner, outlines in quiet.items():
            self._paint_quiet(self.theme.on_picture(owner, self.scene.players), outlines)
        for name in loud:
            owner = owners.get(name)
            ink = self.theme.on_picture(owner, self.scene.players) if owner else QColor(SURFACES["accent"].dark)
            self._paint_loud(name, polygons[name], ink)
        for ghost in ghosts:
            self.painter.setPen(_pen(QColor(SIGNS["illegal"].ground), px(2) * self.ratio, Qt.PenStyle.DashLine))
            self.painter.setBrush(Qt.BrushStyle.NoBrush)
            self.painter.drawPolygon(ghost)
        self.painter.restore()
        self._paint_shapes()
        self._paint_candidates()
        spots = spread([QPointF(b.x, b.y) * self.scale + self.offset for b in badges], QPointF(px(74), px(22)))
        for badge, spot in zip(badges, spots, strict=True):
            sign = SIGNS["legal" if badge.earns else "quiet"]
            paint_pill(self.painter, self.theme, spot, badge.text, QColor(sign.ground), QColor(sign.ink))

    def _paint_candidates(self) -> None:
        """What an asked column may be: each height dashed, with its number at the top."""
        if self.camera is None:
            return
        ground, ink = QColor(SIGNS["too_close"].ground), QColor(SIGNS["too_close"].ink)
        for column in self.scene.candidates:
            lone = replace(self.scene.layout, columns=(column,), roads=(), cars=(), buildings=(), areas=())
            outline = silhouettes(lone, self.camera, self.scene.kit)[column.id]
            self.painter.save()
            self.painter.translate(self.offset)
            self.painter.scale(self.scale, self.scale)
            self.painter.setPen(_pen(ground, self.theme.px(2) * self.ratio, Qt.PenStyle.DashLine))
            self.painter.setBrush(Qt.BrushStyle.NoBrush)
            self.painter.drawPolygon(polygon(outline))
            self.painter.restore()
            top = self.camera.project(np.array([[column.x, column.y, self.scene.kit.column_top_mm(column.height)]]))[0]
            spot = QPointF(float(top[0]), float(top[1])) * self.scale + self.offset
            away = QPointF(0.0, self.theme.px(22) * (-1 if column.height % 2 else 1))
            paint_pill(self.painter, self.theme, spot + away, f"{column.height}?", ground, ink)

    def _is_loud(self, name: str) -> bool:
        return name in self.scene.fresh or name in self.scene.faults or name in self.scene.doubts

    def _paint_quiet(self, colour: QColor, outlines: list[QPolygonF]) -> None:
        """All quiet pieces of one player with one pen."""
        faded = QColor(colour)
        faded.setAlphaF(0.6)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.setPen(_pen(faded, 1.0))  # any other width takes Qt ten times as long
        for outline in outlines:
            self.painter.drawPolygon(outline)

    def _paint_loud(self, name: str, polygon: QPolygonF, colour: QColor) -> None:
        scene, px = self.scene, self.theme.px
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        if name in scene.faults or name in scene.doubts:
            ring = QColor(SIGNS["illegal" if name in scene.faults else "too_close"].ground)
            self.painter.setBrush(_faint(ring))
            self.painter.setPen(_pen(ring, px(5) * self.ratio))
        else:
            self.painter.setBrush(_faint(colour, self.grown))
            self.painter.setPen(_pen(colour, px(3) * self.ratio * max(self.grown, 0.1)))
        self.painter.drawPolygon(polygon)

    def _paint_shapes(self) -> None:
        """The owner's shape on every column's top: never colour alone."""
        columns = [c for c in self.scene.layout.columns if c.owner is not None]
        if self.camera is None or not columns:
            return
        tops = np.array([(c.x, c.y, self.scene.kit.column_top_mm(c.height)) for c in columns])
        for column, (x, y) in zip(columns, self.camera.project(tops).tolist(), strict=True):
            radius = self.theme.px(5 if column.id in self.scene.fresh else 4)
            shape = player_shape(column.owner or "", self.scene.players)
            colour = self.theme.on_picture(column.owner, self.scene.players).rgb()
            spot = (x * self.scale + self.offset.x(), y * self.scale + self.offset.y())
            paint_mark(self.painter, owner_mark(shape, colour, radius, self.ratio), *spot, self.ratio)


def polygon(points: Floats) -> QPolygonF:
    """An outline in the picture's pixels: their centres have whole-number coordinates, Qt's lie half a pixel on."""
    return QPolygonF([QPointF(x, y) for x, y in (points + 0.5).tolist()])


def _pen(colour: QColor, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    pen = QPen(colour, width, style)
    pen.setCosmetic(True)
    return pen


def _faint(colour: QColor, grown: float = 1.0) -> QColor:
    fill = QColor(colour)
    fill.setAlphaF(0.28 * grown)
    return fill
