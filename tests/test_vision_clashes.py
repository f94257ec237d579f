"""Solid things cannot stand in each other; things that touch or pass over each other can."""

from __future__ import annotations

import numpy as np

from referee.pieces import Kit
from vision.clashes import MEET_MM, TIP_MM, columns_clash, stick_through_column, sticks_clash
from vision.view import Floats

KIT = Kit()
ALONG = np.array([[(-47.5, 0.0, 30.0), (47.5, 0.0, 30.0)]])
ACROSS = np.array([[(0.0, -47.5, 30.0), (0.0, 47.5, 30.0)]])


def clash(one: Floats, other: Floats, on: tuple[int, int] = (0, 1), other_on: tuple[int, int] = (2, 3)) -> bool:
    """Whether two sticks on columns by their numbers clash, told alike whichever comes first."""
    found = sticks_clash(one, other, np.array([on]), np.array([other_on]), KIT)[0]
    assert found == sticks_clash(other, one, np.array([other_on]), np.array([on]), KIT)[0]
    return bool(found)


def test_sticks_that_cross_clash_unless_one_lies_over_the_other() -> None:
    assert clash(ALONG, ACROSS)
    assert not clash(ALONG, ACROSS + np.array([0.0, 0.0, KIT.road_thickness_mm]))


def crossing(at_mm: float) -> Floats:
    """A stick that crosses the one along x so far from that one's second end, and from its own."""
    there, half = KIT.road_length_mm / 2 - at_mm, np.array([np.cos(1.2), np.sin(1.2), 0.0])
    end = np.array([there, 0.0, 30.0]) + at_mm * half
    return np.array([[end - KIT.road_length_mm * half, end]])


def test_which_of_two_sticks_lies_on_the_other_is_open_where_they_share_a_column() -> None:
    near, far = crossing(MEET_MM - 5.0), crossing(MEET_MM + 5.0)
    assert clash(ALONG, near)
    assert not clash(ALONG, near, (0, 1), (2, 1))
    assert clash(ALONG, near, (0, 1), (0, 2))
    assert clash(ALONG, far, (0, 1), (2, 1))


def test_two_sticks_down_to_the_table_share_nothing_there() -> None:
    assert clash(ALONG, crossing(MEET_MM - 5.0), (0, -1), (2, -1))


def test_two_sticks_in_one_place_clash_on_the_same_columns_too() -> None:
    assert clash(ALONG, ALONG + np.array([1.0, 1.0, 0.0]), (0, 1), (0, 1))


def test_two_sticks_in_one_place_clash_and_side_by_side_do_not() -> None:
    assert clash(ALONG, ALONG + np.array([3.0, 1.0, 0.0]))
    assert not clash(ALONG, ALONG + np.array([0.0, KIT.road_width_mm, 0.0]))


def test_columns_clash_where_their_discs_would_overlap() -> None:
    here = np.zeros((2, 2))
    there = np.array([(0.8, 0.0), (1.0, 0.0)]) * KIT.disc_diameter_mm
    assert columns_clash(here, there, KIT).tolist() == [True, False]


def test_a_stick_passes_over_a_lower_column_and_not_through_a_higher_one() -> None:
    tips, spots = np.repeat(ALONG, 2, axis=0), np.zeros((2, 2))
    assert stick_through_column(tips, spots, np.array([20.0, 40.0]), KIT).tolist() == [False, True]


def test_how_far_a_stick_reaches_along_itself_is_not_known_well_enough_to_clash() -> None:
    tips = np.repeat(ALONG, 2, axis=0)
    touching_mm = 47.5 + KIT.disc_radius_mm + KIT.road_width_mm / 2
    spots = np.array([(touching_mm - 3.0 - 1.4 * TIP_MM, 0.0), (touching_mm - 3.0 - 0.6 * TIP_MM, 0.0)])
    assert stick_through_column(tips, spots, np.array([60.0, 60.0]), KIT).tolist() == [True, False]
