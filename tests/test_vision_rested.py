"""Sticks at rest: how players' sticks came to lie is among the ways in which vision thinks that they may."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from referee.resting import Surface, disc_top, overlap_points, overlaps
from sample_frames.players import deal, play_game
from vision.rested import Heap, rest_mm

KIT = Kit()
NEAR_MM, LIFT_MM = 0.05, 6.0


@functools.cache
def played(seed: int) -> Layout:
    setup = deal("two-player-2024", ("purple", "green"), KIT, np.random.default_rng(seed))
    return play_game(setup, seed, tries=12, most_turns=14).position.layout


def far_mm(layout: Layout, road: Road) -> float:
    """How far from how a road lies the nearest way is in which it may rest."""
    true = np.array([road.a[2], road.b[2]])
    return min((float(np.abs(rest.tips_mm - true).max()) for rest in Heap(layout, KIT).rests(road)), default=np.inf)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_road_of_a_game_lies_in_one_of_the_ways_it_may_rest(seed: int) -> None:
    layout = played(seed)
    assert len(layout.roads) > 8
    away = {road.id: far_mm(layout, road) for road in layout.roads}
    assert {name: mm for name, mm in away.items() if mm > NEAR_MM} == {}


def level(height: int, x: float) -> Surface:
    return disc_top(KIT, Column("c", x, 0.0, height, False, None))


def stick(at_mm: float = 0.0) -> np.ndarray:
    half = KIT.road_length_mm / 2
    return np.array([(at_mm - half, 0.0, 20.0), (at_mm + half, 0.0, 20.0)])


def test_a_stick_between_columns_of_one_height_lies_level_on_them() -> None:
    found = rest_mm(stick(), [level(3, -42.0), level(3, 42.0)], (False, False), KIT)
    assert found == pytest.approx(np.full(2, KIT.lying_z_mm(3)))


def test_an_end_that_juts_out_past_a_higher_column_is_lifted() -> None:
    found = rest_mm(stick(), [level(4, -35.0), level(1, 42.0)], (False, False), KIT)
    assert found is not None
    assert found[0] > KIT.lying_z_mm(4) + 2.0
    assert found[1] == pytest.approx(KIT.lying_z_mm(1), abs=1.0)


def test_the_foot_of_an_entrance_lies_on_the_table() -> None:
    found = rest_mm(stick(), [level(1, 42.0)], (True, False), KIT)
    assert found is not None
    assert found[0] == pytest.approx(KIT.road_thickness_mm / 2, abs=0.1)


@pytest.mark.parametrize(("slid_mm", "falls"), [(-30.0, False), (50.0, True)])
def test_a_stick_whose_middle_is_past_what_bears_it_falls(slid_mm: float, falls: bool) -> None:
    found = rest_mm(stick(slid_mm), [level(2, -42.0), level(2, -10.0)], (False, False), KIT)
    assert (found is None) == falls


def test_a_road_that_is_thought_too_high_does_not_lift_the_one_that_it_bears() -> None:
    """Were each taken to be as high as it lies on the other, they would lift each other without end."""
    layout, tried = played(1), 0
    for lower, upper in itertools.permutations(layout.roads, 2):
        for name in {*lower.columns()} & {*upper.columns()}:
            there = [road.id for road in layout.roads if name in road.columns()]
            alone = there == [lower.id, upper.id]
            if alone and far_mm(replace(layout, roads=(upper,)), upper) > NEAR_MM:
                too_high = replace(
                    lower, a=(*lower.a[:2], lower.a[2] + LIFT_MM), b=(*lower.b[:2], lower.b[2] + LIFT_MM)
                )
                some = tuple(too_high if road.id == lower.id else road for road in layout.roads)
                tried += 1
                assert far_mm(replace(layout, roads=some), upper) < LIFT_MM / 2, (lower.id, upper.id)
    assert tried > 3


def test_overlaps_asked_for_together_are_those_of_each_by_itself() -> None:
    under = level(1, 0.0)
    others = [level(2, 3.0), Surface(level(1, 0.0).outline[::5] + 4.0, 20.0), level(1, 500.0)]
    together = overlaps(under, others)
    assert [len(corners) for corners in together][2] == 0
    for corners, other in zip(together, others, strict=True):
        assert np.array_equal(corners, overlap_points(under, other))
    assert all(len(corners) > 2 for corners in together[:2])
    assert np.ptp(together[1], axis=0).max() < np.ptp(together[0], axis=0).max()
    assert overlaps(under, []) == []
