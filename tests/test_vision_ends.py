"""Tops that strips end at are voted for, however many other spots there are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.test_vision_watch import KIT
from vision.ends import APART, BEYOND_MM, MOST_VOTES, NEXT, VOTE, voted
from vision.strips import Strip


def test_strips_vote_for_the_tops_at_their_ends_alone() -> None:
    rng = np.random.default_rng(4)
    strips = [Strip(*(float(v) for v in one)) for one in rng.uniform((-200, -200, 0, 0.2), (200, 200, 3.1, 1), (30, 4))]
    spots = rng.uniform(-300, 300, (5000, 2))
    shares = rng.uniform(0, 0.3, 5000)
    values, found = voted(strips, shares, spots, np.zeros(5000, bool), KIT)
    for value, spot in zip(values, found, strict=True):
        votes = 0.0
        for strip in strips:
            first, last = strip.line(KIT)
            ahead = (last - first) / KIT.road_length_mm
            along, aside = (spot - first) @ ahead, abs((spot - first) @ (-ahead[1], ahead[0]))
            off = min(abs(along), abs(along - KIT.road_length_mm))
            if aside < 0.7 * KIT.disc_radius_mm:
                votes += 2 * strip.sides * min(max(1.3 - off / BEYOND_MM, 0.0), 1.0)
        share = shares[np.hypot(*(spots - spot).T).argmin()]
        assert abs(value - share - VOTE * min(votes, MOST_VOTES)) < 1e-9
    assert (np.diff(values) <= 0).all()
    apart = np.hypot(*(found[:, None] - found).transpose(2, 0, 1)) + 1e9 * np.eye(len(found))
    assert apart.min() > APART * KIT.disc_radius_mm


@pytest.mark.parametrize(("apart", "is_held", "is_kept"), [(0.5, False, False), (0.5, True, True), (0.3, True, False)])
def test_a_top_that_is_held_is_not_pushed_out_by_a_better_one_beside_it(
    apart: float, is_held: bool, is_kept: bool
) -> None:
    assert 0.3 < NEXT < 0.5 < APART
    spots = np.array([(0.0, 0.0), (apart * KIT.disc_radius_mm, 0.0)])
    _, found = voted([], np.array([0.8, 0.3]), spots, np.array([False, is_held]), KIT)
    assert len(found) == 1 + is_kept
