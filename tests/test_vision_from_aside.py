"""One camera, from aside: what is new is told and asked for, where rays and heights put it, with wide errors."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from tests.vision_drawing import RIG, car_on, drawn, road_between
from vision.base_rows import rows_about, things_about
from vision.bodies import stick_tips
from vision.cars_aside import stood_on
from vision.fit import Scene, is_aslant
from vision.from_bases import Changed, ways_from_bases
from vision.region import play_box
from vision.rested import Heap
from vision.scoring import score
from vision.sigmas import pixel_mm_at
from vision.solids import solid_of
from vision.stripes import Stripe
from vision.told import without_net
from vision.unverified import ONE_VIEW
from vision.view import Lens, Picture
from vision.views import evidence_of, scenes_of
from vision.watch import FROM_ASIDE, explain

KIT = Kit()
PLAYERS = ("purple", "green")
C0 = Column("c0", -60.0, 10.0, 1, False, "purple")
C1 = Column("c1", 20.0, -35.0, 3, False, "purple")
FIRST = Layout((C0, C1), (road_between("r1", C0, C1, KIT),), ())
HEIGHTS = [1, 2, 4, 6]


def with_new(height: int) -> Layout:
    """The first table with a road to a new column, and a green car on it."""
    column = Column("c2", 55.0, 45.0, height, False, "purple")
    road = road_between("r2", C1, column, KIT, (1, 0))
    return Layout((C0, C1, column), (*FIRST.roads, road), (car_on("k1", road, "green", KIT),))


@functools.cache
def aside(height: int | None, seed: int = 0, light: float = 1.0) -> dict[str, Picture]:
    """What the side camera sees of the first table, or of one with a new column."""
    return {"side": drawn(FIRST if height is None else with_new(height), seed=seed, light=light)["side"]}


def told(accepted: Layout, before: dict[str, Picture], now: dict[str, Picture]) -> Layout:
    return explain(accepted, before, now, RIG, KIT, PLAYERS, "purple")


@functools.cache
def turn(height: int) -> Layout:
    return told(FIRST, aside(None), aside(height, seed=1))


@functools.cache
def scene_of(height: int) -> Scene:
    (scene,) = scenes_of(evidence_of(aside(height, seed=1), aside(None), RIG, play_box(FIRST, RIG, KIT)), FIRST, KIT)
    return scene


def new_road(layout: Layout) -> Road:
    return next(road for road in layout.roads if road.id == "r2")


@pytest.mark.parametrize("height", [2, 4, 6])
def test_a_turn_is_told_whole(height: int) -> None:
    assert score(turn(height), with_new(height)).faults == []


@pytest.mark.parametrize("height", HEIGHTS)
def test_all_that_is_new_is_asked_for(height: int) -> None:
    new = [piece for piece in turn(height).pieces() if piece.id not in {p.id for p in FIRST.pieces()}]
    assert len(new) == 3
    assert all(piece.unsure for piece in new)
    assert turn(height).unsure == ONE_VIEW


@pytest.mark.parametrize("height", HEIGHTS)
def test_a_new_column_comes_with_odds_of_its_heights(height: int) -> None:
    column = next(column for column in turn(height).columns if column.id == "c2")
    odds = {one.height: one.p or 0.0 for one in column.candidates}
    assert column.height == max(odds, key=lambda n: odds[n]) == height
    assert 0.5 < odds[height] < 1.0
    assert math.dist((column.x, column.y), (55.0, 45.0)) < 2.5


@pytest.mark.parametrize("height", HEIGHTS)
def test_its_road_runs_from_what_bears_it_with_both_ends_where_they_are(height: int) -> None:
    road, true = new_road(turn(height)), with_new(height).roads[-1]
    assert (road.from_, road.to) == ("c1", "c2")
    assert max(math.dist(road.a, true.a), math.dist(road.b, true.b)) < 6.0


@pytest.mark.parametrize("height", HEIGHTS)
def test_errors_are_widest_away_from_the_camera_and_hold_the_truth(height: int) -> None:
    road, true = new_road(turn(height)), with_new(height).roads[-1]
    assert road.sigma is not None
    for tip, at, sigma in ((road.a, true.a, road.sigma.a), (road.b, true.b, road.sigma.b)):
        assert sigma[1] > sigma[0]  # The camera looks along y.
        assert sigma[1] > 1.0
        assert np.abs((np.array(tip) - at) / sigma).max() < 3.0


@pytest.mark.parametrize("height", HEIGHTS)
def test_a_car_on_it_is_told_with_its_colour_and_no_type(height: int) -> None:
    (car,), (true,) = turn(height).cars, with_new(height).cars
    assert (car.owner, car.road, car.type) == ("green", "r2", None)
    assert car.sigma is not None
    assert car.unsure is not None
    # The lowest one's road leads away from the camera nearly as steeply as that looks down.
    assert np.abs(np.array([car.x - true.x, car.y - true.y]) / car.sigma).max() < 3.0


def test_without_the_net_a_turn_is_told_too() -> None:
    with without_net():
        found = told(FIRST, aside(None), aside(2, seed=1))
    assert [road.to for road in found.roads if road.id == "r2"] == ["c2"]
    assert found.unsure is not None


def test_what_was_taken_away_is_gone_and_asked_for() -> None:
    found = told(with_new(3), aside(3), aside(None, seed=1))
    assert {piece.id for piece in found.pieces()} == {piece.id for piece in FIRST.pieces()}
    assert found.unsure == ONE_VIEW
    assert next(column for column in found.columns if column.id == "c1").unsure is not None


def test_a_column_without_its_road_is_told_and_asked_for() -> None:
    bare = replace(with_new(2), roads=FIRST.roads, cars=())
    found = told(FIRST, aside(None), {"side": drawn(bare, seed=1)["side"]})
    assert score(found, bare).faults == []
    assert next(column for column in found.columns if column.id == "c2").unsure is not None


def test_where_the_change_is_no_piece_nothing_is_told_as_new() -> None:
    now = {"side": aside(None, seed=1)["side"].copy()}
    now["side"][300:420, 300:420] = (40, 60, 200)
    found = told(FIRST, aside(None), now)
    assert {piece.id for piece in found.pieces()} == {piece.id for piece in FIRST.pieces()}
    assert found.unsure == FROM_ASIDE


@pytest.mark.parametrize("light", [0.8, 1.15])
def test_a_lamp_is_no_piece(light: float) -> None:
    found = told(FIRST, aside(None), aside(None, seed=1, light=light))
    assert {piece.id for piece in found.pieces()} == {piece.id for piece in FIRST.pieces()}


def test_only_a_view_from_aside_is_aslant() -> None:
    assert [Lens(RIG.cameras[name]).looks_down for name in ("overhead", "side")] == [True, False]
    assert is_aslant([scene_of(2)])
    assert not is_aslant([scene_of(2), scene_of(2)])


def test_rows_are_sticks_of_full_length_from_their_bases() -> None:
    rows = rows_about(things_about(FIRST, KIT, 4), FIRST, KIT)
    tips = [stick_tips(pose, KIT.road_length_mm) for pose in rows.poses(KIT)[::37]]
    assert all(math.dist(a, b) == pytest.approx(KIT.road_length_mm) for a, b in tips)
    assert all(np.hypot(*(tip[:2] - base)) < 1e-6 for (tip, _), base in zip(tips, rows.bases[::37], strict=True))


@pytest.mark.parametrize("height", HEIGHTS)
def test_the_true_way_is_among_those_that_are_tried(height: int) -> None:
    true = with_new(height).roads[-1]
    ways, scores = ways_from_bases(scene_of(height), Changed.of(scene_of(height)), FIRST, KIT, 8)
    near = []
    for (pose, rests), one in zip(ways, scores, strict=True):
        a, b = stick_tips(pose, KIT.road_length_mm)
        if max(math.dist(a, true.a), math.dist(b, true.b)) < 9.0 and rests[1].height == height:
            near.append(one)
    assert max(near) > scores.max() - 12.0


def test_what_is_explained_is_not_sought_again() -> None:
    scene, true = scene_of(2), with_new(2)
    changed = Changed.of(scene)
    pieces = [solid_of(piece, KIT) for piece in (true.roads[-1], true.columns[-1], true.cars[0])]
    assert changed.without(pieces, scene).mask.sum() < 0.4 * changed.mask.sum()


def test_a_pixel_from_aside_is_deeper_than_wide() -> None:
    scene, spot = scene_of(2), np.array([0.0, 0.0, 20.0])
    lens = scene.evidence.lens
    wide_mm = 1 / float(np.hypot(*(lens.project(spot + np.eye(3)[0]) - lens.project(spot))))
    assert pixel_mm_at([scene], spot) > 1.5 * wide_mm


@pytest.mark.parametrize("away", [True, False])
def test_what_a_car_hides_behind_it_is_not_where_it_stands(away: bool) -> None:
    lens = Lens(RIG.cameras["side"])
    near, far = (-30.0, -120.0, 20.0), (-8.0, -28.0, 20.0)
    road = Road("r", near, far, "road", "c0", "c1", None) if away else Road("r", far, near, "road", "c0", "c1", None)
    stood, sigma_mm = stood_on(Stripe("r", 30.0, 60.0, (0.5, 0.0), (0.0, 0.0), 1.0), 1.0, road, lens, KIT)
    assert (stood.start_mm == 30.0) is away
    assert (stood.end_mm == 60.0) is not away
    assert 10.0 < stood.length_mm < 24.0
    assert sigma_mm > 2.0


def test_a_road_whose_column_seems_gone_rests_as_it_did() -> None:
    table = with_new(2)
    lacking = replace(table, columns=(C1, table.columns[-1]))
    assert Heap(lacking, KIT).rests(table.roads[-1])
