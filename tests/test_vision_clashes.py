"""Solid things cannot stand in each other; things that touch or pass over each other can."""

from __future__ import annotations

import numpy as np

from referee.pieces import Kit
from vision.clashes import TIP_MM, columns_clash, stick_through_column, sticks_clash

KIT = Kit()
ALONG = np.array([[(-47.5, 0.0, 30.0), (47.5, 0.0, 30.0)]])
ACROSS = np.array([[(0.0, -47.5, 30.0), (0.0, 47.5, 30.0)]])


def test_sticks_that_cross_clash_unless_one_lies_over_the_other() -> None:
    assert sticks_clash(ALONG, ACROSS, KIT)[0]
    assert not sticks_clash(ALONG, ACROSS + np.array([0.0, 0.0, KIT.road_thickness_mm]), KIT)[0]


def test_two_sticks_in_one_place_clash_and_side_by_side_do_not() -> None:
    assert sticks_clash(ALONG, ALONG + np.array([3.0, 1.0, 0.0]), KIT)[0]
    assert not sticks_clash(ALONG, ALONG + np.array([0.0, KIT.road_width_mm, 0.0]), KIT)[0]


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
