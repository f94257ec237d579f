"""Cameras made for arrays, pieces as prisms, and what hides what."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from tests.vision_drawing import RIG
from vision.bodies import stick_pose, stick_tips
from vision.contours import contour
from vision.depth import depth_map, with_solids
from vision.errors import VisionError
from vision.evidence import Evidence, same_light
from vision.rests import known_rests
from vision.seek import Box
from vision.solids import cylinder, faces, stick
from vision.view import Lens, cut_to, view_of
from vision.views import evidence_of

KIT = Kit()
OVERHEAD, SIDE = Lens(RIG.overhead), Lens(RIG.side)
places = st.tuples(*(st.floats(-150, 150) for _ in "xy"), st.floats(0, 80))


@given(places)
def test_a_lens_sees_what_its_camera_sees(place: tuple[float, float, float]) -> None:
    point = np.array([place])
    for lens in (OVERHEAD, SIDE):
        assert np.allclose(lens.project(point), lens.camera.project(point), atol=1e-6)


@given(places)
def test_a_pixel_taken_back_to_its_height_is_the_point(place: tuple[float, float, float]) -> None:
    point = np.array([place])
    assert np.allclose(OVERHEAD.on_plane(OVERHEAD.project(point), place[2]), point, atol=1e-4)


@given(places)
def test_half_a_picture_shows_a_point_at_half_its_pixel(place: tuple[float, float, float]) -> None:
    point = np.array(place)
    # A pixel's centre has whole coordinates, so the corner of the picture is at -0.5.
    assert np.allclose(SIDE.halved().project(point) + 0.5, (SIDE.project(point) + 0.5) / 2, atol=1e-6)


def test_a_cut_view_shows_the_same_pixel_at_a_point() -> None:
    rng = np.random.default_rng(0)
    picture = rng.integers(0, 255, (720, 1280, 3), np.uint8)
    whole = view_of(picture, RIG.overhead, "overhead")
    part = cut_to(whole, np.array([[-40.0, -40.0, 0.0], [40.0, 40.0, 0.0]]))
    point = np.array([10.0, -5.0, 0.0])
    (u, v), (x, y) = np.rint(whole.lens.project(point)).astype(int), np.rint(part.lens.project(point)).astype(int)
    assert part.picture.shape < whole.picture.shape
    assert (whole.picture[v, u] == part.picture[y, x]).all()


def test_a_picture_that_does_not_fit_its_camera_is_refused() -> None:
    with pytest.raises(VisionError, match="calibrated at 1280x720"):
        view_of(np.zeros((480, 640, 3), np.uint8), RIG.side, "side")
    with pytest.raises(VisionError, match="no colour picture"):
        view_of(np.zeros((720, 1280), np.uint8), RIG.side, "side")


def test_no_picture_at_all_is_refused() -> None:
    with pytest.raises(VisionError, match="There is no picture"):
        evidence_of({}, None, RIG, Box(-50, -50, 50, 50))


@given(st.floats(-100, 100), st.floats(-100, 100), st.floats(-math.pi, math.pi), st.floats(1, 60), st.floats(1, 60))
def test_a_stick_has_its_length_however_it_tilts(x: float, y: float, yaw: float, za: float, zb: float) -> None:
    a, b = stick_tips(np.array([x, y, yaw, za, zb]), KIT.road_length_mm)
    assert math.isclose(math.dist(a, b), KIT.road_length_mm, rel_tol=1e-9)
    again = stick_pose(a, b)
    assert np.allclose(stick_tips(again, KIT.road_length_mm), (a, b), atol=1e-6)


@settings(max_examples=25)
@given(st.floats(-100, 100), st.floats(-100, 100), st.integers(1, 7))
def test_a_columns_outline_lies_on_its_cylinder(x: float, y: float, height: int) -> None:
    lines = contour(cylinder(x, y, 0.0, KIT.column_top_mm(height), KIT.disc_radius_mm), SIDE.eye)
    away = np.hypot(lines.points[:, 0] - x, lines.points[:, 1] - y)
    assert np.abs(away - KIT.disc_radius_mm).max() < 0.06


def test_the_far_rim_of_the_foot_is_not_seen() -> None:
    lines = contour(cylinder(0.0, 0.0, 0.0, 30.0, 9.0), SIDE.eye)
    foot = lines.points[lines.points[:, 2] == 0.0]
    assert (foot[:, :2] @ SIDE.eye[:2] > -20.0 * np.linalg.norm(SIDE.eye[:2]) / 9.0).all()


def test_a_nearer_column_hides_a_farther_one_and_not_the_other_way_round() -> None:
    towards = SIDE.eye[:2] / np.linalg.norm(SIDE.eye[:2])
    near = cylinder(towards[0] * 30, towards[1] * 30, 0.0, 60.0, 9.0)
    far = cylinder(towards[0] * -30, towards[1] * -30, 0.0, 20.0, 9.0)
    known = depth_map({"near": near}, SIDE)
    for prism, hidden in ((far, True), (near, False)):
        middle = prism.origin[None]
        assert bool(known.hides(SIDE.project(middle), SIDE.depth_mm(middle), slack_mm=12.0)[0]) is hidden
    assert not known.without("near").hides(SIDE.project(far.origin[None]), SIDE.depth_mm(far.origin[None])).any()


def test_pieces_painted_later_make_the_same_map() -> None:
    one, other = cylinder(0.0, 0.0, 0.0, 20.0, 9.0), stick(np.array([-40.0, 0, 21]), np.array([55.0, 0, 21]), KIT)
    at_once = depth_map({"one": one, "other": other}, SIDE)
    later = with_solids(depth_map({"one": one}, SIDE), {"other": other}, SIDE)
    assert (at_once.number == later.number).all()
    assert at_once.names == later.names


def test_a_box_seen_from_above_and_aside_shows_its_top_and_the_sides_that_face() -> None:
    assert 2 <= len(faces(stick(np.array([-47.0, 0, 11]), np.array([47.0, 0, 11]), KIT), SIDE.eye)) <= 16


@given(st.floats(0.7, 1.4))
@settings(max_examples=10)
def test_light_alone_leaves_no_change(gain: float) -> None:
    rng = np.random.default_rng(1)
    before = rng.uniform(60, 150, (240, 320, 3)).astype(np.float32)
    assert np.abs(same_light(before, before * np.float32(gain)) - before * gain).max() < 3.0


def test_a_stick_rests_on_the_sticks_under_its_end() -> None:
    column = Column("c1", 0.0, 0.0, 2, False, None)
    lying = Road("r1", (0.0, 2.0, KIT.lying_z_mm(2)), (95.0, 2.0, KIT.lying_z_mm(2)), "road", "c1", None, None)
    layout = Layout((column,), (lying,), ())
    crossing = known_rests(np.array([0.0, -3.0]), np.array([0.0, 1.0]), layout, KIT, slack_mm=1.0)
    assert math.isclose(crossing[0].z_mm, KIT.lying_z_mm(2, level=1), abs_tol=1e-6)
    beside = known_rests(np.array([0.0, -5.0]), np.array([-1.0, 0.0]), layout, KIT, slack_mm=1.0)
    assert math.isclose(beside[0].z_mm, KIT.lying_z_mm(2), abs_tol=1e-6)


def test_an_edge_is_new_only_where_it_was_not_before() -> None:
    before = np.full((720, 1280, 3), 90, np.uint8)
    before[:, 500:] = 140
    now = before.copy()
    now[:, 700:] = 200
    evidence = Evidence(view_of(now, RIG.side, "side"), view_of(before, RIG.side, "side"))
    spots = np.array([[499.5, 300.0], [699.5, 300.0]])
    old, new = evidence.strength(spots, np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert old < 1.0 < 10.0 < new
