"""Where each door of the home page leads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from PyQt6.QtWidgets import QWidget

from gui.desk import Desk
from gui.film import SAMPLE_FILM, FilmFeed
from gui.host import Host
from gui.pages.match import MatchPage
from referee.game import setup_of
from referee.layout import BARE_TABLE

if TYPE_CHECKING:
    from gui.window import Window

FILM_ACCEPTS_AFTER_S = 2.0


def opened(name: str, window: Window) -> QWidget | None:
    """The page behind a door."""
    match name:
        case "sample":
            return film_page(window)
    return None


def film_page(window: Window, folder: Path = SAMPLE_FILM, speed: float = 1.0) -> MatchPage:
    """A filmed game, played from its first frame; sure and legal turns are accepted after a moment."""
    feed = FilmFeed(folder, speed)
    desk = Desk.begin(msgspec.structs.replace(setup_of(feed.game), layout=BARE_TABLE))
    host = Host(desk, feed, accept_after_s=FILM_ACCEPTS_AFTER_S / speed)
    page = MatchPage(window.theme, host)
    page.left.connect(window.close_page)
    host.start()
    return page
