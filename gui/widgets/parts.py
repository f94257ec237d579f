"""Labels, buttons, rows and panels with the one look."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PyQt6 import sip
from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QLayout, QPushButton, QVBoxLayout, QWidget

from gui.theme import STEP, Theme

Box = TypeVar("Box", bound=QBoxLayout)


def label(text: str = "", role: str = "", wrap: bool = False) -> QLabel:
    """Text of a role: small, dim, large, title, huge."""
    made = QLabel(text)
    made.setProperty("role", role)
    made.setWordWrap(wrap)
    made.setTextFormat(Qt.TextFormat.PlainText)
    return made


class Button(QPushButton):
    """A button with an icon of the set, and its key in the tooltip."""

    def __init__(self, theme: Theme, text: str, icon: str = "", role: str = "", key: str = "") -> None:
        super().__init__(f" {text}" if icon and text else text)  # a little air between icon and word
        self.theme, self.icon_name, self.role = theme, icon, role
        self.setProperty("role", role)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(text)
        self.setToolTip(f"{text} ({key})" if key else text)
        theme.changed.connect(self.draw)
        self.draw()

    def draw(self) -> None:
        if self.icon_name:
            ink = "dim" if not self.isEnabled() else "on_accent" if self.role == "primary" else "text"
            colour = self.theme.colour(ink)
            self.setIcon(self.theme.icon(self.icon_name, colour))
            side = self.theme.px(18)
            self.setIconSize(QSize(side, side))


def button(theme: Theme, text: str, act: Callable[[], object], icon: str = "", role: str = "", key: str = "") -> Button:
    """A button that does one thing."""
    made = Button(theme, text, icon, role, key)
    made.clicked.connect(lambda: act())
    return made


def panel(role: str = "panel") -> QFrame:
    made = QFrame()
    made.setProperty("role", role)
    return made


def row(*items: QWidget | QLayout | int | None, space: int = STEP, margin: int = 0) -> QHBoxLayout:
    """Side by side; None stretches, a number is a gap."""
    return _filled(QHBoxLayout(), items, space, margin)


def stack(*items: QWidget | QLayout | int | None, space: int = STEP, margin: int = 0) -> QVBoxLayout:
    """One below the other; None stretches, a number is a gap."""
    return _filled(QVBoxLayout(), items, space, margin)


def _filled(box: Box, items: tuple[QWidget | QLayout | int | None, ...], space: int, margin: int) -> Box:
    box.setSpacing(space)
    box.setContentsMargins(margin, margin, margin, margin)
    for item in items:
        match item:
            case None:
                box.addStretch(1)
            case int():
                box.addSpacing(item)
            case QWidget():
                box.addWidget(item)
            case _:
                box.addLayout(item)
    return box


def clear(box: QLayout, at_once: bool = False) -> None:
    """Take everything out of a layout; at once where a new look comes: what goes later is dressed all the same."""
    while (item := box.takeAt(0)) is not None:
        widget, inner = item.widget(), item.layout()
        if widget is not None and at_once:
            sip.delete(widget)
        elif widget is not None:
            widget.hide()
            widget.deleteLater()
        elif inner is not None:
            clear(inner, at_once)


def shortcut(parent: QWidget, key: str, act: Callable[[], object]) -> None:
    """A key that does something while this page is up."""
    made = QShortcut(QKeySequence(key), parent)
    made.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    made.activated.connect(lambda: act())
