"""Cars on known roads, without history: by both views at once, under other roads too, each paint counted once."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import BARE_TABLE, Car, Layout, TipSigmas
from tests.test_vision_half_hidden import ABOVE, BUILT, HIDDEN, KIT, OPEN, PLAYERS, UNDER
from tests.vision_drawing import RIG, car_on, drawn
from vision.car_doubt import SHADE
from vision.car_places import COST, MAY_BE, MUCH, TWO, Place, best_places, worth
from vision.car_rows import ODDS_LIMITS, STEP_MM, Rows, net_odds, tint_odds
from vision.car_search import LOOSE_MM, Found
from vision.cars import car_of
from vision.evidence import Evidence
from vision.half_hidden import HALF_HIDDEN
from vision.odds import CAR
from vision.paint import paint_of
from vision.region import play_box
from vision.seen_cars import MAY_CARRY, VIVID_FROM, doubt_of, placed_car, with_cars
from vision.stripes import Stripe
from vision.told import told_of
from vision.views import evidence_of

MIDDLE = np.array([0.0, 0.0, KIT.disc_height_mm])
SHORT, LONG = (pick(size[0] for size in KIT.cars.values()) for pick in (min, max))


def views_of(*standing: Car, built: Layout = BUILT) -> list[Evidence]:
    pictures = drawn(replace(built, cars=standing), seed=3)
    return evidence_of(pictures, None, RIG, play_box(BARE_TABLE, RIG, KIT))


def cars_seen(*standing: Car, with_net: bool = True) -> Layout:
    """What is told of cars where the rest of the table is known."""
    views = views_of(*standing)
    return with_cars([told_of(v, MIDDLE, KIT) for v in views] if with_net else views, BUILT, PLAYERS, KIT)


@pytest.mark.parametrize("with_net", [True, False])
@pytest.mark.parametrize("on_top", [car_on("k9", ABOVE, "purple", KIT), OPEN], ids=["above", "open"])
def test_a_car_in_full_view_is_sure_and_told_once(on_top: Car, with_net: bool) -> None:
    (car,) = cars_seen(on_top, with_net=with_net).cars
    assert (car.road, car.owner, car.unsure) == (on_top.road, on_top.owner, None)
    assert math.hypot(car.x - on_top.x, car.y - on_top.y) < 1.0


@pytest.mark.parametrize("by_mm", [-4.0, -1.0, 0.0, 1.0, 4.0])
def test_a_car_under_a_road_is_found_on_its_own_about_where_it_stands(by_mm: float) -> None:
    (car,) = cars_seen(replace(HIDDEN, x=HIDDEN.x + by_mm)).cars
    assert (car.road, car.owner) == (UNDER.id, "green")
    assert car.sigma is not None
    assert math.hypot(car.x - HIDDEN.x - by_mm, car.y - HIDDEN.y) < 3 * math.hypot(*car.sigma)


def test_a_car_of_which_little_shows_is_asked_for() -> None:
    (car,) = cars_seen(HIDDEN).cars
    assert car.unsure == HALF_HIDDEN


def test_bare_roads_carry_no_cars_and_are_not_asked_about() -> None:
    assert cars_seen() == BUILT


def test_a_bare_road_from_the_table_may_carry_a_hidden_car() -> None:
    foot, top = ABOVE.a, ABOVE.b
    up = replace(ABOVE, a=(*foot[:2], KIT.road_thickness_mm / 2), b=top, from_=None, kind="entrance")
    built = replace(BUILT, roads=tuple(up if road.id == up.id else road for road in BUILT.roads))
    views = [told_of(view, MIDDLE, KIT) for view in views_of(built=built)]
    seen = with_cars(views, built, PLAYERS, KIT)
    assert {road.id: road.unsure for road in seen.roads}[up.id] == MAY_CARRY
    assert [road.unsure for road in seen.roads if road.id != up.id] == [None]


@pytest.mark.parametrize(
    ("is_entrance", "vivid_from", "is_car"), [(True, 9.0, True), (False, 9.0, False), (False, VIVID_FROM, True)]
)
def test_slivers_are_the_car_that_a_highway_starts_with_and_elsewhere_one_if_they_are_vivid(
    monkeypatch: pytest.MonkeyPatch, is_entrance: bool, vivid_from: float, is_car: bool
) -> None:
    monkeypatch.setattr("vision.seen_cars.VIVID_FROM", vivid_from)
    up = replace(UNDER, a=(*UNDER.a[:2], KIT.road_thickness_mm / 2), from_=None) if is_entrance else UNDER
    built = replace(BUILT, roads=tuple(up if road.id == up.id else road for road in BUILT.roads))
    overhead = views_of(car_on("k0", up, "green", KIT, "electric_car"), built=built)[:1]
    seen = with_cars(overhead, built, PLAYERS, KIT).cars
    expected = [(up.id, "green", None, HALF_HIDDEN)] if is_car else []
    assert [(car.road, car.owner, car.type, car.unsure) for car in seen] == expected


@pytest.mark.parametrize(("sigma_mm", "is_car"), [(LOOSE_MM - 0.1, False), (LOOSE_MM + 0.1, True)])
def test_the_side_view_speaks_against_a_car_where_it_is_known_how_high_its_road_lies(
    sigma_mm: float, is_car: bool
) -> None:
    overhead, side = views_of(OPEN)
    bare = [overhead, views_of()[1]]
    tips = TipSigmas((0.3, 0.3, sigma_mm), (0.3, 0.3, 0.3))
    built = replace(BUILT, roads=tuple(replace(road, sigma=tips) for road in BUILT.roads))
    assert bool(with_cars(bare, built, PLAYERS, KIT).cars) == is_car
    assert with_cars([overhead, side], built, PLAYERS, KIT).cars


def test_a_car_beside_its_road_is_none() -> None:
    beside = replace(HIDDEN, x=HIDDEN.x - 22.0, y=HIDDEN.y + 25.0, z=KIT.cars["sedan"][2] / 2)
    assert cars_seen(beside).cars == ()


@pytest.mark.parametrize("gap_mm", [1.0, 6.0])
def test_two_long_cars_close_behind_each_other_are_two(gap_mm: float) -> None:
    kinds = ("highway_bus", "limousine")
    off_mm = (KIT.cars[kinds[0]][0] + gap_mm) / 2, (KIT.cars[kinds[1]][0] + gap_mm) / 2
    first, second = (car_on(f"k{i}", ABOVE, "purple", KIT, kind) for i, kind in enumerate(kinds))
    u = (np.array(ABOVE.b) - ABOVE.a) / math.dist(ABOVE.a, ABOVE.b)
    moved = [
        replace(car, x=car.x + by * u[0], y=car.y + by * u[1], z=car.z + by * u[2])
        for car, by in ((first, -off_mm[0]), (second, off_mm[1]))
    ]
    seen = sorted(cars_seen(*moved).cars, key=lambda car: (car.x - ABOVE.a[0]) * u[0])
    assert [car.road for car in seen] == [ABOVE.id] * 2
    assert all(math.hypot(s.x - t.x, s.y - t.y) < 4.0 for s, t in zip(seen, moved, strict=True))


def test_what_the_net_takes_for_no_car_in_either_view_is_none_where_its_colour_is_pale() -> None:
    told = [told_of(view, MIDDLE, KIT) for view in views_of(OPEN)]
    pale = [_with(view, 0.0, fade=0.2) for view in told]
    assert with_cars(pale, BUILT, PLAYERS, KIT).cars == ()


def test_with_one_view_cars_are_found_from_above() -> None:
    (car,) = with_cars(views_of(OPEN)[:1], BUILT, PLAYERS, KIT).cars
    assert (car.road, car.owner) == (OPEN.road, OPEN.owner)


def _with(view: Evidence, share: float, fade: float) -> Evidence:
    """A view whose pixels are taken for cars by so much and whose colours are faded to so much."""
    grey = view.view.picture.mean(axis=2, keepdims=True)
    picture = np.rint(grey + fade * (view.view.picture - grey)).astype(np.uint8)
    assert view.told is not None
    told = view.told.copy()
    told[..., CAR] = share
    return dataclasses.replace(view, view=dataclasses.replace(view.view, picture=picture), told=told)


def row(*stretches: tuple[float, float, float], count: int = 190) -> np.ndarray:
    """Gains (1, n) of -2 per mm with other ones from and to in mm."""
    gains = np.full((1, count), -2.0 * STEP_MM)
    for start_mm, end_mm, per_mm in stretches:
        gains[0, round(start_mm / STEP_MM) : round(end_mm / STEP_MM)] = per_mm * STEP_MM
    return gains


def test_a_stretch_as_long_as_a_car_is_one() -> None:
    (place,) = best_places("r", row((20.0, 35.0, 3.0)), (), KIT)
    assert (place.start_mm, place.end_mm) == (20.0, 35.0)


def test_a_short_stretch_grows_into_what_is_hidden_and_not_into_bare_road() -> None:
    assert best_places("r", row((20.0, 24.0, 2.0)), (), KIT) == []
    (place,) = best_places("r", row((20.0, 24.0, 2.0), (24.0, 40.0, 0.0)), (), KIT)
    assert place.start_mm == 20.0
    assert place.gain == pytest.approx(8.0)


@pytest.mark.parametrize(("gain", "is_one"), [(MAY_BE - 0.1, False), (MAY_BE + 0.1, True)])
def test_what_gains_too_little_is_none(gain: float, is_one: bool) -> None:
    gains = row((20.0, 20.0 + SHORT, gain / SHORT))
    assert bool(best_places("r", gains, (), KIT)) is is_one


def test_taken_rows_are_not_taken_again() -> None:
    gains = row((20.0, 35.0, 3.0))
    taken = best_places("r", gains, (), KIT)
    assert best_places("r", gains, taken, KIT) == []


@pytest.mark.parametrize(("more_mm", "count"), [(TWO / 3.0 - 1.0, 1), (TWO / 3.0 + 1.0, 2)])
def test_a_stretch_much_longer_than_any_car_is_two(more_mm: float, count: int) -> None:
    assert len(best_places("r", row((20.0, 20.0 + LONG + more_mm, 3.0)), (), KIT)) == count


def test_where_one_car_alone_may_be_a_long_stretch_is_one() -> None:
    assert len(best_places("r", row((20.0, 20.0 + LONG + TWO, 3.0)), (), KIT, most=1)) == 1


@pytest.mark.parametrize(("bare_mm", "count"), [(0.0, 1), (6.0, 2)])
def test_two_short_cars_with_bare_road_between_them_are_two(bare_mm: float, count: int) -> None:
    gains = row((20.0, 20.0 + SHORT, 3.0), (20.0 + SHORT + bare_mm, 20.0 + 2 * SHORT + bare_mm, 3.0))
    assert len(best_places("r", gains, (), KIT)) == count


def test_one_view_alone_does_not_outweigh_another_that_shows_bare_road() -> None:
    sides = np.concatenate([row(), row((20.0, 35.0, 3.0))])
    assert best_places("r", sides, (), KIT) == []
    assert worth(np.array([[-MUCH], [2 * MUCH]]))[0] < COST < worth(np.array([[0.0], [MUCH]]))[0]


def test_paint_of_no_player_tells_less_than_a_players() -> None:
    paints = [paint_of(player, KIT) for player in PLAYERS]
    plain = np.zeros(2)
    strange = -(paints[0] + paints[1])
    own, other = (float(tint_odds(one / np.linalg.norm(one) * 0.5, plain, paints)) for one in (paints[0], strange))
    assert own > 0 > other


def test_the_net_tells_for_and_against() -> None:
    bare, even, car = net_odds(np.array([0.01, 0.2, 0.95]))
    assert bare < -1 < abs(even) < 0.2 < 1 < car


def found(*views: tuple[float, float]) -> Found:
    """A car of which views show so much with such log-odds."""
    rows = []
    for shown, odds in views:
        free = np.arange(20) < round(20 * shown)
        many = np.tile(free, (100, 1))
        spots = np.zeros((100, 20, 2))
        rows.append(Rows(np.linspace(0.0, 50.0, 100), spots, spots, np.zeros(2), np.full((100, 20), odds), many))
    return Found(Place("r", 10.0, 25.0, 50.0), 0.5, tuple(rows))


@pytest.mark.parametrize(
    ("views", "doubt"),
    [
        (((1.0, 2.5), (1.0, 2.0)), None),
        (((1.0, 2.5), (0.0, 0.0)), None),
        (((0.4, 2.5), (0.9, 2.1)), None),
        (((0.2, 2.5), (0.9, 2.5)), HALF_HIDDEN),
        (((0.4, 2.5), (0.4, 2.5)), HALF_HIDDEN),
        (((1.0, 2.5), (0.9, -0.5)), SHADE),
        (((1.0, 1.5), (0.2, 2.4)), SHADE),
        (((0.5, 1.1), (0.9, 2.4)), SHADE),
        (((0.5, 1.3), (0.9, 2.4)), None),
    ],
)
def test_a_car_is_sure_where_it_is_clear_from_above_and_no_view_speaks_against_it(
    views: tuple[tuple[float, float], ...], doubt: str | None
) -> None:
    assert all(ODDS_LIMITS[0] <= odds <= ODDS_LIMITS[1] for _, odds in views)
    assert doubt_of(found(*views)) == doubt


@pytest.mark.parametrize(("length_mm", "middle_mm"), [(SHORT - 0.5, 17.5), (SHORT + 0.5, 30.0)])
def test_a_stretch_shorter_than_any_car_does_not_tell_its_place(length_mm: float, middle_mm: float) -> None:
    """Paint of which all shows from above tells it, but not a truck's cab alone; both views found one at 17.5 mm."""
    stripe = Stripe(ABOVE.id, 30.0 - length_mm / 2, 30.0 + length_mm / 2, (0.5, 0.0), (0.0, 0.0), 1.0)
    car = car_of(stripe, ABOVE, "k1", {"green": 1.0}, KIT)
    placed = placed_car(car, found((1.0, 2.5), (1.0, 2.5)), stripe, ABOVE, KIT)
    assert math.dist((placed.x, placed.y), ABOVE.a[:2]) == pytest.approx(middle_mm, abs=0.3)


@pytest.mark.parametrize("cost", [COST, 1000.0])
def test_where_a_car_is_but_possible_its_road_is_asked_about(monkeypatch: pytest.MonkeyPatch, cost: float) -> None:
    monkeypatch.setattr("vision.seen_cars.COST", cost)
    monkeypatch.setattr("vision.seen_cars.VIVID_FROM", 9.0)
    seen = cars_seen(HIDDEN)
    is_believed = cost == COST
    assert len(seen.cars) == is_believed
    assert [road.unsure for road in seen.roads] == [None if is_believed else MAY_CARRY, None]
