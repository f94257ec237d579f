"""A layout that was read is measured: sticks find their place along themselves and on what bears them."""

from __future__ import annotations

import functools
import math

import cv2
import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import BARE_TABLE, Column, Layout, Road
from tests.test_vision_watch import KIT
from tests.vision_drawing import RIG, drawn, road_between
from vision.fit import Scene
from vision.measured import ALONG, measured
from vision.region import play_box
from vision.view import Picture
from vision.views import evidence_of, scenes_of

SPOTS = ((-60.0, -20.0, 1), (32.0, -22.0, 2), (25.0, 65.0, 3))


def stacked() -> Layout:
    """A road, and one that lies on its end."""
    c = [Column(f"c{i}", x, y, height, False, None) for i, (x, y, height) in enumerate(SPOTS)]
    roads = road_between("r1", c[0], c[1], KIT), road_between("r2", c[1], c[2], KIT, (1, 0))
    return Layout(tuple(c), roads, ())


@functools.cache
def scenes() -> list[Scene]:
    views = evidence_of(drawn(stacked(), seed=7), None, RIG, play_box(BARE_TABLE, RIG, KIT))
    return scenes_of(views, BARE_TABLE, KIT)


def slid(road: Road, by_mm: float, up_mm: float = 0.0) -> Road:
    """The road moved along itself, and up."""
    ahead = np.subtract(road.b, road.a) / math.dist(road.a, road.b)
    a, b = (tuple(float(v) for v in np.array(tip) + by_mm * ahead + (0, 0, up_mm)) for tip in (road.a, road.b))
    return replace(road, a=a, b=b)


def with_road(layout: Layout, road: Road) -> Layout:
    return replace(layout, roads=tuple(road if one.id == road.id else one for one in layout.roads))


def is_held(found: Road, true: Road) -> bool:
    """Whether both ends lie within four standard deviations of the truth."""
    assert found.sigma is not None
    ends = (found.a, true.a, found.sigma.a), (found.b, true.b, found.sigma.b)
    return all(abs(p - q) < 4.0 * s for tip, at, sigma in ends for p, q, s in zip(tip, at, sigma, strict=True))


def ends_mm(one: Road, other: Road) -> list[float]:
    return [math.dist(one.a, other.a), math.dist(one.b, other.b)]


@pytest.mark.parametrize("name", ["r1", "r2"])
@pytest.mark.parametrize("by_mm", [-4.0, -2.0, 2.0, 4.0, 9.0])
def test_a_stick_comes_nearer_along_itself_and_tells_how_near(name: str, by_mm: float) -> None:
    """Where its ends lie on wood of their own colour that may not be near, but then it says so."""
    true = next(road for road in stacked().roads if road.id == name)
    seen = measured(with_road(stacked(), slid(true, by_mm)), scenes(), KIT)
    found = next(road for road in seen.roads if road.id == name)
    assert max(ends_mm(found, true)) < abs(by_mm)
    assert is_held(found, true)


def test_a_clear_stick_is_measured_to_the_millimetre() -> None:
    true = stacked().roads[1]
    found = measured(with_road(stacked(), slid(true, 3.0)), scenes(), KIT).roads[1]
    assert max(ends_mm(found, true)) < 1.0
    assert found.unsure is None


def with_wood_over(pictures: dict[str, Picture], road: Road, past_mm: float) -> dict[str, Picture]:
    """The pictures with a plank of a road's own colour laid over it and past both its ends."""
    a, b, up = np.array(road.a), np.array(road.b), np.array([0.0, 0.0, KIT.road_thickness_mm / 2])
    along = (b - a) / np.linalg.norm(b - a)
    aside = np.array([-along[1], along[0], 0.0]) * KIT.road_width_mm / 2
    plank = up + np.array([a - aside, a + aside, b + aside, b - aside])
    plank += past_mm * along * np.array([[-1.0], [-1.0], [1.0], [1.0]])
    covered = {}
    for name, picture in pictures.items():
        camera, shown = RIG.cameras[name], picture.copy()
        x, y = np.rint(camera.project(((a + b) / 2 + up)[None])[0]).astype(int)
        wood = [int(channel) for channel in picture[y, x]]
        cv2.fillConvexPoly(shown, np.rint(camera.project(plank)).astype(np.int32), wood, cv2.LINE_AA)
        covered[name] = shown
    return covered


def test_a_stick_with_an_end_that_wood_covers_is_asked_how_far_along_it_lies() -> None:
    pictures = with_wood_over(drawn(stacked(), seed=3), stacked().roads[0], 14.0)
    views = evidence_of(pictures, None, RIG, play_box(BARE_TABLE, RIG, KIT))
    covered = measured(stacked(), scenes_of(views, BARE_TABLE, KIT), KIT)
    assert covered.roads[1].unsure == ALONG
    assert [road.unsure for road in measured(stacked(), scenes(), KIT).roads] == [None, None]


@pytest.mark.parametrize(("name", "up"), [("r1", 1), ("r2", -1)])
def test_a_stick_is_found_on_what_bears_it(name: str, up: int) -> None:
    true = next(road for road in stacked().roads if road.id == name)
    seen = measured(with_road(stacked(), slid(true, 0.0, up * KIT.road_thickness_mm)), scenes(), KIT)
    found = next(road for road in seen.roads if road.id == name)
    assert max(abs(found.a[2] - true.a[2]), abs(found.b[2] - true.b[2])) < 0.8


def test_every_piece_has_an_error_that_holds_it() -> None:
    seen = measured(stacked(), scenes(), KIT)
    for found, true in zip(seen.columns, stacked().columns, strict=True):
        assert found.sigma is not None
        assert max(abs(found.x - true.x) / found.sigma[0], abs(found.y - true.y) / found.sigma[1]) < 4.0
    assert all(is_held(road, other) for road, other in zip(seen.roads, stacked().roads, strict=True))
