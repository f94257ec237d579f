"""New games, the library and replays, driven as people drive them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gui.game_plan import GamePlan
from gui.long_work import Work
from gui.pages.match import MatchPage
from gui.pages.new_game import NewGamePage, remembered
from gui.pages.opening import OpeningPage
from gui.pages.replay import ReplayPage
from gui.pages.sessions import EXPORTS, SessionsPage
from gui.replay_feed import ReplayFeed
from gui.session import Head
from gui.session_writer import SessionWriter
from gui.window import Window
from referee.match import Played
from referee.notation import read_game
from tests.dashboard import click, new_window, press, words
from tests.test_match import GAME

Key = Qt.Key
ROOT = Path(__file__).parent.parent
SAMPLE_SESSION = ROOT / "sample_frames" / "sample_session.mcap"


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Window:
    monkeypatch.setattr("gui.sessions_folder.folder", lambda: tmp_path / "sessions")
    monkeypatch.setattr("gui.session_summary.folder", lambda: tmp_path / "sessions")
    return new_window(qtbot, tmp_path)


def new_game(window: Window) -> NewGamePage:
    window.open_page("new")
    page = window.pages.currentWidget()
    assert isinstance(page, NewGamePage)
    return page


def begun(qtbot: QtBot, window: Window, page: NewGamePage) -> MatchPage:
    page.start()
    qtbot.waitUntil(lambda: isinstance(window.pages.currentWidget(), MatchPage), timeout=30_000)
    table = window.pages.currentWidget()
    assert isinstance(table, MatchPage)
    return table


def test_choices_are_fitted_to_the_edition_and_remembered(window: Window) -> None:
    page = new_game(window)
    page.change(edition="rainbow-city", mission=True, players=("blue", "green", "pink"), first="pink")
    page.change(options={"free_pass": True})
    assert remembered(window.settings) == page.plan
    page.change(edition="two-player-2024")
    assert (page.plan.players, page.plan.first, page.plan.mission) == (("blue", "green"), "", False)
    page.change(edition="rainbow-city-6")
    assert len(page.plan.players) == 5


def test_a_plan_that_makes_no_game_is_refused_in_words(window: Window) -> None:
    page = new_game(window)
    page.plan = GamePlan(overhead="0", rig="/no/such/rig.json")
    page.start()
    assert "/no/such/rig.json" in page._trouble.text()
    assert window.pages.currentWidget() is page


def test_a_game_without_cameras_is_recorded_listed_replayed_and_gone_on_with(qtbot: QtBot, window: Window) -> None:
    page = new_game(window)
    page.change(first="green")
    table = begun(qtbot, window, page)
    assert table.desk.mover == "green"
    assert [r.verdict for r in table.timeline.rulings] == ["legal"]
    table.pass_turn()
    qtbot.waitUntil(lambda: table.desk.phase == "proposed")
    press(table, Key.Key_O)
    qtbot.waitUntil(lambda: table.desk.turn == 2)
    window.close_page()
    window.open_page("sessions")  # which waits for the table to be closed
    library = window.pages.currentWidget()
    assert isinstance(library, SessionsPage)
    qtbot.waitUntil(lambda: library._waiting == 0 and len(library._found) == 1, timeout=30_000)
    found = library._found[0]
    assert (found.players, found.turns, found.trouble) == (("purple", "green"), 1, None)
    library.search.setText("nobody")
    assert "nobody" in library._said.text()

    library.opened.emit(found.path)
    qtbot.waitUntil(lambda: isinstance(window.pages.currentWidget(), ReplayPage), timeout=30_000)
    replay = window.pages.currentWidget()
    assert isinstance(replay, ReplayPage)
    replay.feed.seek_turn(1)
    qtbot.waitUntil(lambda: replay.match.desk.turn == 2, timeout=30_000)
    replay.feed.judge_by("second-edition")
    qtbot.waitUntil(lambda: "turns judged otherwise" in words(replay.match), timeout=30_000)
    window.close_page()

    window.open_page("sessions")
    again = window.pages.currentWidget()
    assert isinstance(again, SessionsPage)
    again.resumed.emit(found.path)
    qtbot.waitUntil(lambda: isinstance(window.pages.currentWidget(), MatchPage), timeout=30_000)
    on = window.pages.currentWidget()
    assert isinstance(on, MatchPage)
    assert (on.desk.turn, on.desk.mover) == (2, "purple")


def test_a_recorded_game_is_held_stepped_sought_and_judged_by_another_edition(qtbot: QtBot, window: Window) -> None:
    window.open_replay(SAMPLE_SESSION)
    qtbot.waitUntil(lambda: isinstance(window.pages.currentWidget(), ReplayPage), timeout=30_000)
    replay = window.pages.currentWidget()
    assert isinstance(replay, ReplayPage)
    times_s: list[float] = []
    replay.host.shown.connect(lambda shown: times_s.append(shown.time_s))
    qtbot.waitUntil(lambda: len(times_s) > 1, timeout=30_000)
    press(replay.match, Key.Key_Space)
    assert not replay.feed.playing
    replay.scrubber.sought.emit(replay.feed.turn_times_s[2] + 0.1)
    qtbot.waitUntil(lambda: replay.match.desk.turn == 3, timeout=30_000)
    qtbot.waitUntil(lambda: times_s[-1] >= replay.feed.turn_times_s[2], timeout=30_000)
    here_s = times_s[-1]
    press(replay, Key.Key_Period)
    qtbot.waitUntil(lambda: times_s[-1] > here_s, timeout=30_000)
    press(replay, Key.Key_Comma)
    qtbot.waitUntil(lambda: times_s[-1] <= here_s, timeout=30_000)
    replay.match.timeline.turn_chosen.emit(1)
    qtbot.waitUntil(lambda: replay.match.desk.turn == 2, timeout=30_000)
    replay.edition.choose([name for _, name in replay.edition.items].index("summary-2019"))
    qtbot.waitUntil(lambda: replay.match.prompt.ask is not None, timeout=60_000)
    ask = replay.match.prompt.ask
    assert ask is not None
    assert "turns judged otherwise" in ask.title
    assert ask.lines, "the differences are listed"
    press(replay.match, Key.Key_Escape)
    assert replay.match.prompt.ask is None
    assert len(replay.speed.items) > 2


def test_an_empty_library_says_what_to_do(qtbot: QtBot, window: Window) -> None:
    window.open_page("sessions")
    library = window.pages.currentWidget()
    assert isinstance(library, SessionsPage)
    qtbot.waitUntil(lambda: library._waiting == 0)
    assert library.empty.isVisible()
    assert not library.undo.isVisible()
    library.wanted.emit("new")
    assert isinstance(window.pages.currentWidget(), NewGamePage)


def test_a_session_is_exported_every_way_deleted_and_fetched_back(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    session = tmp_path / "sessions" / "game.mcap"
    game = read_game(GAME)
    writer = SessionWriter.begin(session, Head(game.edition, game.players, "purple"), print)
    writer.start(game.layouts[0])
    writer.apply(Played(game.layouts[1]))
    writer.close()
    window.open_page("sessions")
    library = window.pages.currentWidget()
    assert isinstance(library, SessionsPage)
    qtbot.waitUntil(lambda: len(library._found) == 1, timeout=30_000)
    for _, what, ending in EXPORTS:
        library.export(session, what, ending)
        out = session.with_suffix(ending)
        told = "without cameras" if what == "clip" else f"{out} is written"
        qtbot.waitUntil(lambda: told in library._said.text(), timeout=30_000)  # noqa: B023 (waited for at once)
        assert out.exists() == (what != "clip")
    library.delete(session)
    assert not session.exists()
    assert library.undo.isVisible()
    library.fetch_back()
    qtbot.waitUntil(lambda: len(library._found) == 1 and library._waiting == 0, timeout=30_000)
    assert session.exists()
    library.delete(session)
    window.close_page()
    assert not list(session.parent.rglob("*.mcap")), "left, it is gone"


def test_an_export_tells_how_far_it_is_and_a_cancelled_one_leaves_nothing(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    session = tmp_path / "sessions" / "game.mcap"
    session.parent.mkdir()
    shutil.copy(SAMPLE_SESSION, session)
    window.open_page("sessions")
    library = window.pages.currentWidget()
    assert isinstance(library, SessionsPage)
    qtbot.waitUntil(lambda: library.is_read, timeout=30_000)
    library.export(session, "report", ".html")
    assert library.cancel.isVisible()
    qtbot.waitUntil(lambda: library.bar.value() > 0, timeout=30_000)
    library.export(session, "scores", ".csv")
    assert "one thing after the other" in library._said.text()
    click(library.cancel)
    qtbot.waitUntil(lambda: library.work is None, timeout=30_000)
    assert "cancelled" in library._said.text()
    assert not library.bar.isVisible()
    assert [file.name for file in session.parent.iterdir()] == ["game.mcap"]


def test_opening_a_session_that_was_cut_off_can_be_cancelled_and_leaves_it_as_it_was(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    session = tmp_path / "sessions" / "cut.mcap"
    session.parent.mkdir()
    subprocess.run([sys.executable, "-c", CUT_OFF, str(session)], cwd=ROOT, check=False)
    was = session.read_bytes()
    shares: list[float] = []
    made: list[object] = []

    def make(work: Work) -> object:
        def tell(share: float) -> None:
            shares.append(share)
            page.work.cancel()
            work.progress(share)

        return ReplayFeed(session, tell)

    page = OpeningPage(window.theme, "Opening\u2026", make, made.append)
    page.ready.connect(made.append)
    window.show_page(page)
    page.begin()
    qtbot.waitUntil(lambda: bool(shares), timeout=30_000)
    press(page, Key.Key_Escape)
    window.close_page()
    qtbot.wait(50)
    assert made == []
    assert session.read_bytes() == was
    window.home.resume.look()
    qtbot.waitUntil(window.home.resume.isVisible, timeout=30_000)


def test_a_table_that_nobody_waits_for_any_more_is_let_go(qtbot: QtBot, window: Window) -> None:
    go, gone = threading.Event(), threading.Event()
    page = OpeningPage(window.theme, "Setting the table\u2026", lambda work: go.wait(30.0), lambda made: gone.set())
    shown: list[object] = []
    page.ready.connect(shown.append)
    window.show_page(page)
    page.begin()
    window.close_page()
    go.set()
    assert gone.wait(30.0)
    assert shown == []


CUT_OFF = """
import os, sys
import subprocess
import sys
from pathlib import Path
from gui.replay_feed import ReplayFeed
from gui.session import Head
from gui.session_writer import SessionWriter
from referee.match import Played
from referee.notation import read_game
from tests.test_match import GAME
game = read_game(GAME)
writer = SessionWriter.begin(Path(sys.argv[1]), Head(game.edition, game.players, "purple"), print)
writer.start(game.layouts[0])
writer.apply(Played(game.layouts[1]))
os._exit(9)
"""


def test_a_game_that_was_cut_off_is_offered_on_the_home_page_and_goes_on(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    session = tmp_path / "sessions" / "cut.mcap"
    session.parent.mkdir()
    subprocess.run([sys.executable, "-c", CUT_OFF, str(session)], cwd=ROOT, check=False)
    for _ in range(2):  # looking at it does not close it
        window.home.resume.look()
        qtbot.waitUntil(window.home.resume.isVisible, timeout=30_000)
    assert "recovered to turn 1, nothing lost" in window.home.resume._words.text()
    window.home.resume._resume()
    qtbot.waitUntil(lambda: isinstance(window.pages.currentWidget(), MatchPage), timeout=30_000)
    table = window.pages.currentWidget()
    assert isinstance(table, MatchPage)
    assert (table.desk.turn, table.desk.mover) == (2, "green")
