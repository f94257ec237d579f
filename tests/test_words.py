"""What the dashboard says, in the words of people at a table."""

from __future__ import annotations

import msgspec
import pytest

from gui.film import SAMPLE_MISSION, FilmFeed
from gui.notices import ruling_notice
from gui.piece_words import named_in
from gui.standing import lead_words, leaders
from gui.words import capital, crossing_told, event_told, wins_words
from referee.game import Game, play
from referee.layout import Layout
from referee.notation import read_game
from referee.ruling import Crossing, Event, PlayerState, State
from tests.dashboard import with_height
from tests.test_match import GAME


@pytest.fixture(scope="module")
def game() -> Game:
    return read_game(GAME)


@pytest.fixture(scope="module")
def layout(game: Game) -> Layout:
    return play(game).positions[1].layout


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("road r1 sticks out 1.3 mm past column a1", "purple's new road sticks out 1.3 mm past purple's new column"),
        ("the start of road r1 rests on no column", "the start of purple's new road rests on no column"),
        ("road r1 does not end on the new column a1", "purple's new road does not end on purple's new column"),
        ("start columns a0 and b0 stand 80 mm apart", "the start columns of purple and green stand 80 mm apart"),
        ("a0 was placed earlier and moved by 7.0 mm", "purple's column was placed earlier and moved by 7.0 mm"),
        ("purple pays 2 discs to green; due are 1", "purple pays 2 discs to green; due are 1"),
    ],
)
def test_a_sentence_names_pieces_as_people_see_them(layout: Layout, said: str, told: str) -> None:
    assert named_in(said, layout, frozenset({"a1", "r1"})) == told


def test_the_city_is_named_by_what_it_is() -> None:
    layout = FilmFeed(SAMPLE_MISSION).film.states[0].layout
    tower = next(b for b in layout.buildings if b.kind == "tower")
    area = next(a for a in layout.areas if a.kind == "green")
    said = f"road x touches tower {tower.id}; column y stands 2 mm into the green area {area.id}"
    assert named_in(said, layout) == "road x touches the tower; column y stands 2 mm into the green area"


def test_an_id_that_is_a_number_is_no_word_of_a_sentence(layout: Layout) -> None:
    numbered = msgspec.structs.replace(layout.columns[0], id="2")
    odd = msgspec.structs.replace(layout, columns=(numbered, *layout.columns[1:]))
    assert named_in("purple pays 2 discs", odd) == "purple pays 2 discs"


def test_a_sign_names_no_ids(game: Game) -> None:
    wrong = with_height(game, 1, "a1", 4)
    match = play(wrong)
    notice = ruling_notice(match.rulings[1], match.positions[1].layout, frozenset({"a1", "r1"}))
    assert notice.text.startswith("Purple's new column is 4 high; from purple's column it must be")


def test_crossings_and_falls_are_told_without_ids(layout: Layout) -> None:
    assert crossing_told(Crossing("rb", "over", False, "not first", ("r1",)), layout) == (
        "over green's entrance: earns nothing",
        "not first (purple's road)",
    )
    fell = Event("fallen", pieces=("c9", "r9"), owner="green", by="purple")
    assert event_told(fell, layout) == "2 pieces of green fell, by purple"


def state(over: bool = False, **cars: tuple[int, int | None]) -> State:
    players = {p: PlayerState(left, 9, 2, 9, points=points) for p, (left, points) in cars.items()}
    return State(players, None if over else "purple", over)


def test_whoever_has_the_fewest_cars_left_leads_and_with_missions_the_most_points() -> None:
    assert leaders(state(purple=(2, None), green=(7, None))) == {"purple"}
    assert leaders(state(purple=(2, 5), green=(7, 9))) == {"green"}
    assert leaders(state(purple=(2, 9), green=(7, 9))) == {"purple"}, "tied: most cars on the highway (W4)"
    assert leaders(state(purple=(4, None), green=(4, None))) == frozenset(), "nobody is ahead of anybody"
    assert leaders(state(over=True, purple=(0, None), green=(4, None))) == frozenset()


def test_why_somebody_leads_is_said() -> None:
    assert lead_words("green", state(green=(7, 9)).players["green"]) == "green leads: most points"


def test_a_sentence_begins_with_a_capital_and_a_path_stays_as_it_is() -> None:
    assert capital("green passes") == "Green passes"
    assert capital("table/left.mp4: is no video") == "table/left.mp4: is no video"


def test_several_win_and_one_wins() -> None:
    assert [wins_words(w) for w in (("purple",), ("purple", "green"), ())] == [
        "Purple wins",
        "Purple and green win",
        "Nobody wins",
    ]
