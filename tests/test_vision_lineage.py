"""Which way roads run and whose they are: told by what lies on a highway, asked where nothing tells."""

from __future__ import annotations

import pytest
import shapely
from msgspec.structs import replace

from referee.layout import Car, Column, Layout, Road
from referee.pieces import Kit
from tests.vision_drawing import car_on, road_between
from vision.lineage import NOT_ITS_HIGHWAYS, UNTOLD, directed, run_on, without_stock

KIT = Kit()
C0, C1 = Column("c0", 0.0, 0.0, 1, False, None), Column("c1", 90.0, 0.0, 2, False, None)
C2 = Column("c2", 180.0, 0.0, 1, False, None)


def _down(name: str, column: Column, towards: float) -> Road:
    """A road from a column down to the table, seen from the column on."""
    a = (column.x, column.y, KIT.lying_z_mm(column.height))
    return Road(name, a, (column.x + towards, column.y, KIT.road_thickness_mm / 2), "exit", column.id, None, None)


def _highway(*cars: Car, onward: float = 0.0) -> Layout:
    """A road down, two between columns, a road down; the second road's ends lie `onward` mm higher than the first's."""
    first, second = road_between("r1", C0, C1, KIT), road_between("r2", C1, C2, KIT)
    second = replace(second, a=(*second.a[:2], second.a[2] + onward))
    roads = (_down("r0", C0, -94.0), replace(first, owner=None), replace(second, owner=None), _down("r3", C2, 94.0))
    return Layout((C0, C1, C2), roads, cars)


def test_roads_run_away_from_the_only_road_that_comes_up() -> None:
    layout = _highway(car_on("k0", _down("r0", C0, -94.0), "green", KIT))
    found = directed(replace(layout, roads=layout.roads[:3]), KIT)
    assert [(road.kind, road.from_, road.to) for road in found.roads] == [
        ("entrance", None, "c0"), ("road", "c0", "c1"), ("road", "c1", "c2"),
    ]  # fmt: skip
    assert {piece.owner for piece in found.pieces()} == {"green"}
    assert all(road.unsure is None for road in found.roads)


def test_of_two_roads_to_the_table_the_entrance_has_the_car() -> None:
    found = directed(_highway(car_on("k0", _down("r3", C2, 94.0), "green", KIT)), KIT)
    assert [road.kind for road in found.roads] == ["exit", "road", "road", "entrance"]
    assert (found.roads[0].from_, found.roads[0].to) == ("c0", None)


def test_with_cars_on_both_the_end_that_lies_on_top_came_later() -> None:
    cars = (car_on("k0", _down("r0", C0, -94.0), "green", KIT), car_on("k1", _down("r3", C2, 94.0), "green", KIT))
    for onward, kinds in ((2.5, "entrance"), (-2.5, "exit")):
        found = directed(_highway(*cars, onward=onward), KIT)
        assert found.roads[0].kind == kinds
        assert all(road.unsure is None for road in found.roads)


def test_it_is_asked_where_nothing_tells() -> None:
    cars = (car_on("k0", _down("r0", C0, -94.0), "green", KIT), car_on("k1", _down("r3", C2, 94.0), "green", KIT))
    assert all(road.unsure == "which way it runs" for road in directed(_highway(*cars), KIT).roads)


def test_cars_of_two_colours_on_one_highway_are_asked_for() -> None:
    first = _down("r0", C0, -94.0)
    cars = (car_on("k0", first, "green", KIT), car_on("k1", road_between("r1", C0, C1, KIT), "purple", KIT))
    layout = _highway(*cars)
    assert all(road.unsure is not None for road in directed(replace(layout, roads=layout.roads[:3]), KIT).roads)


def _two_highways(second: str) -> Layout:
    """Two entrances far apart, each with a road and a car: one green, one of another colour."""
    highways = []
    for n, (owner, aside) in enumerate((("green", 0.0), (second, 300.0))):
        ends = (Column(f"c{n}a", 0.0, aside, 1, False, None), Column(f"c{n}b", 90.0, aside, 2, False, None))
        down = _down(f"r{n}a", ends[0], -94.0)
        onward = replace(road_between(f"r{n}b", *ends, KIT), owner=None)
        highways.append(Layout(ends, (down, onward), (car_on(f"k{n}", down, owner, KIT),)))
    one, other = highways
    return Layout(one.columns + other.columns, one.roads + other.roads, one.cars + other.cars)


def test_two_highways_of_one_player_are_asked_which_way_they_run_and_those_of_two_are_not() -> None:
    assert all(road.unsure == UNTOLD for road in directed(_two_highways("green"), KIT).roads)
    assert all(road.unsure is None for road in directed(_two_highways("purple"), KIT).roads)


def test_a_car_of_another_colour_than_its_highway_is_asked_for_and_one_of_its_own_is_not() -> None:
    first, second = _down("r0", C0, -94.0), road_between("r1", C0, C1, KIT)
    for colour, doubt in (("purple", NOT_ITS_HIGHWAYS), ("green", None)):
        cars = [car_on(f"k{n}", replace(first, id=f"r{n}"), "green", KIT) for n in (0, 2, 3)]
        found = directed(_highway(*cars, car_on("k1", second, colour, KIT)), KIT)
        assert {car.id: car.unsure for car in found.cars}["k1"] == doubt
        assert all(car.unsure is None for car in found.cars if car.id != "k1"), "three of four agree on whose it is"


@pytest.mark.parametrize(("colour", "told"), [("green", None), ("purple", UNTOLD)])
def test_where_anothers_car_stands_on_an_end_on_the_table_two_highways_may_be_read_as_one(
    colour: str, told: str | None
) -> None:
    cars = [car_on(f"k{n}", road_between(f"r{min(n, 2)}", C0, C1, KIT), "green", KIT) for n in (1, 2, 3)]
    last = car_on("k4", _down("r3", C2, 94.0), colour, KIT)
    layout = _highway(car_on("k0", _down("r0", C0, -94.0), "green", KIT), *cars, last, onward=2.5)
    assert {road.unsure for road in directed(layout, KIT).roads} == {told}
    away = Column("c9", 0.0, 300.0, 1, False, None)
    theirs = _down("r9", away, -94.0)
    layout = replace(layout, columns=(*layout.columns, away), roads=(*layout.roads, theirs))
    layout = replace(layout, cars=(*layout.cars, car_on("k9", theirs, "purple", KIT)))
    assert directed(layout, KIT).roads[-1].unsure == told, "nor the other player's own"


def test_a_highway_without_cars_is_nobodys_for_certain() -> None:
    found = directed(_highway(), KIT)
    assert all(piece.unsure is not None and piece.owner is None for piece in found.pieces())


ALL = shapely.box(-500.0, -500.0, 500.0, 500.0)


def test_a_stick_that_leans_on_a_disc_without_a_car_is_stock() -> None:
    lone = Layout((C0,), (_down("r0", C0, -94.0),), ())
    assert not list(without_stock(lone, ALL).pieces())
    entrance = replace(lone, cars=(car_on("k0", lone.roads[0], "green", KIT),))
    assert without_stock(entrance, ALL) == entrance


def test_a_stick_that_lies_by_itself_on_discs_without_a_car_is_stock() -> None:
    apart = Layout((C0, C1), (road_between("r1", C0, C1, KIT),), ())
    assert not list(without_stock(apart, ALL).pieces())
    carrying = replace(apart, cars=(car_on("k0", apart.roads[0], "green", KIT),))
    assert without_stock(carrying, ALL) == carrying


def test_what_lies_wholly_beside_the_play_area_is_stock_and_what_reaches_into_it_is_not() -> None:
    lone = Layout((C0,), (_down("r0", C0, -94.0),), ())
    entrance = replace(lone, cars=(car_on("k0", lone.roads[0], "green", KIT),))
    tips = shapely.MultiPoint([tip[:2] for tip in (lone.roads[0].a, lone.roads[0].b)])
    left, bottom, right, top = tips.bounds
    reached, beside = shapely.box(left, bottom, right, bottom + 1.0), shapely.box(left, top + 1.0, right, top + 90.0)
    assert without_stock(entrance, reached) == entrance
    assert not list(without_stock(entrance, beside).pieces())


def test_a_new_road_runs_away_from_what_stood_before_and_one_apart_from_it_is_asked_for() -> None:
    layout = Layout((C0, C1, C2), (road_between("r1", C1, C0, KIT),), ())
    (led,) = run_on(layout, Layout((C0,), (), ())).roads
    (apart,) = run_on(layout, Layout((C2,), (), ())).roads
    assert (led.from_, led.to, led.unsure) == ("c0", "c1", None)
    assert apart.unsure == UNTOLD


def test_the_only_road_to_the_table_is_no_entrance_for_certain_where_it_leaves_a_high_column_without_a_car() -> None:
    high = replace(C2, height=3)
    car = car_on("k0", road_between("r1", C0, C1, KIT), "green", KIT)
    layout = _highway(car)
    roads = (*layout.roads[1:3], _down("r3", high, 94.0))
    found = directed(replace(layout, columns=(C0, C1, high), roads=roads), KIT)
    assert all(road.unsure == UNTOLD for road in found.roads)
