"""The pages besides the match view, posed for screenshots; the library and the replay on a session made of the film."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path

import av
import numpy as np
from PyQt6.QtWidgets import QApplication

from calibration.board import BoardSpec
from calibration.coverage import Coverage
from gui.calibration_steps import Glimpse
from gui.film import SAMPLE_FILM, SETTLE_FRAMES, FilmFeed, bgr
from gui.long_work import Work
from gui.pages.calibrate import CalibratePage
from gui.pages.doors import open_replay
from gui.pages.new_game import NewGamePage
from gui.pages.opening import OpeningPage
from gui.pages.replay import ReplayPage
from gui.pages.sessions import SessionsPage
from gui.session import Head, solved
from gui.session_summary import Summary
from gui.session_writer import SessionWriter
from gui.window import Window
from referee.match import Match
from vision.gate import Settled

Pose = Callable[[Window], object]
SAMPLE_TAKE = SAMPLE_FILM.parent / "calibration_take"
TURNS = 6
SECOND_NS = 1_000_000_000
BEGUN_NS = 1_760_000_000 * SECOND_NS
OPENS_S = 20.0


def page_shots(scratch: Path) -> Iterator[tuple[str, Pose]]:
    """Name and pose of every page."""
    yield "home_resume", _cut_off
    for name in ("new", "calibrate", "phone"):
        yield name, partial(_opened, name)
    yield "calibrate_lens", _lens
    yield "sessions_empty", lambda window: _library(window, scratch / "empty")
    yield "sessions", lambda window: _library(window, _recorded(scratch).parent)
    yield "sessions_export", lambda window: _exporting(window, _recorded(scratch))
    yield "replay", lambda window: _replay(window, _recorded(scratch))
    yield "replay_judged", lambda window: _judged(window, _recorded(scratch))
    yield "opening", _opening


def _opened(name: str, window: Window) -> None:
    window.open_page(name)
    page = window.pages.currentWidget()
    if isinstance(page, NewGamePage):
        _wait(lambda: page.rules.is_whole)


def _cut_off(window: Window) -> None:
    """The home page after a crash, posed."""
    session = Path("2026-11-16 20.15.00.mcap")
    window.home.resume.show_found(Summary(session, datetime.now(), players=("purple", "green"), turns=17, cut_off=True))


def _lens(window: Window) -> None:
    """A lens half calibrated, posed with the bundled take."""
    window.open_page("calibrate")
    page = window.pages.currentWidget()
    if isinstance(page, CalibratePage):
        with av.open(str(SAMPLE_TAKE / "overhead_lens.mp4")) as video:
            picture = np.asarray(next(video.decode(video=0)).to_ndarray(format="bgr24"), np.uint8)
        cells = frozenset((x, y) for x in range(4) for y in range(3))
        covered = Coverage(BoardSpec(), cells, frozenset({"near"}), frozenset({"right", "top"}), 7)
        page.show_glimpse(Glimpse(picture, covered.missing[0], covered.share, covered))


def _library(window: Window, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    page = SessionsPage(window.theme, folder)
    window.show_page(page)
    _wait(lambda: page.is_read)


def _exporting(window: Window, session: Path) -> None:
    """A report half written, posed."""
    _library(window, session.parent)
    page = window.pages.currentWidget()
    if isinstance(page, SessionsPage):
        page.show_export(f"Writing the report of {session.stem}\u2026", Work(lambda share: None), 0.4)


def _replay(window: Window, session: Path) -> None:
    open_replay(window, session)
    _wait(lambda: isinstance(window.pages.currentWidget(), ReplayPage))
    page = window.pages.currentWidget()
    if isinstance(page, ReplayPage):
        times_s: list[float] = []
        page.host.shown.connect(lambda shown: times_s.append(shown.time_s))
        there_s = page.feed.duration_s * 0.7
        page.feed.seek_s(there_s)
        _wait(lambda: bool(times_s) and times_s[-1] >= there_s)


def _judged(window: Window, session: Path) -> None:
    """What another edition says of the recorded game."""
    _replay(window, session)
    page = window.pages.currentWidget()
    if isinstance(page, ReplayPage):
        page.feed.pause(True)
        page.feed.judge_by("summary-2019")
        _wait(lambda: page.match.prompt.ask is not None)


def _opening(window: Window) -> None:
    page = OpeningPage(window.theme, "Opening 2026-11-16 20.15.00\u2026", lambda work: None)
    window.show_page(page)
    page.work.progress(0.4)


def _wait(ready: Callable[[], bool]) -> None:
    until = time.monotonic() + OPENS_S
    while not ready() and time.monotonic() < until:
        QApplication.processEvents()
        time.sleep(0.01)


def _recorded(scratch: Path) -> Path:
    """The film's first turns as a session, made once."""
    path = scratch / "recorded" / "2026-11-16 20.15.00.mcap"
    if path.exists():
        return path
    path.parent.mkdir(parents=True)
    feed = FilmFeed(SAMPLE_FILM)
    writer = SessionWriter.begin(path, Head.of_game(feed.game, solved(feed.rig)), print, lambda: BEGUN_NS)
    states = {s.first_frame + SETTLE_FRAMES: s for s in feed.film.states if s.complete and s.turn <= TURNS}
    match: Match | None = None
    for number, frames in enumerate(feed.frames()):
        at_ns = BEGUN_NS + round(number / feed.film.fps * SECOND_NS)
        pictures = {camera: bgr(frame) for camera, frame in frames.items()}
        for camera, picture in pictures.items():
            writer.recorder.frame(camera, picture, at_ns)
        if number in states:
            layout = states[number].layout
            if match is None:
                match = Match.begin(writer.head.setup(layout))
            else:
                match = match.play(layout, feed.game.note(states[number].turn))
            ruling = match.rulings[-1]
            still = writer.settled(layout, ruling.player, ruling, Settled(pictures, 0.0, feed.rig), at_ns)
            writer.follow(match, still, at_ns)
        if number > max(states):
            break
    writer.close()
    return path
