"""Where each door of the home page leads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PyQt6.QtWidgets import QWidget

from gui.desk import Desk
from gui.film import SAMPLE_FILM, FilmFeed
from gui.host import Host, Step
from gui.pages.editor import EditorPage
from gui.pages.match import MatchPage
from gui.widgets.timeline import NOW
from referee.game import setup_of
from referee.layout import BARE_TABLE

if TYPE_CHECKING:
    from gui.window import Window

FILM_ACCEPTS_AFTER_S = 2.0
FILM_SPEED = 1.0


def opened(name: str, window: Window) -> QWidget | None:
    """The page behind a door."""
    match name:
        case "sample":
            return film_page(window)
    return None


def film_page(window: Window, folder: Path = SAMPLE_FILM) -> MatchPage:
    """A filmed game, played from its first frame; sure and legal turns are accepted after a moment."""
    feed = FilmFeed(folder, FILM_SPEED)
    desk = Desk.begin(msgspec.structs.replace(setup_of(feed.game), layout=BARE_TABLE))
    host = Host(desk, feed, accept_after_s=FILM_ACCEPTS_AFTER_S)
    return table_page(window, host)


def table_page(window: Window, host: Host) -> MatchPage:
    """The match view of a table, started, with its way to the editor and back."""
    page = MatchPage(window.theme, host)
    page.left.connect(window.close_page)
    page.editing.connect(lambda turn: _edit(window, page, None if turn == NOW else turn))
    host.start()
    return page


def _edit(window: Window, page: MatchPage, turn: int | None) -> None:
    host = page.host
    camera = host.feed.rig.overhead if host.feed is not None else None
    editor = EditorPage(window.theme, host.desk, turn, camera)

    def finish(step: Step | None) -> None:
        window.pop_page()
        page.back_to_now()
        if step is not None:
            host.do(step)

    editor.done.connect(finish)
    window.push_page(editor)
