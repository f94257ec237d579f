"""The city's cards are proposed from colour and shape; a table without any has none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
import shapely

from referee.layout import BARE_TABLE
from tests.test_vision_watch import KIT, SECOND
from tests.vision_drawing import RIG, drawn
from vision.city import areas_of
from vision.view import Floats, Lens, Picture

PALE, LAWN = (190, 225, 235), (60, 170, 80)


def _card(middle: tuple[float, float], size: tuple[float, float], yaw: float) -> Floats:
    """Corners (4, 2) of a card in the table frame."""
    cos, sin = np.cos(yaw), np.sin(yaw)
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * np.array(size) / 2
    turned: Floats = np.array(middle) + corners @ np.array([(cos, sin), (-sin, cos)])
    return turned


def _with_card(corners: Floats, colour: tuple[int, int, int]) -> Picture:
    """A bare table with a card on it, from above."""
    picture = drawn(BARE_TABLE, seed=3)["overhead"]
    pixels = Lens(RIG.overhead).project(np.pad(corners, ((0, 0), (0, 1))))
    cv2.fillConvexPoly(picture, np.rint(pixels * 16).astype(np.int32), colour, cv2.LINE_AA, 4)
    return picture


@pytest.mark.parametrize(
    ("size", "colour", "kind"),
    [((66.0, 54.0), PALE, "development"), ((92.0, 57.0), PALE, "airport"), ((76.0, 60.0), LAWN, "green")],
)
def test_a_card_is_found_where_it_lies_and_told_by_colour_and_shape(
    size: tuple[float, float], colour: tuple[int, int, int], kind: str
) -> None:
    corners = _card((40.0, -25.0), size, 0.4)
    (found,) = areas_of(_with_card(corners, colour), RIG, KIT)
    gaps = np.linalg.norm(np.array(found.outline)[:, None] - corners, axis=-1)
    assert found.kind == kind
    assert gaps.min(axis=0).max() < 3.0


def test_on_a_checked_cloth_the_card_is_told_and_the_checks_are_not() -> None:
    corners = _card((40.0, -25.0), (66.0, 54.0), 0.4)
    bare = drawn(BARE_TABLE, seed=3)["overhead"]
    squares = np.indices(bare.shape[:2]) // 40
    cloth = np.array([(110, 60, 40), (150, 90, 120), (70, 40, 90)])[squares.sum(axis=0) % 3]
    shade = bare.mean(axis=2, keepdims=True) / bare.mean()
    picture = np.clip(cloth * shade, 0, 255).astype(np.uint8)
    assert areas_of(picture, RIG, KIT) == ()
    pixels = Lens(RIG.overhead).project(np.pad(corners, ((0, 0), (0, 1))))
    cv2.fillConvexPoly(picture, np.rint(pixels * 16).astype(np.int32), PALE, cv2.LINE_AA, 4)
    (found,) = areas_of(picture, RIG, KIT)
    card, told = shapely.Polygon(corners), shapely.Polygon(found.outline)
    assert card.intersection(told).area / card.union(told).area > 0.75


def test_squares_of_a_cloth_as_large_as_cards_are_none_and_a_card_on_it_is_one() -> None:
    bare = drawn(BARE_TABLE, seed=3)["overhead"]
    lens = Lens(RIG.overhead)
    picture = bare.copy()
    for x, y in np.argwhere(np.indices((14, 14)).sum(axis=0) % 2) * 50.0 - 350.0:
        corners = np.pad(_card((x, y), (49.0, 49.0), 0.0), ((0, 0), (0, 1)))
        cv2.fillConvexPoly(picture, np.rint(lens.project(corners) * 16).astype(np.int32), PALE, cv2.LINE_AA, 4)
    assert areas_of(picture, RIG, KIT) == ()
    corners = _card((40.0, -25.0), (76.0, 60.0), 0.4)
    pixels = lens.project(np.pad(corners, ((0, 0), (0, 1))))
    cv2.fillConvexPoly(picture, np.rint(pixels * 16).astype(np.int32), LAWN, cv2.LINE_AA, 4)
    (found,) = areas_of(picture, RIG, KIT)
    assert found.kind == "green"
    assert np.linalg.norm(np.array(found.outline)[:, None] - corners, axis=-1).min(axis=0).max() < 3.0


def test_a_table_without_cards_has_no_areas() -> None:
    assert areas_of(drawn(SECOND, seed=3)["overhead"], RIG, KIT, SECOND) == ()


def test_a_strip_with_one_open_end_is_no_card() -> None:
    strip = _card((0.0, 0.0), (600.0, 54.0), 0.3)
    assert areas_of(_with_card(strip, PALE), RIG, KIT) == ()
