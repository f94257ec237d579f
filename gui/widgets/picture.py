"""A camera's picture, the hero of the match view: pieces outlined in their owners' colours, the new ones loudest."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from PyQt6.QtCore import QPointF, QRectF, Qt, QVariantAnimation
from PyQt6.QtGui import QColor, QFont, QImage, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QSizePolicy, QWidget

from calibration.camera import Camera
from gui.feed import Picture
from gui.look_palette import SIGNS, player_shape
from gui.outlines import Badge, badges, silhouettes
from gui.scene import Scene
from gui.theme import BODY, RADIUS, STEP, Theme
from gui.widgets.marks import paint_pill, paint_shape, spread
from vision.view import Floats

DRAW_MS = 180
LEAST_FOCUS = 0.55
"""The view never comes closer than this share of the picture."""


class PictureView(QWidget):
    """Shows the newest picture of one camera and draws what stands in it."""

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__()
        self.theme, self.title = theme, title
        self.camera: Camera | None = None
        self.scene = Scene()
        self.outlined, self.veil, self.empty = True, "", "No picture yet"
        self._image: QImage | None = None
        self._pixels: bytes | None = None
        self._outlines: dict[str, Floats] = {}
        self._ghosts: dict[str, Floats] = {}
        self._badges: tuple[Badge, ...] = ()
        self._focus: QRectF | None = None
        self._grown = QVariantAnimation(self)
        self._grown.setDuration(DRAW_MS)
        self._grown.setStartValue(0.0)
        self._grown.setEndValue(1.0)
        self._grown.valueChanged.connect(self.update)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 90)
        self.setAccessibleName(title)
        theme.changed.connect(self.update)

    def show_picture(self, picture: Picture | None) -> None:
        if picture is None:
            self._image = None
        else:
            height, width = picture.shape[:2]
            self._pixels = picture.tobytes()  # kept beside the image, which only points at it
            self._image = QImage(self._pixels, width, height, 3 * width, QImage.Format.Format_BGR888)
        self.update()

    def show_scene(self, scene: Scene, camera: Camera | None) -> None:
        """Outline these pieces; what is new is drawn once."""
        news = scene.fresh - self.scene.fresh
        self.scene, self.camera = scene, camera
        if camera is None:
            self._outlines, self._ghosts, self._badges = {}, {}, ()
        else:
            self._outlines = silhouettes(scene.layout, camera, scene.kit)
            self._ghosts = silhouettes(scene.ghosts, camera, scene.kit)
            self._badges = badges(scene.layout, scene.ruling, scene.fresh, camera) if scene.ruling else ()
            self._focus = self._new_focus(camera)
        if news and self.isVisible():
            self._grown.start()
        self.update()

    @property
    def image(self) -> QImage | None:
        """The picture as it came."""
        return self._image

    def outline_of(self, piece_id: str) -> Floats | None:
        return self._outlines.get(piece_id)

    def show_veil(self, words: str) -> None:
        """Words over a darkened picture: it is frozen, or there is none."""
        if words != self.veil:
            self.veil = words
            self.update()

    def _new_focus(self, camera: Camera) -> QRectF:
        whole = QRectF(0, 0, camera.width, camera.height)
        if not self._outlines:
            return self._focus or whole
        points = np.concatenate(list(self._outlines.values()))
        (left, top), (right, bottom) = points.min(0), points.max(0)
        box = QRectF(left, top, right - left, bottom - top)
        margin = 0.12 * max(box.width(), box.height())
        box = box.adjusted(-margin, -margin, margin, margin)
        width, height = max(box.width(), LEAST_FOCUS * whole.width()), max(box.height(), LEAST_FOCUS * whole.height())
        grown = QRectF(box.center().x() - width / 2, box.center().y() - height / 2, width, height)
        return grown if self._focus is None or self._focus == whole else self._focus.united(grown)

    def _placed(self, image: QImage) -> tuple[float, QPointF]:
        """Scale and offset: the focus fills the widget where the picture reaches, else the picture is fitted."""
        focus = self._focus or QRectF(image.rect())
        scale = min(self.width() / focus.width(), self.height() / focus.height())
        scale = max(scale, min(self.width() / image.width(), self.height() / image.height()))
        offset = []
        for size, middle, length in (
            (self.width(), focus.center().x(), image.width()),
            (self.height(), focus.center().y(), image.height()),
        ):
            if length * scale <= size:
                offset.append((size - length * scale) / 2)
            else:
                offset.append(min(0.0, max(size - length * scale, size / 2 - middle * scale)))
        return scale, QPointF(*offset)

    def paintEvent(self, _: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        clip = QPainterPath()
        clip.addRoundedRect(QRectF(self.rect()), self.theme.px(RADIUS), self.theme.px(RADIUS))
        painter.setClipPath(clip)
        painter.fillRect(self.rect(), self.theme.colour("panel"))
        if self._image is None:
            painter.setPen(self.theme.colour("dim"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.empty)
            return
        scale, offset = self._placed(self._image)
        target = QRectF(offset.x(), offset.y(), self._image.width() * scale, self._image.height() * scale)
        painter.drawImage(target, self._image)
        if self.outlined and not self.veil:
            self._paint_pieces(painter, scale, offset)
        if self.veil:
            self._paint_veil(painter)
        label = QPointF(self.theme.px(STEP) + self.theme.px(40), self.height() - self.theme.px(STEP * 2))
        paint_pill(painter, self.theme, label, self.title, QColor(0, 0, 0, 150), QColor("white"))

    def _paint_veil(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), QColor(10, 12, 14, 110))
        painter.setFont(self.theme.font(BODY, QFont.Weight.Bold))
        centre = QPointF(self.width() / 2, self.theme.px(STEP * 3))
        paint_pill(painter, self.theme, centre, self.veil, QColor(0, 0, 0, 190), QColor("white"))

    def _paint_pieces(self, painter: QPainter, scale: float, offset: QPointF) -> None:
        px = self.theme.px
        owners = {p.id: p.owner for p in self.scene.layout.pieces()}
        loud = [name for name in self._outlines if self._is_loud(name)]
        for name in (*(n for n in self._outlines if n not in loud), *loud):
            polygon = _polygon(self._outlines[name], scale, offset)
            colour = self.theme.player(owners.get(name), self.scene.players)
            self._paint_piece(painter, name, polygon, colour)
        for points in self._ghosts.values():
            painter.setPen(QPen(QColor(SIGNS["illegal"].ground), self.theme.px(2), Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolygon(_polygon(points, scale, offset))
        self._paint_shapes(painter, scale, offset)
        self._paint_candidates(painter, scale, offset)
        spots = spread([QPointF(b.x, b.y) * scale + offset for b in self._badges], QPointF(px(74), px(22)))
        for badge, spot in zip(self._badges, spots, strict=True):
            sign = SIGNS["legal" if badge.earns else "quiet"]
            paint_pill(painter, self.theme, spot, badge.text, QColor(sign.ground), QColor(sign.ink))

    def _paint_candidates(self, painter: QPainter, scale: float, offset: QPointF) -> None:
        """What an asked column may be: each height dashed, with its number at the top."""
        if self.camera is None:
            return
        ground, ink = QColor(SIGNS["too_close"].ground), QColor(SIGNS["too_close"].ink)
        for column in self.scene.candidates:
            lone = replace(self.scene.layout, columns=(column,), roads=(), cars=(), buildings=(), areas=())
            outline = silhouettes(lone, self.camera, self.scene.kit)[column.id]
            painter.setPen(QPen(ground, self.theme.px(2), Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolygon(_polygon(outline, scale, offset))
            top = self.camera.project(np.array([[column.x, column.y, self.scene.kit.column_top_mm(column.height)]]))[0]
            spot = QPointF(float(top[0]), float(top[1])) * scale + offset
            away = QPointF(0.0, self.theme.px(22) * (-1 if column.height % 2 else 1))
            paint_pill(painter, self.theme, spot + away, f"{column.height}?", ground, ink)

    def _is_loud(self, name: str) -> bool:
        return name in self.scene.fresh or name in self.scene.faults or name in self.scene.doubts

    def _paint_piece(self, painter: QPainter, name: str, polygon: QPolygonF, colour: QColor) -> None:
        scene, px = self.scene, self.theme.px
        grown = self._grown.currentValue() if self._grown.state() == QVariantAnimation.State.Running else 1.0
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if name in scene.faults or name in scene.doubts:
            sign = SIGNS["illegal" if name in scene.faults else "too_close"]
            painter.setPen(QPen(QColor(sign.ground), px(7)))
            painter.drawPolygon(polygon)
        if name in scene.fresh:
            fill = QColor(colour)
            fill.setAlphaF(0.28 * float(grown))
            painter.setBrush(fill)
            painter.setPen(QPen(colour, px(3) * max(float(grown), 0.1)))
        else:
            quiet = QColor(colour)
            quiet.setAlphaF(0.6)
            painter.setPen(QPen(quiet, 1.2 * self.theme.scale))
        painter.drawPolygon(polygon)

    def _paint_shapes(self, painter: QPainter, scale: float, offset: QPointF) -> None:
        """The owner's shape on every column's top: never colour alone."""
        for column in self.scene.layout.columns:
            points = self._outlines.get(column.id)
            if points is None or column.owner is None or self.camera is None:
                continue
            top = np.array([[column.x, column.y, self.scene.kit.column_top_mm(column.height)]])
            x, y = self.camera.project(top)[0]
            spot = QPointF(float(x), float(y)) * scale + offset
            radius = self.theme.px(5 if column.id in self.scene.fresh else 4)
            shape = player_shape(column.owner, self.scene.players)
            paint_shape(painter, shape, spot, radius * 1.5, QColor(0, 0, 0, 150))
            paint_shape(painter, shape, spot, radius, self.theme.player(column.owner, self.scene.players))


def _polygon(points: Floats, scale: float, offset: QPointF) -> QPolygonF:
    # Pixel centres have whole-number coordinates; Qt's lie half a pixel further.
    return QPolygonF([QPointF((x + 0.5) * scale, (y + 0.5) * scale) + offset for x, y in points])
