"""The ruling as a road sign: colour, icon, word, sentence, the rule and what was measured, and the picture of it."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, Qt, QVariantAnimation
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPixmap
from PyQt6.QtWidgets import QFrame, QLabel, QSizePolicy

from gui.look_palette import SIGNS
from gui.notices import Notice
from gui.theme import BODY, LARGE, RADIUS, STEP, TITLE, Theme
from gui.widgets.parts import label, row, stack

WIPE_MS = 160


class Banner(QFrame):
    """One sign; a new word wipes in from the left."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme, self.notice = theme, Notice()
        self._icon, self._crop = QLabel(), QLabel()
        self._word, self._text, self._fact = label(), label(wrap=True), label(wrap=True)
        self._crop.setAlignment(Qt.AlignmentFlag.AlignCenter)
        words = stack(None, self._word, self._text, self._fact, None, space=0)
        self.setLayout(row(self._icon, STEP, words, self._crop, space=STEP, margin=STEP))
        box = self.layout()
        if box is not None:
            box.setContentsMargins(3 * STEP, STEP, STEP, STEP)
        words.setStretch(0, 1)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._wipe = QVariantAnimation(self)
        self._wipe.setDuration(WIPE_MS)
        self._wipe.setStartValue(0.0)
        self._wipe.setEndValue(1.0)
        self._wipe.valueChanged.connect(self.update)
        theme.changed.connect(self._draw)
        self._draw()

    def show_notice(self, notice: Notice, crop: QPixmap | None = None) -> None:
        new = (notice.kind, notice.word) != (self.notice.kind, self.notice.word)
        self.notice = notice
        self._crop.setVisible(crop is not None)
        if crop is not None:
            self._crop.setPixmap(crop)
        self._draw()
        if new and self.isVisible():
            self._wipe.start()

    def _draw(self) -> None:
        sign, notice, px = SIGNS[self.notice.kind], self.notice, self.theme.px
        ink = QColor(sign.ink)
        self._icon.setPixmap(self.theme.pixmap(notice.icon, ink, 40))
        for part, text, size, weight in (
            (self._word, notice.word, TITLE, 700),
            (self._text, notice.text, LARGE, 500),
            (self._fact, notice.fact, BODY, 500),
        ):
            part.setText(text)
            part.setVisible(bool(text))
            part.setStyleSheet(f"color: {sign.ink}; font-size: {px(size)}px; font-weight: {weight};")
        self.setFixedHeight(px(104))
        self.setAccessibleName(f"{notice.word}. {notice.text}")
        self.update()

    def paintEvent(self, _: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        radius = self.theme.px(RADIUS)
        path.addRoundedRect(QRectF(self.rect()), radius, radius)
        painter.setClipPath(path)
        painter.fillRect(self.rect(), self.theme.colour("panel"))
        running = self._wipe.state() == QVariantAnimation.State.Running
        share = float(self._wipe.currentValue()) if running else 1.0
        ground = QRectF(0, 0, self.width() * share, self.height())
        sign = SIGNS[self.notice.kind]
        painter.fillRect(ground, QColor(sign.ground))
        if self.notice.kind != "quiet":
            # The white line inside the edge of a Japanese expressway sign.
            line = QColor(sign.ink)
            line.setAlphaF(0.85)
            painter.setPen(line)
            inset = self.theme.px(4)
            inner = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
            painter.drawRoundedRect(inner, radius - inset / 2, radius - inset / 2)
