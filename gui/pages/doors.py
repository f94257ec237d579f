"""Where each door of the home page leads."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from PyQt6.QtCore import QByteArray
from PyQt6.QtWidgets import QWidget

from gui.city_search import CityReader
from gui.desk import Desk
from gui.explaining import Accepted, Beside
from gui.film import SAMPLE_FILM, FilmFeed, Reader
from gui.first_layout import first_layout
from gui.game_plan import GamePlan
from gui.host import Host, Step
from gui.long_work import Work
from gui.pages.calibrate import CalibratePage
from gui.pages.editor import EditorPage
from gui.pages.match import MatchPage
from gui.pages.new_game import NewGamePage, remembered
from gui.pages.opening import OpeningPage
from gui.pages.phone import PhonePage
from gui.pages.replay import ReplayPage
from gui.pages.sessions import SessionsPage
from gui.recorded_table import accepted_in
from gui.replay_feed import ReplayFeed
from gui.session import Head
from gui.session_writer import SessionWriter
from gui.sessions_folder import new_session
from gui.watch_feed import WatchFeed
from gui.widgets.timeline import NOW
from referee.game import setup_of
from referee.layout import BARE_TABLE
from vision.errors import VisionError
from vision.reader import LiveCameras
from vision.sources import source_of

if TYPE_CHECKING:
    from gui.window import Window

T = TypeVar("T")
log = logging.getLogger(__name__)
FILM_ACCEPTS_AFTER_S = 2.0
FILM_SPEED = 1.0
FILM_READER: Reader | None = Beside
"""What looks at the film; None: it is taken as it says itself."""
CITY_READER: Callable[[], CityReader] = Beside
"""What looks for a city."""


def opened(name: str, window: Window) -> QWidget | None:
    """The page behind a door."""
    match name:
        case "sample":
            return film_page(window)
        case "new":
            page = NewGamePage(window.theme, window.settings)
            page.left.connect(window.close_page)
            page.started.connect(lambda plan: open_game(window, plan, page.cameras.stop()))
            page.phone_wanted.connect(lambda: window.open_page("phone"))
            return page
        case "phone":
            phone = PhonePage(window.theme, window.settings)
            for done in (phone.left, phone.taken):
                done.connect(lambda: window.open_page("new"))
            return phone
        case "calibrate":
            wizard = CalibratePage(window.theme, window.settings)
            wizard.left.connect(window.close_page)
            return wizard
        case "sessions":
            library = SessionsPage(window.theme, ready=window.wait_closed)
            library.left.connect(window.close_page)
            library.wanted.connect(window.open_page)
            library.opened.connect(lambda path: open_replay(window, path))
            library.resumed.connect(lambda path: open_resumed(window, path))
            return library
    return None


def open_replay(window: Window, path: Path) -> None:
    """A recorded session, read in the background, then played back."""

    def show(feed: ReplayFeed) -> None:
        page = ReplayPage(window.theme, feed)
        _remember_split(window, page.match)
        page.left.connect(window.close_page)
        window.show_page(page)

    def make(work: Work) -> ReplayFeed:
        return ReplayFeed(path, work.progress)

    _in_background(window, f"Opening {path.stem}\u2026", make, show, lambda feed: feed.replay.file.close())


def open_resumed(window: Window, path: Path) -> None:
    """A session that goes on where it was left, cut off or closed; with the cameras of the last game, if there were."""
    plan = remembered(window.settings)

    def make(work: Work) -> Table:
        writer, recorded, found = SessionWriter.resume(path, log.warning, progress=work.progress)
        head = recorded.head
        watched = head.rig is not None and bool(plan.overhead or plan.side)
        with ExitStack() as undo:
            undo.callback(writer.close)
            feed = live_feed(plan, head, accepted_in(found, recorded, writer.match)) if watched else None
            undo.pop_all()
        desk = Desk.begin(head.setup(BARE_TABLE)) if writer.match is None else Desk(writer.match.setup, writer.match)
        return desk, feed, writer

    _open_table(window, f"Going on with {path.stem}\u2026", make, plan.accept_after_s, _closed)


def open_game(window: Window, plan: GamePlan, released: Callable[[], None] = lambda: None) -> None:
    """A new game at a table, recorded; without cameras it begins with the set-up of the rulebooks.

    `released` waits until the cameras are free.
    """

    def make(_: Work) -> Table:
        released()
        head, setup = plan.head(), plan.setup()
        feed = live_feed(plan, head) if plan.overhead or plan.side else None
        if feed is None:
            setup = msgspec.structs.replace(setup, layout=first_layout(setup.rules, setup.kit, setup.players))
        with ExitStack() as undo:
            if feed is not None:
                undo.callback(feed.close)
            writer = SessionWriter.begin(new_session(), head, log.warning)
            undo.pop_all()
        return Desk.begin(setup), feed, writer

    def forget(table: Table) -> None:
        _closed(table)
        table[2].recorder.path.unlink(missing_ok=True)  # nothing was played in it

    _open_table(window, "Setting the table\u2026", make, plan.accept_after_s, forget)


Table = tuple[Desk, WatchFeed | None, SessionWriter]


def _open_table(
    window: Window, words: str, make: Callable[[Work], Table], accept_after_s: float, discard: Callable[[Table], None]
) -> None:
    def show(table: Table) -> None:
        desk, feed, writer = table
        window.show_page(table_page(window, Host(desk, feed, accept_after_s or None, writer)))

    _in_background(window, words, make, show, discard)


def _closed(table: Table) -> None:
    """A table that was set up when nobody wanted it any more."""
    _, feed, writer = table
    if feed is not None:
        feed.close()
    writer.close()


def _in_background(
    window: Window, words: str, make: Callable[[Work], T], show: Callable[[T], None], discard: Callable[[T], None]
) -> None:
    def make_next(work: Work) -> T:
        window.wait_closed()  # the table before may still hold the cameras, or the very session
        return make(work)

    page = OpeningPage(window.theme, words, make_next, discard)
    page.left.connect(window.close_page)
    page.ready.connect(show)
    window.show_page(page)
    page.begin()


def live_feed(plan: GamePlan, head: Head, accepted: Accepted | None = None) -> WatchFeed:
    """The cameras of a plan, watched; from what was accepted before, where a session goes on."""
    rig = head.rig
    if rig is None:
        raise VisionError("the cameras have no calibration: choose one, or calibrate them first")
    sizes = {name: (camera.width, camera.height) for name, camera in rig.cameras.items()}
    named = {"overhead": plan.overhead, "side": plan.side}
    sources = {name: source_of(text, sizes.get(name)) for name, text in named.items() if text}
    return WatchFeed(LiveCameras(sources, sizes), rig, head.kit, head.players, Beside(), accepted)


def film_page(window: Window, folder: Path = SAMPLE_FILM) -> MatchPage:
    """A filmed game, played from its first frame; sure and legal turns are accepted after a moment."""
    feed = FilmFeed(folder, FILM_SPEED, FILM_READER)
    desk = Desk.begin(msgspec.structs.replace(setup_of(feed.game), layout=BARE_TABLE))
    host = Host(desk, feed, accept_after_s=FILM_ACCEPTS_AFTER_S)
    host.aside = "You may answer; else the players of the film do in a moment."
    return table_page(window, host)


def table_page(window: Window, host: Host) -> MatchPage:
    """The match view of a table, started, with its way to the editor and back."""
    page = MatchPage(window.theme, host)
    _remember_split(window, page)
    page.left.connect(window.close_page)
    page.editing.connect(lambda turn: _edit(window, page, turn))
    host.start()
    return page


def _remember_split(window: Window, page: MatchPage) -> None:
    """How wide people like the picture, from one table to the next."""
    kept = window.settings.value("split")
    if isinstance(kept, QByteArray):
        page.split.restoreState(kept)
    page.split.splitterMoved.connect(lambda: window.settings.setValue("split", page.split.saveState()))


def _edit(window: Window, page: MatchPage, turn: int) -> None:
    host = page.host
    rig = host.feed.rig if host.feed is not None else None
    from_seen = turn == NOW and page.wants_seen
    past = None if turn == NOW else turn
    editor = EditorPage(window.theme, host.desk, past, rig, page.pictures_of(turn), from_seen, CITY_READER)
    if page.wants_city:
        editor.show_city(True, propose=page.wants_city == "proposed")
    page.wants_city = ""
    page.hold(True)

    def finish(step: Step | None) -> None:
        window.pop_page()
        page.hold(False)
        page.back_to_now()
        if step is not None:
            host.do(step)

    editor.done.connect(finish)
    window.push_page(editor)
