"""White, grey and black cars have no hue: they are told by how light they are, and by the net."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import Car
from referee.pieces import Kit
from tests.test_vision_watch import FIRST, KIT, R2, SECOND
from tests.vision_drawing import RIG, car_on, drawn
from vision.car_rows import NEUTRAL_ZERO, STEP_LIMITS, STEP_ZERO, neutral_odds, tint_odds
from vision.paint import NEUTRAL, is_neutral, lightness_of, owners_together, paint_of
from vision.watch import explain

WHITE, GREY, BLACK = 0.95, 0.5, 0.13


def odds(lighter: float, wanted: float, tint: float = 0.0) -> float:
    """What a point that is so much lighter than its road, and of such a chroma, tells for paint so light."""
    return float(neutral_odds(np.array([[tint, 0.0]]), np.array([4.5 + lighter]), np.zeros(2), 4.5, [wanted])[0])


@pytest.mark.parametrize(
    ("word", "neutral"), [("white", True), ("grey", True), ("black", True), ("purple", False), ("pink", False)]
)
def test_a_paint_has_a_hue_or_none(word: str, neutral: bool) -> None:
    assert is_neutral(paint_of(word, KIT)) is neutral


def test_a_kit_says_how_light_its_own_paint_is() -> None:
    kit = Kit(colours={"ivory": "#f4f0ea", "coal": "#181a1b"})
    assert lightness_of("ivory", kit) > 0.9
    assert lightness_of("coal", kit) < 0.12
    assert is_neutral(paint_of("ivory", kit))
    assert is_neutral(paint_of("coal", kit))


@pytest.mark.parametrize(("wanted", "way"), [(WHITE, 1), (BLACK, -1)])
def test_white_is_lighter_than_its_road_and_black_is_darker(wanted: float, way: int) -> None:
    assert odds(way * (STEP_ZERO + 0.05), wanted) > 0.0 > odds(way * (STEP_ZERO - 0.05), wanted)
    # Its flank in the shade may look like the road, or less: that tells little against it.
    assert odds(-way * 0.5, wanted) == STEP_LIMITS[0]


def test_grey_may_be_lighter_or_darker() -> None:
    assert odds(0.3, GREY) > 0.0
    assert odds(-0.3, GREY) > 0.0
    assert odds(0.0, GREY) < 0.0


def test_what_has_a_colour_is_no_white_car() -> None:
    assert odds(0.4, WHITE, NEUTRAL_ZERO - 0.01) == odds(0.4, WHITE)
    assert odds(0.4, WHITE, NEUTRAL_ZERO + 0.3) < odds(0.4, WHITE) - 1.0


def test_no_paint_tells_by_its_hue_where_none_has_one() -> None:
    assert float(tint_odds(np.array([0.6, -0.4]), np.zeros(2), [])) < 0.0


def test_white_cars_are_told_from_coloured_ones() -> None:
    players = ("white", "green")
    white, green = owners_together(
        [np.array([0.03, -0.02]), 0.6 * paint_of("green", KIT)], [np.zeros(2)] * 2, players, KIT
    )
    assert white["white"] > 0.9
    assert green["green"] > 0.9
    # A lamp that tints all of it, road and car alike, changes nothing.
    lamp = np.array([0.3, -0.35])
    (lit,) = owners_together([lamp + 0.5 * NEUTRAL * np.array([1.0, 0.0])], [lamp], players, KIT)
    assert lit["white"] > 0.7


def turn_with(*cars: Car, player: str) -> tuple[Car, ...]:
    """The cars that are seen when a road with some on it was laid."""
    before = replace(FIRST, cars=())
    now = replace(SECOND, cars=cars)
    found = explain(before, drawn(before, seed=2), drawn(now, seed=3), RIG, KIT, (player, "green"), player)
    return found.cars


@pytest.mark.parametrize("player", ["white", "black"])
def test_a_new_car_without_a_hue_is_seen_on_a_new_road(player: str) -> None:
    own = car_on("k9", R2, player, KIT)
    (car,) = turn_with(own, player=player)
    assert (car.road, car.owner, car.type) == ("r2", player, None)
    assert math.hypot(car.x - own.x, car.y - own.y) < 5.0


@pytest.mark.parametrize("player", ["white", "black"])
def test_a_bare_new_road_holds_no_car_without_a_hue(player: str) -> None:
    assert turn_with(player=player) == ()
