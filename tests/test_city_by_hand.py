"""The city: told once, by hand or from a proposal, it holds in every turn; its parts are changed as people see them."""

from __future__ import annotations

import math

import msgspec
import pytest
import shapely

from gui.city_parts import CityKind, city_kinds, middle_of
from gui.desk import Desk
from gui.draft import Draft
from gui.explaining import Answer
from gui.film import SAMPLE_MISSION, FilmFeed
from gui.film_players import players_step
from gui.looking_again import Look
from gui.rejudging import _seen_again
from gui.reseat import edits_between
from gui.session import Begun, Head, Recorded, Settled, Step
from referee.correction import SetCity
from referee.edition import rules_for
from referee.game import Game, setup_of
from referee.layout import BARE_TABLE, Area, Building, CityPart, Layout, with_city
from referee.match import Corrected, Setup
from referee.notes import NO_NOTE
from referee.pieces import Kit

LAWN = Area("lawn", "green", ((200.0, 0.0), (260.0, 0.0), (260.0, 40.0), (200.0, 40.0)))
HOUSE = Building("house", "building", ((300.0, 0.0), (320.0, 0.0), (320.0, 20.0), (300.0, 20.0)), 30.0)
TREE = Building("tree", "tree", ((0.0, 200.0), (8.0, 200.0), (4.0, 210.0)), 18.0)


@pytest.fixture(scope="module")
def game() -> Game:
    return FilmFeed(SAMPLE_MISSION).game


@pytest.fixture
def desk(game: Game) -> Desk:
    """A table of an edition with a city, before anything is seen on it."""
    return Desk.begin(msgspec.structs.replace(setup_of(game), layout=BARE_TABLE))


@pytest.fixture
def draft(game: Game) -> Draft:
    layout = with_city(game.layouts[0], (LAWN, HOUSE, TREE))
    return Draft.of(layout, game.kit, "purple", BARE_TABLE)


def seen(layout: Layout) -> Layout:
    """What vision sees of a table: pieces, and no city."""
    return with_city(layout, ())


def city(layout: Layout) -> tuple[CityPart, ...]:
    return tuple(layout.city())


def kinds(edition: str, count: int) -> tuple[CityKind, ...]:
    players = ("purple", "green", "orange", "blue", "pink", "red")[:count]
    return city_kinds(Setup(rules_for(edition, count), Kit(), players, "purple", BARE_TABLE))


def test_an_edition_has_a_city_buildings_or_neither() -> None:
    assert {"development", "rainbow", "tower", "aeroplane"} <= set(kinds("rainbow-city", 2))
    assert kinds("four-player", 3) == ("building",)
    assert kinds("four-player", 2) == kinds("two-player-2024", 2) == ()


def test_a_set_up_of_an_edition_with_a_city_lacks_it_until_it_is_told(desk: Desk, game: Game) -> None:
    bare = desk.settled(seen(game.layouts[0]))
    assert bare.lacks_city
    assert not bare.city_told(game.layouts[0]).lacks_city
    assert not bare.accept().lacks_city, "who begins without one is not asked again"


def test_a_city_told_before_the_set_up_was_seen_is_there_when_it_is_seen_again_and_again(
    desk: Desk, game: Game
) -> None:
    told = desk.city_told(game.layouts[0])
    assert city(told.layout) == city(game.layouts[0]), "it is drawn on the bare table already"
    looked = told.settled(seen(game.layouts[0])).hands_in().settled(seen(game.layouts[0]))
    begun = looked.accept()
    assert begun.match is not None
    assert city(begun.accepted) == city(game.layouts[0])


def test_a_city_entered_by_hand_holds_through_the_whole_game(desk: Desk, game: Game) -> None:
    desk = desk.entered(game.layouts[0]).accept()
    for layout in game.layouts[1:5]:
        desk = desk.settled(seen(layout))
        desk = desk.accept() if desk.sure else desk.overrule()
    assert desk.match is not None
    assert len(desk.match.timeline) == 5
    assert {city(record.layout) for record in desk.match.timeline} == {city(game.layouts[0])}
    assert not [v for r in desk.match.rulings for v in r.violations if v.rule == "T7"]


def test_a_city_corrected_in_the_middle_of_the_game_is_so_in_every_turn_and_can_be_undone(
    desk: Desk, game: Game
) -> None:
    desk = desk.entered(game.layouts[0]).accept().settled(seen(game.layouts[1])).overrule()
    desk = desk.settled(seen(game.layouts[2]))
    layout = with_city(desk.accepted, (LAWN, HOUSE))
    after = desk.correct(1, *edits_between(desk.accepted, layout))
    assert after.match is not None
    assert {city(record.layout) for record in after.match.timeline} == {(HOUSE, LAWN)}
    assert city(after.layout) == (HOUSE, LAWN), "the turn being played has it too"
    assert city(after.undo().accepted) == city(game.layouts[0])


def test_a_turn_entered_by_hand_with_another_city_changes_it_everywhere(desk: Desk, game: Game) -> None:
    desk = desk.entered(game.layouts[0]).accept()
    after = desk.entered(with_city(game.layouts[1], (LAWN,)))
    assert after.match is not None
    assert city(after.match.timeline[0].layout) == city(after.layout) == (LAWN,)


def test_a_city_in_the_log_is_read_back_as_it_was_written() -> None:
    event = Corrected(0, (SetCity((HOUSE,), (LAWN,)),))
    assert msgspec.json.decode(msgspec.json.encode(event), type=Corrected) == event


def test_the_players_of_a_film_tell_the_city_that_nobody_else_told(desk: Desk, game: Game) -> None:
    desk = desk.settled(seen(game.layouts[0]))
    tell = players_step(desk, game.layouts[0], NO_NOTE)
    assert tell is not None
    knows = tell(desk)
    assert city(knows.layout) == city(game.layouts[0])
    begin = players_step(knows, game.layouts[0], NO_NOTE)
    assert begin is not None
    assert begin(knows).turn == 1


# --- its parts on the plan ---


def test_a_part_is_moved_turned_and_taken_away(draft: Draft) -> None:
    moved = draft.dragged("lawn", "", 5.0, -3.0).part("lawn")
    assert moved is not None
    assert moved.outline[0] == (205.0, -3.0)
    turned = draft.turned("lawn", math.pi / 2).part("lawn")
    assert turned is not None
    assert middle_of(turned) == pytest.approx(middle_of(LAWN))
    assert shapely.Polygon(turned.outline).bounds == pytest.approx((210.0, -10.0, 250.0, 50.0))
    assert city(draft.dropped("house").layout) == (TREE, LAWN)


def test_a_rectangle_stays_one_when_a_corner_is_pulled_and_other_outlines_move_that_corner_alone(draft: Draft) -> None:
    card = draft.turned("lawn", 0.3).dragged("lawn", "2", 12.0, 7.0).part("lawn")
    assert card is not None
    shape = shapely.Polygon(card.outline)
    assert shape.area == pytest.approx(shape.minimum_rotated_rectangle.area)
    assert card.outline[0] == pytest.approx(draft.turned("lawn", 0.3).part("lawn").outline[0])  # type: ignore[union-attr]
    tree = draft.dragged("tree", "1", 3.0, 0.0).part("tree")
    assert tree is not None
    assert tree.outline == ((0.0, 200.0), (11.0, 200.0), (4.0, 210.0))
    assert draft.dragged("lawn", "2", -80.0, 0.0) == draft, "it is never pulled inside out"


def test_kinds_change_among_cards_and_among_buildings_and_buildings_have_a_height(draft: Draft) -> None:
    assert draft.of_kind("lawn", "airport").part("lawn").kind == "airport"  # type: ignore[union-attr]
    assert draft.of_kind("lawn", "tower") == draft
    tower = draft.of_kind("house", "tower").heightened("house", 10).part("house")
    assert isinstance(tower, Building)
    assert (tower.kind, tower.height_mm) == ("tower", 40.0)
    low = draft.heightened("house", -100).part("house")
    assert isinstance(low, Building)
    assert low.height_mm > 0


def test_what_is_added_is_like_the_last_of_its_kind_under_a_name_of_its_own(draft: Draft) -> None:
    twice = draft.with_part("green", 0.0, 0.0).with_part("rainbow", 50.0, 0.0)
    lawn, rainbow = twice.layout.areas[1:]
    assert shapely.Polygon(lawn.outline).area == pytest.approx(shapely.Polygon(LAWN.outline).area)
    assert middle_of(rainbow) == pytest.approx((50.0, 0.0))
    names = [part.id for part in (*twice.layout.pieces(), *twice.layout.city())]
    assert len(set(names)) == len(names)


def test_a_proposed_city_takes_no_name_of_a_piece(draft: Draft) -> None:
    name = draft.layout.columns[0].id
    proposed = draft.with_city([msgspec.structs.replace(LAWN, id=name)])
    assert proposed.piece(name) is not None
    assert proposed.part(name) is None
    assert len(proposed.layout.areas) == 1


class Elsewhere:
    """Sees every piece a little aside, and no city."""

    def __init__(self, layout: Layout) -> None:
        columns = tuple(msgspec.structs.replace(c, x=c.x + 0.5) for c in layout.columns)
        self.layout = msgspec.structs.replace(seen(layout), columns=columns)

    def see(self, look: Look) -> Answer:
        return Answer(self.layout)


def test_the_city_that_people_told_is_kept_when_vision_looks_again(game: Game) -> None:
    first = game.layouts[0]
    head, state = Head.of_game(game), Settled(0, None, seen(first))
    recorded = Recorded(head, ((0, state),), ((0, Step(Begun(first), 0, (), settled=0)),), ())
    match, _ = _seen_again(recorded, head, Elsewhere(first), None)
    assert match is not None
    assert city(match.position.layout) == city(first)
    assert match.position.layout.columns[0].x == first.columns[0].x + 0.5
