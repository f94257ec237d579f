"""Buildings are proposed where something stands that both views show, with outline and height; flat things are none."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
import shapely

from gui.explaining import AtOnce, CityQuestion
from referee.layout import Area, Building
from tests.test_vision_watch import KIT, SECOND
from tests.vision_drawing import RIG, drawn
from vision.buildings import city_of
from vision.gate import Settled
from vision.ground import ground_of
from vision.solids import faces, solid_of
from vision.view import Lens, Picture

HOUSE = Building("b1", "building", ((60.0, -90.0), (86.0, -84.0), (80.0, -60.0), (54.0, -66.0)), 38.0)
WALLS = ((70, 90, 150), (90, 115, 180), (60, 75, 120), (80, 100, 165))
ROOF = (120, 150, 215)


def _with_house(pair: dict[str, Picture]) -> dict[str, Picture]:
    """A house drawn over both pictures, each wall in a shade of its own."""
    for name, camera in RIG.cameras.items():
        lens = Lens(camera)
        for shade, face in enumerate(faces(solid_of(HOUSE, KIT), lens.eye)):
            flat = np.ptp(face[:, 2]) < 1.0
            pixels = np.rint(lens.project(face) * 16).astype(np.int32)
            cv2.fillConvexPoly(pair[name], pixels, ROOF if flat else WALLS[shade % 4], cv2.LINE_AA, 4)
    return pair


def test_a_house_is_found_with_its_outline_and_height() -> None:
    _, (found,) = city_of(_with_house(drawn(SECOND, seed=3)), RIG, KIT, SECOND)
    true, told = shapely.Polygon(HOUSE.outline), shapely.Polygon(found.outline)
    assert found.kind == "building"
    assert true.intersection(told).area / true.union(told).area > 0.8
    assert abs(found.height_mm - HOUSE.height_mm) < 3.0


def test_who_asks_for_the_city_is_told_it_beside_the_pieces_and_no_other() -> None:
    known = msgspec.structs.replace(SECOND, areas=(Area("old", "green", HOUSE.outline),))
    explainer = AtOnce()
    explainer.ask(CityQuestion(Settled(_with_house(drawn(SECOND, seed=3)), 0.0, None), known, RIG, KIT))
    answer = explainer.answer()
    assert answer is not None
    assert answer.layout is not None
    assert [part.kind for part in answer.layout.city()] == ["building"]
    assert answer.layout.columns == SECOND.columns


def test_a_house_painted_flat_on_the_table_is_none() -> None:
    pair = drawn(SECOND, seed=3)
    for name, camera in RIG.cameras.items():
        corners = np.pad(np.array(HOUSE.outline), ((0, 0), (0, 1)))
        cv2.fillConvexPoly(pair[name], np.rint(Lens(camera).project(corners)).astype(np.int32), ROOF)
    assert city_of(pair, RIG, KIT, SECOND)[1] == ()


def test_a_table_without_buildings_has_none() -> None:
    assert city_of(drawn(SECOND, seed=3), RIG, KIT, SECOND) == ((), ())


def test_without_a_side_view_no_building_is_proposed() -> None:
    pair = _with_house(drawn(SECOND, seed=3))
    assert city_of({"overhead": pair["overhead"]}, RIG, KIT, SECOND)[1] == ()


def test_views_differ_where_a_house_stands_and_agree_once_it_is_known() -> None:
    pair = _with_house(drawn(SECOND, seed=3))
    column, row = np.rint(ground_of(pair, RIG, KIT, SECOND).cells(np.mean(HOUSE.outline, axis=0))).astype(int)
    unknown = ground_of(pair, RIG, KIT, SECOND)
    known = ground_of(pair, RIG, KIT, msgspec.structs.replace(SECOND, buildings=(HOUSE,)))
    assert unknown.evidence[row, column, 0] > 0.5
    assert known.evidence[row, column, 0] == 0
