"""One of a few things: a button that shows what is chosen and opens the list.

Qt's own combo box is eight widgets, most of them for a list that is seldom opened: a page of them takes a tenth of a
second to dress. This is one, and makes its list when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QAbstractButton, QMenu, QSizePolicy

from gui.theme import RADIUS, STEP, Theme

ARROW = 16


class Choice(QAbstractButton):
    """What is chosen of some items, each a text and what it stands for; `missing` is shown where nothing is."""

    chosen = pyqtSignal(int)
    """A person chose the item with this number."""

    def __init__(
        self, theme: Theme, name: str, items: Sequence[tuple[str, object]], index: int = 0, missing: str = ""
    ) -> None:
        super().__init__()
        self.theme, self.items, self.index, self._missing = theme, tuple(items), index, missing
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.open_list)
        self.show_index(index)

    @property
    def data(self) -> object:
        """What the chosen item stands for; None where nothing is chosen."""
        return self.items[self.index][1] if 0 <= self.index < len(self.items) else None

    def show_index(self, index: int) -> None:
        """Show an item as chosen, without a word to anybody."""
        self.index = index
        self.setText(self.items[index][0] if 0 <= index < len(self.items) else self._missing)
        self.setAccessibleDescription(self.text())

    def offer(self, data: str) -> None:
        """Show what stands for this as chosen; as an item of its own where there is none."""
        if data not in (known for _, known in self.items):
            self.items = (*self.items, (data, data))
        self.show_index([known for _, known in self.items].index(data))
        self.updateGeometry()

    def choose(self, index: int) -> None:
        """Choose an item as a person does."""
        self.show_index(index)
        self.chosen.emit(index)

    def open_list(self) -> None:
        """Every item under the button, the chosen one marked."""
        menu = QMenu(self)
        for number, (text, _) in enumerate(self.items):
            action = menu.addAction(text)
            if action is None:
                continue
            action.setCheckable(True)
            action.setChecked(number == self.index)
            action.triggered.connect(lambda _, n=number: self.choose(n))
            if number == self.index:
                menu.setActiveAction(action)
        menu.setMinimumWidth(self.width())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def changeEvent(self, event: QEvent | None) -> None:
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.StyleChange:
            self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key())) if event is not None else None
        if event is None or step is None:
            if event is None or not self._jump(event.text()):
                super().keyPressEvent(event)
            return
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.open_list()
        elif 0 <= self.index + step < len(self.items):
            self.choose(self.index + step)

    def _jump(self, letter: str) -> bool:
        """To the next item that begins with a letter."""
        if not letter.strip():
            return False
        after = [*range(self.index + 1, len(self.items)), *range(max(self.index, 0))]
        for number in after:
            if self.items[number][0].casefold().startswith(letter.casefold()):
                self.choose(number)
                return True
        return False

    def sizeHint(self) -> QSize:
        metrics, px = QFontMetrics(self.theme.font()), self.theme.px
        widest = max((metrics.horizontalAdvance(text) for text, _ in (*self.items, (self._missing, None))), default=0)
        return QSize(widest + px(ARROW + 3 * STEP) + 4, metrics.height() + 2 * px(STEP) + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.theme.px(10 * STEP), self.sizeHint().height())

    def paintEvent(self, _: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        px, colour = self.theme.px, self.theme.colour
        edge = 2 if self.hasFocus() else 1
        painter.setPen(QPen(colour("accent" if self.hasFocus() else "dim" if self.underMouse() else "line"), edge))
        painter.setBrush(colour("raised"))
        frame = QRectF(self.rect()).adjusted(edge / 2, edge / 2, -edge / 2, -edge / 2)
        painter.drawRoundedRect(frame, px(RADIUS), px(RADIUS))
        arrow = self.theme.pixmap("chevron-down", colour("dim"), ARROW)
        right = self.width() - px(STEP) - px(ARROW)
        painter.drawPixmap(right, (self.height() - px(ARROW)) // 2, arrow)
        font = self.theme.font()
        painter.setFont(font)
        painter.setPen(colour("text" if self.isEnabled() and self.data is not None else "dim"))
        room = QRectF(px(STEP), 0, right - 2 * px(STEP), self.height())
        words = QFontMetrics(font).elidedText(self.text(), Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
