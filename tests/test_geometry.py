"""Distances of sticks, columns and prisms in space, against a convex solver, a second one, and known cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from referee.geometry import EXACT_MM, Floats
from referee.geometry.cylinder import stick_to_column
from referee.geometry.solid import Solid, distance, stick, stick_outside, triangle_prism
from referee.pieces import Kit

from .reference_geometry import Support, hull, least_mm, standing, stick_corners

Point = tuple[float, float]
Place = tuple[float, float, float]
Ends = tuple[Place, Place]
Size = tuple[float, float]

coordinates = st.floats(-60, 60)
points = st.tuples(coordinates, coordinates, coordinates)
small = st.floats(-0.5, 0.5)
angles = st.floats(-math.pi, math.pi)


@st.composite
def sticks(draw: st.DrawFn) -> Ends:
    """The tips of a stick that is longer than a millimetre in plan."""
    a, b = draw(points), draw(points)
    assume(math.dist(a[:2], b[:2]) > 1)
    return a, b


sizes = st.sampled_from([(9.0, 2.5), (9.0, 9.0), (3.0, 8.0), (40.0, 30.0)])
"""Width and thickness: of a road, and of things that a road might be."""


def tips_of(*ends: Ends) -> Floats:
    return np.array(ends, dtype=np.float64)


def solid_of(ends: Ends, size: Size = (9.0, 2.5)) -> Solid:
    return stick(tips_of(ends), *size)


def support_of(solid: Solid) -> Support:
    return hull([tuple(v) for v in solid.vertices[0].tolist()])


def gap(one: Solid, other: Solid) -> float:
    return float(distance(one, other)[0])


def to_column(ends: Ends, size: Size, centre: Point, radius_mm: float, top_mm: float) -> float:
    return float(stick_to_column(tips_of(ends), *size, np.array([centre]), radius_mm, top_mm)[0])


def about(expected: float) -> Any:
    """Equal to within the tolerance that the contract states."""
    return pytest.approx(expected, abs=EXACT_MM, rel=0)


# --- two sticks ---


@given(sticks(), sticks(), sizes, sizes)
def test_two_boxes_are_as_far_apart_as_the_solver_says(one: Ends, other: Ends, size: Size, other_size: Size) -> None:
    first, second = solid_of(one, size), solid_of(other, other_size)
    assert gap(first, second) == about(least_mm(support_of(first), support_of(second)))


@given(sticks(), sticks(), sizes)
def test_a_second_solver_says_the_same(one: Ends, other: Ends, size: Size) -> None:
    """Each box is its corner and three edges, each taken by 0 to 1: bounded least squares."""
    first, second = (solid_of(ends, size).vertices[0] for ends in (one, other))
    ways = [np.stack([v[1] - v[0], v[3] - v[0], v[4] - v[0]], axis=1) for v in (first, second)]
    found = lsq_linear(np.hstack([ways[0], -ways[1]]), second[0] - first[0], (0, 1), method="bvls", tol=1e-15)
    expected = float(np.linalg.norm(found.fun))
    assert gap(solid_of(one, size), solid_of(other, size)) == pytest.approx(expected, abs=1e-5, rel=0)


@given(sticks(), st.tuples(small, small, small), st.tuples(small, small, small), st.integers(-9, 1))
def test_nearly_parallel_sticks_beside_or_on_each_other(one: Ends, at_a: Place, at_b: Place, power: int) -> None:
    """Tips moved by as little as a billionth: lines that hardly cross, faces that are hardly flat on each other."""
    moves = np.array([at_a, at_b]) * 10.0**power
    for beside in ((0.0, 0.0, 2.5), (0.0, 0.0, 3.0), (9.0, 0.0, 0.0), (0.0, 9.0, 1.0)):
        first = solid_of(one)
        second = stick(tips_of(one) + moves + np.array(beside), 9.0, 2.5)
        assert gap(first, second) == about(least_mm(support_of(first), support_of(second)))


FLAT: Ends = ((0.0, 0.0, 0.0), (100.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("what", "other", "expected"),
    [
        ("a face over a face", ((20.0, 0.0, 6.0), (80.0, 0.0, 6.0)), 3.5),
        ("crosswise over it", ((50.0, -40.0, 10.0), (50.0, 40.0, 10.0)), 7.5),
        ("parallel, side by side", ((0.0, 10.0, 0.0), (100.0, 10.0, 0.0)), 1.0),
        ("parallel, aside and above: edge to edge", ((0.0, 12.0, 6.5), (100.0, 12.0, 6.5)), 5.0),
        ("end to end", ((103.0, 0.0, 0.0), (200.0, 0.0, 0.0)), 3.0),
        ("a corner beyond a corner", ((103.0, 13.0, 14.5), (200.0, 13.0, 14.5)), 13.0),
        ("touching on top", ((50.0, -40.0, 2.5), (50.0, 40.0, 2.5)), 0.0),
        ("touching along the side", ((0.0, 9.0, 0.0), (100.0, 9.0, 0.0)), 0.0),
        ("touching by one corner", ((100.0, 9.0, 2.5), (200.0, 9.0, 2.5)), 0.0),
        ("a little into it", ((50.0, -40.0, 2.4), (50.0, 40.0, 2.4)), 0.0),
        ("right through it", ((50.0, -40.0, -30.0), (50.0, 40.0, 30.0)), 0.0),
        ("the same stick", FLAT, 0.0),
        ("one inside the other", ((40.0, 0.0, 0.0), (60.0, 0.0, 0.0)), 0.0),
        ("pitched: an edge over a face", ((50.0, 0.0, 11.25), (90.0, 0.0, 51.25)), 10 - 1.25 * math.sqrt(0.5)),
        ("turned: a corner towards a face", ((50.0, 20.0, 0.0), (90.0, 60.0, 0.0)), 15.5 - 4.5 * math.sqrt(0.5)),
    ],
)  # fmt: skip
def test_known_distances_of_two_sticks(what: str, other: Ends, expected: float) -> None:
    assert gap(solid_of(FLAT), solid_of(other)) == about(expected), what
    assert gap(solid_of(other), solid_of(FLAT)) == about(expected), what
    backwards = (other[1], other[0])
    assert gap(solid_of(FLAT), solid_of(backwards)) == about(expected), what


@given(sticks(), sticks(), sticks())
def test_it_is_symmetric_and_many_rows_are_judged_as_one_by_one(one: Ends, other: Ends, third: Ends) -> None:
    first, second = stick(tips_of(one, other, third), 9.0, 2.5), stick(tips_of(third, one, other), 9.0, 2.5)
    together = distance(first, second)
    assert together == pytest.approx(distance(second, first), abs=1e-9, rel=0)
    pairs = ((one, third), (other, one), (third, other))
    alone = [gap(solid_of(a), solid_of(b)) for a, b in pairs]
    assert together == pytest.approx(alone, abs=1e-9, rel=0)


def moved(ends: Ends, turned: float, mirrored: bool, shift: Place) -> Ends:
    """The stick turned about the z axis, seen in a mirror, and shifted."""
    cos, sin = math.cos(turned), math.sin(turned)
    turn = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]) @ np.diag(
        [-1.0 if mirrored else 1.0, 1.0, 1.0]
    )
    a, b = (np.array(ends) @ turn.T + np.array(shift)).tolist()
    return tuple(a), tuple(b)


@given(sticks(), sticks(), angles, st.booleans(), st.tuples(*[st.floats(-900, 900)] * 3))
def test_turning_mirroring_and_shifting_both_changes_nothing(
    one: Ends, other: Ends, turned: float, mirrored: bool, shift: Place
) -> None:
    there = gap(solid_of(moved(one, turned, mirrored, shift)), solid_of(moved(other, turned, mirrored, shift)))
    assert there == about(gap(solid_of(one), solid_of(other)))


# --- sticks that share a column, and prisms ---


@given(sticks(), sticks(), st.tuples(coordinates, coordinates), st.sampled_from([5.0, 18.0, 40.0]))
def test_sticks_are_cut_where_their_sides_leave_the_excused_circle(
    one: Ends, other: Ends, centre: Point, disc_mm: float
) -> None:
    kit = Kit(disc_diameter_mm=disc_mm)
    how = kit.road_width_mm, kit.road_thickness_mm, np.array([centre]), 1.5 * disc_mm
    cut = [stick_outside(tips_of(ends), *how) for ends in (one, other)]
    corners = [stick_corners([list(tip) for tip in ends], kit, list(centre)) for ends in (one, other)]
    for solid, expected in zip(cut, corners, strict=True):
        apart = np.linalg.norm(solid.vertices[0][:, None] - np.array(expected), axis=2)
        assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) < EXACT_MM
    lengths = [np.ptp(np.array(c), axis=0).max() for c in corners]
    assume(min(lengths) > kit.road_width_mm + 1)  # one that shrank to its far end is no solid any more
    assert gap(*cut) == about(least_mm(hull(corners[0]), hull(corners[1])))


@given(sticks(), st.tuples(*[st.tuples(coordinates, coordinates)] * 3), st.floats(0.5, 60))
@example(((0.0, 0.0, 30.0), (50.0, 0.0, 30.0)), ((0.0, -20.0), (40.0, -20.0), (20.0, 20.0)), 10.0)
def test_a_stick_and_a_triangular_prism(ends: Ends, triangle: Any, height_mm: float) -> None:
    (x0, y0), (x1, y1), (x2, y2) = triangle
    assume(abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) > 1)
    prism = triangle_prism(np.array(triangle), height_mm, 1)
    corners: list[tuple[float, ...]] = [(x, y, z) for x, y in triangle for z in (0.0, height_mm)]
    assert gap(solid_of(ends), prism) == about(least_mm(support_of(solid_of(ends)), hull(corners)))


# --- a stick and a column ---

radii = st.sampled_from([0.5, 4.0, 9.0, 30.0])
tops = st.sampled_from([1.0, 10.0, 30.0, 60.0])


@given(sticks(), sizes, st.tuples(coordinates, coordinates), radii, tops)
@example(
    ((-50.0, 0.0, 15.0), (50.0, 0.0, 15.0)), (9.0, 2.5), (0.0, 0.0), 3.0, 30.0
)  # a road wider than the column in it
@example(((-50.0, 0.0, -1.6), (0.0, 0.0, -1.6)), (9.0, 2.5), (5.0, 0.0), 9.0, 30.0)  # an end that is measured too low
@example(((0.0, 0.0, 29.0), (66.8, -67.5, 29.1)), (60.0, 60.0), (69.5, -70.2), 3.0, 30.0)
def test_a_box_and_a_cylinder_are_as_far_apart_as_the_convex_solver_says(
    ends: Ends, size: Size, centre: Point, radius_mm: float, top_mm: float
) -> None:
    expected = least_mm(support_of(solid_of(ends, size)), standing(list(centre), radius_mm, top_mm))
    assert to_column(ends, size, centre, radius_mm, top_mm) == about(expected)


@pytest.mark.parametrize(
    ("what", "ends", "centre", "expected"),
    [
        ("flat over the middle of the top", ((-50.0, 0.0, 40.0), (50.0, 0.0, 40.0)), (0.0, 0.0), 8.75),
        ("beside it", ((-50.0, 15.0, 20.0), (50.0, 15.0, 20.0)), (0.0, 0.0), 1.5),
        ("past its rim, aside and above", ((-50.0, 16.5, 35.25), (50.0, 16.5, 35.25)), (0.0, 0.0), 5.0),
        ("an end towards its side", ((20.0, 0.0, 5.0), (80.0, 0.0, 5.0)), (0.0, 0.0), 11.0),
        ("a corner towards its side", ((12.0, 20.5, 5.0), (80.0, 20.5, 5.0)), (0.0, 0.0), 11.0),
        ("lying on the top", ((0.0, 0.0, 31.25), (80.0, 0.0, 31.25)), (0.0, 0.0), 0.0),
        ("touching its side", ((-50.0, 13.5, 20.0), (50.0, 13.5, 20.0)), (0.0, 0.0), 0.0),
        ("touching its side by an end", ((9.0, 0.0, 20.0), (50.0, 0.0, 20.0)), (0.0, 0.0), 0.0),
        ("right through it", ((-50.0, 0.0, 20.0), (50.0, 0.0, 20.0)), (0.0, 0.0), 0.0),
        ("inside it", ((-3.0, 0.0, 20.0), (3.0, 0.0, 20.0)), (0.0, 0.0), 0.0),
        ("just clear of its side", ((-50.0, 13.5 + 1e-5, 20.0), (50.0, 13.5 + 1e-5, 20.0)), (0.0, 0.0), 1e-5),
        ("under the table beneath it", ((-50.0, 0.0, -6.25), (50.0, 0.0, -6.25)), (0.0, 0.0), 5.0),
    ],
)  # fmt: skip
def test_known_distances_of_a_stick_and_a_column(what: str, ends: Ends, centre: Point, expected: float) -> None:
    for tips in (ends, (ends[1], ends[0])):
        found = to_column(tips, (9.0, 2.5), centre, 9.0, 30.0)
        assert found == about(expected), what
        assert (found == 0.0) == (expected == 0.0), "what touches or overlaps is 0 apart, to the last bit"


def test_a_column_that_stands_on_a_great_box_or_inside_it() -> None:
    assert to_column(((-50.0, 0.0, -5.0), (50.0, 0.0, -5.0)), (80.0, 10.0), (0.0, 0.0), 9.0, 30.0) == 0.0
    assert to_column(((-50.0, 0.0, 20.0), (50.0, 0.0, 20.0)), (80.0, 60.0), (0.0, 0.0), 9.0, 30.0) == 0.0


@given(sticks(), st.tuples(coordinates, coordinates), angles, st.booleans(), st.tuples(*[st.floats(-900, 900)] * 2))
def test_turning_mirroring_and_shifting_a_stick_with_its_column_changes_nothing(
    ends: Ends, centre: Point, turned: float, mirrored: bool, shift: Point
) -> None:
    foot: Ends = ((*centre, 0.0), (*centre, 1.0))
    there = moved(foot, turned, mirrored, (*shift, 0.0))[0][:2]
    found = to_column(moved(ends, turned, mirrored, (*shift, 0.0)), (9.0, 2.5), there, 9.0, 30.0)
    assert found == about(to_column(ends, (9.0, 2.5), centre, 9.0, 30.0))


@given(sticks(), sticks(), st.tuples(coordinates, coordinates))
def test_many_columns_are_measured_as_one_by_one(one: Ends, other: Ends, centre: Point) -> None:
    together = stick_to_column(tips_of(one, other), 9.0, 2.5, np.array([centre, centre]), 9.0, 30.0)
    alone = [to_column(ends, (9.0, 2.5), centre, 9.0, 30.0) for ends in (one, other)]
    assert together == pytest.approx(alone, abs=1e-9, rel=0)
