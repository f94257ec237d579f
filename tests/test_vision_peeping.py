"""Cars under other roads of which only the ends peep out, seen from above alone."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from referee.layout import BARE_TABLE, Car
from tests.test_vision_half_hidden import ABOVE, BUILT, HIDDEN, KIT, OPEN, PLAYERS, UNDER
from tests.vision_drawing import RIG, car_on, drawn
from vision.cars import watched_cars
from vision.half_hidden import HALF_HIDDEN
from vision.peeping import with_peeping
from vision.region import play_box
from vision.views import evidence_of


def cars_seen(*standing: Car) -> tuple[Car, ...]:
    """What is told of cars from above where the rest of the table is known."""
    pictures = drawn(replace(BUILT, cars=standing), seed=3)
    views = evidence_of(pictures, None, RIG, play_box(BARE_TABLE, RIG, KIT))
    return with_peeping(views, watched_cars(views, BUILT, BARE_TABLE, PLAYERS, KIT), PLAYERS, KIT).cars


@pytest.mark.parametrize("by_mm", [-1.0, 0.0, 1.0])
def test_a_car_that_peeps_out_is_found_and_asked_for(by_mm: float) -> None:
    (car,) = cars_seen(replace(HIDDEN, x=HIDDEN.x + by_mm))
    assert (car.road, car.owner, car.type, car.unsure) == (UNDER.id, "green", None, HALF_HIDDEN)
    assert math.hypot(car.x - HIDDEN.x - by_mm, car.y - HIDDEN.y) < 8.0


@pytest.mark.parametrize(
    "standing", [(), (OPEN,), (car_on("k9", ABOVE, "purple", KIT),)], ids=["none", "open", "above"]
)
def test_nothing_peeps_out_where_all_is_seen(standing: tuple[Car, ...]) -> None:
    assert [car.unsure for car in cars_seen(*standing)] == [None] * len(standing)
