"""Sticks between two tops are tried where their edges show, and where faint ones are clearly taken for a stick."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest

from referee.layout import BARE_TABLE
from tests.test_vision_watch import C0, C1, KIT, SECOND
from tests.vision_drawing import RIG, drawn
from vision.bridges import (
    CLEARLY_TAKEN,
    HALF_TAKEN,
    LEAST_BETWEEN,
    LEAST_TOLD_BETWEEN,
    TAKEN_ASIDE,
    bridges,
    edges_on,
)
from vision.fit import Scene
from vision.region import play_box
from vision.tops import Plan, plan_of
from vision.view import Floats
from vision.views import evidence_of, scenes_of

BOX = play_box(BARE_TABLE, RIG, KIT)


@functools.cache
def overhead() -> Scene:
    return scenes_of(evidence_of(drawn(SECOND, seed=6), None, RIG, BOX), BARE_TABLE, KIT)[0]


def faint(times: float) -> Plan:
    """The plan where edges must be so many times as strong as usual: as if pieces hardly stood out."""
    return plan_of(replace(overhead(), knee=overhead().knee * times), BOX, KIT)


def road(plan: Plan) -> Floats:
    """The first road's line from top to top."""
    ends = [(one.x, one.y, KIT.column_top_mm(one.height)) for one in (C0, C1)]
    return plan.flat(np.array(ends))


@pytest.mark.parametrize(
    ("times", "taken", "aside", "is_tried"),
    [
        (1.0, 0.0, 0.0, True),
        (24.0, CLEARLY_TAKEN - 0.01, 0.0, False),
        (24.0, CLEARLY_TAKEN + 0.01, 0.0, True),
        (24.0, HALF_TAKEN + 0.01, TAKEN_ASIDE - 0.01, False),
        (24.0, HALF_TAKEN + 0.01, TAKEN_ASIDE + 0.01, True),
        (24.0, HALF_TAKEN - 0.01, 1.0, False),
        (60.0, 1.0, 1.0, False),
    ],
)
def test_a_stick_is_tried_by_its_edges_or_by_fainter_ones_and_the_net(
    times: float, taken: float, aside: float, is_tried: bool
) -> None:
    plan = faint(times)
    found = bridges(
        plan, road(plan), lambda lines: np.full(len(lines), taken), lambda lines, _: np.full(len(lines), aside), KIT
    )
    between = [one for one in found if set(one.ends) == {0, 1}]
    assert bool(between) == is_tried


def test_the_edges_tried_above_lie_about_both_limits() -> None:
    clear, dim, lost = (float(edges_on(faint(times), road(faint(times))[None], KIT)[0]) for times in (1.0, 24.0, 60.0))
    assert clear > LEAST_BETWEEN > dim > LEAST_TOLD_BETWEEN > lost
