"""A window for tests: offscreen, its settings thrown away, tables set up from the bundled film or from a notation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
from PyQt6.QtCore import QPoint, QSettings, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.app import open_window
from gui.desk import Desk
from gui.host import Host
from gui.pages.doors import table_page
from gui.pages.match import MatchPage
from gui.window import Window
from referee.game import Game, setup_of

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def new_window(qtbot: QtBot, folder: Path, size: tuple[int, int] | None = (1280, 800)) -> Window:
    """A window of a size; None: of the size that it had the last time."""
    window = open_window(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window, before_close_func=_closed)
    if size is not None:
        window.resize(*size)
    window.show()
    return window


def _closed(window: QWidget) -> None:
    assert isinstance(window, Window)
    window.close_page()
    window.wait_closed()


def table(window: Window, game: Game, layouts: int = 1, accept_after_s: float | None = None) -> MatchPage:
    """The match view of a game without cameras, its first layouts accepted."""
    desk = Desk.begin(setup_of(game))
    for layout in game.layouts[1:layouts]:
        desk = desk.settled(layout).accept()
    page = table_page(window, Host(desk, None, accept_after_s))
    window.show_page(page)
    return page


def told(qtbot: QtBot, page: MatchPage, step: Callable[[Desk], Desk], ready: Callable[[Desk], bool]) -> None:
    """Tell the desk something and wait until the page shows it."""
    page.host.do(step)
    qtbot.waitUntil(lambda: ready(page.desk), timeout=30_000)


def words(page: MatchPage) -> str:
    """Everything that the sign and the card say."""
    notice, ask = page.banner.notice, page.prompt.ask
    asked = "" if ask is None else " ".join((ask.title, ask.text, *ask.lines, *(o.text for o in ask.options)))
    return " ".join((notice.word, notice.text, notice.fact, asked))


def with_height(game: Game, turn: int, column_id: str, height: int) -> Game:
    layouts = list(game.layouts)
    columns = tuple(
        msgspec.structs.replace(c, height=height) if c.id == column_id else c for c in layouts[turn].columns
    )
    layouts[turn] = msgspec.structs.replace(layouts[turn], columns=columns)
    return msgspec.structs.replace(game, layouts=tuple(layouts))


# PyQt6's stubs take QTest's functions for methods.


def press(widget: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(widget, key, modifier)  # type: ignore[call-overload]


def click(widget: QWidget, spot: QPoint | None = None) -> None:
    QTest.mouseClick(widget, LEFT, NONE, spot or widget.rect().center())  # type: ignore[call-overload]


def drag(widget: QWidget, start: QPoint, end: QPoint, steps: int = 1) -> None:
    QTest.mousePress(widget, LEFT, NONE, start)  # type: ignore[call-overload]
    for step in range(1, steps + 1):
        QTest.mouseMove(widget, start + (end - start) * step / steps)  # type: ignore[call-overload]
    QTest.mouseRelease(widget, LEFT, NONE, end)  # type: ignore[call-overload]


def waiting_for(qtbot: QtBot, page: MatchPage, turn: int) -> None:
    qtbot.waitUntil(lambda: page.desk.turn == turn and page.desk.phase == "waiting", timeout=30_000)
