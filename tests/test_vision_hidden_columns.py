"""Columns that nothing shows are sought where sticks end on nothing, and of two sticks in one place one is none."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from referee.layout import BARE_TABLE, Column, Layout, Road
from referee.pieces import Kit
from tests.test_vision_watch import C0, C1, R1, R2, SECOND
from tests.vision_drawing import RIG, drawn
from vision.bare_ends import APART, CLEAR, TAKEN, under_bare_ends
from vision.bodies import stick_pose
from vision.bridges import GROUND, Bridge, bridges
from vision.fit import Scene
from vision.idle import idle_sticks
from vision.joint import State, Table
from vision.moves import settled_from
from vision.region import play_box
from vision.spans import Span, spans_of
from vision.stage import Stage
from vision.strips import Strip
from vision.tops import Plan, plan_of
from vision.view import Floats
from vision.views import evidence_of, scenes_of

KIT = Kit()
BOX = play_box(BARE_TABLE, RIG, KIT)
HEIGHTS = 3


@functools.cache
def scenes() -> list[Scene]:
    return scenes_of(evidence_of(drawn(SECOND, seed=6), None, RIG, BOX), BARE_TABLE, KIT)


@functools.cache
def plan() -> Plan:
    return plan_of(scenes()[0], BOX, KIT)


def on_plane(column: Column) -> Floats:
    return plan().flat(np.array([column.x, column.y, KIT.column_top_mm(column.height)]))


@dataclass(frozen=True, eq=False)
class Begun:
    """A table of the drawn layout on which some tops are known and one stick lies."""

    table: Table
    state: State
    spots: Floats


def places(spots: Floats) -> Floats:
    return np.stack([plan().lifted(spots, KIT.column_top_mm(n))[:, :2] for n in range(1, HEIGHTS + 1)], axis=1)


def exit_from_first() -> Begun:
    """The road from the first column, taken for one that leads down to the table since the second is not known."""
    spots = on_plane(C0)[None]
    tip, base = np.array(R1.b), np.array(R1.a)
    low = np.array([*tip[:2], KIT.road_thickness_mm / 2])
    pose = stick_pose(base, low)
    span = Span((0, GROUND), np.full((HEIGHTS, 1), 20.0), np.tile(pose, (HEIGHTS, 1, 1)))
    stages = [Stage(scene) for scene in scenes()]
    table = Table.of(places(spots), np.zeros((1, HEIGHTS)), [[span]], stages, KIT)
    return Begun(table, State({0: C0.height}, {0: 0}), spots)


def all_wood(lines: Floats) -> Floats:
    return np.ones(len(lines))


def no_wood(lines: Floats) -> Floats:
    return np.zeros(len(lines))


def test_a_column_may_stand_under_the_end_of_a_stick_that_seems_to_lie_on_the_table() -> None:
    begun = exit_from_first()
    under = under_bare_ends(begun.table, begun.state, plan(), [], begun.spots, all_wood)
    assert under.shape == (1, 2)
    assert math.dist(under[0], on_plane(C1)) < KIT.disc_diameter_mm
    # Where a top is known already none is added, right beside it or near it.
    for share, count in ((0.0, 0), (APART - 0.05, 0), (APART + 0.05, 1)):
        known = np.concatenate([begun.spots, under + share * KIT.disc_radius_mm * np.eye(2)[:1]])
        assert len(under_bare_ends(begun.table, begun.state, plan(), [], known, all_wood)) == count


def strip_beside(aside_mm: float, sides: float = CLEAR + 0.1) -> Strip:
    """A strip beside the stick that lies."""
    line = plan().flat(np.array([R1.a, (*R1.b[:2], KIT.road_thickness_mm / 2)]))
    middle, run = line.mean(axis=0), line[1] - line[0]
    across = np.array([-run[1], run[0]]) / np.linalg.norm(run)
    x, y = middle + aside_mm * across
    return Strip(float(x), float(y), math.atan2(run[1], run[0]), sides)


@pytest.mark.parametrize(
    ("aside_mm", "sides", "is_wood", "count"),
    [(40.0, CLEAR + 0.1, True, 3), (1.0, CLEAR + 0.1, True, 1), (40.0, CLEAR - 0.1, True, 1), (40.0, 1.0, False, 1)],
)
def test_a_strip_has_columns_under_both_ends_if_it_is_clearly_a_stick_and_another_one(
    aside_mm: float, sides: float, is_wood: bool, count: int
) -> None:
    assert 0.0 < TAKEN < 1.0
    begun, strip = exit_from_first(), strip_beside(aside_mm, sides)
    taken = all_wood if is_wood else no_wood
    assert len(under_bare_ends(begun.table, begun.state, plan(), [strip], begun.spots, taken)) == count


def test_a_search_goes_on_when_a_table_grows_by_a_hidden_column() -> None:
    begun = exit_from_first()
    before = begun.table.score(begun.state)
    spots = np.stack([begun.spots[0], on_plane(C1)])
    may = np.zeros((2, HEIGHTS), bool)
    may[0, C0.height - 1] = may[1, C1.height - 1] = True
    span = spans_of(plan(), scenes(), [Bridge((0, 1), spots, 0.5)], spots, may, KIT)
    begun.table.grow(places(spots[1:]), np.zeros((1, HEIGHTS)), [span])
    assert begun.table.score(begun.state) == before
    state, score = settled_from(begun.table, begun.state)
    assert score > before
    assert state.heights == {0: C0.height, 1: C1.height}
    assert state.chosen == {1: 0}


def test_no_stick_is_sought_between_tops_that_were_known_before() -> None:
    spots = np.array([on_plane(column) for column in SECOND.columns])

    def aside(lines: Floats, ends: NDArray[np.intp]) -> Floats:
        return np.zeros(len(lines))

    every = bridges(plan(), spots, all_wood, aside, KIT)
    further = bridges(plan(), spots, all_wood, aside, KIT, first=2)
    assert {one.ends for one in every} > {one.ends for one in further}
    assert {one.ends for one in further} == {one.ends for one in every if max(one.ends) >= 2}


def shifted(road: Road, by_mm: float) -> Road:
    """A road in nearly the same place, under another name."""
    a, b = ((x + by_mm, y, z) for x, y, z in (road.a, road.b))
    return replace(road, id="again", a=a, b=b)


def test_of_two_sticks_in_one_place_the_worse_is_none() -> None:
    layout = replace(SECOND, cars=())
    assert idle_sticks(layout, scenes(), KIT) == set()
    twice = replace(layout, roads=(*layout.roads, shifted(R1, 0.4)))
    assert idle_sticks(twice, scenes(), KIT) == {"again"}


def test_a_stick_that_alone_lies_on_a_column_is_left_alone() -> None:
    far = Column("c9", -160.0, 90.0, 1, False, None)
    nowhere = Road("r9", (C1.x, C1.y, R2.a[2]), (far.x, far.y, KIT.lying_z_mm(1)), "road", C1.id, far.id, None)
    layout = Layout((*SECOND.columns, far), (*SECOND.roads, nowhere), ())
    assert idle_sticks(layout, scenes(), KIT) == set()
    twice = replace(layout, roads=(*layout.roads, replace(nowhere, id="r10")))
    assert idle_sticks(twice, scenes(), KIT) in ({"r9"}, {"r10"})
