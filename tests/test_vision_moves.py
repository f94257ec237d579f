"""A search tries nothing twice from the same state, takes only what is better, and gets out of a false column."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from referee.layout import BARE_TABLE, Column, Layout, Road
from referee.pieces import Kit
from tests.vision_drawing import RIG, drawn
from vision.bodies import stick_tips
from vision.bridges import Bridge
from vision.joint import State, Table
from vision.region import play_box
from vision.search import Search
from vision.spans import spans_of
from vision.stage import Stage
from vision.tops import plan_of
from vision.uptake import trade_moves
from vision.views import evidence_of, scenes_of


class Scores:
    """A table on which a higher column is better, up to a height."""

    def score(self, state: State, least: float) -> float:
        return float(min(state.heights[0], 3))


def search() -> Search:
    table: Any = Scores()
    return Search(table, State({0: 2}, {}), 2.0, set())


def test_what_was_refused_in_a_state_is_not_tried_in_it_again() -> None:
    one = search()
    for _ in one.tries("lift", [1, 2]):
        one.offer(State({0: 1}, {}))
    assert list(one.tries("lift", [1, 2, 3])) == [2]
    assert list(one.tries("claim", [1, 2])) == [0, 1]


def test_after_a_change_all_is_tried_again() -> None:
    one = search()
    for _ in one.tries("lift", [1]):
        one.offer(State({0: 1}, {}))
    one.offer(State({0: 3}, {}))
    assert list(one.tries("lift", [1])) == [0]


def test_a_move_that_was_taken_is_not_among_those_refused() -> None:
    one = search()
    for _ in one.tries("lift", [1]):
        one.offer(State({0: 3}, {}))
    assert one.best == 3.0
    assert list(one.tries("lift", [1])) == [0]


def test_a_column_with_all_its_sticks_is_traded_for_the_one_beside_it() -> None:
    """Stick by stick it would not be: the first to move would lie on a column that stands in the other."""
    kit, height = Kit(), 2
    level_mm, reach_mm = kit.lying_z_mm(height), kit.road_length_mm - kit.disc_radius_mm
    far = [reach_mm * np.array([math.cos(turn), math.sin(turn)]) for turn in (0.3, 2.2, 4.4)]
    middle, beside = np.zeros(2), np.array([-4.0, 7.0])
    columns = [Column(f"c{i}", float(x), float(y), height, False, None) for i, (x, y) in enumerate([middle, *far])]
    poses = [np.array([*(spot / 2), math.atan2(spot[1], spot[0]), level_mm, level_mm]) for spot in far]
    tips = [stick_tips(pose, kit.road_length_mm) for pose in poses]
    roads = [
        Road(f"r{i}", tuple(a.tolist()), tuple(b.tolist()), "road", "c0", f"c{i}", None)
        for i, (a, b) in enumerate(tips, start=1)
    ]
    box = play_box(BARE_TABLE, RIG, kit)
    pictures = drawn(Layout(tuple(columns), tuple(roads), ()), seed=4)
    scenes = scenes_of(evidence_of(pictures, None, RIG, box), BARE_TABLE, kit)
    plan = plan_of(scenes[0], box, kit)
    places = np.array([middle, beside, *far])
    spots = plan.flat(np.pad(places, ((0, 0), (0, 1)), constant_values=kit.column_top_mm(height)))
    may = np.zeros((len(spots), 4), bool)
    may[:, height - 1] = True
    ways = [Bridge((first, end), spots[[first, end]], 0.5) for first in (0, 1) for end in (2, 3, 4)]
    groups = [[span] for span in spans_of(plan, scenes, ways, spots, may, kit)]
    at_heights = np.stack([plan.lifted(spots, kit.column_top_mm(n))[:, :2] for n in range(1, 5)], axis=1)
    table = Table.of(at_heights, np.zeros((len(spots), 4)), groups, [Stage(scene) for scene in scenes], kit)
    ends = dict.fromkeys((2, 3, 4), height)
    false, true = State({1: height} | ends, {3: 0, 4: 0, 5: 0}), State({0: height} | ends, {0: 0, 1: 0, 2: 0})
    search = Search(table, false, table.score(false), set())
    trade_moves(search)
    assert (search.state.heights, search.state.chosen) == (true.heights, true.chosen)
    assert search.best == table.score(true) > table.score(false)
