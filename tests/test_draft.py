"""Turns by hand: what people build on the plan stands as the rulebooks draw it."""

from __future__ import annotations

import math

import msgspec
import pytest

from gui.draft import Draft
from gui.first_layout import first_layout
from gui.reseat import edits_between, put_column
from referee.edition import editions, rules_for
from referee.game import setup_of
from referee.layout import Column, Layout
from referee.match import Match, Setup
from referee.notation import read_game
from referee.pieces import Kit
from tests.test_match import GAME


@pytest.fixture
def match() -> Match:
    return Match.begin(setup_of(read_game(GAME)))


@pytest.fixture
def draft(match: Match) -> Draft:
    layout = match.position.layout
    return Draft.of(layout, match.setup.kit, "purple", layout)


@pytest.mark.parametrize("edition", editions())
@pytest.mark.parametrize("larger", [False, True])
def test_the_set_up_of_the_rulebooks_is_legal_in_every_edition_and_number(edition: str, larger: bool) -> None:
    low, high = editions()[edition].players
    players = ("purple", "green", "orange", "blue", "pink", "red")[: high if larger else low]
    rules, kit = rules_for(edition, len(players)), Kit()
    ruling = Match.begin(Setup(rules, kit, players, players[0], first_layout(rules, kit, players))).rulings[0]
    told = {v.rule for v in ruling.violations}
    assert told <= {"S3", "S5", "S6"}, told  # no city by hand; on a ring not everybody is one road apart
    assert len(players) > 2 or "S3" not in told


def test_a_column_by_hand_stands_where_a_road_reaches_and_the_turn_is_never_plainly_illegal(
    draft: Draft, match: Match
) -> None:
    built = draft.built(60.0, 80.0)
    road = built.new_road
    assert road is not None
    assert math.dist(road.a, road.b) == pytest.approx(draft.kit.road_length_mm)
    assert match.observe(built.layout).verdict != "illegal"


def test_a_second_click_moves_the_turn_instead_of_building_another(draft: Draft) -> None:
    twice = draft.built(60.0, 80.0).built(-60.0, 80.0)
    assert len(twice.layout.columns) == len(draft.layout.columns) + 1


def test_an_exit_by_hand_runs_down_to_the_table(draft: Draft, match: Match) -> None:
    ramp = draft.ramped(0.0, 80.0).new_road
    assert ramp is not None
    assert (ramp.kind, ramp.to) == ("exit", None)
    assert ramp.b[2] == pytest.approx(draft.kit.road_thickness_mm / 2)


def test_cars_by_hand_stand_on_the_new_road_apart_from_each_other(draft: Draft) -> None:
    assert draft.with_car("sedan") == draft, "there is no road to put it on"
    two = draft.built(60.0, 80.0).with_car("limousine").with_car("food_truck")
    one, other = (c for c in two.layout.cars if c.id not in draft.before)
    assert one.road == other.road == (two.new_road.id if two.new_road else None)
    assert math.dist((one.x, one.y), (other.x, other.y)) > 10


def test_what_rests_on_a_removed_column_goes_with_it(draft: Draft) -> None:
    bare = draft.dropped("a0")
    assert {p.id for p in draft.layout.pieces()} - {p.id for p in bare.layout.pieces()} == {"a0", "ra", "ka"}


def test_a_column_takes_the_ends_of_its_roads_along(draft: Draft) -> None:
    moved = draft.moved("a0", 3.0, 4.0)
    ends = {r.id: (r.a, r.b) for r in draft.layout.roads}
    for road in moved.layout.roads:
        before = ends[road.id]
        step = (3.0, 4.0, 0.0) if road.to == "a0" else (0.0, 0.0, 0.0)
        assert road.b == pytest.approx(tuple(b + s for b, s in zip(before[1], step, strict=True)))
        assert road.a == before[0]


def test_edits_between_two_layouts_make_one_of_the_other(draft: Draft, match: Match) -> None:
    built = draft.built(60.0, 80.0).with_car("limousine")
    played = match.play(built.layout)
    taller = built.heightened(built.layout.columns[-1].id, 1)
    corrected = played.correct(1, *edits_between(built.layout, taller.layout))
    assert corrected.timeline[1].layout == taller.layout
    back = corrected.correct(1, *edits_between(taller.layout, draft.layout))
    assert set(back.timeline[1].layout.pieces()) == set(draft.layout.pieces())


def test_heights_stay_heights(draft: Draft) -> None:
    assert draft.heightened("a0", -1) == draft
    column = next(c for c in put_column(draft.layout, _tall(draft.layout), draft.kit).columns if c.id == "a0")
    assert column.height == 3


def _tall(layout: Layout) -> Column:
    return msgspec.structs.replace(next(c for c in layout.columns if c.id == "a0"), height=3)
