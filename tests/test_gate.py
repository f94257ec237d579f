"""The gate: only what is still in both views, free of hands, with cameras where they were, comes through, and once."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence

import cv2
import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from calibration.camera import Rig
from calibration.drift import Watcher
from referee.layout import Column, Layout
from referee.pieces import Kit
from tests.test_drift import Table, tilted
from tests.vision_drawing import camera_at, drawn, road_between
from vision.frame import Frame, FramePair
from vision.gate import STILL_S, Gate, GateReport, GateState
from vision.gate_view import GateView
from vision.median import median
from vision.play_masks import play_mask
from vision.view import Picture

FPS = 10
SIZE = (640, 360)
AREA = ((-150.0, -150.0), (150.0, -150.0), (150.0, 150.0), (-150.0, 150.0))
RIG = Rig(
    {
        "overhead": camera_at((25.0, -60.0, 640.0), 520.0, SIZE),
        "side": camera_at((-130.0, -520.0, 260.0), 520.0, SIZE),
    },
    AREA,
)
KIT = Kit()
C0 = Column("c0", -60.0, 10.0, 1, False, "purple")
C1 = Column("c1", 20.0, -35.0, 3, False, "purple")
C2 = Column("c2", 55.0, 45.0, 5, True, "purple")
FIRST = Layout((C0, C1), (road_between("r1", C0, C1, KIT),), ())
SECOND = Layout((C0, C1, C2), (*FIRST.roads, road_between("r2", C1, C2, KIT)), ())
FINGERS = np.array([(-300, -40), (-80, -45), (-20, -50), (5, -30), (30, -10), (30, 5), (5, 20), (-70, 45), (-300, 40)])
SKIN, SLEEVE = (120, 150, 205), (35, 32, 30)

Pair = Mapping[str, Picture]


@functools.cache
def table(which: str) -> Pair:
    return drawn({"first": FIRST, "second": SECOND}[which], KIT, RIG, seed=1)


def lit(pair: Pair, gain: float, across: float = 0.0) -> Pair:
    """The same table with the lamps turned, one side of the picture more than the other."""
    ramp = gain + across * np.linspace(-1, 1, SIZE[0])[None, :, None]
    return {name: np.clip(picture * ramp, 0, 255).astype(np.uint8) for name, picture in pair.items()}


def with_arm(
    pair: Pair, x_mm: float = 0.0, y_mm: float = 0.0, colour: tuple[int, int, int] = SKIN, z_mm: float = 25.0,
    views: Sequence[str] = ("overhead", "side"), rig: Rig = RIG,
) -> Pair:  # fmt: skip
    """A flat arm and hand that reaches in from the left, its fingers at a place of the table."""
    shown = {}
    for name, picture in pair.items():
        outline = np.column_stack([FINGERS + np.array([x_mm, y_mm]), np.full(len(FINGERS), z_mm)]).astype(float)
        pixels = rig.cameras[name].project(outline).round().astype(np.int32)
        shown[name] = painted(picture, pixels, colour) if name in views else picture
    return shown


def painted(picture: Picture, pixels: NDArray[np.int32], colour: tuple[int, int, int]) -> Picture:
    return np.asarray(cv2.fillPoly(picture.copy(), [pixels], colour), np.uint8)


def shadowed(pair: Pair) -> Pair:
    """Somebody stands before the lamp: darker in a wide soft part, colours and edges as they were."""
    rows, columns = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
    dark = 1 - 0.35 * np.exp(-(((columns - 200) / 130) ** 2) - ((rows - 150) / 110) ** 2)
    return {name: (picture * dark[..., None]).astype(np.uint8) for name, picture in pair.items()}


class Film:
    """Frames of scenes, one after another, each with noise of its own."""

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        self.grains: dict[tuple[int, ...], list[Picture]] = {}
        self.rng, self.number = rng, 0

    def shoot(self, scene: Pair, seconds: float) -> Iterator[FramePair]:
        for _ in range(round(seconds * FPS)):
            self.number += 1
            time_s = self.number / FPS
            frames = {name: Frame(self.noisy(picture), time_s, self.number) for name, picture in scene.items()}
            yield FramePair(frames, time_s)

    def noisy(self, picture: Picture) -> Picture:
        """With one of a few grains: drawing a new one for every frame takes longer than all else."""
        shape = picture.shape
        if shape not in self.grains:
            self.grains[shape] = [self.rng.integers(0, 7, shape, dtype=np.uint8) for _ in range(7)]
        return np.asarray(cv2.add(picture, self.grains[shape][self.number % 7]), np.uint8)


def reports(gate: Gate, film: Film, *scenes: tuple[Pair, float]) -> list[GateReport]:
    return [gate.look(pair) for scene, seconds in scenes for pair in film.shoot(scene, seconds)]


def states(found: Sequence[GateReport]) -> set[GateState]:
    return {report.state for report in found}


def settled(found: Sequence[GateReport]) -> list[GateReport]:
    return [report for report in found if report.settled is not None]


@pytest.fixture
def film() -> Film:
    return Film()


@pytest.fixture
def gate(film: Film) -> Gate:
    """A gate that has let the first table through."""
    made = Gate(RIG)
    assert len(settled(reports(made, film, (table("first"), 1.2)))) == 1
    return made


def test_an_empty_table_opens_within_a_second_and_once(film: Film) -> None:
    found = reports(Gate(RIG), film, (table("first"), 3.0))
    opened = [number for number, report in enumerate(found) if report.settled is not None]
    assert opened == [round(STILL_S * FPS)]
    assert all(report.state is GateState.OPEN for report in found[opened[0] :])


def test_a_turn_comes_through_after_the_hands_have_left(gate: Gate, film: Film) -> None:
    moving = [(with_arm(table("first"), x_mm=x), 0.1) for x in (-200.0, -120.0, -40.0, 0.0)]
    found = reports(gate, film, *moving, *[(with_arm(table("second"), x_mm=-90.0), 0.1)])
    assert not settled(found)
    found = reports(gate, film, (table("second"), 1.0))
    assert len(settled(found)) == 1


@pytest.mark.parametrize("colour", [SKIN, SLEEVE])
def test_an_arm_at_rest_keeps_it_shut_until_it_leaves(gate: Gate, film: Film, colour: tuple[int, int, int]) -> None:
    found = reports(gate, film, (with_arm(table("second"), colour=colour), 4.0))
    assert GateState.OPEN not in states(found)
    assert found[-1].state is GateState.HANDS
    assert len(settled(reports(gate, film, (table("second"), 1.0)))) == 1


@pytest.mark.parametrize("view", ["overhead", "side"])
def test_an_arm_that_only_one_camera_sees_keeps_it_shut(gate: Gate, film: Film, view: str) -> None:
    found = reports(gate, film, (with_arm(table("first"), views=[view]), 2.0))
    assert GateState.OPEN not in states(found)


@pytest.mark.parametrize(("x_mm", "state"), [(-200.0, GateState.HANDS), (-260.0, GateState.OPEN)])
def test_an_arm_at_rest_keeps_it_shut_when_its_fingertips_are_about_to_reach_in_and_not_when_they_are_far(
    gate: Gate, film: Film, x_mm: float, state: GateState
) -> None:
    assert reports(gate, film, (with_arm(table("first"), x_mm=x_mm, views=["overhead"]), 1.5))[-1].state is state


def test_a_telephone_left_on_the_table_keeps_it_shut(gate: Gate, film: Film) -> None:
    phone = {}
    for name, picture in table("first").items():
        outline = np.array([(-110, -100, 8), (-40, -100, 8), (-40, 40, 8), (-110, 40, 8)], float)
        phone[name] = painted(picture, RIG.cameras[name].project(outline).round().astype(np.int32), (20, 20, 20))
    assert GateState.OPEN not in states(reports(gate, film, (phone, 3.0)))


def test_what_belongs_there_after_all_is_let_through_when_people_say_so(gate: Gate, film: Film) -> None:
    assert not settled(reports(gate, film, (with_arm(table("first")), 2.0)))
    gate.forget_scene()
    assert len(settled(reports(gate, film, (with_arm(table("first")), 1.0)))) == 1


def test_what_never_moves_for_a_long_time_is_part_of_the_scene(film: Film) -> None:
    gate = Gate(RIG, patience_s=3.0)
    reports(gate, film, (table("first"), 1.0))
    found = reports(gate, film, (with_arm(table("first")), 6.0))
    opened = [number / FPS for number, report in enumerate(found) if report.settled is not None]
    assert len(opened) == 1
    assert opened[0] >= 3.0


def test_an_arm_that_was_in_the_first_scene_may_leave(film: Film) -> None:
    gate = Gate(RIG)
    assert settled(reports(gate, film, (with_arm(table("first")), 1.0)))
    assert len(settled(reports(gate, film, (table("first"), 1.0)))) == 1


@pytest.mark.parametrize("gain", [0.75, 1.2])
@pytest.mark.parametrize("across", [0.0, 0.15])
def test_other_light_is_no_hand(gate: Gate, film: Film, gain: float, across: float) -> None:
    found = reports(gate, film, (lit(table("first"), gain, across), 1.2))
    assert GateState.HANDS not in states(found)
    assert found[-1].state is GateState.OPEN


def test_the_soft_shadow_of_somebody_who_stands_there_is_no_hand(gate: Gate, film: Film) -> None:
    assert len(settled(reports(gate, film, (shadowed(table("first")), 1.2)))) == 1


def test_flickering_lamps_are_no_movement(gate: Gate, film: Film) -> None:
    scenes = [(lit(table("first"), gain), 0.1) for gain in (1.0, 1.03, 0.98, 1.02, 0.97, 1.0)]
    assert states(reports(gate, film, *scenes)) == {GateState.OPEN}


def test_what_moves_beside_the_play_area_is_nobodys_business(gate: Gate, film: Film) -> None:
    scenes = [(with_arm(table("first"), x_mm=x, y_mm=-260.0, views=["overhead"]), 0.1) for x in (-150.0, -120.0, -90.0)]
    assert states(reports(gate, film, *scenes)) == {GateState.OPEN}


def test_a_hand_that_creeps_is_seen_though_no_two_frames_differ_much(gate: Gate, film: Film) -> None:
    scenes = [(with_arm(table("first"), x_mm=-150.0 + 0.5 * step), 0.1) for step in range(30)]
    assert GateState.OPEN not in states(reports(gate, film, *scenes)[1:])


# --- cameras ---


def test_a_camera_without_pictures_pauses_and_what_was_settled_settles_anew(gate: Gate, film: Film) -> None:
    pair = next(film.shoot(table("first"), 0.1))
    alone = FramePair({"overhead": pair.frames["overhead"]}, pair.time_s, {"side": "no picture for 3 s"})
    report = gate.look(alone)
    assert (report.state, report.words) == (GateState.PAUSED, "side: no picture for 3 s")
    found = reports(gate, film, (table("first"), 1.2))
    assert found[0].state is not GateState.OPEN
    assert len(settled(found)) == 1


def test_a_frame_that_comes_twice_is_looked_at_once(gate: Gate, film: Film) -> None:
    pair = next(film.shoot(with_arm(table("first")), 0.1))
    assert gate.look(pair).state is GateState.MOVING
    assert gate.look(pair).state is GateState.SETTLING


@pytest.fixture(scope="module")
def tagged() -> Table:
    return Table()


def coloured(pictures: Mapping[str, Picture]) -> Pair:
    return {name: np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8) for name, picture in pictures.items()}


def watched(tagged: Table, film: Film) -> Gate:
    gate = Gate(tagged.rig, Watcher.of(tagged.rig))
    assert settled(reports(gate, film, (coloured(tagged.before), 1.0)))
    return gate


def test_a_bumped_camera_is_solved_again_and_the_table_comes_through_by_the_new_rig(tagged: Table, film: Film) -> None:
    bumped = tilted(tagged.true.side, 0.4, (1.0, 0.0, 0.0))
    found = settled(reports(watched(tagged, film), film, (coloured(tagged.shoot(side=bumped)), 1.2)))
    assert len(found) == 1
    assert found[0].settled is not None
    assert found[0].settled.rig is not None
    solved, true = (
        (now.project(np.zeros((1, 3))) - was.project(np.zeros((1, 3))))[0]
        for now, was in ((found[0].settled.rig.side, tagged.rig.side), (bumped, tagged.true.side))
    )
    assert np.linalg.norm(true) > 3.0
    assert np.linalg.norm(solved - true) < 0.5


def test_a_table_whose_tags_are_covered_is_not_judged(tagged: Table, film: Film) -> None:
    blank = {name: np.full_like(picture, 90) for name, picture in coloured(tagged.before).items()}
    found = reports(watched(tagged, film), film, (blank, 1.2))
    assert not settled(found)
    assert found[-1].state is GateState.CAMERA_MOVED


def test_a_rig_whose_tags_were_never_in_view_is_watched_without_them(tagged: Table, film: Film) -> None:
    blank = {name: np.full_like(picture, 90) for name, picture in coloured(tagged.before).items()}
    gate = Gate(tagged.rig, Watcher.of(tagged.rig))
    assert gate.watches_drift
    assert len(settled(reports(gate, film, (blank, 1.2)))) == 1
    assert not gate.watches_drift


# --- its parts ---


@pytest.mark.parametrize("count", [1, 3, 5, 7])
def test_the_median_is_numpys_of_the_last_five_or_three(count: int) -> None:
    rng = np.random.default_rng(count)
    pictures = [rng.integers(0, 256, (20, 30, 3), dtype=np.uint8) for _ in range(count)]
    last = pictures[-min(count, 5) :]
    assert (median(pictures) == np.median(last, axis=0)).all()


def test_the_play_area_and_what_stands_on_it_are_inside_the_mask() -> None:
    rng = np.random.default_rng(2)
    points = np.column_stack([rng.uniform(-140, 140, (200, 2)), rng.uniform(0, 80, 200)])
    for name, camera in RIG.cameras.items():
        mask = play_mask(SIZE, RIG, name, 320)
        small = (camera.project(points) / 2).round().astype(int)
        seen = (small >= 0).all(axis=1) & (small < [320, 180]).all(axis=1)
        assert seen.sum() > 100
        assert (mask.inside[small[seen, 1], small[seen, 0]] == 255).all()
        far = (camera.project(np.array([[400.0, 0.0, 0.0]])) / 2).round().astype(int)[0]
        if (far >= 0).all() and (far < [320, 180]).all():
            assert mask.near[far[1], far[0]] == 0


def test_without_a_rig_all_of_the_picture_counts() -> None:
    assert (play_mask(SIZE, None, "overhead", 320).inside == 255).all()
    assert play_mask(SIZE, replace(RIG, play_area=None), "overhead", 320).inside.any()


def test_frames_are_kept_until_the_gate_is_open_and_again_from_the_first_that_moves() -> None:
    view, still = GateView(None, "overhead"), np.full((180, 320, 3), 90, np.uint8)
    moved = still.copy()
    moved[40:80, 60:120] = 200
    scenes = [(still, False)] * 4 + [(still, True)] * 3 + [(moved, True), (moved, False)]
    kept = []
    for number, (picture, is_open) in enumerate(scenes):
        view.feed(Frame(picture, number / 10, number), is_open)
        kept.append(len(view.recent))
    assert kept == [1, 2, 3, 4, 0, 0, 0, 1, 2]
