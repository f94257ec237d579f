"""Cars under other roads: the side view tells what the overhead view cannot."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from referee.layout import BARE_TABLE, Car, Column, Layout
from referee.pieces import Kit
from tests.vision_drawing import RIG, car_on, drawn, road_between
from vision.cars import watched_cars
from vision.half_hidden import HALF_HIDDEN, with_half_hidden
from vision.region import play_box
from vision.views import evidence_of

KIT = Kit()
PLAYERS = ("purple", "green")
LOW_A, LOW_B = Column("c1", -50.0, 0.0, 1, False, None), Column("c2", 40.0, 0.0, 1, False, None)
HIGH_A, HIGH_B = Column("c3", -32.0, -42.0, 4, False, None), Column("c4", 22.0, 38.0, 4, False, None)
UNDER, ABOVE = road_between("r1", LOW_A, LOW_B, KIT), road_between("r2", HIGH_A, HIGH_B, KIT)
BUILT = Layout((LOW_A, LOW_B, HIGH_A, HIGH_B), (UNDER, ABOVE), ())
HIDDEN = car_on("k0", UNDER, "green", KIT)
OPEN = replace(HIDDEN, x=HIDDEN.x + 30.0)


def cars_seen(*standing: Car) -> tuple[Car, ...]:
    """What is told of cars where the rest of the table is known."""
    pictures = drawn(replace(BUILT, cars=standing), seed=3)
    views = evidence_of(pictures, None, RIG, play_box(BARE_TABLE, RIG, KIT))
    found = watched_cars(views, BUILT, BARE_TABLE, PLAYERS, KIT)
    return with_half_hidden(views, found, BARE_TABLE, PLAYERS, KIT).cars


def test_a_car_under_a_road_is_found_on_its_own_road_and_asked_for() -> None:
    (car,) = cars_seen(HIDDEN)
    assert (car.road, car.owner, car.type, car.unsure) == (UNDER.id, "green", None, HALF_HIDDEN)
    assert math.hypot(car.x - HIDDEN.x, car.y - HIDDEN.y) < 8.0


def test_roads_that_cross_hold_no_car_of_themselves() -> None:
    assert cars_seen() == ()


@pytest.mark.parametrize("on_top", [car_on("k9", ABOVE, "purple", KIT), OPEN])
def test_a_car_in_full_view_is_not_told_twice(on_top: Car) -> None:
    assert [(car.road, car.unsure) for car in cars_seen(on_top)] == [(on_top.road, None)]
