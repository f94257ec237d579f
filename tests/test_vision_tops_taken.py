"""A top taken into use gets the sticks that are worth about as much on it as where they lie."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from referee.layout import BARE_TABLE
from tests.test_vision_watch import KIT, SECOND
from tests.vision_drawing import RIG, drawn
from vision.bridges import GROUND
from vision.joint import State, Table
from vision.region import play_box
from vision.spans import Span
from vision.stage import Stage
from vision.tops_taken import CLAIM_SLACK, DOWN_SLACK, _claimed
from vision.views import evidence_of, scenes_of

WORTH = 70.0


@functools.cache
def stages() -> list[Stage]:
    views = evidence_of(drawn(SECOND, seed=6), None, RIG, play_box(BARE_TABLE, RIG, KIT))
    return [Stage(scene) for scene in scenes_of(views, BARE_TABLE, KIT)]


def table_with(other_end: int, less: float) -> Table:
    """A stick from the first top to another end, or for so much less to the second top."""
    places = np.array([[[0.0, 0.0]], [[90.0, 0.0]], [[88.0, 25.0]]])
    pose = np.array([[[45.0, 0.0, 0.0, 12.0, 12.0]]])
    ways = [Span((0, end), np.array([[worth]]), pose) for end, worth in ((other_end, WORTH), (1, WORTH - less))]
    return Table.of(places, np.zeros((3, 1)), [ways], stages(), KIT)


@pytest.mark.parametrize(
    ("other_end", "less", "is_taken"),
    [
        (2, CLAIM_SLACK - 1.0, True),
        (2, CLAIM_SLACK + 1.0, False),
        (GROUND, DOWN_SLACK - 1.0, True),
        (GROUND, DOWN_SLACK + 1.0, False),
    ],
)
def test_a_stick_that_leads_down_may_lose_more_than_one_that_leads_to_a_column(
    other_end: int, less: float, is_taken: bool
) -> None:
    table = table_with(other_end, less)
    heights = {0: 1} if other_end == GROUND else {0: 1, other_end: 1}
    claimed = _claimed(table, State(heights, {0: 0}), 1, 1, table.reaching(1), standing=True)
    assert (claimed.chosen[0] == 1) == is_taken
