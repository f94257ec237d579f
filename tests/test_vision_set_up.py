"""The first look at a game: entrances by their cars, told from roads that were built on and from mere paint."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from msgspec.structs import replace

from referee.layout import Column, Layout, Road
from tests.test_vision_watch import KIT, PLAYERS
from tests.vision_drawing import RIG, car_on, drawn, road_between
from vision.bodies import stick_pose
from vision.first_look import first_look
from vision.paint_spots import paint_spots
from vision.plain import plainness
from vision.scoring import score
from vision.set_up import leads_on, set_up_of, table_of
from vision.view import Lens, view_of


def _entrance(i: int, x: float, y: float, heading_deg: float, owner: str) -> tuple[Column, Road]:
    column = Column(f"c{i}", x, y, 1, False, owner)
    flat = math.sqrt(KIT.road_length_mm**2 - KIT.disc_height_mm**2)
    ahead = flat * math.cos(math.radians(heading_deg)), flat * math.sin(math.radians(heading_deg))
    foot = (x - ahead[0], y - ahead[1], KIT.road_thickness_mm / 2)
    return column, Road(f"r{i}", foot, (x, y, KIT.lying_z_mm(1)), "entrance", None, column.id, owner)


def _set_up() -> Layout:
    pieces = [_entrance(0, 47.0, 5.0, 80.0, "purple"), _entrance(1, -48.0, -4.0, 262.0, "green")]
    roads = [road for _, road in pieces]
    cars = tuple(
        car_on(f"k{i}", road, player, KIT) for i, (road, player) in enumerate(zip(roads, PLAYERS, strict=True))
    )
    return Layout(tuple(column for column, _ in pieces), tuple(roads), cars)


def test_entrances_are_read_with_their_discs_cars_and_owners() -> None:
    found = set_up_of(first_look(drawn(_set_up(), seed=3), RIG, KIT), PLAYERS)
    assert found is not None
    assert found.unsure is None
    seen = score(found, _set_up())
    assert not seen.faults
    assert [road.kind for road in found.roads] == ["entrance", "entrance"]
    assert {column.owner for column in found.columns} == set(PLAYERS)
    assert all(
        column.sigma is not None and math.dist((column.x, column.y), _nearest(column)) < 1.0 for column in found.columns
    )


def _nearest(column: Column) -> tuple[float, float]:
    return min(((c.x, c.y) for c in _set_up().columns), key=lambda spot: math.dist(spot, (column.x, column.y)))


def test_a_table_that_was_built_on_is_never_a_set_up_for_certain() -> None:
    start = _set_up()
    base = start.columns[0]
    far = Column("c9", base.x - 20.0, base.y + 88.0, 2, False, "purple")
    on = replace(start, columns=(*start.columns, far), roads=(*start.roads, road_between("r9", base, far, KIT)))
    found = set_up_of(first_look(drawn(on, seed=3), RIG, KIT), PLAYERS)
    assert found is None or (found.unsure is not None and all(piece.unsure is not None for piece in found.pieces()))


def test_an_entrance_without_its_car_is_no_set_up() -> None:
    start = _set_up()
    assert set_up_of(first_look(drawn(replace(start, cars=start.cars[:1]), seed=3), RIG, KIT), PLAYERS) is None


def test_one_camera_alone_never_passes_for_a_set_up() -> None:
    overhead = {"overhead": drawn(_set_up(), seed=3)["overhead"]}
    assert all(piece.unsure is not None for piece in table_of(overhead, RIG, KIT, PLAYERS).pieces())


def test_every_car_is_a_spot_of_paint() -> None:
    start = _set_up()
    view = view_of(drawn(start, seed=3)["overhead"], RIG.overhead, "overhead")
    spots, clear = paint_spots(view, shapely.box(-300, -300, 300, 300), KIT.disc_height_mm, PLAYERS, KIT)
    assert all(min(math.dist(spot, (car.x, car.y)) for spot in spots[:2]) < 4.0 for car in start.cars)
    assert clear[1] > 0.3


@pytest.mark.parametrize(("aside_mm", "least", "most"), [(0.0, 0.5, 1.0), (30.0, -1.0, 0.2)])
def test_a_stick_is_plain_and_the_table_beside_it_is_not(aside_mm: float, least: float, most: float) -> None:
    road = _set_up().roads[0]
    view = view_of(drawn(_set_up(), seed=3)["overhead"], RIG.overhead, "overhead")
    pose = stick_pose(np.array(road.a), np.array(road.b)) + np.array([aside_mm, 0.0, 0.0, 0.0, 0.0])
    assert least <= float(plainness(view.light, Lens(RIG.overhead), pose[None], KIT)[0]) <= most


@pytest.mark.parametrize(("is_laid", "leads"), [(True, True), (False, False)])
def test_a_road_to_another_column_is_seen_by_the_net_however_faint_its_edges_are(is_laid: bool, leads: bool) -> None:
    start = _set_up()
    base, far = start.columns[0], Column("c9", 30.0, 88.0, 2, False, None)
    road = road_between("r9", base, far, KIT)
    more = replace(start, columns=(*start.columns, far), roads=(*start.roads, *([road] if is_laid else [])))
    assert leads_on(first_look(drawn(more, seed=3), RIG, KIT), start.columns) is leads
