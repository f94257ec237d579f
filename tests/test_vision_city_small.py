"""Rainbow, trees and aeroplanes are proposed where they stand; what is only printed, or stands otherwise, is none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
import shapely

from referee.layout import BARE_TABLE, Area
from tests.test_vision_watch import KIT
from tests.vision_drawing import RIG, drawn
from vision.aeroplanes import aeroplanes_on
from vision.ground import Ground, ground_of
from vision.rainbow import rainbow_in
from vision.trees import trees_on
from vision.view import Floats, Lens, Picture

BANDS = ((40, 40, 210), (30, 120, 235), (40, 220, 240), (60, 160, 50), (190, 90, 30), (150, 50, 110))
HALF_MM, BAND_MM, DEEP_MM, ARCH = 40.0, 1.8, 2.5, (60.0, -40.0, 0.4)
TABLE = shapely.box(-250, -250, 250, 250)
LAWN, CROWN, ASPHALT, WHITE = (80, 190, 110), (45, 95, 40), (150, 150, 150), (235, 235, 235)
CARD = Area("a1", "green", ((0.0, -70.0), (76.0, -70.0), (76.0, -10.0), (0.0, -10.0)))
TREE = np.array([20.0, -50.0, 11.0])
_HALF = np.array([(10, 1), (3, 1.5), (-1, 10), (-4, 10), (-3, 1.5), (-7, 1.2), (-8, 4), (-10, 4), (-9.5, 0)], float)
PLANE = np.vstack([_HALF, _HALF[::-1] * (1, -1)]) + np.array([40.0, -40.0])


def _filled(pair: dict[str, Picture], points_in_table: Floats, colour: tuple[int, int, int]) -> None:
    """A flat face drawn over both pictures."""
    for name, camera in RIG.cameras.items():
        pixels = np.rint(Lens(camera).project(points_in_table) * 16).astype(np.int32)
        cv2.fillPoly(pair[name], [pixels], colour, cv2.LINE_AA, 4)


def _hull(pair: dict[str, Picture], points_in_table: Floats, colour: tuple[int, int, int]) -> None:
    """A body without corners drawn over both pictures."""
    for name, camera in RIG.cameras.items():
        pixels = np.rint(Lens(camera).project(points_in_table) * 16).astype(np.int32)
        cv2.fillConvexPoly(pair[name], cv2.convexHull(pixels), colour, cv2.LINE_AA, 4)


def _ground(pair: dict[str, Picture]) -> Ground:
    soft = {name: np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.6), np.uint8) for name, picture in pair.items()}
    return ground_of(soft, RIG, KIT, BARE_TABLE)


def _arched(bands: tuple[tuple[int, int, int], ...], upright: bool = True) -> dict[str, Picture]:
    """A table with an arch on it, or one painted flat on it, its bands from the outermost on."""
    pair = drawn(BARE_TABLE, seed=3)
    x, y, yaw = ARCH
    along, aside = np.array([np.cos(yaw), np.sin(yaw), 0.0]), np.array([-np.sin(yaw), np.cos(yaw), 0.0])
    up = np.array([0.0, 0.0, 1.0]) if upright else aside
    middle, turns = np.array([x, y, 0.0]), np.linspace(0, np.pi, 25)

    def ring(radius_mm: float, off_mm: float) -> Floats:
        curve = np.cos(turns)[:, None] * along + np.sin(turns)[:, None] * up
        return np.asarray(middle + radius_mm * curve + off_mm * aside, float)

    if upright:
        top = [ring(HALF_MM, -DEEP_MM), ring(HALF_MM, DEEP_MM)]
        for n in range(len(turns) - 1):
            _filled(pair, np.array([top[0][n], top[0][n + 1], top[1][n + 1], top[1][n]]), bands[0])
    for n, colour in enumerate(bands):
        outer, inner = (ring(HALF_MM - BAND_MM * k, -DEEP_MM * upright) for k in (n, n + 1))
        pixels = Lens(RIG.cameras["side"]).project(np.concatenate([outer, inner[::-1]]))
        cv2.fillPoly(pair["side"], [np.rint(pixels * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
        if not upright:
            _filled(pair, np.concatenate([outer, inner[::-1]]), colour)
    return pair


def test_a_rainbow_is_found_where_it_stands() -> None:
    found = rainbow_in(_ground(_arched(BANDS)), TABLE, KIT)
    assert found is not None
    assert found.kind == "rainbow"
    x, y, yaw = ARCH
    tips = np.array([x, y]) + np.outer([-1, 1], [np.cos(yaw), np.sin(yaw)]) * HALF_MM
    corners = np.array(found.outline)
    told = np.array([corners[[0, 3]].mean(axis=0), corners[[1, 2]].mean(axis=0)])
    assert np.linalg.norm(told[:, None] - tips, axis=-1).min(axis=0).max() < 6.0


@pytest.mark.parametrize("bands", [BANDS[::-1], ((60, 60, 60), (200, 200, 200)) * 3])
def test_an_arch_of_other_colours_is_no_rainbow(bands: tuple[tuple[int, int, int], ...]) -> None:
    assert rainbow_in(_ground(_arched(bands)), TABLE, KIT) is None


def test_a_rainbow_printed_on_the_table_is_none() -> None:
    assert rainbow_in(_ground(_arched(BANDS, upright=False)), TABLE, KIT) is None


def _lawn() -> dict[str, Picture]:
    pair = drawn(BARE_TABLE, seed=3)
    _filled(pair, np.pad(np.array(CARD.outline), ((0, 0), (0, 1))), LAWN)
    return pair


def test_a_tree_is_found_on_its_lawn_and_the_spot_printed_beside_it_is_none() -> None:
    pair = _lawn()
    turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    spot = np.column_stack([54 + 5 * np.cos(turns), -30 + 5 * np.sin(turns), np.zeros(24)])
    _filled(pair, spot, CROWN)
    assert trees_on(CARD, _ground(pair), KIT) == []
    round_about = np.stack(np.meshgrid(turns, np.linspace(0, np.pi, 13)), axis=-1).reshape(-1, 2)
    u, v = round_about.T
    _hull(pair, TREE + np.column_stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)]) * (5, 5, 7), CROWN)
    (found,) = trees_on(CARD, _ground(pair), KIT)
    assert found.kind == "tree"
    assert np.hypot(*(np.mean(found.outline, axis=0) - TREE[:2])) < 3.0
    assert abs(found.height_mm - 18.0) < 5.0


def _airport(up_mm: float) -> dict[str, Picture]:
    """An airport with an aeroplane so high above it, or printed on it at 0."""
    pair = drawn(BARE_TABLE, seed=3)
    _filled(pair, np.pad(np.array(CARD.outline), ((0, 0), (0, 1))), ASPHALT)
    _filled(pair, np.pad(PLANE, ((0, 0), (0, 1)), constant_values=up_mm), WHITE)
    return pair


def test_an_aeroplane_is_found_on_its_airport() -> None:
    (found,) = aeroplanes_on(CARD, _ground(_airport(4.0)), KIT)
    assert found.kind == "aeroplane"
    true, told = shapely.Polygon(PLANE).convex_hull, shapely.Polygon(found.outline)
    assert true.intersection(told).area / true.union(told).area > 0.5


def test_an_aeroplane_printed_on_a_card_is_none() -> None:
    assert aeroplanes_on(CARD, _ground(_airport(0.0)), KIT) == []
