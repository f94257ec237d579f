"""Ways to explain a stick: one that slid onto a column while it was fitted lies on that column."""

from __future__ import annotations

import math

import numpy as np
import pytest

from referee.layout import Column, Layout
from referee.pieces import Kit
from tests.vision_drawing import RIG, drawn
from vision.bodies import stick_body
from vision.borne_out import NOT_SHOWN
from vision.fit import Fit, Support
from vision.found import COLUMN_COST, Found
from vision.propose import ALIKE, FITTED, FLAT, MORE, _foremost, _poses, _settled, _spread, is_through
from vision.region import play_box
from vision.rests import Rest
from vision.seek import Seed
from vision.views import evidence_of, scenes_of

KIT = Kit()
OLD = Column("c6", 0.0, 0.0, 3, False, None)
TABLE = Layout((OLD,), (), ())


def _found(tip_x_mm: float, near: Rest) -> Found:
    """A level stick whose one tip lies at (tip_x_mm, 0), on new columns of the old one's height by what is said."""
    z_mm = KIT.lying_z_mm(3)
    pose = np.array([tip_x_mm + KIT.road_length_mm / 2, 0.0, 0.0, z_mm, z_mm])
    fit = Fit(pose, np.eye(5), 1.0, (), stick_body(KIT).prism(pose))
    return Found(fit, (near, Rest(z_mm, height=3)), (None, None))


NEW, KNOWN = Rest(KIT.lying_z_mm(3), height=3), Rest(KIT.lying_z_mm(3), "c6", 3)


def test_a_new_column_cannot_stand_where_an_old_one_does() -> None:
    assert is_through(_found(-4.0, NEW), TABLE, KIT)
    assert not is_through(_found(-4.0, KNOWN), TABLE, KIT)
    assert not is_through(_found(0.7 * KIT.disc_diameter_mm, NEW), TABLE, KIT)


def test_a_stick_that_slid_onto_a_column_is_tried_on_that_one() -> None:
    ways = _settled(_found(-4.0, NEW), TABLE, KIT)
    assert [rests[0].column for _, rests in ways] == ["c6"]
    assert not _settled(_found(30.0, NEW), TABLE, KIT)


def _scored(score: float, x_mm: float, far: Rest) -> Found:
    """A stick from the old column that is borne out so well, with its other tip on something."""
    pose = np.array([x_mm, 0.0, 0.0, KNOWN.z_mm, far.z_mm])
    fit = Fit(pose, np.eye(5), 1.0, (Support(score, 1.0, 1.0, 90), NOT_SHOWN), stick_body(KIT).prism(pose))
    return Found(fit, (KNOWN, far), (None, None))


def test_ways_on_the_same_things_do_not_crowd_out_one_whose_column_is_not_yet_looked_for() -> None:
    down = [_scored(90.0 - i, 40.0 + 3 * i, Rest(1.2)) for i in range(FITTED + 2)]
    on_new = _scored(80.0, 41.0, NEW)
    assert _foremost([*down, on_new], FITTED, KIT) == [*down[:FITTED], on_new]


def test_ways_on_known_things_that_are_worse_are_not_followed() -> None:
    down = [_scored(90.0 - i, 40.0 + 3 * i, Rest(1.2)) for i in range(FITTED)]
    assert _foremost([*down, _scored(80.0, 41.0, Rest(31.0, "c7", 3))], FITTED, KIT) == down


def test_no_more_than_some_on_new_columns_are_followed() -> None:
    down = [_scored(90.0 - i, 40.0 + 3 * i, Rest(1.2)) for i in range(FITTED)]
    others = [_scored(80.0 - n, 41.0 + n, Rest(KIT.lying_z_mm(n), height=n)) for n in range(1, MORE + 2)]
    assert _foremost([*others, *down], FITTED, KIT) == [*down, *others[:MORE]]


def test_a_new_column_must_be_worth_its_cost() -> None:
    alone = _scored(90.0, 40.0, NEW)
    for worth, is_better in ((COLUMN_COST + 1.0, True), (COLUMN_COST - 1.0, False)):
        column = Fit(np.zeros(2), np.eye(2), 1.0, (Support(worth, 1.0, 1.0, 70), NOT_SHOWN), alone.stick.prism)
        assert (Found(alone.stick, alone.rests, (None, column)).score > alone.score) == is_better


@pytest.mark.parametrize("turned_rad", [0.0, math.pi])
def test_only_a_stick_with_both_ends_on_the_table_is_unlikely_whichever_end_is_named_first(turned_rad: float) -> None:
    scenes = scenes_of(evidence_of(drawn(TABLE), None, RIG, play_box(TABLE, RIG, KIT)), TABLE, KIT)
    rows = _poses(scenes[0], Seed(45.0, 0.0, turned_rad, 20.0, 1.0), TABLE, KIT, 4)
    down = [rests for _, rests in rows if any(rest.is_ground for rest in rests)]
    exits = [rests for rests in down if any(rest.column == "c6" for rest in rests)]
    assert exits
    for rests in down:
        wanted = FLAT if all(rest.is_ground for rest in rests) else 0.0
        assert [rest.log_odds for rest in rests if rest.is_ground] == [wanted] * sum(rest.is_ground for rest in rests)


def test_ways_on_the_same_things_leave_room_for_others() -> None:
    z_mm = KNOWN.z_mm
    alike = [(np.array([3.0 * i, 0.0, 0.0, z_mm, z_mm]), (KNOWN, NEW)) for i in range(20)]
    down = (np.array([1.0, 0.0, 0.0, z_mm, 1.2]), (KNOWN, Rest(1.2)))
    kept = _spread([*alike, down], np.array([*(50.0 - i for i in range(20)), 5.0]))
    assert kept == [*range(ALIKE), 20]
