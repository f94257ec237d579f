"""The help overlay (?): every key on one sheet."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QHideEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PyQt6.QtWidgets import QFrame, QGridLayout, QWidget

from gui.theme import RADIUS, STEP, Theme
from gui.widgets.parts import label, stack

KEYS: tuple[tuple[str, str], ...] = (
    ("Enter", "accept the turn as shown"),
    ("Backspace", "undo; Shift+Backspace takes that back"),
    ("O", "overrule an illegal turn: the players let it stand"),
    ("the key in [ ]", "answer what the card over the picture asks: 1 to 9, 0, A, G, Y and others"),
    ("P", "the player to move passes"),
    ("H", "enter the turn by hand, on the plan"),
    ("C", "correct what is shown, just seen or long past; all after it is judged again"),
    ("N, B, arrows", "on the plan: next piece, last piece, move it by 1 mm (Shift: 10)"),
    ("+, -, Y, Del", "on the plan: taller, lower, yellow top, remove; A builds on, E an exit"),
    ("V, S, R", "on the plan of a game with a city: pieces or city, propose it, turn what is picked (Shift: back)"),
    ("Left, Right", "look at earlier turns; Home the set-up, End or Esc now"),
    ("Space", "hold and go on with a film or a replay; there , and . go one picture back or on"),
    ("V, Alt+1 to 5", "plan, 3D, side picture, missions, evidence"),
    ("Alt+Left", "home; a recorded game goes on from Sessions"),
    ("F11", "big screen: readable from three metres"),
    ("L", "light or dark"),
    ("?", "this sheet"),
)


class HelpOverlay(QFrame):
    """Covers the window; any key or click closes it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self._sheet: QFrame | None = None
        self._outer = stack(None, None)
        self.setLayout(self._outer)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.hide()

    def _fill(self) -> None:
        """The sheet with all keys: only while it is looked at, or every change of theme would dress it too."""
        grid = QGridLayout()
        grid.setHorizontalSpacing(4 * STEP)
        grid.setVerticalSpacing(STEP + STEP // 2)
        for line, (key, words) in enumerate(KEYS):
            grid.addWidget(label(key, "large"), line, 0, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(label(words), line, 1)
        self._sheet = QFrame()
        self._sheet.setProperty("role", "raised")
        self._sheet.setLayout(stack(label("Keys", "title"), grid, margin=4 * STEP, space=2 * STEP))
        self._outer.insertWidget(1, self._sheet, 0, Qt.AlignmentFlag.AlignHCenter)

    def open(self) -> None:
        if self._sheet is None:
            self._fill()
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.rect())
        self.show()
        self.raise_()
        self.setFocus()

    def hideEvent(self, event: QHideEvent | None) -> None:
        super().hideEvent(event)
        if self._sheet is not None:
            self._outer.removeWidget(self._sheet)
            self._sheet.deleteLater()
            self._sheet = None

    def keyPressEvent(self, _: QKeyEvent | None) -> None:
        self.hide()

    def mousePressEvent(self, _: QMouseEvent | None) -> None:
        self.hide()

    def paintEvent(self, _: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(8, 9, 11, 190))
        painter.drawRoundedRect(QRectF(self.rect()), self.theme.px(RADIUS), self.theme.px(RADIUS))
