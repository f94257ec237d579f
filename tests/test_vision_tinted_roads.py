"""Cars on roads that a lamp may have tinted: where several are in doubt, none of those that came with them is sure."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from referee.layout import Car, Layout, Road
from vision.cars import ITS_ROAD, TINTED, asked_on_doubtful_roads

ROAD = Road("r1", (0.0, 0.0, 11.0), (95.0, 0.0, 11.0), "road", "c1", "c2", None)


def asked(*cars: Car, road: Road = ROAD, fresh: bool = True, before: set[str] | None = None) -> list[str | None]:
    layout = asked_on_doubtful_roads(Layout((), (road,), cars), {"r1"} if fresh else set(), before or set())
    return [car.unsure for car in layout.cars]


def car(number: int, unsure: str | None = None) -> Car:
    return Car(f"k{number}", 20.0 * number, 0.0, 15.0, 0.0, "r1", "purple", None, unsure=unsure)


@pytest.mark.parametrize(("doubtful", "why"), [(TINTED - 1, None), (TINTED, ITS_ROAD)])
def test_so_many_doubtful_cars_make_the_others_on_their_road_doubtful(doubtful: int, why: str | None) -> None:
    beside = [car(i, "colour") for i in range(doubtful)]
    assert asked(car(9), *beside) == [why, *["colour"] * doubtful]


def test_a_car_that_stood_there_before_stays_sure() -> None:
    new = [car(i, "colour") for i in range(TINTED)]
    assert asked(car(9), *new, fresh=False, before={"k9"})[0] is None


def test_a_car_on_a_doubtful_new_road_is_asked_for() -> None:
    assert asked(car(1), road=replace(ROAD, unsure="height")) == [ITS_ROAD]
    assert asked(car(1)) == [None]
