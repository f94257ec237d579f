"""The dashboard, driven as players drive it: by keys and clicks, offscreen."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPointF, Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.desk import Desk
from gui.feed import Shown
from gui.film import SAMPLE_FILM, SAMPLE_MISSION, FilmFeed
from gui.first_layout import first_layout
from gui.host import Host
from gui.moments import occasions
from gui.pages.doors import table_page
from gui.pages.editor import EditorPage
from gui.pages.match import MatchPage
from gui.scene import scene_now
from gui.widgets.missions import MISSIONS
from gui.widgets.parts import Button
from gui.window import Window
from referee.edition import rules_for
from referee.game import Game, play, read_json, setup_of
from referee.layout import BARE_TABLE, Candidate, with_pieces
from referee.match import Setup
from referee.notation import read_game
from referee.pieces import Kit
from referee.ruling import Event
from tests.dashboard import click, new_window, press, table, told, waiting_for, with_height, words
from tests.test_match import GAME

Key = Qt.Key


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Window:
    return new_window(qtbot, tmp_path)


@pytest.fixture(scope="module")
def game() -> Game:
    return read_game(GAME)


def test_the_filmed_game_plays_from_the_first_click_to_the_final_score(
    qtbot: QtBot, window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.pages.doors.FILM_ACCEPTS_AFTER_S", 0.0)
    monkeypatch.setattr("gui.film.SAID_AFTER_S", 0.0)
    monkeypatch.setattr("gui.pages.doors.FILM_SPEED", 1000.0)
    monkeypatch.setattr("gui.pages.doors.FILM_READER", None)
    phases = set()
    click(window.home.tiles["sample"])
    page = window.pages.currentWidget()
    assert isinstance(page, MatchPage)
    page.host.desk_changed.connect(lambda desk: phases.add(desk.phase))
    qtbot.waitUntil(lambda: page.desk.phase == "over", timeout=120_000)
    assert phases >= {"hands", "proposed", "building", "fallen", "waiting"}
    match = page.desk.match
    assert match is not None
    assert isinstance(page.host.feed, FilmFeed)
    assert match.rulings == play(page.host.feed.game).rulings
    assert "Purple wins" in words(page)
    assert [chip.turn for chip in page.timeline.rulings] == list(range(29))
    assert page.album.pictures(12)["overhead"].shape == (720, 1280, 3)
    page.select(12)
    assert "not between two columns" in " ".join(c.why for c in match.rulings[3].crossings)
    assert page.picture.outline_of("pr12") is not None


def test_enter_accepts_and_backspace_takes_back(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game)
    told(qtbot, page, lambda d: d.settled(game.layouts[1]), lambda d: d.phase == "proposed")
    assert "LEGAL" in words(page)
    press(page, Key.Key_Return)
    waiting_for(qtbot, page, 2)
    assert "Green to build" in words(page)
    press(page, Key.Key_Backspace)
    qtbot.waitUntil(lambda: page.desk.turn == 1 and page.desk.phase == "proposed")
    press(page, Key.Key_Backspace, Qt.KeyboardModifier.ShiftModifier)
    waiting_for(qtbot, page, 2)


def test_a_sure_and_legal_turn_is_accepted_by_itself_and_one_taken_back_is_not(
    qtbot: QtBot, window: Window, game: Game
) -> None:
    page = table(window, game, accept_after_s=0.0)
    page.host.do(lambda d: d.settled(game.layouts[1]))
    waiting_for(qtbot, page, 2)
    told(qtbot, page, Desk.undo, lambda d: d.phase == "proposed")
    assert not page.host.accept_timer.isActive()


def test_an_illegal_turn_waits_and_is_overruled_by_one_key(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game, accept_after_s=0.0)
    wrong = with_height(game, 1, "a1", 4)
    told(qtbot, page, lambda d: d.settled(wrong.layouts[1]), lambda d: d.phase == "proposed")
    assert "ILLEGAL" in words(page)
    assert "Rule T3" in words(page)
    assert not page.bar.accept.isEnabled()
    assert not page.host.accept_timer.isActive()
    press(page, Key.Key_O)
    waiting_for(qtbot, page, 2)


def test_an_asked_height_is_answered_by_the_key_of_its_number(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game)
    column = msgspec.structs.replace(
        game.layouts[1].columns[-1], unsure="height", candidates=(Candidate(0.6, height=2), Candidate(0.4, height=3))
    )
    layout = msgspec.structs.replace(game.layouts[1], columns=(*game.layouts[1].columns[:-1], column))
    told(qtbot, page, lambda d: d.settled(layout), lambda d: d.phase == "asked")
    assert "Is this column 2 or 3 high?" in words(page)
    assert [c.height for c in page.picture.scene.candidates] == [2, 3]
    press(page, Key.Key_2)
    qtbot.waitUntil(lambda: page.desk.phase == "proposed")
    assert "LEGAL" in words(page)


def test_what_is_asked_and_not_there_goes_by_one_key_with_what_rests_on_it(
    qtbot: QtBot, window: Window, game: Game
) -> None:
    page = table(window, game)
    ghost = msgspec.structs.replace(game.layouts[1].columns[-1], unsure="a print or a piece")
    layout = msgspec.structs.replace(game.layouts[1], columns=(*game.layouts[1].columns[:-1], ghost))
    told(qtbot, page, lambda d: d.settled(layout), lambda d: d.phase == "asked")
    assert "It is not there" in words(page)
    press(page, Key.Key_0)
    qtbot.waitUntil(lambda: page.desk.phase == "waiting")
    told(qtbot, page, Desk.hands_in, lambda d: d.phase == "hands")
    told(qtbot, page, lambda d: d.settled(layout), lambda d: d.phase == "waiting")
    assert page.desk.seen is None, "it is not asked again while the turn lasts"


def test_penalties_passes_gains_and_the_end_have_their_moment(qtbot: QtBot, window: Window) -> None:
    film = read_json((SAMPLE_FILM / "game.json").read_bytes(), Game)
    told_of = [(ruling.turn, [one.title for one in occasions(ruling)]) for ruling in play(film).rulings]
    assert (11, ["A penalty"]) in told_of
    assert (19, ["Overruled"]) in told_of
    stands = Event("overruled", was="too_close", verdict="legal")
    assert not occasions(msgspec.structs.replace(play(film).rulings[1], events=(stands,))), "deciding is no overruling"
    assert told_of[-1][1][-1] == "Purple wins"
    gain = Event("same_type", player="green", owner="purple", type="limousine", grey=1)
    assert "takes a grey disc" in occasions(msgspec.structs.replace(play(film).rulings[1], events=(gain,)))[0].text
    page = table(window, read_game(GAME), layouts=2)
    told(qtbot, page, lambda d: d.passed().overrule(), lambda d: d.turn == 3)
    assert page.moment.shown is not None
    assert page.moment.shown.title == "Green passes"
    told(qtbot, page, Desk.undo, lambda d: d.turn == 2)
    assert page.moment.shown is None, "what was taken back is no news"


def test_a_car_type_that_a_ruling_hangs_on_is_asked_from_what_is_in_stock(
    qtbot: QtBot, window: Window, game: Game
) -> None:
    page = table(window, game, layouts=2)
    odds = tuple(Candidate(p, type=kind) for p, kind in ((0.5, "sedan"), (0.3, "limousine"), (0.2, "highway_bus")))
    plain = msgspec.structs.replace(game.layouts[2].cars[-1], type=None, candidates=odds)
    seen = msgspec.structs.replace(game.layouts[2], cars=(*game.layouts[2].cars[:-1], plain))
    told(qtbot, page, lambda d: d.settled(seen), lambda d: d.phase == "asked")
    types = [c.type for c in page.desk.questions[0].candidates]
    assert "limousine" in types
    assert "sedan" not in types, "green's sedan stands on its entrance"
    press(page, Key(Key.Key_0.value + 1 + types.index("limousine")))
    qtbot.waitUntil(lambda: page.desk.phase == "proposed")
    assert page.desk.layout.cars[-1].type == "limousine"


def test_a_fall_asks_who_and_what_it_costs(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game, layouts=4)
    left = msgspec.structs.replace(
        game.layouts[3], columns=game.layouts[3].columns[:-1], roads=game.layouts[3].roads[:-1]
    )
    told(qtbot, page, lambda d: d.settled(left), lambda d: d.phase == "fallen")
    assert "green pays 1 grey disc to purple" in words(page)
    answers = {b.text(): not b.icon().isNull() for b in page.prompt.findChildren(Button)}
    assert [text for text, marked in answers.items() if marked] == ["Purple  [1]", "Green  [2]"], "colour and shape"
    press(page, Key.Key_Y)
    qtbot.waitUntil(lambda: "green pays 1 yellow disc to purple" in words(page))
    press(page, Key.Key_1)
    qtbot.waitUntil(lambda: page.desk.fall is not None and page.desk.fall.by == "purple")
    assert "pays" not in words(page)
    told(qtbot, page, lambda d: d.settled(game.layouts[3]), lambda d: d.phase == "building")


def test_a_fall_that_hits_several_offers_each_of_them_grey_or_yellow(qtbot: QtBot, window: Window) -> None:
    players = ("purple", "green", "orange")
    rules, kit = rules_for("four-player", 3), Kit()
    layout = first_layout(rules, kit, players)
    desk = Desk.begin(Setup(rules, kit, players, "purple", layout))
    page = table_page(window, Host(desk))
    window.show_page(page)
    mine = {p.id: p for p in layout.pieces() if p.owner == "purple"}
    told(qtbot, page, lambda d: d.settled(with_pieces(layout, mine)), lambda d: d.phase == "fallen")
    due = {p.owner: p.grey for p in page.desk.penalties}
    assert due["green"] >= 2
    assert due["orange"] == due["green"]
    press(page, Key.Key_U)
    qtbot.waitUntil(lambda: {p.owner: p.yellow for p in page.desk.penalties} == {"green": 0, "orange": 1})
    press(page, Key.Key_Y)
    qtbot.waitUntil(lambda: {p.owner: p.yellow for p in page.desk.penalties} == {"green": 1, "orange": 1})
    press(page, Key.Key_Y)  # purple has two yellow discs: there is no third one to pay with
    qtbot.waitUntil(lambda: {p.owner: p.yellow for p in page.desk.penalties} == {"green": 0, "orange": 1})
    assert all(p.grey + p.yellow == due[p.owner] for p in page.desk.penalties)


def test_a_table_that_could_not_be_read_says_so_on_the_sign_and_enter_takes_it_as_drawn(
    qtbot: QtBot, window: Window, game: Game
) -> None:
    bare = msgspec.structs.replace(setup_of(game), layout=BARE_TABLE)
    page = table_page(window, Host(Desk.begin(bare)))
    window.show_page(page)
    doubtful = msgspec.structs.replace(game.layouts[0], unsure="more lies on this table than could be read")
    unsure = {p.id: msgspec.structs.replace(p, unsure="half hidden") for p in doubtful.pieces()}
    doubtful = with_pieces(doubtful, unsure)
    told(qtbot, page, lambda d: d.settled(doubtful), lambda d: d.phase == "asked")
    assert page.banner.notice.kind == "too_close"
    assert "More lies on this table than could be read" in page.banner.notice.text
    assert "Enter takes it as drawn" in page.banner.notice.text
    assert page.table.scene.doubts == unsure.keys(), "roads too, whose columns are asked for"
    press(page, Key.Key_Return)
    waiting_for(qtbot, page, 1)


def test_a_match_is_left_by_a_click_and_its_way_home_is_not_held_up(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game)
    click(page.title.home)
    assert window.pages.currentWidget() is window.home
    window.wait_closed()


def test_a_lost_camera_pauses_judging_and_a_turn_can_be_entered_by_hand(
    qtbot: QtBot, window: Window, game: Game
) -> None:
    page = table(window, game)
    told(qtbot, page, lambda d: d.camera_lost("the side camera sends no pictures"), lambda d: d.phase == "paused")
    assert "side camera sends no pictures" in words(page)
    press(page, Key.Key_H)
    editor = window.pages.currentWidget()
    assert isinstance(editor, EditorPage)
    spot = editor.plan.pixels_from_table.map(QPointF(70.0, -60.0))
    click(editor.plan, spot.toPoint())
    assert len(editor.draft.layout.columns) == 3
    qtbot.waitUntil(lambda: editor.banner.notice.kind in ("legal", "too_close", "illegal"))
    press(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: page.desk.phase == "proposed")
    told(qtbot, page, Desk.camera_found, lambda d: d.lost is None)


def test_mission_mode_flags_the_tallest_column_and_shades_what_is_enclosed() -> None:
    mission = read_json((SAMPLE_MISSION / "game.json").read_bytes(), Game)
    match = play(mission)
    scene = scene_now(Desk(match.setup, match))
    plain = [c for c in match.position.layout.columns if not c.junction]
    assert scene.tallest == {c.id for c in plain if c.height == max(p.height for p in plain)}
    assert set(scene.enclosed) == set(mission.players)
    scored = {p for p, has in match.rulings[-1].state.players.items() if (has.missions or {}).get("M7", 0)}
    assert all(scene.enclosed[player] for player in scored)


def test_what_cannot_be_is_told_on_the_sign_and_the_table_goes_on(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game)
    page.host.do(lambda d: d.correct(9))
    page.host.do(lambda d: d.correct(9, *()))
    page.host.do(Desk.passed)
    qtbot.waitUntil(lambda: page.desk.phase == "proposed")
    assert "may not pass" in words(page)
    press(page, Key.Key_Backspace)
    qtbot.waitUntil(lambda: page.desk.phase == "waiting")


def test_a_camera_in_doubt_is_told_on_its_picture_and_nothing_pauses(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game)
    pictures = {camera: np.full((90, 160, 3), 90, np.uint8) for camera in ("overhead", "side")}
    page.host.shown.emit(Shown(pictures, 1.0, doubts={"side": "the same picture for 2 s"}))
    assert page.picture.doubt == "side: the same picture for 2 s", "whichever view is open beside it"
    assert page.desk.phase == "waiting"
    page.host.shown.emit(Shown(pictures, 2.0))
    assert page.picture.doubt == ""


def test_size_theme_and_the_width_of_the_picture_are_remembered(
    qtbot: QtBot, window: Window, game: Game, tmp_path: Path
) -> None:
    page = table(window, game)
    window.resize(960, 650)  # no larger than the screen of the tests, which a window is fitted to
    press(window, Key.Key_L)
    page.split.setSizes([500, 440])
    page.split.splitterMoved.emit(500, 1)
    wide = page.split.sizes()[0]
    window.close()
    window.settings.sync()
    again = new_window(qtbot, tmp_path, size=None)
    assert (again.width(), again.height(), again.theme.dark) == (960, 650, False)
    assert abs(table(again, game).split.sizes()[0] - wide) < 20


def test_keys_for_help_light_and_big_screen(qtbot: QtBot, window: Window, game: Game) -> None:
    table(window, game)
    window.help.open()
    assert window.help.isVisible()
    press(window.help, Key.Key_Escape)
    assert not window.help.isVisible()
    window.light(True)
    assert QApplication.palette().window().color().lightness() > 128
    window.light(False)
    window.big_screen()
    qtbot.waitUntil(lambda: window.theme.px(14) > 14)
    window.big_screen()
    qtbot.waitUntil(lambda: window.theme.px(14) == 14)


@pytest.mark.parametrize("page", ["match", "editor", "new", "calibrate", "phone", "sessions"])
def test_light_and_dark_are_switched_after_a_page_was_left(window: Window, game: Game, page: str) -> None:
    if page in ("match", "editor"):
        match = table(window, game)
        if page == "editor":
            match.correct()
    else:
        window.open_page(page)
    window.close_page()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # gone for good
    press(window, Key.Key_L)
    assert not window.theme.dark
    press(window, Key.Key_F11)
    assert window.big


def test_without_opengl_the_3d_tab_says_so_and_nothing_breaks(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game)
    page.views.show_page("3D")
    assert page.views.page == "3D"
    assert page.views.solid is not None
    assert page.views.solid.view is None


def test_the_final_missions_are_counted_out_one_by_one(
    qtbot: QtBot, window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.widgets.missions.COUNT_MS", 1)
    mission = read_json((SAMPLE_MISSION / "game.json").read_bytes(), Game)
    page = table(window, mission, layouts=2)
    board = page.views.missions
    assert board is not None
    over = play(mission)
    assert over.position.over
    told(qtbot, page, lambda d: Desk(d.setup, over), lambda d: d.phase == "over")
    assert page.views.page == "Missions"
    assert board.counted < len(MISSIONS)
    assert "win" not in words(page), "who has won comes after the last mission"
    qtbot.waitUntil(lambda: board.counted == len(MISSIONS))
    qtbot.waitUntil(lambda: "wins" in words(page))
