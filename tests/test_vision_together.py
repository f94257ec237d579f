"""Pieces looked at many at once come out as each of them does alone."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.layout import Column, Layout
from referee.pieces import Kit
from tests.vision_drawing import RIG, drawn, road_between
from vision.at_once import THREADS, alone, at_once, both_at_once
from vision.bodies import column_body, stick_body, stick_pose, stick_tips
from vision.contours import contour, contours, prisms_of
from vision.depth import depth_map
from vision.fit import Scene, fit, fits, support, supports
from vision.region import play_box
from vision.seek import SLIDE_MM, Field, field
from vision.solids import cylinder, stick
from vision.view import Floats, Lens
from vision.views import evidence_of, scenes_of

KIT = Kit()
COLUMNS = (Column("c0", -45.0, 0.0, 2, False, None), Column("c1", 48.0, 12.0, 4, False, None))
TABLE = Layout(columns=COLUMNS, roads=(road_between("r0", *COLUMNS, KIT),), cars=())
tilts = st.tuples(*(st.floats(-150, 150) for _ in "xy"), st.floats(-3, 3), *(st.floats(1, 60) for _ in "ab"))


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    """A table with two columns and a road, nothing known of it."""
    views = evidence_of(drawn(TABLE), None, RIG, play_box(TABLE, RIG, KIT))
    return scenes_of(views, Layout((), (), ()), KIT)


def _starts() -> Floats:
    road = TABLE.roads[0]
    pose: Floats = stick_pose(np.array(road.a), np.array(road.b))
    starts: Floats = pose + np.array(
        [[0, 0, 0, 0, 0], [0.8, -0.5, 0.01, 0.4, 0], [30, 25, 0.4, 0, 3], [900, 0, 0, 0, 0]]
    )
    return starts


@given(tilts)
def test_a_body_at_a_pose_is_the_stick_between_its_tips(pose: tuple[float, ...]) -> None:
    body = stick_body(KIT).prism(np.array(pose))
    between = stick(*stick_tips(np.array(pose), KIT.road_length_mm), KIT)
    for side in (-1.0, 1.0):
        assert np.allclose(body.ring(side), between.ring(side), atol=1e-9)


@given(st.lists(st.tuples(st.floats(-150, 150), st.floats(-150, 150), st.floats(9, 90)), min_size=2, max_size=5))
@settings(max_examples=20)
def test_lines_of_columns_together_are_those_of_each(places: list[tuple[float, float, float]]) -> None:
    eye = Lens(RIG.side).eye
    columns = [cylinder(x, y, 0.0, top, 9.0) for x, y, top in places]
    together = contours(prisms_of(columns), eye)
    for i, column in enumerate(columns):
        alone, mine = contour(column, eye), together.owners == i
        assert np.allclose(together.points[mine], alone.points)
        assert (together.bounds[mine] == alone.bounds).all()


@pytest.mark.parametrize("is_held", [False, True])
def test_sticks_fitted_together_come_out_as_each_alone(scenes: list[Scene], is_held: bool) -> None:
    starts = _starts()
    sigmas = np.tile([math.inf, math.inf, math.inf, 1.0, 1.0], (len(starts), 1))
    together = fits(scenes, stick_body(KIT), starts, (starts, sigmas) if is_held else None)
    for start, sigma, one in zip(starts, sigmas, together, strict=True):
        alone = fit(scenes, stick_body(KIT), start, (start, sigma) if is_held else None)
        assert np.allclose(one.pose, alone.pose, atol=1e-6)
        assert np.allclose(one.covariance, alone.covariance, rtol=1e-6)
        assert one.score == pytest.approx(alone.score, abs=1e-4)


def test_a_stick_begun_a_little_off_is_found_and_one_where_nothing_is_shows_nothing(scenes: list[Scene]) -> None:
    right, near, _, outside = fits(scenes, stick_body(KIT), _starts())
    assert np.allclose(near.pose[:2], right.pose[:2], atol=0.05)
    assert [one.count for one in outside.support] == [0, 0]
    assert near.score > 20.0 > outside.score == 0.0


def test_support_together_is_that_of_each(scenes: list[Scene]) -> None:
    body = column_body(KIT, 0.0, KIT.column_top_mm(2))
    prisms = body.prisms(np.array([[-45.0, 0.0], [-44.0, 2.0], [0.0, 80.0]]))
    for scene in scenes:
        for one, together in enumerate(supports(scene, prisms)):
            alone = support(scene, prisms[one])
            assert together.count == alone.count
            assert together.score == pytest.approx(alone.score, abs=1e-4)


def test_a_table_painted_a_second_time_is_the_same_and_so_is_one_with_a_moved_piece() -> None:
    lens, again = Lens(RIG.side), Lens(RIG.side)
    first = {"a": cylinder(0.0, 0.0, 0.0, 30.0, 9.0), "b": cylinder(0.0, 40.0, 0.0, 60.0, 9.0)}
    moved = first | {"a": cylinder(5.0, 0.0, 0.0, 30.0, 9.0)}
    for known in (first, moved, first):
        assert (depth_map(known, lens).closeness == depth_map(known, Lens(RIG.side)).closeness).all()
    assert (depth_map(moved, again).number != depth_map(first, again).number).any()


def test_a_part_of_a_field_shows_what_the_field_shows(scenes: list[Scene]) -> None:
    whole: Field = field(scenes[0].evidence, play_box(TABLE, RIG, KIT), 20.0)
    part = whole.around(10.0, 5.0, SLIDE_MM)
    left, bottom = (
        round((a - b) / 0.75) for a, b in ((part.box.left, whole.box.left), (part.box.bottom, whole.box.bottom))
    )
    height, width = part.tensors[0].shape[:2]
    assert height * width < whole.tensors[0].shape[0] * whole.tensors[0].shape[1]
    assert np.allclose(part.strength(0.3), whole.strength(0.3)[bottom : bottom + height, left : left + width])


def test_work_side_by_side_keeps_its_order_and_its_errors() -> None:
    assert at_once(lambda n: n * n, range(4 * THREADS)) == [n * n for n in range(4 * THREADS)]
    with pytest.raises(ZeroDivisionError):
        at_once(lambda n: 1 / n, [2, 1, 0])


@pytest.mark.parametrize("corner", [(0, 0), (40, 0), (0, 40), (40, 40)])
def test_a_piece_over_the_pictures_edge_is_painted_as_far_as_it_shows(corner: tuple[int, int]) -> None:
    whole, width, height = Lens(RIG.side), 60, 50
    road = stick(np.array([-40.0, 0, 21]), np.array([55.0, 9, 3]), KIT)
    pieces = {"column": cylinder(0.0, 0.0, 0.0, 60.0, 9.0), "road": road}
    u, v = np.rint(whole.project(np.zeros((1, 3)))[0]).astype(int) - corner
    part = depth_map(pieces, whole.cut(int(u), int(v), width, height))
    there = depth_map(pieces, whole).number[v : v + height, u : u + width]
    assert len(np.unique(there)) > 1
    # Where an edge is cut its slope is rounded: a pixel or two beside it may be another's.
    assert (part.number != there).mean() < 0.002


def test_a_thread_that_works_alone_does_every_item_itself() -> None:
    with alone():
        assert at_once(lambda _: threading.get_ident(), range(8)) == [threading.get_ident()] * 8


def test_work_within_work_side_by_side_is_done_where_it_is_and_ends() -> None:
    within = at_once(lambda _: (threading.get_ident(), at_once(lambda _: threading.get_ident(), range(3))), range(6))
    assert all(inner == [outer] * 3 for outer, inner in within)


def test_two_pieces_of_work_are_done_side_by_side_and_told_apart() -> None:
    meeting = threading.Barrier(min(THREADS, 2), timeout=10.0)
    assert both_at_once(lambda: (meeting.wait(), "one")[1], lambda: (meeting.wait(), 2)[1]) == ("one", 2)
    with pytest.raises(ZeroDivisionError):
        both_at_once(lambda: 1, lambda: 1 / 0)
