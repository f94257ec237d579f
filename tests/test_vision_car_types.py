"""Types of cars: told by how long and how high the paint looks in both views, and left open where that may mislead."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import cv2
import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import BARE_TABLE, Car, Column, Layout
from referee.pieces import Kit
from tests.vision_drawing import PAINTS, RIG, TABLE, car_on, drawn, road_between
from vision.car_paint import overhead_paint
from vision.car_shapes import SHAPES, shapes_of
from vision.car_types import odds_by_fits
from vision.cars import watched_cars
from vision.depth import depth_map
from vision.region import play_box
from vision.solids import solid_of
from vision.stripes import plain_of, stripes
from vision.view import Lens, Picture
from vision.views import evidence_of

KIT = replace(
    Kit(),
    cars={
        "low": (15.0, 7.0, 5.5),
        "tall": (15.0, 7.0, 8.0),
        "taller": (15.0, 7.0, 8.3),
        "long_low": (18.0, 7.0, 5.5),
        "long_tall": (18.0, 7.0, 8.0),
    },
)
PLAYERS = ("purple", "green")
C1, C2 = Column("c1", -50.0, 0.0, 1, False, None), Column("c2", 40.0, 12.0, 2, False, None)
ROAD = road_between("r1", C1, C2, KIT)
BRIDGE_Y_MM = -72.0
"""Where a bridge of five discs lies just before the roof, for the side camera."""
LOW_BRIDGE_Y_MM = -30.0
"""Where one of three discs lies just before the flank."""
BED_MM = ((-6.8, -2.8), (1.4, -2.8), (1.4, 2.8), (-6.8, 2.8))
BUILT = Layout((C1, C2), (ROAD,), ())


@functools.cache
def pictures_of(kind: str) -> dict[str, Picture]:
    return drawn(replace(BUILT, cars=(car_on("k1", ROAD, "purple", KIT, kind),)), KIT, seed=5)


def car_seen(pictures: Mapping[str, Picture], kit: Kit = KIT, layout: Layout = BUILT) -> Car:
    views = evidence_of(pictures, None, RIG, play_box(BARE_TABLE, RIG, kit))
    (car,) = watched_cars(views, layout, BARE_TABLE, PLAYERS, kit).cars
    return car


@pytest.mark.parametrize("kind", ["low", "long_low", "long_tall"])
def test_types_of_one_length_are_told_by_height_and_of_one_height_by_length(kind: str) -> None:
    car = car_seen(pictures_of(kind))
    assert (car.type, car.candidates) == (kind, ())
    true = car_on("k1", ROAD, "purple", KIT, kind)
    assert abs(car.z - true.z) < 0.5


def test_of_types_that_are_all_but_alike_both_may_be_meant_and_no_other() -> None:
    car = car_seen(pictures_of("tall"))
    assert car.type is None
    assert {one.type for one in car.candidates} == {"tall", "taller"}
    assert sum(one.p or 0.0 for one in car.candidates) > 0.9


def test_without_the_side_view_height_is_open() -> None:
    car = car_seen({"overhead": pictures_of("low")["overhead"]})
    assert car.type is None
    assert len(car.candidates) > 1


def test_a_car_that_the_side_view_does_not_show_is_open_by_height() -> None:
    pictures = {name: picture.copy() for name, picture in pictures_of("low").items()}
    pictures["side"][:] = TABLE
    assert car_seen(pictures).type is None


def test_a_road_before_a_roof_does_not_make_a_car_low() -> None:
    piers = Column("c3", -60.0, BRIDGE_Y_MM, 5, False, None), Column("c4", 28.0, BRIDGE_Y_MM, 5, False, None)
    bridged = Layout((C1, C2, *piers), (ROAD, road_between("r2", *piers, KIT)), ())
    pictures = drawn(replace(bridged, cars=(car_on("k1", ROAD, "purple", KIT, "long_tall"),)), KIT, seed=5)
    assert car_seen(pictures, layout=bridged).type == "long_tall"
    # The same pictures where nobody knows of the bridge: its roof is not seen, and the car looks like a low one.
    assert car_seen(pictures).type != "long_tall"


def test_a_table_of_the_paint_s_colour_leaves_the_side_view_out() -> None:
    pictures = {name: picture.copy() for name, picture in pictures_of("low").items()}
    bare = np.abs(pictures["side"].astype(int) - TABLE).max(axis=2) < 12
    pictures["side"][bare] = PAINTS["purple"]
    assert car_seen(pictures).type is None


def test_places_owners_and_names_do_not_hang_on_the_type() -> None:
    twins = replace(KIT, cars={"low": KIT.cars["low"], "twin": KIT.cars["low"]})
    one, other = car_seen(pictures_of("low")), car_seen(pictures_of("low"), twins)
    assert (one.type, other.type) == ("low", None)
    assert (one.id, one.x, one.y, one.yaw, one.owner, one.road) == (
        (other.id, other.x, other.y, other.yaw, other.owner, other.road)
    )


TRUCKS = replace(
    Kit(), cars={"sedan": (13.0, 7.0, 5.0), "delivery_van": (17.0, 7.5, 8.0), "construction_truck": (17.0, 7.5, 8.0)}
)
"""A van and a truck of one size: only its open bed tells the truck."""


def test_a_truck_is_told_from_a_van_of_its_size_by_the_bed_that_lies_open() -> None:
    pictures = drawn(replace(BUILT, cars=(car_on("k1", ROAD, "purple", TRUCKS, "construction_truck"),)), TRUCKS, seed=5)
    closed = car_seen(pictures, TRUCKS)
    assert closed.type == "delivery_van"
    pictures = {name: picture.copy() for name, picture in pictures.items()}
    truck = solid_of(car_on("k1", ROAD, "purple", TRUCKS, "construction_truck"), TRUCKS)
    bed = [truck.origin + truck.axes.T @ np.array([x, y, truck.half_mm]) for x, y in BED_MM]
    outline = np.rint(Lens(RIG.overhead).project(np.array(bed))).astype(np.int32)
    cv2.fillConvexPoly(pictures["overhead"], outline, (60, 62, 64))
    assert car_seen(pictures, TRUCKS).type == "construction_truck"


def test_a_low_bed_behind_a_cab_makes_a_truck_though_it_is_painted() -> None:
    parts = replace(Kit(), cars={"bed": (12.0, 7.5, 5.6), "cab": (5.0, 7.5, 8.0)})
    u = (np.array(ROAD.b) - ROAD.a) / np.linalg.norm(np.array(ROAD.b) - ROAD.a)
    cars = []
    for kind, ahead_mm in (("bed", -2.5), ("cab", 6.0)):
        car = car_on(kind, ROAD, "purple", parts, kind)
        x, y, z = np.array([car.x, car.y, car.z]) + ahead_mm * u
        cars.append(replace(car, x=float(x), y=float(y), z=float(z)))
    pictures = drawn(replace(BUILT, cars=tuple(cars)), parts, seed=5)
    assert car_seen(pictures, TRUCKS).type == "construction_truck"


def test_a_table_of_the_paint_s_colour_leaves_the_length_along_the_road() -> None:
    pictures = {name: picture.copy() for name, picture in pictures_of("low").items()}
    bare = np.abs(pictures["overhead"].astype(int) - TABLE).max(axis=2) < 12
    pictures["overhead"][bare] = PAINTS["purple"]
    (overhead, _) = evidence_of(pictures, None, RIG, play_box(BARE_TABLE, RIG, KIT))
    depth = depth_map({piece.id: solid_of(piece, KIT) for piece in BUILT.built()}, overhead.lens)
    (stripe,) = stripes(overhead.view, depth, BUILT, [ROAD], KIT)[ROAD.id]
    seen = overhead_paint(overhead.view, BUILT, car_on("k1", ROAD, "purple", KIT, "low"), ROAD, stripe, KIT)
    assert seen is not None
    ends = np.array(ROAD.a), np.array(ROAD.b)
    along = np.linspace(stripe.start_mm - 2.0, stripe.end_mm + 2.0, 9)[:, None] / np.linalg.norm(ends[1] - ends[0])
    x, y = np.rint(seen.lens.project(ends[0] + along * (ends[1] - ends[0]) + (0, 0, 2.0))).astype(int).T
    assert seen.free[y, x].all()
    assert (seen.paint[y, x][[0, -1]] < 0.2).all()
    assert (seen.paint[y, x][2:-2] > 0.8).all()
    assert not seen.free[0].any()


@pytest.mark.parametrize("kind", ["long_tall", "long_low"])
def test_where_a_bridge_hides_the_flank_what_stands_out_above_it_tells_the_height(kind: str) -> None:
    piers = Column("c3", -60.0, LOW_BRIDGE_Y_MM, 3, False, None), Column("c4", 28.0, LOW_BRIDGE_Y_MM, 3, False, None)
    bridged = Layout((C1, C2, *piers), (ROAD, road_between("r2", *piers, KIT)), ())
    pictures = drawn(replace(bridged, cars=(car_on("k1", ROAD, "purple", KIT, kind),)), KIT, seed=5)
    assert car_seen(pictures, layout=bridged).type == kind


FITS = {"low": np.array([110.0, 96.0]), "tall": np.array([110.0, 90.0])}


def test_coarse_pixels_views_that_disagree_and_a_single_view_leave_more_open() -> None:
    clear = odds_by_fits(FITS, 1.0, 1.0)["low"]
    assert clear > 0.95
    assert odds_by_fits(FITS, 3.0, 1.0)["low"] < 0.95
    disagreeing = {"low": np.array([105.0, 101.0]), "tall": FITS["tall"]}
    assert odds_by_fits(disagreeing, 1.0, 1.0)["low"] < clear
    alone = {kind: fits[1:] for kind, fits in FITS.items()}
    assert odds_by_fits(alone, 1.0, 1.0)["low"] < clear


def test_shapes_are_in_the_box_of_their_type_and_least_is_in_most() -> None:
    for kind in (*SHAPES, "unheard of"):
        for shape in shapes_of(kind):
            most = np.concatenate([part.corners_mm((1.0, 1.0, 1.0)) for part in shape.most])
            least = np.concatenate([part.corners_mm((1.0, 1.0, 1.0)) for part in shape.least])
            assert (most.min(axis=0) <= least.min(axis=0)).all()
            assert (most.max(axis=0) >= least.max(axis=0)).all()
            assert (np.abs(most[:, 1]) <= 0.5).all()
            assert most[:, 2].max() == 1.0


def test_two_long_cars_that_cover_most_of_a_road_are_not_taken_for_its_wood() -> None:
    wood, paint = np.array([-0.05, -0.05]), np.array([0.55, 0.3])
    noise = np.random.default_rng(4).normal(0, 0.01, (100, 2))
    covered = np.where(np.arange(100)[:, None] < 70, paint, wood) + noise
    assert np.hypot(*(plain_of(covered, wood) - wood)) < 0.02
    # What shows no wood at all keeps its own: a road in a lamp's light.
    assert np.hypot(*(plain_of(paint + noise, wood) - paint)) < 0.02
    assert np.hypot(*(plain_of(covered, None) - paint)) < 0.02
    # Nor is a road that lies in a blue shade, but for an end of it, painted.
    shade = wood + np.array([-0.17, 0.24])
    shaded = np.where(np.arange(100)[:, None] < 70, shade, wood) + noise
    assert np.hypot(*(plain_of(shaded, wood) - shade)) < 0.02
