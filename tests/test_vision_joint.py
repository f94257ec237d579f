"""What a search pays for pieces: a stick that leads down from a high column takes more to be believed."""

from __future__ import annotations

import numpy as np
import pytest

from referee.layout import BARE_TABLE
from tests.test_vision_watch import KIT, SECOND
from tests.vision_drawing import RIG, drawn
from vision.bridges import GROUND
from vision.evidence import Evidence
from vision.joint import DOWN_COST, STEEP_COST, State, Table
from vision.spans import Span
from vision.stage import Stage
from vision.view import view_of
from vision.views import scenes_of

HIGHEST = 4


@pytest.fixture(scope="module")
def table() -> Table:
    """Two tops with a stick that leads down from the first, or on to the second."""
    pair = drawn(SECOND, seed=6)
    views = [Evidence(view_of(pair[name], RIG.cameras[name], name)) for name in ("overhead", "side")]
    places = np.tile(np.array([[[0.0, 0.0]], [[90.0, 0.0]]]), (1, HIGHEST, 1))
    pose = np.array([45.0, 0.0, 0.0, 12.0, 12.0])
    down = Span((0, GROUND), np.zeros((HIGHEST, 1)), np.tile(pose, (HIGHEST, 1, 1)))
    on = Span((0, 1), np.zeros((HIGHEST, HIGHEST)), np.tile(pose, (HIGHEST, HIGHEST, 1)))
    stages = [Stage(scene) for scene in scenes_of(views, BARE_TABLE, KIT)]
    return Table.of(places, np.zeros((2, HIGHEST)), [[down, on]], stages, KIT)


def cost(table: Table, heights: dict[int, int], way: int) -> float:
    state = State(heights, {0: way})
    return -table._own(state, table._standing(state))


@pytest.mark.parametrize("height", [1, 2, 4])
def test_a_stick_that_leads_down_costs_more_the_higher_it_starts(table: Table, height: int) -> None:
    between = cost(table, {0: height, 1: 1}, 1) - cost(table, {0: 1, 1: 1}, 1)
    assert between == pytest.approx(0.0)
    more = cost(table, {0: height, 1: 1}, 0) - cost(table, {0: height, 1: 1}, 1)
    assert more == pytest.approx(DOWN_COST + STEEP_COST * (height - 1))
