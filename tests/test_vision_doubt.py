"""What vision must not be sure of: bumps, hands, falls, shadows, missed pieces."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from tests.test_vision_watch import C0, C1, FIRST, K1, PLAYERS, R1, R2, SECOND, pictures, seen
from tests.vision_drawing import RIG, drawn
from vision.bodies import stick_body, stick_pose
from vision.car_doubt import may_be_shade
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.fallen import without_fallen
from vision.fit import Fit, Support
from vision.found import Found, touches
from vision.lone_columns import led_to_columns
from vision.looks import LEAST_DOWN, LEAST_TAKEN, Face, Wood, may_be_stick, may_be_wood, tints_of
from vision.odds import CAR
from vision.over_under import asked_at_crossings
from vision.rests import Rest
from vision.scoring import score
from vision.seek import Box
from vision.shade import is_shade_by_tint
from vision.solids import solid_of
from vision.steady import motion_px, steadied
from vision.stripes import Stripe
from vision.unverified import BUMPED
from vision.view import Lens, Picture, View, sampled
from vision.views import evidence_of, knee_of
from vision.watch import explain

KIT = Kit()


def turned(picture: Picture, shift_px: float, turn_deg: float) -> Picture:
    height, width = picture.shape[:2]
    motion = cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, 1.0)
    motion[0, 2] += shift_px
    return np.asarray(cv2.warpAffine(picture, motion, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.parametrize(("by_px", "is_asked"), [(1.0, False), (6.0, True)])
def test_what_is_new_after_a_camera_was_moved_is_asked_for(by_px: float, is_asked: bool) -> None:
    moved = {name: turned(picture, by_px, 0.0) for name, picture in pictures("second").items()}
    found = seen(FIRST, "first", moved)
    old = {piece.id for piece in FIRST.pieces()}
    new = [piece for piece in found.pieces() if piece.id not in old]
    assert new
    assert any(piece.unsure == BUMPED for piece in new) is is_asked
    assert all(piece.unsure is not None for piece in new) or not is_asked


def test_a_bumped_camera_invents_no_piece() -> None:
    bumped = {name: turned(picture, 3.0, 0.2) for name, picture in drawn(FIRST, seed=9).items()}
    found = seen(FIRST, "first", bumped)
    assert not score(found, FIRST).wrong_and_sure


def test_still_cameras_are_left_as_they_are() -> None:
    assert all(motion_px(pictures("first")[n], pictures("second")[n]) is None for n in RIG.cameras)
    assert steadied(pictures("first"), pictures("second"))[1] == set()


def test_a_bare_table_tells_no_motion() -> None:
    plain = np.full((480, 640, 3), 120, np.uint8)
    assert motion_px(plain, plain) is None


def test_what_a_hand_lies_over_is_asked_for_and_not_gone() -> None:
    covered = {}
    for name, picture in pictures("first").items():
        spot = RIG.cameras[name].project(np.array([[C1.x, C1.y, 30.0]]))[0]
        covered[name] = picture.copy()
        cv2.circle(covered[name], tuple(int(v) for v in spot), 75, (120, 150, 215), -1)
    found = explain(FIRST, pictures("first"), covered, RIG, KIT, PLAYERS, "purple")
    there = {column.id: column for column in found.columns}
    assert "c1" in there
    assert there["c1"].unsure is not None


@pytest.mark.parametrize(("gap_mm", "leads"), [(3.0, True), (20.0, False)])
def test_a_road_that_misses_its_new_column_still_leads_to_it(gap_mm: float, leads: bool) -> None:
    column = Column("c9", 20.0 + KIT.road_length_mm + gap_mm + KIT.disc_radius_mm, -35.0, 3, False, None)
    road = Road("r9", (20.0, -35.0, 31.0), (20.0 + KIT.road_length_mm, -35.0, 1.2), "exit", "c1", None, None)
    after = replace(FIRST, columns=(*FIRST.columns, column), roads=(R1, road))
    found = led_to_columns(after, FIRST, KIT).roads[-1]
    assert (found.to, found.kind) == (("c9", "road") if leads else (None, "exit"))


def test_a_stick_that_lies_about_after_a_knock_is_no_road() -> None:
    lying = Road("r9", (0.0, 0.0, 1.2), (0.0, KIT.road_length_mm, 1.2), "entrance", None, None, None)
    fallen = Layout((C0, C1), (lying,), ())
    assert without_fallen(fallen, FIRST, {"r1"}, KIT).roads == ()
    assert without_fallen(fallen, FIRST, set(), KIT) == fallen


def test_a_new_entrance_is_a_road_while_nothing_fell() -> None:
    gate = Road("r9", (0.0, 0.0, 1.2), (0.0, 94.0, 11.0), "entrance", None, "c0", None)
    assert gate in without_fallen(replace(FIRST, roads=(R1, gate)), FIRST, set(), KIT).roads


def test_a_shadow_is_not_of_the_tint_of_wood_but_a_stick_with_cars_on_it_is() -> None:
    wood = Wood(np.array([0.1, -0.2]), 0.01)
    own, shade = np.tile([0.11, -0.19], (40, 1)), np.tile([0.4, 0.1], (40, 1))
    assert wood.is_like(own)
    assert wood.is_like(np.concatenate([own, shade]))
    assert not wood.is_like(shade)
    assert wood.is_like(shade[:3])


@pytest.mark.parametrize(
    ("above", "aside", "may_be"),
    [(0.35, 0.5, True), (0.25, 0.9, False), (0.9, 0.2, True), (0.9, 0.1, False), (0.35, 0.2, False)],
)
def test_wood_must_show_from_above_and_in_all_views_together_and_hardly_less_from_aside(
    above: float, aside: float, may_be: bool
) -> None:
    views = [np.arange(100) < 100 * share for share in (above, aside)]
    assert may_be_wood(*views) == may_be
    assert may_be_wood(*(one[-5:] for one in views))


@pytest.mark.parametrize(("shown", "may_be"), [(30, True), (45, False)])
def test_what_little_shows_of_a_stick_from_aside_tells_nothing_of_its_wood(shown: int, may_be: bool) -> None:
    assert may_be_wood(np.ones(93, bool), np.zeros(shown, bool)) == may_be
    assert may_be_wood(np.ones(0, bool), np.zeros(shown, bool)) == may_be, "nor where cars cover it from above"


@pytest.mark.parametrize(
    ("above", "aside", "leads_down", "may_be"),
    [
        (LEAST_TAKEN + 0.05, LEAST_TAKEN, True, True),
        (LEAST_TAKEN - 0.05, LEAST_TAKEN, True, False),
        (LEAST_TAKEN - 0.05, LEAST_TAKEN, False, False),
        (0.9, LEAST_DOWN + 0.05, True, True),
        (0.9, LEAST_DOWN - 0.05, True, False),
        (0.9, LEAST_DOWN - 0.05, False, True),
    ],
)
def test_what_hardly_looks_like_a_stick_is_none_and_one_that_leads_down_must_from_aside_too(
    above: float, aside: float, leads_down: bool, may_be: bool
) -> None:
    faces = [Face(np.ones(93, bool), np.full(93, share, np.float32)) for share in (above, aside)]
    assert may_be_stick(*faces, leads_down=leads_down) == may_be
    unasked = [Face(face.near, face.taken[:0]) for face in faces]
    assert may_be_stick(*unasked, leads_down=leads_down)


def test_cars_on_a_stick_tell_nothing_of_its_wood() -> None:
    wood, stick, lens = Wood(np.zeros(2), 0.01), solid_of(R1, KIT), Lens(RIG.overhead)
    half = int(lens.project(stick.origin)[0])
    picture = np.full((RIG.overhead.height, RIG.overhead.width, 3), 128, np.uint8)
    picture[:, half:] = (0, 160, 0)
    view, bare = View(lens, picture), depth_map({}, lens)
    told = np.zeros((*picture.shape[:2], 7), np.float32)
    assert 0.3 < Face.of(wood, Evidence(view, None, told), bare, stick).near.mean() < 0.7
    told[:, half:, CAR] = 1.0
    assert Face.of(wood, Evidence(view, None, told.copy()), bare, stick).near.mean() > 0.95


def test_a_fringe_that_cars_leave_of_a_stick_tells_nothing_either() -> None:
    wood, stick, lens = Wood(np.zeros(2), 0.01), solid_of(R1, KIT), Lens(RIG.overhead)
    tips = lens.project(np.array([R1.a, R1.b]))
    picture = np.full((RIG.overhead.height, RIG.overhead.width, 3), (0, 160, 0), np.uint8)
    view, bare = View(lens, picture), depth_map({}, lens)
    for share, tells in ((0.2, False), (0.5, True)):
        told = np.zeros((*picture.shape[:2], 7), np.float32)
        fringe = round(tips[:, 0].max() - share * np.ptp(tips[:, 0]))
        told[:, :fringe, CAR] = 1.0
        assert bool(len(Face.of(wood, Evidence(view, None, told), bare, stick).near)) == tells


@pytest.mark.parametrize(
    ("now", "is_shade"),
    [((59, 32, 14), True), ((130, 125, 122), False), ((70, 170, 190), False), ((125, 88, 57), False)],
)
def test_a_blue_shadow_on_a_coloured_table_is_no_disc_but_what_is_like_discs_or_yellow_may_be(
    now: tuple[int, int, int], is_shade: bool
) -> None:
    lens, column = Lens(RIG.overhead), solid_of(Column("c9", 0.0, 0.0, 2, False, None), KIT)
    table = np.full((RIG.overhead.height, RIG.overhead.width, 3), (132, 93, 61), np.uint8)
    shown = table.copy()
    shown[depth_map({"c9": column}, lens).closeness > 0] = now
    evidence = Evidence(View(lens, shown), View(lens, table))
    tints = tints_of(evidence.view, depth_map({}, lens), column)
    grey = np.array([0.0, 0.02])
    assert is_shade_by_tint(evidence, column, tints, grey) == is_shade
    assert not is_shade_by_tint(Evidence(evidence.view), column, tints, grey)


def test_a_second_road_beside_the_first_is_still_found() -> None:
    yaw = math.atan2(R1.b[1] - R1.a[1], R1.b[0] - R1.a[0])
    aside = np.array([-math.sin(yaw), math.cos(yaw), 0.0]) * (KIT.road_width_mm + 0.5)
    beside = replace(R1, id="r9", a=tuple(np.array(R1.a) + aside), b=tuple(np.array(R1.b) + aside))
    after = Layout((C0, C1), (R1, beside), (K1,))
    found = score(seen(FIRST, "first", drawn(after, seed=11)), after)
    assert [fault.text for fault in found.faults if fault.text != "runs the other way"] == []


def test_two_turns_at_once_are_seen_as_they_are() -> None:
    bare = Layout((C0,), (), ())
    found = explain(bare, drawn(bare, seed=4), pictures("second"), RIG, KIT, PLAYERS, "purple")
    assert score(replace(found, cars=()), replace(SECOND, cars=())).right


def test_no_spots_have_no_colours() -> None:
    assert sampled(np.zeros((9, 9, 3), np.float32), np.zeros((0, 2))).shape == (0, 3)


@pytest.mark.parametrize("seen_over", [True, False])
def test_edges_that_run_unbroken_speak_against_heights_that_say_otherwise(seen_over: bool) -> None:
    low = Road("r8", (-48.0, 0.0, 15.0), (47.0, 0.0, 15.0), "road", None, None, None)
    high = Road("r9", (0.0, -48.0, 45.0), (0.0, 47.0, 45.0), "road", None, None, None)
    (overhead, *_) = evidence_of(drawn(Layout((), (low, high), ()), seed=3), None, RIG, Box(-90, -90, 90, 90))
    swapped = replace(high, a=(*high.a[:2], 5.0), b=(*high.b[:2], 5.0))
    said = Layout((), (low, high if seen_over else swapped), ())
    found = asked_at_crossings(said, overhead, KIT, knee_of(overhead), {"r9"})
    assert [road.unsure is None for road in found.roads] == [True, seen_over]


def sunk(by_mm: float) -> Found:
    """The turn's road as a fit sees it, its second end below the level of the column under it."""
    pose = stick_pose(np.array(R2.a), np.array(R2.b))
    rests = (Rest(float(pose[3]), "c1", 3), Rest(float(pose[4]) + by_mm, height=2))
    support = (Support(60.0, 1.0, 0.9, 110), Support(60.0, 1.0, 0.9, 160))
    return Found(Fit(pose, np.eye(5) * 1e-3, 0.1, support, stick_body(KIT).prism(pose)), rests, (None, None))


def test_an_end_may_lie_above_its_level_but_not_sink_into_it() -> None:
    assert touches(sunk(-3.5))
    assert touches(sunk(2.5))
    assert not touches(sunk(3.1))


def test_a_stretch_of_an_old_road_that_grew_dark_as_a_new_one_came_may_be_shade() -> None:
    first = pictures("first")
    roads = {road.id: road for road in SECOND.roads}
    stripe = Stripe("r1", 60.0, 74.0, (0.4, 0.4), (0.0, 0.0), 1.0)
    spot = np.array(R1.a) + (np.array(R1.b) - R1.a) * 67.0 / 95.0
    for share, is_dark in ((0.6, True), (0.95, False)):
        now = {}
        for name, picture in first.items():
            pixel = np.rint(Lens(RIG.cameras[name]).project(spot)).astype(int)
            mask = np.zeros(picture.shape[:2], np.uint8)
            cv2.circle(mask, (int(pixel[0]), int(pixel[1])), 22, 1, -1)
            now[name] = np.where(mask[..., None] > 0, (picture * share).astype(np.uint8), picture)
        overhead = evidence_of(now, first, RIG, Box(-150.0, -150.0, 150.0, 150.0))[0]
        assert may_be_shade(overhead, stripe, roads, {"r2"}, KIT) is is_dark
        assert not may_be_shade(overhead, stripe, roads, {"r1"}, KIT)
