"""Whose a car is: told by all cars together, since a lamp turns and pales the colours of all alike."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.pieces import Kit
from vision.paint import owners_together, paint_of
from vision.view import Floats

KIT = Kit()
PLAIN = np.zeros(2)


def in_light(player: str, turn_rad: float, pale: float) -> Floats:
    """A player's paint as a lamp and a camera show it."""
    x, y = paint_of(player, KIT) * pale
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    return np.array([cos * x - sin * y, sin * x + cos * y])


def told(cars: list[Floats], players: list[str]) -> list[str]:
    odds = owners_together(cars, [PLAIN] * len(cars), players, KIT)
    return [max(one, key=lambda player: one[player]) for one in odds]


@pytest.mark.parametrize("turn_rad", [-0.3, 0.0, 0.3])
@pytest.mark.parametrize("pale", [0.4, 0.8])
def test_pink_is_told_from_purple_in_any_light_where_both_are_seen(turn_rad: float, pale: float) -> None:
    players = ["pink", "purple", "pink", "purple"]
    assert told([in_light(player, turn_rad, pale) for player in players], ["purple", "pink"]) == players


def test_one_car_alone_between_two_paints_is_not_sure() -> None:
    between = (paint_of("pink", KIT) + paint_of("purple", KIT)) / 2
    (odds,) = owners_together([between], [PLAIN], ["pink", "purple"], KIT)
    assert max(odds.values()) < 0.9


def test_far_apart_paints_are_sure_by_themselves() -> None:
    (odds,) = owners_together([in_light("green", 0.2, 0.6)], [PLAIN], ["green", "purple"], KIT)
    assert odds["green"] > 0.95


@pytest.mark.parametrize("lamp", [0.0, 1.0])
def test_red_roads_do_not_make_purple_cars_blue_whether_their_paint_or_the_lamp_is_red(lamp: float) -> None:
    seen = {"purple": (0.4, 0.6), "green": (-0.62, -0.36), "orange": (0.32, -0.61)}
    red = np.array([0.59, -0.23])
    cars = [np.array(chroma) + lamp * red for chroma in seen.values()]
    odds = owners_together(cars, [red] * len(cars), ["purple", "green", "orange", "blue"], KIT)
    assert [max(one, key=lambda player: one[player]) for one in odds] == list(seen)


def test_no_cars_have_no_odds() -> None:
    assert owners_together([], [], ["green", "purple"], KIT) == []


@given(st.permutations(["green", "orange", "blue", "pink", "purple"]), st.floats(-0.3, 0.3), st.floats(0.4, 1.0))
def test_odds_add_up_and_do_not_hang_on_the_order(players: list[str], turn_rad: float, pale: float) -> None:
    cars = [in_light(player, turn_rad, pale) for player in players]
    odds = owners_together(cars, [PLAIN] * len(cars), players, KIT)
    again = owners_together(cars[::-1], [PLAIN] * len(cars), players[::-1], KIT)[::-1]
    for one, other in zip(odds, again, strict=True):
        assert sum(one.values()) == pytest.approx(1.0)
        assert all(one[player] == pytest.approx(other[player], abs=1e-9) for player in players)
