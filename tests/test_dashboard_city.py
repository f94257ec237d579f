"""A city put down in the dashboard: proposed from the pictures or by hand, put right on the plan, kept in the game."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.city_parts import middle_of
from gui.desk import Desk
from gui.explaining import Answer, CityQuestion
from gui.film import SAMPLE_MISSION, FilmFeed
from gui.host import Host
from gui.pages import doors
from gui.pages.editor import EditorPage
from gui.pages.match import MatchPage
from gui.still_feed import StillFeed
from gui.widgets.choice import Choice
from gui.widgets.parts import Button
from gui.window import Window
from referee.edition import rules_for
from referee.game import Game, setup_of
from referee.layout import BARE_TABLE, Building, CityPart, Layout, with_city
from referee.notation import read_game
from tests.dashboard import click, drag, new_window, press, table, told, waiting_for, words
from tests.test_match import GAME

Key = Qt.Key
FEED = FilmFeed(SAMPLE_MISSION)


class Reader:
    """Answers when it is told to."""

    asked: CityQuestion | None = None

    def __init__(self) -> None:
        self.ready: Answer | None = None
        self.closed = threading.Event()

    def ask(self, question: CityQuestion) -> None:
        self.asked = question

    def answer(self) -> Answer | None:
        return self.ready

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Window:
    return new_window(qtbot, tmp_path)


@pytest.fixture
def game() -> Game:
    return FEED.game


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    made = Reader()
    monkeypatch.setattr(doors, "CITY_READER", lambda: made)
    return made


def seen(layout: Layout) -> Layout:
    """What vision sees of a table: pieces, and no city."""
    return with_city(layout, ())


def city(layout: Layout) -> tuple[CityPart, ...]:
    return tuple(layout.city())


def set_up(qtbot: QtBot, window: Window, game: Game, accept_after_s: float | None = None) -> MatchPage:
    """A watched table whose entrances were seen."""
    dark = {name: np.zeros((c.height, c.width, 3), np.uint8) for name, c in FEED.rig.cameras.items()}
    desk = Desk.begin(msgspec.structs.replace(setup_of(game), layout=BARE_TABLE))
    page = doors.table_page(window, Host(desk, StillFeed(FEED.rig, dark), accept_after_s))
    window.show_page(page)
    qtbot.waitUntil(lambda: bool(page.pictures_of(-1)))
    told(qtbot, page, lambda d: d.settled(seen(game.layouts[0])), lambda d: d.phase == "proposed")
    return page


def editor_of(window: Window) -> EditorPage:
    editor = window.pages.currentWidget()
    assert isinstance(editor, EditorPage)
    assert editor.city is not None
    QApplication.processEvents()
    return editor


def spot(editor: EditorPage, x: float, y: float) -> QPoint:
    return editor.plan.pixels_from_table.map(QPointF(x, y)).toPoint()


def part(editor: EditorPage, name: str | None = None) -> CityPart:
    found = editor.draft.part(name or editor.plan.picked)
    assert found is not None
    return found


def pushed(editor: EditorPage, text: str) -> None:
    """The button with this word on it."""
    QApplication.processEvents()
    assert editor.city is not None
    click(next(b for b in editor.city.findChildren(Button) if b.text().strip() == text and b.isVisible()))


def looks(editor: EditorPage) -> bool:
    """Whether a city is being looked for."""
    return editor.city is not None and editor.city.search.is_on


def test_a_set_up_whose_city_nobody_told_says_so_and_does_not_begin_by_itself(
    qtbot: QtBot, window: Window, game: Game
) -> None:
    page = set_up(qtbot, window, game, accept_after_s=0.01)
    assert page.desk.sure
    assert "No city known yet" in words(page)
    assert not page.host.accept_timer.isActive()
    press(page, Key.Key_Return)
    waiting_for(qtbot, page, 1)
    assert "city" not in words(page), "who begins without one is not asked again"


def test_an_edition_without_a_city_shows_none_of_it(qtbot: QtBot, window: Window) -> None:
    page = table(window, read_game(GAME), layouts=3)
    page.correct()
    editor = window.pages.currentWidget()
    assert isinstance(editor, EditorPage)
    assert editor.city is None
    press(editor, Key.Key_V)
    assert not editor.plan.holds_city
    assert editor.inspector.isVisible()
    assert "city" not in words(page)


def test_a_proposed_city_is_put_right_and_holds_in_every_turn(
    qtbot: QtBot, window: Window, game: Game, reader: Reader
) -> None:
    page = set_up(qtbot, window, game)
    press(page, Key.Key_1)
    editor = editor_of(window)
    assert looks(editor)
    qtbot.waitUntil(lambda: reader.asked is not None)
    assert reader.asked is not None
    assert set(reader.asked.settled.pictures) == {"overhead", "side"}
    assert reader.asked.layout.columns == page.desk.layout.columns
    reader.ready = Answer(game.layouts[0])
    qtbot.waitUntil(lambda: bool(city(editor.draft.layout)))
    assert not looks(editor)
    house = next(p for p in editor.draft.layout.buildings if p.kind == "building")
    x, y = middle_of(house)
    drag(editor.plan, spot(editor, x, y), spot(editor, x, y) + QPoint(15, 0))
    assert editor.plan.picked == house.id
    assert middle_of(part(editor)) != (x, y)
    drawn = city(editor.draft.layout)
    press(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: city(page.desk.layout) == drawn)
    assert page.desk.turn == 0, "it waits to be accepted"
    told(qtbot, page, lambda d: d.hands_in().settled(seen(game.layouts[0])), lambda d: d.phase == "proposed")
    assert "No city" not in words(page), "another look does not lose it"
    press(page, Key.Key_Return)
    waiting_for(qtbot, page, 1)
    told(qtbot, page, lambda d: d.settled(seen(game.layouts[1])).overrule(), lambda d: d.turn == 2)
    assert page.desk.match is not None
    assert {city(record.layout) for record in page.desk.match.timeline} == {drawn}


def test_a_search_that_is_stopped_or_left_tells_nothing_and_is_closed(
    qtbot: QtBot, window: Window, game: Game, reader: Reader
) -> None:
    page = set_up(qtbot, window, game)
    page.put_city(propose=True)
    editor = editor_of(window)
    pushed(editor, "Stop looking")
    qtbot.waitUntil(reader.closed.is_set)
    assert not looks(editor)
    reader.closed.clear()
    press(editor, Key.Key_S)
    assert looks(editor)
    press(editor, Key.Key_Escape)
    qtbot.waitUntil(reader.closed.is_set)
    assert window.pages.currentWidget() is page
    assert not city(page.desk.layout)


def test_a_city_proposed_for_a_past_turn_is_looked_for_beside_the_pieces_of_that_turn(
    qtbot: QtBot, window: Window, game: Game, reader: Reader
) -> None:
    desk = Desk.begin(msgspec.structs.replace(setup_of(game), layout=seen(game.layouts[0])))
    desk = desk.settled(seen(game.layouts[1])).overrule()
    assert desk.turn == 2
    editor = EditorPage(
        window.theme, desk, 0, FEED.rig, {"overhead": np.zeros((8, 8, 3), np.uint8)}, False, lambda: reader
    )
    qtbot.addWidget(editor)
    editor.show_city(True, propose=True)
    qtbot.waitUntil(lambda: reader.asked is not None)
    assert reader.asked is not None
    assert len(reader.asked.layout.columns) == len(game.layouts[0].columns)
    editor.close_table()
    qtbot.waitUntil(reader.closed.is_set)


@pytest.mark.parametrize(
    ("answer", "said"),
    [(Answer(BARE_TABLE), "Nothing was found"), (Answer(None, "the picture is too dark"), "The picture is too dark")],
)
def test_a_search_that_finds_nothing_says_so_and_leaves_what_is_drawn(
    qtbot: QtBot, window: Window, game: Game, reader: Reader, answer: Answer, said: str
) -> None:
    page = set_up(qtbot, window, game)
    page.put_city()
    editor = editor_of(window)
    press(editor, Key.Key_A)
    before = editor.draft
    reader.ready = answer
    press(editor, Key.Key_S)
    assert editor.city is not None
    panel = editor.city
    qtbot.waitUntil(lambda: not panel.search.is_on)
    editor._picked("")
    QApplication.processEvents()
    assert any(said in shown.text() for shown in panel.findChildren(type(editor._how)))
    assert editor.draft is before


def test_a_city_is_put_down_by_hand_with_keys_and_drags(qtbot: QtBot, window: Window, game: Game) -> None:
    page = set_up(qtbot, window, game)
    press(page, Key.Key_C)
    editor = editor_of(window)
    press(editor, Key.Key_A)
    card = part(editor)
    assert card.kind == "development"
    # By its middle it moves, by a corner it grows.
    x, y = middle_of(card)
    drag(editor.plan, spot(editor, x, y), spot(editor, x + 40.0, y))
    moved = part(editor)
    assert [b[0] - a[0] for a, b in zip(card.outline, moved.outline, strict=True)] == pytest.approx([40.0] * 4, abs=2)
    corner = moved.outline[0]
    drag(editor.plan, spot(editor, *corner), spot(editor, corner[0] - 20.0, corner[1] - 20.0))
    assert part(editor).outline[2] == pytest.approx(moved.outline[2])
    assert part(editor).outline[0] != moved.outline[0]
    press(editor, Key.Key_R)
    assert part(editor).outline[2] != pytest.approx(moved.outline[2])
    assert editor.city is not None
    kind, what = (
        next(c for c in editor.city.findChildren(Choice) if c.toolTip() == n) for n in ("Kind", "What to add")
    )
    kind.choose([data for _, data in kind.items].index("airport"))
    assert part(editor).kind == "airport"
    what.choose([data for _, data in what.items].index("tower"))
    press(editor, Key.Key_A)
    tower = part(editor)
    assert isinstance(tower, Building)
    assert tower.kind == "tower"
    press(editor, Key.Key_Plus)
    taller = part(editor)
    assert isinstance(taller, Building)
    assert taller.height_mm == tower.height_mm + 1
    pushed(editor, "\u221210")
    assert part(editor).height_mm == tower.height_mm - 9  # type: ignore[union-attr]
    press(editor, Key.Key_N)
    assert editor.plan.picked != tower.id
    press(editor, Key.Key_Delete)
    assert [p.kind for p in editor.draft.layout.city()] == ["tower"]


def test_pieces_and_city_are_picked_up_one_at_a_time(qtbot: QtBot, window: Window, game: Game) -> None:
    page = set_up(qtbot, window, game)
    told(qtbot, page, lambda d: d.city_told(game.layouts[0]), lambda d: bool(city(d.layout)))
    page.put_city()
    editor = editor_of(window)
    column = editor.draft.layout.columns[0]
    x, y = middle_of(next(a for a in editor.draft.layout.areas if a.kind == "airport"))
    click(editor.plan, spot(editor, column.x, column.y))
    assert editor.plan.picked == ""
    click(editor.plan, spot(editor, x, y))
    assert part(editor).kind == "airport"
    press(editor, Key.Key_V)
    QApplication.processEvents()
    assert editor.inspector.isVisible()
    click(editor.plan, spot(editor, column.x, column.y))
    assert editor.plan.picked == column.id


def test_the_plan_stays_where_it_is_while_a_part_is_dragged_over_its_rim(
    qtbot: QtBot, window: Window, game: Game
) -> None:
    page = set_up(qtbot, window, game)
    told(qtbot, page, lambda d: d.city_told(game.layouts[0]), lambda d: bool(city(d.layout)))
    page.put_city()
    editor = editor_of(window)
    card = min(editor.draft.layout.areas, key=lambda area: spot(editor, *middle_of(area)).x())
    x, y = middle_of(card)
    px_per_mm = abs(editor.plan.pixels_from_table.determinant()) ** 0.5
    start = spot(editor, x, y)
    drag(editor.plan, start, start - QPoint(60, 0), steps=6)
    far_mm = math.dist(middle_of(part(editor)), (x, y))
    assert far_mm == pytest.approx(60 / px_per_mm, rel=0.02), "as far as the finger went"
    assert abs(editor.plan.pixels_from_table.determinant()) ** 0.5 < px_per_mm, "then all of it is shown again"


def test_an_outline_that_is_no_shape_cannot_be_applied(qtbot: QtBot, window: Window, game: Game) -> None:
    page = set_up(qtbot, window, game)
    told(qtbot, page, lambda d: d.city_told(game.layouts[0]), lambda d: bool(city(d.layout)))
    page.put_city()
    editor = editor_of(window)
    tree = next(b for b in editor.draft.layout.buildings if b.kind == "tree")
    editor._drag(tree.id, "0", 0.0, 300.0)
    editor._drag(tree.id, "1", 300.0, 0.0)
    editor._drag(tree.id, "2", -300.0, 300.0)
    qtbot.waitUntil(lambda: editor.banner.notice.word == "That cannot be")
    assert not editor.apply_button.isEnabled()


def test_a_table_without_cameras_is_told_that_its_city_is_unknown_and_gets_it_by_hand(
    qtbot: QtBot, window: Window, game: Game
) -> None:
    bare = msgspec.structs.replace(game, layouts=(seen(game.layouts[0]),))
    page = table(window, bare)
    assert "No city known yet" in words(page)
    assert "Propose" not in words(page)
    press(page, Key.Key_C)
    editor = editor_of(window)
    assert editor.turn == 0
    press(editor, Key.Key_A)
    press(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: len(city(page.desk.accepted)) == 1)
    told(qtbot, page, Desk.undo, lambda d: not any(d.accepted.city()))


def test_an_edition_with_buildings_alone_offers_no_cards(qtbot: QtBot, window: Window, game: Game) -> None:
    players = ("purple", "green", "orange")
    rules = rules_for("four-player", len(players))
    setup = msgspec.structs.replace(setup_of(game), rules=rules, players=players, layout=BARE_TABLE)
    page = doors.table_page(window, Host(Desk.begin(setup)))
    window.show_page(page)
    page.by_hand()
    editor = editor_of(window)
    editor.show_city(True)
    press(editor, Key.Key_A)
    assert editor.city is not None
    assert editor.city.name == "buildings"
    assert part(editor).kind == "building"
