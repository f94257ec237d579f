"""The home page: what one can do, and the session that was cut off."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from gui.pages.resume import ResumeBar
from gui.theme import STEP, Theme
from gui.widgets.name_sign import NameSign
from gui.widgets.parts import label, stack


@dataclass(frozen=True, slots=True)
class Door:
    """A way on from the home page."""

    name: str
    icon: str
    title: str
    text: str


DOORS = (
    Door("sample", "play", "Play the sample game", "A filmed game of 28 turns: watch the referee at work."),
    Door("new", "plus", "New game", "Edition, players, house rules, cameras."),
    Door("calibrate", "ruler", "Calibrate", "Print, lenses, table, kit: from pixels to millimetres."),
    Door("sessions", "library", "Sessions", "Games that were recorded: replay, export, judge again."),
)


class Tile(QPushButton):
    """A large door: icon, title, a line."""

    def __init__(self, theme: Theme, door: Door) -> None:
        super().__init__()
        self.theme, self.door = theme, door
        self._icon, self._title = QLabel(), label(door.title, "large")
        self._text = label(door.text, "dim", wrap=True)
        for part in (self._icon, self._title, self._text):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setLayout(stack(self._icon, STEP, self._title, self._text, None, margin=3 * STEP))
        self.setAccessibleName(door.title)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self._draw)
        self._draw()

    def _draw(self) -> None:
        self._icon.setPixmap(self.theme.pixmap(self.door.icon, self.theme.colour("accent"), 36))
        self.setMinimumSize(self.theme.px(220), self.theme.px(168))


class HomePage(QWidget):
    """Where everything begins."""

    chosen = pyqtSignal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        grid = QGridLayout()
        grid.setSpacing(2 * STEP)
        self.tiles = {door.name: Tile(theme, door) for door in DOORS}
        for column, (name, tile) in enumerate(self.tiles.items()):
            tile.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
            grid.addWidget(tile, 0, column)
            grid.setColumnStretch(column, 1)
        self.resume = ResumeBar(theme)
        foot = label("F11 big screen   \u00b7   L light or dark   \u00b7   ? all keys", "small")
        foot.setAlignment(Qt.AlignmentFlag.AlignCenter)
        body = stack(NameSign(theme), self.resume, grid, foot, space=3 * STEP, margin=4 * STEP)
        body.setStretch(0, 3)
        body.setStretch(2, 2)
        self.setLayout(body)
        self.tiles["sample"].setFocus()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Arrows go from door to door, Enter opens one."""
        if event is None:
            return
        tiles = list(self.tiles.values())
        here = next((i for i, tile in enumerate(tiles) if tile.hasFocus()), 0)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            tiles[here].click()
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            way = 1 if event.key() == Qt.Key.Key_Right else -1
            tiles[(here + way) % len(tiles)].setFocus()
        else:
            super().keyPressEvent(event)
