"""Types by what the box holds: one car of each type in each colour."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from referee.layout import Candidate, Car, Layout, Road
from referee.pieces import Kit
from vision.one_each import odds_by_box

KIT = replace(Kit(), cars=dict.fromkeys(("sedan", "van", "bus"), (15.0, 7.0, 6.0)))
BRIDGE = Road("r1", (0.0, 0.0, 11.0), (95.0, 0.0, 11.0), "road", "c1", "c2", None)
ENTRANCE = Road("r2", (0.0, 50.0, 1.0), (95.0, 50.0, 11.0), "entrance", None, "c3", None)
EXIT = Road("r3", (0.0, 99.0, 11.0), (95.0, 99.0, 1.0), "exit", "c4", None, None)
EVEN = {"sedan": 0.02, "van": 0.49, "bus": 0.49}


def car(name: str, owner: str | None = "purple", kind: str | None = None, road: Road = BRIDGE) -> Car:
    return Car(name, 0.0, 0.0, 15.0, 0.0, road.id, owner, kind)


def table(*cars: Car) -> Layout:
    return Layout((), (BRIDGE, ENTRANCE, EXIT), cars)


def test_odds_add_up_to_one_and_stay_as_seen_where_nothing_else_stands() -> None:
    (odds,) = odds_by_box({"k1": EVEN}, table(car("k1")), KIT).values()
    assert odds == pytest.approx(EVEN)


def test_a_type_that_the_player_has_placed_is_unlikely_and_one_that_another_has_placed_is_not() -> None:
    own = odds_by_box({"k1": EVEN}, table(car("k0", kind="bus"), car("k1")), KIT)["k1"]
    assert own["van"] > 0.9
    assert sum(own.values()) == pytest.approx(1.0)
    assert odds_by_box({"k1": EVEN}, table(car("k0", "green", "bus"), car("k1")), KIT)["k1"] == pytest.approx(EVEN)


def test_what_is_clearly_seen_stands_against_the_box() -> None:
    clear = {"sedan": 0.0005, "van": 0.0005, "bus": 0.999}
    assert odds_by_box({"k1": clear}, table(car("k0", kind="bus"), car("k1")), KIT)["k1"]["bus"] > 0.95


def test_of_two_new_cars_the_clear_one_tells_the_other() -> None:
    clear = {"sedan": 0.01, "van": 0.01, "bus": 0.98}
    odds = odds_by_box({"k1": EVEN, "k2": clear}, table(car("k1"), car("k2")), KIT)
    assert odds["k1"]["van"] > 0.9
    assert odds["k2"]["bus"] > 0.95


def test_a_car_that_was_left_open_counts_by_what_it_may_be() -> None:
    may_be = (Candidate(p=0.6, type="bus"), Candidate(p=0.4, type="sedan"))
    odds = odds_by_box({"k1": EVEN}, table(replace(car("k0"), candidates=may_be), car("k1")), KIT)["k1"]
    assert 0.6 < odds["van"] < 0.8
    assert odds_by_box({"k1": EVEN}, table(car("k0"), car("k1")), KIT)["k1"] == pytest.approx(EVEN)


def test_a_car_whose_colour_is_open_counts_for_nobody() -> None:
    maybe = replace(
        car("k0", kind="bus"), candidates=(Candidate(p=0.6, owner="purple"), Candidate(p=0.4, owner="green"))
    )
    assert odds_by_box({"k1": EVEN}, table(maybe, car("k1")), KIT)["k1"] == pytest.approx(EVEN)


def test_where_a_car_stands_tells_nothing_of_its_type() -> None:
    for road in (BRIDGE, ENTRANCE, EXIT):
        assert odds_by_box({"k1": EVEN}, table(car("k1", road=road)), KIT)["k1"] == pytest.approx(EVEN)
