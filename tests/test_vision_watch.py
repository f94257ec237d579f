"""Watching: what a settled pair shows against the accepted layout."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import Area, Building, Column, Layout
from referee.pieces import Kit
from tests.vision_drawing import RIG, car_on, drawn, road_between
from vision.errors import VisionError
from vision.scoring import score
from vision.unverified import ONE_VIEW
from vision.view import Picture
from vision.watch import explain

KIT = Kit()
PLAYERS = ("purple", "green")
C0 = Column("c0", -60.0, 10.0, 1, False, "purple")
C1 = Column("c1", 20.0, -35.0, 3, False, "purple")
C2 = Column("c2", 55.0, 45.0, 2, True, "purple")
R1 = road_between("r1", C0, C1, KIT)
R2 = road_between("r2", C1, C2, KIT, levels=(1, 0))
R2_YAW = math.atan2(R2.b[1] - R2.a[1], R2.b[0] - R2.a[0])
K1 = car_on("k1", R1, "purple", KIT)
FIRST = Layout((C0, C1), (R1,), (K1,))
SECOND = Layout((C0, C1, C2), (R1, R2), (K1, car_on("k2", R2, "green", KIT)))


@functools.cache
def pictures(which: str) -> dict[str, Picture]:
    table = {"first": FIRST, "second": SECOND, "column": replace(FIRST, columns=(C0, C1, C2))}
    return drawn(table[which], seed=len(which))


def seen(accepted: Layout, before: str, now: dict[str, Picture]) -> Layout:
    return explain(accepted, pictures(before), now, RIG, KIT, PLAYERS, "purple")


@functools.cache
def turn() -> Layout:
    return seen(FIRST, "first", pictures("second"))


def test_a_turn_is_seen_whole() -> None:
    assert score(turn(), SECOND).faults == []


def test_the_city_stays_as_it_was() -> None:
    lawn = Area("a1", "green", ((150.0, 100.0), (200.0, 100.0), (200.0, 160.0), (150.0, 160.0)))
    house = Building("b1", "building", ((120.0, 90.0), (140.0, 90.0), (140.0, 110.0), (120.0, 110.0)), 25.0)
    city = replace(FIRST, areas=(lawn,), buildings=(house,))
    found = seen(city, "first", pictures("second"))
    assert (found.areas, found.buildings) == (city.areas, city.buildings)
    assert len(found.roads) == 2


def test_a_turn_is_measured_to_half_a_millimetre() -> None:
    found = score(turn(), SECOND, only_new_to=FIRST)
    assert np.abs(np.array(found.tip_errors_mm)[:, :2]).max() < 0.5
    assert np.abs(np.array(found.tip_errors_mm)[:, 2]).max() < 1.0
    assert np.abs(found.column_errors_mm).max() < 0.5


def test_every_new_piece_carries_its_error() -> None:
    new = [p for p in turn().pieces() if p.id not in {q.id for q in FIRST.pieces()}]
    assert len(new) == 3
    assert all(piece.sigma is not None for piece in new)


def test_old_pieces_keep_their_ids_and_places() -> None:
    assert set(FIRST.columns) <= set(turn().columns)
    assert set(FIRST.roads) <= set(turn().roads)
    assert set(FIRST.cars) <= set(turn().cars)


def test_a_still_table_shows_what_was_accepted() -> None:
    assert seen(FIRST, "first", drawn(FIRST, seed=9)) == FIRST


@pytest.mark.parametrize("light", [0.8, 1.15])
def test_a_lamp_is_no_piece(light: float) -> None:
    assert seen(FIRST, "first", drawn(FIRST, light=light, seed=9)) == FIRST


def test_pieces_taken_away_are_gone() -> None:
    assert seen(SECOND, "second", pictures("first")) == FIRST


def test_a_column_without_its_road_is_seen() -> None:
    found = seen(FIRST, "first", pictures("column"))
    assert score(found, replace(FIRST, columns=(C0, C1, C2))).faults == []


def test_the_overhead_camera_alone_asks_for_the_height() -> None:
    before, now = ({"overhead": pictures(name)["overhead"]} for name in ("first", "second"))
    found = explain(FIRST, before, now, RIG, KIT, PLAYERS, "purple")
    new = [piece for piece in found.pieces() if piece.id not in {p.id for p in FIRST.pieces()}]
    assert new
    assert all(piece.unsure is not None for piece in new)
    assert found.unsure == ONE_VIEW
    assert set(FIRST.roads) <= set(found.roads)


def test_the_overhead_camera_alone_asks_for_what_stood_beside_a_piece_that_is_gone() -> None:
    before, now = ({"overhead": pictures(name)["overhead"]} for name in ("second", "first"))
    found = explain(SECOND, before, now, RIG, KIT, PLAYERS, "purple")
    assert "r2" not in {road.id for road in found.roads}
    assert next(column for column in found.columns if column.id == "c1").unsure is not None


def test_the_overhead_camera_alone_is_enough_where_nothing_changed() -> None:
    before, now = ({"overhead": drawn(FIRST, seed=seed)["overhead"]} for seed in (1, 2))
    assert explain(FIRST, before, now, RIG, KIT, PLAYERS, "purple") == FIRST


def test_the_side_camera_alone_is_enough_where_nothing_changed() -> None:
    before, now = ({"side": drawn(FIRST, seed=seed)["side"]} for seed in (1, 2))
    assert explain(FIRST, before, now, RIG, KIT, PLAYERS, "purple") == FIRST


@pytest.mark.parametrize("aside_mm", [1.5, 12.0])
def test_a_pushed_column_keeps_its_id_at_its_new_place(aside_mm: float) -> None:
    lone = replace(FIRST, columns=(C0, C1, C2))
    moved = replace(C2, x=C2.x + aside_mm)
    found = seen(lone, "column", drawn(replace(lone, columns=(C0, C1, moved)), seed=3))
    there = {column.id: column for column in found.columns}
    assert set(there) == {"c0", "c1", "c2"}
    assert math.hypot(there["c2"].x - moved.x, there["c2"].y - moved.y) < 0.5


@pytest.mark.parametrize("out_mm", [-6.0, 14.0])
def test_a_road_is_seen_where_it_lies_however_far_it_sticks_out(out_mm: float) -> None:
    slid = np.array([math.cos(R2_YAW), math.sin(R2_YAW), 0.0]) * -out_mm
    road = replace(R2, a=tuple(np.array(R2.a) + slid), b=tuple(np.array(R2.b) + slid))
    found = seen(FIRST, "first", drawn(replace(SECOND, roads=(R1, road), cars=(K1,)), seed=5))
    errors = np.array(score(found, replace(SECOND, roads=(R1, road), cars=(K1,)), only_new_to=FIRST).tip_errors_mm)
    assert np.abs(errors[:, :2]).max() < 0.5


def test_a_picture_of_another_size_is_refused() -> None:
    small = {name: picture[:-2] for name, picture in pictures("second").items()}
    with pytest.raises(VisionError, match="1280x718"):
        seen(FIRST, "first", small)


def test_two_turns_at_once_are_seen_though_their_roads_cross() -> None:
    mine, theirs = Column("p5", 58.0, 15.0, 2, False, "purple"), Column("g6", -57.0, 8.0, 3, False, "green")
    next_mine, next_theirs = (
        Column("p7", -38.0, -13.0, 1, False, "purple"),
        Column("g8", 40.0, -16.0, 2, False, "green"),
    )
    before = Layout((mine, theirs), (), ())
    roads = road_between("p", mine, next_mine, KIT), road_between("g", theirs, next_theirs, KIT)
    both = Layout((mine, theirs, next_mine, next_theirs), roads, ())
    found = explain(before, drawn(before, seed=1), drawn(both, seed=2), RIG, KIT, PLAYERS, "green")
    assert score(found, both).faults == []
