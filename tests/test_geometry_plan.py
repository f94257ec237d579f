"""Geometry seen from straight above, against shapely and known cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st

from referee.geometry import EXACT_MM, Floats
from referee.geometry.plan import (
    cross,
    cross_point,
    end_half,
    height_over,
    overhang,
    stick_corners,
    stick_to_disc,
    stick_to_stick,
)

from .reference_geometry import outline_gap, plan_corners

Point = tuple[float, float]
Place = tuple[float, float, float]
Ends = tuple[Place, Place]

coordinates = st.floats(-60, 60)
centres = st.tuples(coordinates, coordinates)
widths = st.sampled_from([2.0, 9.0, 40.0])
LYING: Ends = ((0.0, 0.0, 5.0), (100.0, 0.0, 15.0))


@st.composite
def sticks(draw: st.DrawFn) -> Ends:
    """The tips of a stick that is longer than a millimetre in plan."""
    a, b = (draw(st.tuples(coordinates, coordinates, coordinates)) for _ in "ab")
    assume(math.dist(a[:2], b[:2]) > 1)
    return a, b


def tips_of(*ends: Ends) -> Floats:
    return np.array(ends, dtype=np.float64)


def outline(ends: Ends, width_mm: float) -> shapely.Polygon:
    """What the stick covers, by shapely: its centre line with flat ends, made wide."""
    line = shapely.LineString([ends[0][:2], ends[1][:2]])
    wide = line.buffer(width_mm / 2, cap_style="flat")
    assert isinstance(wide, shapely.Polygon)
    return wide


def about(expected: float) -> Any:
    return pytest.approx(expected, abs=EXACT_MM, rel=0)


@given(sticks(), widths)
def test_the_corners_of_a_stick_go_counter_clockwise_round_what_it_covers(ends: Ends, width_mm: float) -> None:
    corners = stick_corners(tips_of(ends), width_mm)[0]
    ring = shapely.Polygon(corners)
    assert ring.exterior.is_ccw
    assert ring.symmetric_difference(outline(ends, width_mm)).area == pytest.approx(0.0, abs=1e-6)


@given(sticks(), widths, centres, st.floats(0.1, 30))
def test_a_stick_and_a_disc_are_as_far_apart_as_shapely_says(
    ends: Ends, width_mm: float, centre: Point, radius_mm: float
) -> None:
    ground, point = outline(ends, width_mm), shapely.Point(centre)
    depth = ground.exterior.distance(point) if ground.contains(point) else 0.0
    found = stick_to_disc(tips_of(ends), width_mm, np.array([centre]), radius_mm)[0]
    assert found == about(ground.distance(point) - depth - radius_mm)


@pytest.mark.parametrize(
    ("centre", "expected"),
    [
        ((50.0, 20.0), 6.5),
        ((50.0, 13.5), 0.0),
        ((109.0, 0.0), 0.0),
        ((50.0, 0.0), -13.5),
        ((106.0, 12.5), 1.0),
        ((-6.0, -12.5), 1.0),
        ((98.0, 0.0), -11.0),
    ],
)
def test_known_distances_of_a_stick_and_a_disc(centre: Point, expected: float) -> None:
    assert stick_to_disc(tips_of(LYING), 9.0, np.array([centre]), 9.0)[0] == about(expected)


@given(sticks(), sticks(), widths)
def test_two_sticks_are_as_far_apart_as_shapely_says(one: Ends, other: Ends, width_mm: float) -> None:
    first, second = outline(one, width_mm), outline(other, width_mm)
    found = stick_to_stick(tips_of(one), tips_of(other), width_mm)[0]
    assert max(found, 0.0) == about(first.distance(second))
    assert found == about(stick_to_stick(tips_of(other), tips_of(one), width_mm)[0])
    plain = [plan_corners([list(tip) for tip in ends], width_mm) for ends in (one, other)]
    assert found == about(outline_gap(plain[0], plain[1]))


@given(sticks(), sticks(), st.floats(0.01, 1))
def test_overlapping_sticks_part_when_one_is_shifted_by_the_depth_and_not_by_less(
    one: Ends, other: Ends, more_mm: float
) -> None:
    depth = -float(stick_to_stick(tips_of(one), tips_of(other), 9.0)[0])
    assume(depth > 1.1)

    def parts(by_mm: float) -> bool:
        """Whether some shift by so much, across a side of either stick, parts them."""
        ways = [(b[0] - a[0], b[1] - a[1]) for a, b in (one, other)]
        units = [(x / math.hypot(x, y), y / math.hypot(x, y)) for x, y in ways]
        shifts = [s for x, y in units for s in ((x, y), (-x, -y), (y, -x), (-y, x))]
        moved = (((ax + by_mm * x, ay + by_mm * y, 0.0), (bx + by_mm * x, by + by_mm * y, 0.0)) for x, y in shifts)
        return any(float(stick_to_stick(tips_of(one), tips_of(ends), 9.0)[0]) >= 0 for ends in moved)

    (ax, ay, _), (bx, by, _) = other
    assert parts(depth + more_mm)
    assert not parts(depth - more_mm)


@pytest.mark.parametrize(
    ("end", "centre", "expected"), [(1, 95.0, 5.0), (1, 109.0, -9.0), (0, 9.0, 9.0), (0, -3.0, -3.0)]
)
def test_overhang_is_measured_lengthwise_past_the_centre(end: int, centre: float, expected: float) -> None:
    for aside in (-4.0, 0.0, 3.0):
        assert overhang(tips_of(LYING), end, np.array([[centre, aside]]))[0] == about(expected)


@given(sticks(), centres)
def test_both_overhangs_add_up_to_the_length_in_plan(ends: Ends, centre: Point) -> None:
    both = sum(overhang(tips_of(ends), end, np.array([centre]))[0] for end in (0, 1))
    assert both == about(math.dist(ends[0][:2], ends[1][:2]))


@given(sticks(), sticks())
def test_centre_lines_cross_where_shapely_says_and_the_rise_is_that_of_the_lines_there(one: Ends, other: Ends) -> None:
    lines = [shapely.LineString([a[:2], b[:2]]) for a, b in (one, other)]
    near = min(lines[0].distance(shapely.Point(tip[:2])) for tip in other)
    assume(min(near, *(lines[1].distance(shapely.Point(tip[:2])) for tip in one)) > 1e-6)  # not just at a tip
    crosses, rise = cross(tips_of(one), tips_of(other))
    assert crosses[0] == lines[0].intersects(lines[1])
    if crosses[0]:
        met = lines[0].intersection(lines[1])
        assert isinstance(met, shapely.Point)
        assert cross_point(tips_of(one), tips_of(other))[0] == pytest.approx([met.x, met.y], abs=EXACT_MM, rel=0)
        heights = []
        for line, (a, b) in zip(lines, (one, other), strict=True):
            heights.append(a[2] + line.project(met) / line.length * (b[2] - a[2]))
        assert rise[0] == pytest.approx(heights[0] - heights[1], abs=1e-4)
        assert cross(tips_of(other), tips_of(one))[1][0] == pytest.approx(-rise[0], abs=1e-6)


def test_lines_cross_at_their_very_tips_and_parallel_ones_never() -> None:
    touching: Ends = ((50.0, 0.0, 0.0), (50.0, 30.0, 0.0))
    short: Ends = ((50.0, 1e-6, 0.0), (50.0, 30.0, 0.0))
    beside: Ends = ((0.0, 1.0, 0.0), (100.0, 1.0, 0.0))
    rows = tips_of(touching, short, beside, LYING)
    crosses, rise = cross(np.broadcast_to(tips_of(LYING), rows.shape), rows)
    assert crosses.tolist() == [True, False, False, False]
    assert rise[0] == about(10.0)


@given(sticks(), widths, centres)
def test_a_stick_covers_the_points_that_shapely_says_at_the_height_of_its_centre_line(
    ends: Ends, width_mm: float, point: Point
) -> None:
    ground, there = outline(ends, width_mm), shapely.Point(point)
    assume(ground.exterior.distance(there) > 1e-6)
    covers, z = height_over(tips_of(ends), width_mm, np.array([point]))
    assert covers[0] == ground.contains(there)
    if covers[0]:
        line = shapely.LineString([ends[0][:2], ends[1][:2]])
        assert z[0] == about(ends[0][2] + line.project(there) / line.length * (ends[1][2] - ends[0][2]))


def test_the_end_of_a_stick_is_its_half_with_the_tip_last() -> None:
    assert end_half(tips_of(LYING), 0).tolist() == [[[50.0, 0.0, 10.0], [0.0, 0.0, 5.0]]]
    assert end_half(tips_of(LYING), 1).tolist() == [[[50.0, 0.0, 10.0], [100.0, 0.0, 15.0]]]
