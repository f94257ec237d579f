"""One pair without history: what cannot be told is asked, never guessed."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import Column, Layout, Road
from tests.test_vision_watch import KIT, PLAYERS, SECOND
from tests.vision_drawing import RIG, car_on, drawn, road_between
from vision.debug import UNSURE, debug_picture
from vision.errors import VisionError
from vision.first_look import first_look
from vision.scoring import score
from vision.single import layout_of
from vision.told import without_net
from vision.view import Picture


@functools.cache
def found() -> Layout:
    return layout_of(first_look(drawn(SECOND, seed=6), RIG, KIT), PLAYERS)


def test_every_piece_is_found_where_it_stands() -> None:
    seen = score(found(), SECOND)
    assert (seen.columns_found, seen.roads_found, seen.cars_found) == (3, 2, 2)
    assert (seen.heights_right, seen.colours_right) == (3, 2)


def test_the_search_stands_without_the_net() -> None:
    with without_net():
        seen = score(layout_of(first_look(drawn(SECOND, seed=6), RIG, KIT), PLAYERS), SECOND)
    assert (seen.columns_found, seen.roads_found) == (3, 2)
    assert not seen.wrong_and_sure


def test_the_way_a_road_runs_is_asked_where_no_entrance_tells_it() -> None:
    assert not score(found(), SECOND).wrong_and_sure
    assert all(road.unsure is not None for road in found().roads)


def crossing() -> Layout:
    """Two entrances; the one player's next road passes over the other's."""
    spots = ((-60.0, -20.0, 1), (32.0, -22.0, 2), (-10.0, 60.0, 3), (-15.0, -33.0, 4), (60.0, 62.0, 1))
    c = [Column(f"c{i}", x, y, height, False, None) for i, (x, y, height) in enumerate(spots)]
    roads = [
        road_between("r1", c[0], c[1], KIT),
        road_between("r2", c[2], c[3], KIT),
        road_between("r3", c[4], c[2], KIT),
    ]
    for name, column, dx in (("r0", c[0], -94.0), ("r4", c[4], 94.0)):
        foot = (column.x + dx, column.y, KIT.road_thickness_mm / 2)
        roads.append(Road(name, foot, (column.x, column.y, KIT.lying_z_mm(1)), "entrance", None, column.id, None))
    cars = (car_on("k0", roads[3], "purple", KIT), car_on("k1", roads[4], "green", KIT))
    return Layout(tuple(c), tuple(roads), cars)


def test_a_whole_table_is_read_with_heights_and_what_passes_over_what() -> None:
    seen = score(layout_of(first_look(drawn(crossing(), seed=7), RIG, KIT), PLAYERS), crossing())
    assert not [fault for fault in seen.faults if fault.sure]
    assert (seen.columns_found, seen.heights_right, seen.roads_found, seen.cars_found) == (5, seen.heights_sure, 5, 2)


def with_a_stripe(is_wood: bool) -> dict[str, Picture]:
    """The same table with something like a stick from a column down to the table, of wood or of cloth."""
    table, (x, y) = crossing(), (32.0, -22.0)
    stripe = Road("r9", (x, y, KIT.lying_z_mm(2)), (x + 60.0, y - 68.0, 1.2), "exit", "c1", None, None)
    bare, laid = drawn(table, seed=7), drawn(replace(table, roads=(*table.roads, stripe)), seed=7)
    if is_wood:
        return laid
    cloth = {
        name: np.clip(picture * np.array([0.55, 0.8, 1.1]), 0, 255).astype(np.uint8) for name, picture in laid.items()
    }
    differ = {name: (np.abs(bare[name].astype(int) - laid[name]).max(axis=2) > 8)[..., None] for name in laid}
    return {name: np.where(differ[name], cloth[name], laid[name]) for name in laid}


@pytest.mark.parametrize("is_wood", [True, False])
def test_what_is_shaped_like_a_stick_is_one_only_where_it_looks_like_the_others(is_wood: bool) -> None:
    seen = layout_of(first_look(with_a_stripe(is_wood), RIG, KIT), PLAYERS)
    down = [road for road in seen.roads if min(math.dist(tip[:2], (92.0, -90.0)) for tip in (road.a, road.b)) < 15.0]
    assert len(down) == is_wood
    assert score(seen, crossing()).roads_found == 5


def test_without_the_overhead_picture_it_says_so() -> None:
    with pytest.raises(VisionError, match="no overhead picture"):
        layout_of(first_look({"side": drawn(SECOND, seed=6)["side"]}, RIG, KIT), PLAYERS)


def test_with_the_overhead_picture_alone_every_height_is_asked_for() -> None:
    seen = layout_of(first_look({"overhead": drawn(SECOND, seed=6)["overhead"]}, RIG, KIT), PLAYERS)
    assert all(column.unsure is not None for column in seen.columns)


def test_a_debug_picture_shows_both_views_and_says_what_is_unsure() -> None:
    picture = debug_picture(found(), drawn(SECOND, seed=6), RIG, KIT)
    assert picture.shape[1] > 1500
    known = replace(found(), unsure=None, columns=tuple(replace(c, unsure=None) for c in found().columns))
    known = replace(known, roads=tuple(replace(r, unsure=None) for r in known.roads), cars=())
    told = debug_picture(known, drawn(SECOND, seed=6), RIG, KIT, accepted=known)
    # Where all is known already there is nothing to say below.
    assert told.shape[0] < picture.shape[0]
    assert not (told == UNSURE).all(axis=-1).any()
    assert (picture == UNSURE).all(axis=-1).any()
