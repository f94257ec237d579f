"""Cars that the net takes for none: dropped where they were asked for, else asked for."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import BARE_TABLE, Car, Layout
from tests.test_vision_single import crossing
from tests.test_vision_watch import KIT
from tests.vision_drawing import RIG, car_on, drawn
from vision.car_doubt import SHADE
from vision.evidence import Evidence
from vision.half_hidden import HALF_HIDDEN
from vision.odds import CAR
from vision.region import play_box
from vision.told import told_of
from vision.told_cars import LEAST_CAR, MAY_CARRY, told_cars, with_told_cars
from vision.views import evidence_of

MIDDLE = np.array([0.0, 0.0, KIT.disc_height_mm])


@functools.cache
def views() -> list[Evidence]:
    seen = evidence_of(drawn(crossing(), seed=7), None, RIG, play_box(BARE_TABLE, RIG, KIT))
    return [told_of(view, MIDDLE, KIT) for view in seen]


def with_car(unsure: str | None) -> tuple[Layout, Car]:
    """The table with a car more, where only a road lies."""
    added = replace(car_on("k9", crossing().roads[0], "purple", KIT), unsure=unsure)
    return replace(crossing(), cars=(*crossing().cars, added)), added


def test_true_cars_are_taken_for_cars_and_others_are_not() -> None:
    shares = told_cars(with_car(None)[0], views(), KIT)
    assert min(shares["k0"], shares["k1"]) > LEAST_CAR > shares["k9"]


def test_true_cars_stay_as_they_are() -> None:
    assert with_told_cars(crossing(), views(), KIT) == crossing()


def test_paint_that_was_asked_for_and_is_no_car_is_dropped() -> None:
    assert with_told_cars(with_car(SHADE)[0], views(), KIT) == crossing()


def test_a_car_that_was_sure_is_asked_for() -> None:
    layout, added = with_car(None)
    assert with_told_cars(layout, views(), KIT).cars[-1] == replace(added, unsure=SHADE)


def test_half_hidden_cars_stay_on_entrances_and_other_roads_are_asked_about() -> None:
    on_entrance, on_road = crossing().roads[-1], crossing().roads[0]
    entrance = replace(on_entrance, from_=None, kind="entrance")
    cars = [
        replace(car_on(f"k{n}", road, "purple", KIT), unsure=HALF_HIDDEN) for n, road in ((7, entrance), (8, on_road))
    ]
    layout = replace(crossing(), roads=(*crossing().roads[:-1], entrance), cars=tuple(cars))
    sure = [dataclasses.replace(view, told=_all_cars(view)) for view in views()]
    found = with_told_cars(layout, sure, KIT)
    assert [car.id for car in found.cars] == ["k7"]
    assert [road.unsure for road in found.roads if road.unsure] == [MAY_CARRY]


@pytest.mark.parametrize(("owner", "stays"), [("purple", True), ("green", False)])
def test_a_clear_half_hidden_car_in_its_highways_colour_stays_and_another_does_not(owner: str, stays: bool) -> None:
    entrance, road = replace(crossing().roads[0], from_=None, kind="entrance"), crossing().roads[-1]
    on = replace(road, from_=entrance.to)
    known = car_on("k7", entrance, "purple", KIT)
    guess = replace(car_on("k8", on, owner, KIT), unsure=HALF_HIDDEN)
    layout = replace(crossing(), roads=(entrance, on), cars=(known, guess))
    found = with_told_cars(layout, [dataclasses.replace(view, told=_all_cars(view)) for view in views()], KIT)
    assert (guess in found.cars) is stays
    assert [r.unsure for r in found.roads] == [None, None if stays else MAY_CARRY]


def _all_cars(view: Evidence) -> np.ndarray:
    assert view.told is not None
    shares = np.zeros_like(view.told)
    shares[..., CAR] = 1.0
    return shares


@pytest.mark.parametrize("unsure", [None, SHADE])
def test_without_the_net_nothing_changes(unsure: str | None) -> None:
    layout, _ = with_car(unsure)
    bare = [Evidence(view.view) for view in views()]
    assert with_told_cars(layout, bare, KIT) == layout
