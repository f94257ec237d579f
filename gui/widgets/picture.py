"""A camera's picture, the hero of the match view: pieces outlined in their owners' colours, the new ones loudest."""

from __future__ import annotations

import math

import cv2
import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt, QVariantAnimation
from PyQt6.QtGui import QColor, QFont, QImage, QPainter, QPainterPath, QPaintEvent, QPixmap, QPolygonF, QRegion
from PyQt6.QtWidgets import QFrame, QSizePolicy, QWidget

from calibration.camera import Camera
from gui.feed import Picture
from gui.outlines import Badge, badges, evidence_box, silhouettes
from gui.scene import Scene
from gui.theme import BODY, RADIUS, STEP, Theme
from gui.widgets.marks import paint_pill
from gui.widgets.picture_paint import OutlinePainter, polygon
from vision.view import Floats

DRAW_MS = 180
COARSE = 0.6
"""Pictures that become smaller than this are averaged, so that thin things do not flicker."""
LEAST_FOCUS = 0.55
"""The view never comes closer than this share of the picture."""


class PictureView(QWidget):
    """Shows the newest picture of one camera and draws what stands in it."""

    def __init__(self, theme: Theme, title: str, ground: str = "window") -> None:
        """`ground` is the surface that it lies on."""
        super().__init__()
        self.theme, self.title, self.ground = theme, title, ground
        self.camera: Camera | None = None
        self.scene = Scene()
        self.outlined, self.veil, self.doubt, self.empty = True, "", "", "No picture yet"
        self._picture: Picture | None = None
        self._fitted: tuple[QImage, QPointF] | None = None
        self._fitted_key: object = None
        self._outlines: dict[str, Floats] = {}
        self._polygons: dict[str, QPolygonF] = {}
        self._ghosts: list[QPolygonF] = []
        self._badges: tuple[Badge, ...] = ()
        self._focus: QRectF | None = None
        self._layer: QPixmap | None = None
        self._layer_key: object = None
        self._grown = QVariantAnimation(self)
        self._grown.setDuration(DRAW_MS)
        self._grown.setStartValue(0.0)
        self._grown.setEndValue(1.0)
        self._grown.valueChanged.connect(self.update)
        self._grown.finished.connect(self.draw_anew)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 90)
        self.setAccessibleName(title)
        theme.changed.connect(self.update)

    def show_picture(self, picture: Picture | None) -> None:
        if picture is self._picture:
            return
        if picture is None or self._picture is None:
            self.update()
        else:
            self.update(self._open_region())
        self._picture, self._fitted = picture, None

    def _open_region(self) -> QRegion:
        """Where the picture shows: a card over it need not be painted anew with every frame."""
        region, corner = QRegion(self.rect()), self.theme.px(RADIUS)
        for card in self.findChildren(QFrame, options=Qt.FindChildOption.FindDirectChildrenOnly):
            effect = card.graphicsEffect()
            if card.isVisible() and (effect is None or not effect.isEnabled()):
                region -= QRegion(card.geometry().adjusted(corner, 0, -corner, 0))
        return region

    def show_scene(self, scene: Scene, camera: Camera | None) -> None:
        """Outline these pieces; what is new is drawn once."""
        if camera is self.camera and scene == self.scene:
            return
        news = scene.fresh - self.scene.fresh
        stands = camera is self.camera and scene.layout == self.scene.layout and scene.kit == self.scene.kit
        self.scene, self.camera = scene, camera
        if camera is None:
            self._outlines, self._ghosts, self._badges = {}, [], ()
        else:
            if not stands:  # hands come and go many times over the same pieces
                self._outlines = silhouettes(scene.layout, camera, scene.kit)
            self._ghosts = [polygon(points) for points in silhouettes(scene.ghosts, camera, scene.kit).values()]
            self._badges = (
                badges(scene.layout, scene.ruling, scene.fresh, camera) if scene.ruling and scene.badged else ()
            )
            self._focus = self._new_focus(camera)
        if not stands:
            self._polygons = {name: polygon(points) for name, points in self._outlines.items()}
        if news and self.isVisible():
            self._grown.start()
        self.update()

    def draw_anew(self) -> None:
        """Forget the layer of outlines."""
        self._layer = None
        self.update()

    def outline_of(self, piece_id: str) -> Floats | None:
        return self._outlines.get(piece_id)

    def loud_box(self) -> QRectF | None:
        """Where in the widget the pieces lie that a ruling or a question is about."""
        loud = [self._polygons[name] for name in self.scene.faults | self.scene.doubts if name in self._polygons]
        if not loud or self._picture is None:
            return None
        scale, offset = self._placed(self._picture)
        box = loud[0].boundingRect()
        for outline in loud[1:]:
            box = box.united(outline.boundingRect())
        return QRectF(box.topLeft() * scale + offset, box.size() * scale)

    def crop(self, pieces: tuple[str, ...], height: int) -> QPixmap | None:
        """The part of the picture that shows these pieces; None where it shows none of them."""
        outlines = {name: self._outlines[name] for name in pieces if name in self._outlines}
        if self._picture is None or self.camera is None or not outlines:
            return None
        left, top, width, tall = evidence_box(outlines, pieces, self.camera)
        part = QPixmap.fromImage(image_of(self._picture[top : top + tall, left : left + width]))
        fine = self.theme.px(height) * self._ratio()
        part = part.scaledToHeight(round(fine), Qt.TransformationMode.SmoothTransformation)
        part.setDevicePixelRatio(self._ratio())
        return part

    def show_veil(self, words: str) -> None:
        """Words over a darkened picture: it is frozen, or there is none."""
        if words != self.veil:
            self.veil = words
            self.update()

    def show_doubt(self, words: str) -> None:
        """Words in the place of the title: cameras are gone on with, but people should know."""
        if words != self.doubt:
            self.doubt = words
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

    def _placed(self, picture: Picture) -> tuple[float, QPointF]:
        """Scale and offset: the focus fills the widget where the picture reaches, else the picture is fitted."""
        high, wide = picture.shape[:2]
        focus = self._focus or QRectF(0, 0, wide, high)
        scale = min(self.width() / focus.width(), self.height() / focus.height())
        scale = max(scale, min(self.width() / wide, self.height() / high))
        offset = []
        for size, middle, length in (
            (self.width(), focus.center().x(), wide),
            (self.height(), focus.center().y(), high),
        ):
            if length * scale <= size:
                offset.append((size - length * scale) / 2)
            else:
                offset.append(min(0.0, max(size - length * scale, size / 2 - middle * scale)))
        return scale, QPointF(*offset)

    def paintEvent(self, _: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), self.theme.colour("panel"))
        if self._picture is None:
            painter.setPen(self.theme.colour("dim"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.empty)
            self._round_corners(painter)
            return
        scale, offset = self._placed(self._picture)
        image, spot = self._fit(self._picture, scale, offset)
        painter.drawImage(spot, image)
        if self.outlined and not self.veil:
            painter.drawPixmap(0, 0, self._outlined(scale, offset))
        if self.veil:
            self._paint_veil(painter)
        self._round_corners(painter)
        corner = QPointF(self.theme.px(STEP), self.theme.px(STEP))
        paint_pill(
            painter, self.theme, corner, self.doubt or self.title, QColor(0, 0, 0, 150), QColor("white"), centred=False
        )

    def _fit(self, picture: Picture, scale: float, offset: QPointF) -> tuple[QImage, QPointF]:
        """The part of the picture that shows, in the screen's own pixels, and where; made once for each picture.

        Qt would scale it in threads of its own while the window's thread waits for them.
        """
        key = (scale, offset.x(), offset.y(), self.size(), self._ratio())
        if self._fitted is None or key != self._fitted_key:
            left, top = (int(max(-at / scale, 0.0)) for at in (offset.x(), offset.y()))
            right, bottom = (self.width() - offset.x()) / scale, (self.height() - offset.y()) / scale
            part = picture[top : math.ceil(bottom), left : math.ceil(right)]
            fine = scale * self._ratio()
            size = (max(round(part.shape[1] * fine), 1), max(round(part.shape[0] * fine), 1))
            how = cv2.INTER_AREA if fine < COARSE else cv2.INTER_LINEAR
            image = image_of(np.asarray(cv2.resize(part, size, interpolation=how), np.uint8))
            image.setDevicePixelRatio(self._ratio())
            self._fitted, self._fitted_key = (image, offset + QPointF(left, top) * scale), key
        return self._fitted

    def _round_corners(self, painter: QPainter) -> None:
        """Paint over the corners: clipping to a round path makes every outline ten times slower."""
        rim, inner = QPainterPath(), QPainterPath()
        rim.addRect(QRectF(self.rect()))
        inner.addRoundedRect(QRectF(self.rect()), self.theme.px(RADIUS), self.theme.px(RADIUS))
        painter.fillPath(rim - inner, self.theme.colour(self.ground))

    def _paint_veil(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), QColor(10, 12, 14, 110))
        painter.setFont(self.theme.font(BODY, QFont.Weight.Bold))
        centre = QPointF(self.width() / 2, self.theme.px(STEP * 3))
        paint_pill(painter, self.theme, centre, self.veil, QColor(0, 0, 0, 190), QColor("white"))

    def _outlined(self, scale: float, offset: QPointF) -> QPixmap:
        """The outlines as a layer, drawn anew only when they change: pictures come many times a second."""
        key = (self.scene, self._ratio(), scale, offset.x(), offset.y(), self.size(), self.theme.dark, self.theme.scale)
        if self._layer is None or key != self._layer_key or self._growing:
            layer = QPixmap(self.size() * self._ratio())
            layer.setDevicePixelRatio(self._ratio())
            layer.fill(Qt.GlobalColor.transparent)
            painter = QPainter(layer)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            grown = float(self._grown.currentValue()) if self._growing else 1.0
            OutlinePainter(painter, self.theme, self.scene, self.camera, scale, offset, grown, self._ratio()).paint(
                self._polygons, self._ghosts, self._badges
            )
            painter.end()
            self._layer, self._layer_key = layer, key
        return self._layer

    def _ratio(self) -> float:
        return self.devicePixelRatioF()

    @property
    def _growing(self) -> bool:
        return self._grown.state() == QVariantAnimation.State.Running


def image_of(picture: Picture) -> QImage:
    """A picture as Qt has them; it holds its own pixels."""
    height, width = picture.shape[:2]
    return QImage(picture.tobytes(), width, height, 3 * width, QImage.Format.Format_BGR888).copy()
