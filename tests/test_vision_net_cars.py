"""Cars that the net sees in both views are added and asked for; what one view alone takes for a car is not."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import BARE_TABLE, Layout
from tests.test_vision_single import crossing
from tests.test_vision_watch import KIT, PLAYERS
from tests.vision_drawing import RIG, drawn
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.net_cars import BY_SHAPE, with_net_cars
from vision.odds import CAR
from vision.region import play_box
from vision.solids import solid_of
from vision.views import evidence_of


@functools.cache
def seen() -> list[Evidence]:
    return evidence_of(drawn(crossing(), seed=7), None, RIG, play_box(BARE_TABLE, RIG, KIT))


def bare() -> Layout:
    return replace(crossing(), cars=())


def told(*views: str) -> list[Evidence]:
    """The views with the first car's pixels taken for a car in some of them."""
    solids = {piece.id: solid_of(piece, KIT) for piece in (*crossing().built(), crossing().cars[0])}
    taken = []
    for name, view in zip(("overhead", "side"), seen(), strict=True):
        shares = np.zeros((*view.view.picture.shape[:2], 6), np.float32)
        depth = depth_map(solids, view.lens)
        if name in views:
            shares[depth.number == depth.names.index(crossing().cars[0].id), CAR] = 1.0
        taken.append(dataclasses.replace(view, told=shares))
    return taken


def test_a_car_that_both_views_show_is_added_and_asked_for() -> None:
    (car,) = with_net_cars(bare(), told("overhead", "side"), PLAYERS, KIT).cars
    true = crossing().cars[0]
    assert (car.road, car.owner, car.type, car.unsure) == (true.road, true.owner, None, BY_SHAPE)
    assert math.hypot(car.x - true.x, car.y - true.y) < 3.0


@pytest.mark.parametrize("view", ["overhead", "side"])
def test_what_one_view_alone_takes_for_a_car_is_none(view: str) -> None:
    assert with_net_cars(bare(), told(view), PLAYERS, KIT) == bare()


def test_a_known_car_is_not_told_twice() -> None:
    assert with_net_cars(crossing(), told("overhead", "side"), PLAYERS, KIT) == crossing()


def test_without_the_net_nothing_is_added() -> None:
    assert with_net_cars(bare(), seen(), PLAYERS, KIT) == bare()
