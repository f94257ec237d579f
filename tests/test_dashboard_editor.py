"""Turns and set-ups put right on the plan, as players do it: by keys, clicks and drags, offscreen."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.desk import Desk
from gui.first_layout import first_layout
from gui.host import Host
from gui.pages.doors import table_page
from gui.pages.editor import EditorPage
from gui.reseat import put_column
from gui.widgets.parts import Button
from gui.window import Window
from referee.game import Game, setup_of
from referee.layout import BARE_TABLE, Car, Column, with_pieces
from referee.notation import read_game
from tests.dashboard import click, drag, new_window, press, table, told, waiting_for, words
from tests.test_match import GAME

Key = Qt.Key


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Window:
    return new_window(qtbot, tmp_path)


@pytest.fixture(scope="module")
def game() -> Game:
    return read_game(GAME)


def test_what_was_seen_is_put_right_on_the_plan_before_it_is_accepted(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game)
    tall = msgspec.structs.replace(game.layouts[1].columns[-1], height=4)
    wrong = put_column(game.layouts[1], tall, game.kit)
    told(qtbot, page, lambda d: d.settled(wrong), lambda d: d.phase == "proposed")
    assert "ILLEGAL" in words(page)
    press(page, Key.Key_C)
    editor = window.pages.currentWidget()
    assert isinstance(editor, EditorPage)
    press(editor, Key.Key_N)
    assert editor.plan.picked == "a1"
    press(editor, Key.Key_Minus)
    press(editor, Key.Key_Minus)
    press(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: page.desk.by_hand and "LEGAL" in words(page) and "ILLEGAL" not in words(page))
    assert page.desk.turn == 1, "it waits to be accepted"


def test_roads_and_cars_are_dragged_by_where_they_are_held(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game, layouts=4)
    page.correct()
    editor = window.pages.currentWidget()
    assert isinstance(editor, EditorPage)
    car = editor.draft.layout.cars[0]
    spot = editor.plan.pixels_from_table.map(QPointF(car.x, car.y)).toPoint()
    drag(editor.plan, spot, spot + QPoint(20, 0))
    assert editor.plan.picked == car.id
    assert editor.draft.layout.cars[0].x != car.x
    road = editor.draft.layout.roads[-1]
    near_b = QPointF(0.25 * road.a[0] + 0.75 * road.b[0], 0.25 * road.a[1] + 0.75 * road.b[1])
    spot = editor.plan.pixels_from_table.map(near_b).toPoint()
    drag(editor.plan, spot, spot + QPoint(0, 12))
    moved = editor.draft.layout.roads[-1]
    assert editor.plan.picked == road.id
    assert moved.a == road.a
    assert moved.b != road.b


def test_a_set_up_that_was_half_seen_is_completed_on_the_plan_and_begins(
    qtbot: QtBot, window: Window, game: Game
) -> None:
    page = table_page(window, Host(Desk.begin(msgspec.structs.replace(setup_of(game), layout=BARE_TABLE))))
    window.show_page(page)
    start = first_layout(page.desk.setup.rules, page.desk.setup.kit, page.desk.setup.players)
    mine = with_pieces(start, {p.id: p for p in start.pieces() if p.owner == "purple"})
    half = msgspec.structs.replace(mine, unsure="more lies here")
    told(qtbot, page, lambda d: d.settled(half), lambda d: d.phase == "asked")
    press(page, Key.Key_C)
    editor = window.pages.currentWidget()
    assert isinstance(editor, EditorPage)
    qtbot.waitUntil(lambda: editor.banner.notice.word == "Not all there yet")
    green = next(c for c in start.columns if c.owner == "green")
    click(editor.plan, editor.plan.pixels_from_table.map(QPointF(green.x, green.y)).toPoint())
    assert {(type(p).__name__, p.owner) for p in editor.draft.layout.pieces()} == {
        (kind, player) for kind in ("Column", "Road", "Car") for player in ("purple", "green")
    }
    before = editor.draft
    click(editor.plan, editor.plan.pixels_from_table.map(QPointF(0.0, 150.0)).toPoint())
    assert editor.draft is before, "everybody has an entrance: a click puts down no other"
    press(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: page.desk.phase == "proposed")
    press(page, Key.Key_Return)
    waiting_for(qtbot, page, 1)


def test_a_set_up_without_a_picture_begins_from_the_rulebooks_and_one_key_puts_an_entrance_down(
    qtbot: QtBot, window: Window, game: Game
) -> None:
    page = table_page(window, Host(Desk.begin(msgspec.structs.replace(setup_of(game), layout=BARE_TABLE))))
    window.show_page(page)
    press(page, Key.Key_H)
    editor = window.pages.currentWidget()
    assert isinstance(editor, EditorPage)
    editor._picked("green_c0")
    press(editor, Key.Key_Delete)
    assert editor.draft.unstarted(page.desk.setup.players) == "green"
    press(editor, Key.Key_A)
    assert editor.draft.unstarted(page.desk.setup.players) is None
    qtbot.waitUntil(lambda: editor.banner.notice.kind == "legal")
    press(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: page.desk.phase == "proposed")


def test_a_past_turn_is_dragged_right_and_what_changes_is_listed(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game, layouts=4)
    press(page, Key.Key_Left)
    assert page.selected == 3
    press(page, Key.Key_C)
    editor = window.pages.currentWidget()
    assert isinstance(editor, EditorPage)
    start = editor.plan.pixels_from_table.map(
        QPointF(editor.draft.layout.columns[-1].x, editor.draft.layout.columns[-1].y)
    )
    drag(editor.plan, start.toPoint(), start.toPoint() + QPoint(30, 0))
    assert editor.draft.layout.columns[-1].x != game.layouts[3].columns[-1].x
    press(editor, Key.Key_Plus)
    assert editor.draft.layout.columns[-1].height == 4
    qtbot.waitUntil(lambda: "illegal, not legal" in editor.banner.notice.text)
    press(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: "illegal, not legal" in words(page))
    press(page, Key.Key_Escape)
    assert "illegal, not legal" not in words(page)


def test_owner_and_car_of_a_past_turn_are_changed_and_a_turn_without_a_road_is_built(
    qtbot: QtBot, window: Window, game: Game
) -> None:
    page = table(window, game, layouts=4)
    page.select(3)
    press(page, Key.Key_C)
    editor = window.pages.currentWidget()
    assert isinstance(editor, EditorPage)
    built = [p for p in editor.draft.layout.pieces() if p.id not in editor.draft.before]
    column = next(p for p in built if isinstance(p, Column))
    editor._picked(column.id)
    other = next(player for player in game.players if player != column.owner)
    QApplication.processEvents()  # the buttons of the picked piece come up
    click(next(b for b in editor.inspector.findChildren(Button) if b.text() == other and b.isVisible()))
    assert editor.draft.piece(column.id).owner == other  # type: ignore[union-attr]
    QApplication.processEvents()
    click(next(b for b in editor.inspector.findChildren(Button) if b.text().strip() == "Add a car" and b.isVisible()))
    assert len([c for c in editor.draft.layout.cars if c.id not in editor.draft.before]) == 1 + len(
        [p for p in built if isinstance(p, Car)]
    )
    editor._picked(column.id)
    press(editor, Key.Key_Delete)
    assert editor.draft.new_road is None
    click(editor.plan, editor.plan.pixels_from_table.map(QPointF(column.x, column.y)).toPoint())
    assert editor.draft.new_road is not None, "what the cameras missed is built by a click"


def test_an_editor_that_is_cancelled_changes_nothing(qtbot: QtBot, window: Window, game: Game) -> None:
    page = table(window, game, layouts=3)
    before = page.desk
    page.correct()
    editor = window.pages.currentWidget()
    assert isinstance(editor, EditorPage)
    press(editor, Key.Key_Escape)
    assert window.pages.currentWidget() is page
    assert page.desk is before
