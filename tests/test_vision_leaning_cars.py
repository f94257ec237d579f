"""A tall car that leans over a new road beside it is no car on that one; a car that stands on it still is."""

from __future__ import annotations

from msgspec.structs import replace

from referee.layout import BARE_TABLE, Car, Column, Layout
from referee.pieces import Kit
from tests.vision_drawing import RIG, car_on, drawn, road_between
from vision.cars import watched_cars
from vision.region import play_box
from vision.views import evidence_of

KIT = Kit()
HIGH = Column("c1", 130.0, -45.0, 5, False, None), Column("c2", 130.0, 41.0, 5, False, None)
LOW = Column("c3", 141.0, -45.0, 1, False, None), Column("c4", 141.0, 41.0, 1, False, None)
OLD, NEW = road_between("r1", *HIGH, KIT), road_between("r2", *LOW, KIT)
TALL = car_on("k1", OLD, "green", KIT, "jumbo_trailer")
ACCEPTED = Layout(HIGH, (OLD,), (TALL,))


def new_cars(*standing: Car) -> list[Car]:
    """What is told to be new once a road was laid beside the one with the car."""
    now = replace(ACCEPTED, columns=(*HIGH, *LOW), roads=(OLD, NEW))
    box = play_box(BARE_TABLE, RIG, KIT)
    pictures = drawn(replace(now, cars=(TALL, *standing)), seed=3)
    views = evidence_of(pictures, drawn(ACCEPTED, seed=5), RIG, box)
    found = watched_cars(views, now, ACCEPTED, ("purple", "green"), KIT)
    assert TALL.id in {car.id for car in found.cars}
    return [car for car in found.cars if car.id != TALL.id]


def test_a_tall_car_that_leans_over_a_new_road_is_no_car_on_it() -> None:
    assert new_cars() == []


def test_a_car_on_a_new_road_beside_a_tall_one_is_found() -> None:
    own = car_on("k2", NEW, "purple", KIT)
    (car,) = new_cars(replace(own, y=own.y + 30.0))
    assert (car.road, car.owner) == (NEW.id, "purple")
