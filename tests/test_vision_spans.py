"""A stick between two columns must lie on both of them by some millimetres."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from referee.layout import BARE_TABLE
from tests.test_vision_watch import KIT, SECOND
from tests.vision_drawing import RIG, drawn
from vision.bridges import GROUND, HELD_MM, Bridge
from vision.fit import Scene
from vision.region import play_box
from vision.spans import TOGETHER, spans_of
from vision.tops import plan_of
from vision.views import evidence_of, scenes_of

HEIGHT = 2


@functools.cache
def scenes() -> list[Scene]:
    return scenes_of(evidence_of(drawn(SECOND, seed=6), None, RIG, play_box(BARE_TABLE, RIG, KIT)), BARE_TABLE, KIT)


@pytest.mark.parametrize(("more_mm", "reaches"), [(-1.0, True), (1.0, False)])
def test_a_stick_reaches_as_far_as_it_is_held_at_both_ends(more_mm: float, reaches: bool) -> None:
    plan = plan_of(scenes()[0], play_box(BARE_TABLE, RIG, KIT), KIT)
    gap_mm = KIT.road_length_mm + 2 * (KIT.disc_radius_mm - HELD_MM) + more_mm
    level_mm = KIT.lying_z_mm(HEIGHT)
    line = plan.flat(np.array([(-gap_mm / 2, 0.0, level_mm), (gap_mm / 2, 0.0, level_mm)]))
    tops = np.array([(x, 0.0, KIT.column_top_mm(HEIGHT)) for x in (-gap_mm / 2, gap_mm / 2)])
    may = np.zeros((2, 4), bool)
    may[:, HEIGHT - 1] = True
    (span,) = spans_of(plan, scenes(), None, [Bridge((0, 1), line, 0.5)], plan.flat(tops), may, KIT)
    assert np.isfinite(span.scores[HEIGHT - 1, HEIGHT - 1]) == reaches
    assert np.isfinite(span.scores).sum() == reaches


def test_bridges_are_scored_together_as_each_by_itself() -> None:
    plan = plan_of(scenes()[0], play_box(BARE_TABLE, RIG, KIT), KIT)
    rng = np.random.default_rng(3)
    spots = rng.uniform(-90, 90, (2 * TOGETHER, 2))
    may = rng.random((len(spots), 4)) < 0.6
    many = []
    for ring in range(TOGETHER + 5):
        ahead = rng.normal(size=2)
        spots[ring + 1] = spots[ring] + ahead / np.hypot(*ahead) * rng.uniform(0.9, 1.05) * KIT.road_length_mm
        ends = (ring, GROUND) if ring % 5 == 0 else (ring, ring + 1)
        many.append(Bridge(ends, spots[[ring, ring + 1]], float(rng.uniform(0.2, 1.0))))
    for together, bridge in zip(spans_of(plan, scenes(), None, many, spots, may, KIT), many, strict=True):
        (alone,) = spans_of(plan, scenes(), None, [bridge], spots, may, KIT)
        assert together.ends == bridge.ends
        np.testing.assert_allclose(together.scores, alone.scores, atol=1e-4)
        np.testing.assert_allclose(together.poses, alone.poses, atol=1e-6)
