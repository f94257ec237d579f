"""The one look of the dashboard: colours, type scale, spacing, icons. Asphalt, lane paint, big calm signs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from PyQt6.QtCore import QByteArray, QObject, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPalette, QPixmap
from PyQt6.QtSvg import QSvgRenderer
from PyQt6.QtWidgets import QApplication

from gui.look_palette import SURFACES, player_colour

HERE = Path(__file__).parent
FAMILY = "Barlow"
STEP = 8
RADIUS = 8
SMALL, BODY, LARGE, TITLE, HUGE = 12, 14, 18, 28, 56
BASE_SIZE = (1280, 800)
"""The window for which the type scale is made; in a larger one everything grows with it."""
SCALE_STEP = 0.05
BIG_SCREEN = 1.35
"""How much larger again everything is from three metres away."""


def scale_for(width: int, height: int, big: bool = False) -> float:
    """How large things are in a window of this size; never smaller than the type scale itself."""
    fitted = max(min(width / BASE_SIZE[0], height / BASE_SIZE[1]), 1.0)
    grown = fitted * (BIG_SCREEN if big else 1.0)
    return round(grown / SCALE_STEP) * SCALE_STEP


class Theme(QObject):
    """Colours and sizes as the widgets ask for them; `changed` when light, dark or big-screen are switched."""

    changing = pyqtSignal()
    """Just before that: a page of many widgets takes them away, since dressing all of them holds up the window."""
    changed = pyqtSignal()

    def __init__(self, dark: bool = True, scale: float = 1.0) -> None:
        super().__init__()
        self.dark, self.scale = dark, scale

    def switch(self, dark: bool | None = None, scale: float | None = None) -> None:
        self.dark = self.dark if dark is None else dark
        self.scale = self.scale if scale is None else scale
        self.changing.emit()
        self.dress()
        self.changed.emit()

    def px(self, size: float) -> int:
        """A size of the scale in pixels."""
        return round(size * self.scale)

    def colour(self, name: str) -> QColor:
        return _colour(SURFACES[name].on(self.dark))

    def player(self, player: str | None, players: Sequence[str]) -> QColor:
        return _colour(player_colour(player, players, self.dark)) if player else self.colour("dim")

    def on_picture(self, player: str | None, players: Sequence[str]) -> QColor:
        """A player's colour over a photograph: the bright one, whatever the theme; nobody's is white as lane paint."""
        return _colour(player_colour(player, players) if player else SURFACES["text"].dark)

    def font(self, size: int = BODY, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        font = QFont(FAMILY)
        font.setPixelSize(self.px(size))
        font.setWeight(weight)
        return font

    def icon(self, name: str, colour: QColor | None = None, size: int = 20) -> QIcon:
        return QIcon(self.pixmap(name, colour or self.colour("text"), size))

    def pixmap(self, name: str, colour: QColor, size: int = 20) -> QPixmap:
        """An icon of the set, drawn in a colour."""
        return _drawn(name, colour.name(), self.px(size), self.ratio)

    @property
    def ratio(self) -> float:
        """How fine the screen is."""
        screen = QApplication.primaryScreen()
        return screen.devicePixelRatio() if screen is not None else 1.0

    def dress(self) -> None:
        """Put the palette, the font and the style sheet on the application."""
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        load_fonts()
        wear_fusion()
        app.setFont(self.font())
        app.setPalette(self._palette())
        app.setStyleSheet(self._sheet())

    def _palette(self) -> QPalette:
        roles = QPalette.ColorRole
        palette = QPalette()
        for role, name in (
            (roles.Window, "window"), (roles.Base, "panel"), (roles.AlternateBase, "raised"), (roles.Button, "raised"),
            (roles.WindowText, "text"), (roles.Text, "text"), (roles.ButtonText, "text"), (roles.ToolTipText, "text"),
            (roles.ToolTipBase, "raised"), (roles.Highlight, "accent"), (roles.HighlightedText, "on_accent"),
            (roles.PlaceholderText, "dim"), (roles.Mid, "line"), (roles.Link, "accent"),
        ):  # fmt: skip
            palette.setColor(role, self.colour(name))
        return palette

    def _sheet(self) -> str:
        c = {name: self.colour(name).name() for name in SURFACES}
        pad, half, radius, body = self.px(STEP * 1.5), self.px(STEP), self.px(RADIUS), self.px(BODY)
        return f"""
        QWidget {{ font-family: {FAMILY}; font-size: {body}px; color: {c["text"]}; }}
        QMainWindow, QStackedWidget, QScrollArea, QScrollArea > QWidget > QWidget {{ background: {c["window"]}; }}
        QLabel {{ background: transparent; }}
        QLabel[role="small"] {{ font-size: {self.px(SMALL)}px; color: {c["dim"]}; }}
        QLabel[role="dim"] {{ color: {c["dim"]}; }}
        QLabel[role="large"] {{ font-size: {self.px(LARGE)}px; font-weight: 600; }}
        QLabel[role="title"] {{ font-size: {self.px(TITLE)}px; font-weight: 700; }}
        QLabel[role="huge"] {{ font-size: {self.px(HUGE)}px; font-weight: 700; }}
        QFrame[role="panel"] {{ background: {c["panel"]}; border-radius: {radius}px; }}
        QFrame[role="raised"] {{ background: {c["raised"]}; border-radius: {radius}px; }}
        QFrame[role="card"] {{ background: {c["raised"]}; border: 1px solid {c["line"]}; border-radius: {radius}px; }}
        QFrame[role="moment"] {{ background: {c["panel"]}; border: {self.px(3)}px solid {c["accent"]};
            border-radius: {radius}px; }}
        QPushButton {{ background: {c["raised"]}; border: 1px solid {c["line"]}; border-radius: {radius}px;
            padding: {half}px {pad}px; font-weight: 600; }}
        QPushButton:hover {{ border-color: {c["dim"]}; }}
        QPushButton:focus {{ border: 2px solid {c["accent"]}; }}
        QPushButton:pressed, QPushButton:checked {{ background: {c["line"]}; }}
        QPushButton:disabled {{ color: {c["dim"]}; background: {c["panel"]}; border-color: {c["panel"]}; }}
        QPushButton[role="primary"] {{ background: {c["accent"]}; color: {c["on_accent"]};
            border-color: {c["accent"]}; }}
        QPushButton[role="primary"]:disabled {{ background: {c["panel"]}; color: {c["dim"]};
            border-color: {c["panel"]}; }}
        QPushButton[role="flat"] {{ background: transparent; border-color: transparent; }}
        QPushButton[role="flat"]:hover {{ background: {c["raised"]}; }}
        QPushButton[role="flat"]:focus {{ border: 2px solid {c["accent"]}; }}
        {_in_cards('QPushButton[role=""]')} {{ background: {c["panel"]}; border-color: {c["line"]}; }}
        {_in_cards('QPushButton[role=""]:hover')} {{ border-color: {c["dim"]}; }}
        {_in_cards('QPushButton[role=""]:focus')} {{ border: 2px solid {c["accent"]}; }}
        QPushButton[role="tab"] {{ background: transparent; border: none; border-radius: 0; color: {c["dim"]};
            border-bottom: {self.px(3)}px solid transparent; padding: {half}px {half}px; }}
        QPushButton[role="tab"]:checked {{ color: {c["text"]}; border-bottom-color: {c["accent"]}; }}
        QPushButton[role="tab"]:focus {{ color: {c["accent"]}; }}
        QLineEdit, QAbstractSpinBox {{ background: {c["raised"]}; border: 1px solid {c["line"]};
            border-radius: {radius}px; padding: {half}px; selection-background-color: {c["accent"]}; }}
        QLineEdit:focus, QAbstractSpinBox:focus {{ border: 2px solid {c["accent"]}; }}
        QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ width: 0; }}
        QMenu {{ background: {c["raised"]}; border: 1px solid {c["line"]}; padding: {self.px(4)}px; }}
        QMenu::item {{ padding: {half}px {pad}px; border-radius: {self.px(4)}px; }}
        QMenu::item:selected {{ background: {c["line"]}; }}
        QPushButton::menu-indicator {{ width: 0; image: none; }}
        QListWidget {{ background: {c["panel"]}; border: none; border-radius: {radius}px; outline: none; }}
        QListWidget::item {{ padding: {half}px; border-radius: {radius}px; }}
        QListWidget::item:selected {{ background: {c["raised"]}; color: {c["text"]}; }}
        QToolTip {{ background: {c["raised"]}; color: {c["text"]}; border: 1px solid {c["line"]}; padding: 4px; }}
        QScrollArea {{ border: none; }}
        QFrame[role="panel"] QScrollArea, QFrame[role="panel"] QScrollArea > QWidget > QWidget,
            QFrame[role="panel"] QStackedWidget {{ background: {c["panel"]}; }}
        {_in_cards("QScrollArea")}, {_in_cards("QScrollArea > QWidget > QWidget")} {{ background: {c["raised"]}; }}
        QScrollBar:vertical {{ background: transparent; width: {self.px(10)}px; }}
        QScrollBar:horizontal {{ background: transparent; height: {self.px(10)}px; }}
        QScrollBar::handle {{ background: {c["line"]}; border-radius: {self.px(4)}px;
            min-width: 24px; min-height: 24px; }}
        QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
        QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
        QSlider::groove:horizontal {{ height: {self.px(4)}px; background: {c["line"]}; border-radius: {self.px(2)}px; }}
        QSlider::sub-page:horizontal {{ background: {c["accent"]}; border-radius: {self.px(2)}px; }}
        QSlider::handle:horizontal {{ background: {c["text"]}; width: {self.px(16)}px; margin: -{self.px(6)}px 0;
            border-radius: {self.px(8)}px; }}
        QProgressBar {{ background: {c["line"]}; border: none; border-radius: {self.px(3)}px;
            max-height: {self.px(6)}px; }}
        QProgressBar::chunk {{ background: {c["accent"]}; border-radius: {self.px(3)}px; }}
        """


def _in_cards(part: str) -> str:
    """The selector of a part of anything that lies raised."""
    return f'QFrame[role="raised"] {part}, QFrame[role="card"] {part}'


@lru_cache(maxsize=64)
def _colour(name: str) -> QColor:
    """Made once: a crowded plan asks hundreds of times. Whoever changes one takes a copy."""
    return QColor(name)


@lru_cache(maxsize=1)
def load_fonts() -> None:
    """Make the bundled face known to Qt, once."""
    for file in sorted((HERE / "fonts").glob("*.ttf")):
        QFontDatabase.addApplicationFont(str(file))


@lru_cache(maxsize=1)
def wear_fusion() -> None:
    """The style that the sheet goes over, put on once: every widget is dressed anew with it."""
    QApplication.setStyle("Fusion")


@lru_cache(maxsize=512)
def _drawn(name: str, colour: str, size_px: int, ratio: float) -> QPixmap:
    svg = (HERE / "icons" / f"{name}.svg").read_text("utf-8").replace("currentColor", colour)
    pixmap = QPixmap(round(size_px * ratio), round(size_px * ratio))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(pixmap.rect()))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap
