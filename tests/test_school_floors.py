"""What the second net is taught of a level: columns that end there, and sticks that lie there in their direction."""

from __future__ import annotations

import numpy as np
import pytest

from referee.pieces import Kit
from sample_frames.school.floor_truth import Lesson, truth_of
from vision.floors import TURNS, Grid

KIT = Kit()
CELLS = Grid(np.array([-60.0, -60.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0]), 2.0, (61, 61))


def lesson(low_discs: float, high_discs: float, yaw: float = 0.0) -> Lesson:
    """A stick about the middle, between two heights in discs, and a column of two discs."""
    half = np.array([np.cos(yaw), np.sin(yaw)]) * 45.0
    z_mm = np.array([low_discs, high_discs]) * KIT.disc_height_mm + KIT.road_thickness_mm / 2
    tips = np.array([[*-half, z_mm[0]], [*half, z_mm[1]]])
    return Lesson((), np.array([[20.0, 30.0, 2.0]]), tips[None], KIT)


def test_a_column_is_marked_on_its_own_level_alone() -> None:
    for discs in range(4):
        marked = truth_of(lesson(1, 1), CELLS, discs)[0]
        assert (marked.max() == pytest.approx(1.0)) == (discs == 2)
    assert np.unravel_index(truth_of(lesson(1, 1), CELLS, 2)[0].argmax(), CELLS.shape) == (45, 40)


@pytest.mark.parametrize(("level", "lies"), [(0, False), (1, True), (2, False)])
def test_a_level_stick_is_marked_on_its_own_level_alone(level: int, lies: bool) -> None:
    assert truth_of(lesson(1, 1), CELLS, level)[1:].any() == lies


def test_halfway_between_levels_a_stick_is_on_both() -> None:
    for level in (1, 2):
        assert truth_of(lesson(1.5, 1.5), CELLS, level)[1:].any()


def test_a_rising_stick_is_marked_where_it_is_near_a_level() -> None:
    low, high = (np.nonzero(truth_of(lesson(0, 3), CELLS, level)[1])[1] for level in (0, 3))
    assert low.max() < 30 < high.min()


@pytest.mark.parametrize("turn", range(TURNS))
def test_a_stick_is_marked_in_its_direction_and_between_two_in_both(turn: int) -> None:
    step = np.pi / TURNS
    marked = truth_of(lesson(1, 1, turn * step), CELLS, 1)[1:].any(axis=(1, 2))
    assert np.flatnonzero(marked).tolist() == [turn]
    marked = truth_of(lesson(1, 1, (turn + 0.5) * step), CELLS, 1)[1:].any(axis=(1, 2))
    assert set(np.flatnonzero(marked)) == {turn, (turn + 1) % TURNS}
