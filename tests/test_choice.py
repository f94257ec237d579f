"""One of a few things: chosen by the list, by keys and by letters."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from gui.theme import Theme
from gui.widgets.choice import Choice
from tests.dashboard import click, press

Key = Qt.Key
ITEMS = [("blue", "b"), ("green", "g"), ("grey", "y")]


@pytest.fixture
def choice(qtbot: QtBot) -> Choice:
    made = Choice(Theme(), "Colour", ITEMS, 1)
    qtbot.addWidget(made)
    made.show()
    return made


def test_it_shows_what_is_chosen_and_says_nothing(qtbot: QtBot, choice: Choice) -> None:
    with qtbot.assertNotEmitted(choice.chosen):
        choice.show_index(2)
    assert (choice.text(), choice.data, choice.accessibleDescription()) == ("grey", "y", "grey")


def test_nothing_chosen_is_said_so(qtbot: QtBot) -> None:
    made = Choice(Theme(), "Type", ITEMS, -1, "not known")
    qtbot.addWidget(made)
    assert (made.text(), made.data) == ("not known", None)


@pytest.mark.parametrize(
    ("start", "key", "end"),
    [(1, Key.Key_Down, 2), (2, Key.Key_Down, None), (1, Key.Key_Up, 0), (0, Key.Key_Up, None)],
)
def test_arrows_go_to_the_neighbour_and_stop_at_the_ends(
    qtbot: QtBot, choice: Choice, start: int, key: Qt.Key, end: int | None
) -> None:
    choice.show_index(start)
    told: list[int] = []
    choice.chosen.connect(told.append)
    press(choice, key)
    assert told == ([] if end is None else [end])
    assert choice.index == (start if end is None else end)


def test_a_letter_goes_to_the_next_item_that_begins_with_it(qtbot: QtBot, choice: Choice) -> None:
    press(choice, Key.Key_G)
    assert choice.text() == "grey"
    press(choice, Key.Key_G)
    assert choice.text() == "green"
    press(choice, Key.Key_Z)
    assert choice.text() == "green"


def test_the_list_marks_what_is_chosen_and_takes_another(qtbot: QtBot, choice: Choice) -> None:
    click(choice)
    menu = choice.findChild(QMenu)
    assert menu is not None
    actions = menu.actions()
    assert [action.isChecked() for action in actions] == [False, True, False]
    with qtbot.waitSignal(choice.chosen) as told:
        actions[0].trigger()
    menu.close()
    assert (told.args, choice.data) == ([0], "b")


def test_what_is_offered_becomes_an_item_once(choice: Choice) -> None:
    choice.offer("g")
    assert choice.index == 1
    assert len(choice.items) == len(ITEMS)
    for _ in range(2):
        choice.offer("/kits/mine.json")
    assert choice.data == choice.text() == "/kits/mine.json"
    assert len(choice.items) == len(ITEMS) + 1
