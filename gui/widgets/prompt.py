"""A card over the picture that asks the players something; every answer has a key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from gui.theme import STEP, Theme
from gui.widgets.marks import player_icon
from gui.widgets.parts import Button, clear, label, row, stack

MOST_LINES, LIST_PX = 5, 160
"""More lines than these are scrolled, in a list so high."""
MARK_PX = 18


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """One answer."""

    key: str
    text: str
    act: Callable[[], object]
    role: str = ""
    player: str | None = None
    """Whose answer it is: their shape stands before it."""


@dataclass(frozen=True, slots=True, eq=False)
class Ask:
    """What is asked, and what may be answered."""

    title: str
    text: str = ""
    lines: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    players: tuple[str, ...] = ()
    """All at the table, by their seats, where an answer is a player's."""

    @property
    def said(self) -> tuple[object, ...]:
        """All that can be read on it."""
        return self.title, self.text, self.lines, tuple((o.key, o.text, o.role) for o in self.options)


class Prompt(QFrame):
    """The card itself; hidden while there is nothing to ask."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.ask: Ask | None = None
        self._filled_for = 0
        self.about: Callable[[], QRectF | None] = lambda: None
        """Where what is asked about shows, in the parent's pixels."""
        self.setProperty("role", "card")
        self._body = stack(space=STEP, margin=2 * STEP)
        self.setLayout(self._body)
        theme.changed.connect(self._fill)
        self.hide()

    def show_ask(self, ask: Ask | None) -> None:
        """Ask this; a card that says it already stays as it is."""
        said = self.ask.said if self.ask is not None else None
        self.ask = ask
        if ask is None or ask.said != said:
            self._fill()

    def _fill(self) -> None:
        ask, self._filled_for = self.ask, self._width()
        clear(self._body)
        self.setVisible(ask is not None)
        if ask is None:
            return
        self._body.addWidget(label(ask.title, "large", wrap=True))
        if ask.text:
            self._body.addWidget(label(ask.text, "dim", wrap=True))
        lines = [label(line, wrap=True) for line in ask.lines]
        if len(lines) > MOST_LINES:
            self._body.addWidget(self._scrolled(lines))
        else:
            for line in lines:
                self._body.addWidget(line)
        buttons = []
        for option in ask.options:
            made = Button(self.theme, f"{option.text}  [{option.key}]", role=option.role, key=option.key)
            made.clicked.connect(lambda _=False, key=option.key: self.press(key))
            if option.player is not None:
                side = self.theme.px(MARK_PX)
                made.setIcon(player_icon(self.theme, option.player, ask.players, MARK_PX))
                made.setIconSize(QSize(side, side))
            buttons.append(made)
        for side_by_side in self._lines_of(buttons):
            self._body.addLayout(row(*side_by_side, None))
        for part in self.findChildren(QWidget):
            part.show()  # at once, so that the card knows its size
        self.place()

    def _scrolled(self, lines: list[QLabel]) -> QScrollArea:
        """A long list, of which some lines show at a time."""
        body, area = QWidget(), QScrollArea()
        body.setLayout(stack(*lines, None, space=STEP // 2))
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(body)
        area.setFixedHeight(self.theme.px(LIST_PX))
        return area

    def _lines_of(self, buttons: list[Button]) -> list[list[Button]]:
        """As many answers side by side as there is room for; the others go on below."""
        lines: list[list[Button]] = [[]]
        room = self._width() - 4 * STEP
        left = room
        for made in buttons:
            made.ensurePolished()
            wide = made.sizeHint().width() + STEP
            if wide > left and lines[-1]:
                lines.append([])
                left = room
            lines[-1].append(made)
            left -= wide
        return lines

    def _width(self) -> int:
        parent = self.parentWidget()
        across = parent.width() if parent is not None else 0
        return max(min(across - 2 * self.theme.px(2 * STEP), self.theme.px(620)), 200)

    def press(self, key: str) -> bool:
        """Answer by key; whether it was an answer."""
        for option in self.ask.options if self.ask is not None else ():
            if option.key == key:
                option.act()
                return True
        return False

    def place(self) -> None:
        """At the foot of the picture, or at its head where the foot would hide what it is about."""
        parent = self.parentWidget()
        if parent is None or self.ask is None:
            return
        margin, width = self.theme.px(2 * STEP), self._width()
        if width != self._filled_for:
            self._fill()  # the answers lie side by side as the width lets them
            return
        self.setFixedWidth(width)
        self._body.activate()
        height = self._body.totalHeightForWidth(width) if self._body.hasHeightForWidth() else self.sizeHint().height()
        self.resize(self.width(), height)
        left, head, foot = (parent.width() - width) // 2, margin, parent.height() - height - margin
        about = self.about()
        hides = about is not None and QRectF(left, foot, width, height).intersects(about)
        hides_more = about is not None and QRectF(left, head, width, height).intersects(about)
        self.move(left, head if hides and not hides_more else foot)
        self.raise_()
