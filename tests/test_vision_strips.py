"""Sticks are seen on patterned tables: an edge that keeps its colours is one, grain is not."""

from __future__ import annotations

import functools
import math

import cv2
import numpy as np
import pytest

from referee.layout import BARE_TABLE, Road
from tests.test_vision_single import crossing
from tests.test_vision_watch import KIT, PLAYERS
from tests.vision_drawing import RIG, TABLE, drawn
from vision.first_look import first_look
from vision.flat import Flat, flat_of
from vision.region import play_box
from vision.scoring import score
from vision.single import layout_of
from vision.strips import Strip, kept_apart, strips
from vision.tops import PLANE_DISCS
from vision.view import Picture, view_of

TABLE_LAYOUT = crossing()
GRAIN = 12.0


@functools.cache
def grained() -> dict[str, Picture]:
    """The table with a grain in the wood that it is made of, and none on the pieces."""
    rng = np.random.default_rng(5)
    made = {}
    for name, picture in drawn(TABLE_LAYOUT, seed=8).items():
        noise = cv2.GaussianBlur(rng.normal(0, 1, picture.shape[:2]).astype(np.float32), (0, 0), 1.5)
        bare = np.abs(picture.astype(float) - TABLE).max(axis=-1) < 12
        grain = np.where(bare, GRAIN * noise / noise.std(), 0.0)[..., None]
        made[name] = np.clip(picture + grain, 0, 255).astype(np.uint8)
    return made


@functools.cache
def flat() -> Flat:
    view = view_of(grained()["overhead"], RIG.overhead, "overhead")
    return flat_of(view, play_box(BARE_TABLE, RIG, KIT), PLANE_DISCS * KIT.disc_height_mm, KIT)


@functools.cache
def found() -> tuple[Strip, ...]:
    return tuple(strips(flat(), KIT))


@pytest.mark.parametrize("road", TABLE_LAYOUT.roads, ids=lambda road: road.id)
def test_every_stick_is_among_the_strips_of_a_patterned_table(road: Road) -> None:
    a, b = flat().seen_at(np.array([road.a, road.b]))
    yaw, middle = math.atan2(*(b - a)[::-1]), (a + b) / 2
    near = [
        strip
        for strip in found()
        if abs(math.sin(strip.yaw_rad - yaw)) < 0.06
        and abs((strip.y - middle[1]) * math.cos(yaw) - (strip.x - middle[0]) * math.sin(yaw)) < KIT.road_width_mm / 3
    ]
    assert near


def test_nothing_on_a_patterned_table_is_wrong_and_sure() -> None:
    assert not score(layout_of(first_look(grained(), RIG, KIT), PLAYERS), TABLE_LAYOUT).wrong_and_sure


def test_of_strips_that_would_be_one_stick_only_the_clearest_is_kept() -> None:
    apart = Strip(60.0, 0.0, 0.3, 0.5)
    twins = [Strip(x, y, yaw, 0.4) for x, y, yaw in ((1.0, 0.5, 0.31), (0.0, 0.0, 0.3 + math.pi), (4.0, 1.0, 0.28))]
    turned, further = Strip(0.0, 0.0, 1.2, 0.3), Strip(100.0, 100.0, 0.3, 0.2)
    every = [Strip(0.0, 0.0, 0.3, 0.9), apart, *twins, turned, further]
    assert kept_apart(every, 10, KIT, 0.1) == [every[0], apart, turned, further]
    assert kept_apart(every, 2, KIT, 0.1) == [every[0], apart]
    assert kept_apart([], 10, KIT, 0.1) == []
