"""Sticks that meet on a column lie on each other, not in each other; which one is above is seen from above."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

from tests.test_vision_measured import scenes, stacked
from tests.test_vision_watch import KIT
from vision.piles import CLASH_COST, Way, piled
from vision.refit import levels_of, ways_of, without
from vision.solids import solids
from vision.views import with_depth

LOWER, UPPER = 0, 1
"""The first road lies on its column, the second one on the first road's end."""


@functools.cache
def ways() -> list[list[Way]]:
    """Every way for both roads to lie on a level."""
    layout = stacked()
    maps = [scene.depth for scene in with_depth(scenes(), solids(layout, KIT))]
    roads = [(road, without(maps, road.id)) for road in layout.roads]
    every = ways_of(roads, levels_of(layout, layout.roads, KIT), scenes(), KIT)
    return [[way for way in some if not way.on] for some in every]


def on_level(way: Way, number: int) -> int:
    """On which level a road's end lies where both meet."""
    column = stacked().columns[1]
    z_mm = way.levels_mm[1 if number == LOWER else 0]
    return round(float(z_mm - KIT.lying_z_mm(column.height)) / KIT.road_thickness_mm)


def told(likely: dict[tuple[int, int], float]) -> list[list[Way]]:
    """The ways, right on their levels, as likely as a table of roads and levels says."""

    def right(way: Way, number: int) -> Way:
        stick = dataclasses.replace(way.stick, pose=np.r_[way.stick.pose[:3], way.levels_mm])
        return dataclasses.replace(way, stick=stick, likely=likely[number, on_level(way, number)])

    return [[right(way, number) for way in some] for number, some in enumerate(ways())]


def chosen(likely: dict[tuple[int, int], float]) -> list[Way]:
    layout = stacked()
    return piled(layout.roads, told(likely), layout.columns, scenes()[0], KIT)


@pytest.mark.parametrize("both", [0, 1])
@pytest.mark.parametrize(("ahead", "levels"), [(0.6, 2), (6.0, 1)])
def test_two_roads_on_one_level_of_a_column_must_be_worth_it(both: int, ahead: float, levels: int) -> None:
    """Each by itself lies there, by so much of what it costs that they lie in each other: one gives way, or not."""
    likely = {(number, level): ahead * CLASH_COST * (level == both) for number in (LOWER, UPPER) for level in (0, 1)}
    assert len({on_level(way, number) for number, way in enumerate(chosen(likely))}) == levels


def test_whose_edges_run_on_lies_above() -> None:
    found = chosen({(number, level): 0.0 for number in (LOWER, UPPER) for level in (0, 1)})
    assert [on_level(way, number) for number, way in enumerate(found)] == [0, 1]


def test_lines_outvote_the_edges_where_they_meet() -> None:
    """That is one voice among others."""
    found = chosen({(LOWER, 0): 0.0, (LOWER, 1): 60.0, (UPPER, 0): 60.0, (UPPER, 1): 0.0})
    assert [on_level(way, number) for number, way in enumerate(found)] == [1, 0]


def alone(likely: dict[tuple[int, int], float]) -> Way:
    """The first road's way where no other road is."""
    some = told(likely | {(UPPER, 0): 0.0, (UPPER, 1): 0.0})
    return piled(stacked().roads[:1], some[:1], stacked().columns, scenes()[0], KIT)[0]


def test_a_road_that_meets_no_other_lies_as_is_likeliest() -> None:
    assert on_level(alone({(LOWER, 0): 0.0, (LOWER, 1): 1.0}), LOWER) == 1


@pytest.mark.parametrize(("ahead", "least_mm", "most_mm"), [(1.0, 0.8, 3.0), (200.0, 0.0, 0.01)])
def test_heights_are_known_as_well_as_other_levels_are_unlikely(ahead: float, least_mm: float, most_mm: float) -> None:
    found = alone({(LOWER, 0): ahead, (LOWER, 1): 0.0})
    assert on_level(found, LOWER) == 0
    assert least_mm <= found.open_mm[1] <= most_mm


def test_no_two_roads_rest_on_each_other() -> None:
    layout = stacked()
    (low, high), (other_low, other_high) = (
        [next(way for way in some if on_level(way, number) == level) for level in (0, 1)]
        for number, some in enumerate(told({(number, level): 0.0 for number in (LOWER, UPPER) for level in (0, 1)}))
    )
    on_other = dataclasses.replace(high, likely=50.0, on=frozenset({"r2"}))
    on_first = dataclasses.replace(other_high, likely=60.0, on=frozenset({"r1"}))
    found = piled(layout.roads, [[low, on_other], [other_low, on_first]], layout.columns, scenes()[0], KIT)
    assert [way.on for way in found] == [frozenset(), frozenset({"r1"})]
