"""New sticks by what the net takes pixels for, on pictures of a program that it was not taught with."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

from gui.bench_frames import STILLS, Table, tables_in
from referee.layout import Layout, Road
from vision.fit import Scene
from vision.fresh import explains, fresh_patches, is_apart, not_explained, seeds_about
from vision.region import play_box
from vision.roads import DIM, SEEDS, SEEK_Z_MM
from vision.seek import Box, field
from vision.solids import solid_of
from vision.told import without_net
from vision.view import Picture
from vision.views import evidence_of, scenes_of
from vision.watch import explain

TURN, LIGHT_ONLY, DARK = "still_003", "still_018", "still_025"


@functools.cache
def table(name: str) -> Table:
    return next(iter(tables_in(STILLS / name)))


def turns(name: str) -> tuple[int, int]:
    was, now = sorted(table(name).files)
    return was, now


def accepted(name: str) -> Layout:
    return table(name).layouts[turns(name)[0]]


def box(name: str) -> Box:
    return play_box(accepted(name), table(name).rig, table(name).kit)


@functools.cache
def overhead(name: str, now: int) -> Scene:
    """What a pair shows against the first one."""
    one = table(name)
    views = evidence_of(one.pair(now), one.pair(turns(name)[0]), one.rig, box(name))
    return scenes_of(views, accepted(name), one.kit)[0]


def new_road(name: str) -> Road:
    old = {road.id for road in accepted(name).roads}
    (road,) = [road for road in table(name).layouts[turns(name)[1]].roads if road.id not in old]
    return road


@functools.cache
def patches() -> Picture:
    found = fresh_patches(overhead(TURN, turns(TURN)[1]), table(TURN).kit)
    assert found is not None
    return found


def moved(road: Road, aside_mm: float) -> Road:
    a, b = np.array(road.a), np.array(road.b)
    aside = aside_mm * np.array([-(b - a)[1], (b - a)[0], 0.0]) / np.hypot(*(b - a)[:2])
    return Road(road.id, tuple(a + aside), tuple(b + aside), road.kind, road.from_, road.to, road.owner)


@pytest.mark.parametrize(("aside_mm", "does"), [(0.0, True), (25.0, False)])
def test_a_new_road_explains_what_is_taken_for_a_new_stick(aside_mm: float, does: bool) -> None:
    road = solid_of(moved(new_road(TURN), aside_mm), table(TURN).kit)
    assert explains(road, overhead(TURN, turns(TURN)[1]).evidence.lens, patches()) is does


def test_a_seed_lies_where_the_new_road_does() -> None:
    scene, road = overhead(TURN, turns(TURN)[1]), new_road(TURN)
    where = field(scene.evidence, box(TURN), SEEK_Z_MM)
    seeds = seeds_about(where, scene, patches(), table(TURN).kit, SEEDS)
    middle = (np.array(road.a) + np.array(road.b))[:2] / 2
    assert min(np.hypot(*(middle - (seed.x, seed.y))) for seed in seeds) < 10.0


def test_a_lamp_makes_no_stick() -> None:
    assert fresh_patches(overhead(LIGHT_ONLY, turns(LIGHT_ONLY)[1]), table(LIGHT_ONLY).kit) is None


def test_a_still_table_has_no_new_stick() -> None:
    assert fresh_patches(overhead(TURN, turns(TURN)[0]), table(TURN).kit) is None


def test_without_the_net_nothing_is_told() -> None:
    with without_net():
        assert fresh_patches(overhead(TURN, turns(TURN)[1]), table(TURN).kit) is None


def dimmer(pair: dict[str, Picture], light: float, noise: float, seed: int) -> dict[str, Picture]:
    rng = np.random.default_rng(seed)
    dim = {name: light * picture + rng.normal(0, noise, picture.shape) for name, picture in pair.items()}
    return {name: np.clip(np.rint(picture), 0, 255).astype(np.uint8) for name, picture in dim.items()}


@pytest.mark.parametrize(("light", "noise", "doubt"), [(1.0, 0.0, None), (0.55, 4.5, DIM)])
def test_a_road_that_was_laid_as_a_lamp_went_out_is_found_and_asked_for_where_edges_hardly_show_it(
    light: float, noise: float, doubt: str | None
) -> None:
    one, (was, now) = table(DARK), turns(DARK)
    before, after = dimmer(one.pair(was), light, noise, 1), dimmer(one.pair(now), light, noise, 2)
    seen = explain(accepted(DARK), before, after, one.rig, one.kit, one.players, one.movers[now])
    old = {road.id for road in accepted(DARK).roads}
    (road,) = [road for road in seen.roads if road.id not in old]
    true = new_road(DARK)
    assert (road.from_, road.to, road.unsure) == (true.from_, None, doubt)
    assert np.abs(np.array(road.a) - true.a).max() < 3.0


def patch_at(x_px: int, side_px: int) -> Picture:
    picture = np.zeros(overhead(TURN, turns(TURN)[0]).depth.shape, np.uint8)
    picture[20 : 20 + side_px, x_px : x_px + side_px] = 1
    return picture


def test_a_patch_beside_a_new_piece_may_be_its_shadow() -> None:
    scene = overhead(TURN, turns(TURN)[0])
    beside = dataclasses.replace(scene, claimed=patch_at(20, 10))
    assert not is_apart(patch_at(34, 30), beside)
    assert is_apart(patch_at(200, 30), beside)
    assert is_apart(patch_at(34, 30), scene)


@pytest.mark.parametrize(("side_px", "is_large"), [(4, False), (12, False), (30, True)])
def test_what_is_narrower_than_a_stick_or_smaller_than_a_patch_of_one_is_none(side_px: int, is_large: bool) -> None:
    found = not_explained(patch_at(20, side_px), overhead(TURN, turns(TURN)[0]), table(TURN).kit)
    assert (found is not None) is is_large
