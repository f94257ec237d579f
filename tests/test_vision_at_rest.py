"""New sticks at rest: as high as what lies under their ends makes them, which is not on whole levels."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from sample_frames.resting import Lay, lie
from tests.vision_drawing import RIG, drawn, road_between
from vision.at_rest import at_rest, sunk_mm
from vision.bodies import stick_pose
from vision.found import SUNK, Found, laid, with_columns
from vision.region import play_box
from vision.rests import Rest
from vision.views import evidence_of, scenes_of

KIT = Kit()
LOW = Column("c0", -60.0, 10.0, 1, False, "purple")
HIGH = Column("c1", 20.0, -35.0, 4, False, "purple")
RISING = road_between("r1", LOW, HIGH, KIT)
BEFORE = Layout((LOW, HIGH), (RISING,), ())


def laid_over(side_mm: float) -> Layout:
    """The table with a stick that leads back over the rising one, and is lifted by it."""
    back_deg = float(np.degrees(np.arctan2(LOW.y - HIGH.y, LOW.x - HIGH.x)))
    rest = lie(KIT, BEFORE, HIGH, Lay(back_deg - 40.0, 7.0, 4.0, 4, side_mm))
    assert rest is not None
    a, b, (x, y) = rest
    column = Column("c2", x, y, 4, False, "purple")
    return Layout((*BEFORE.columns, column), (RISING, Road("r2", a, b, "road", "c1", "c2", "purple")), ())


def found_in(after: Layout, accepted: Layout, level_mm: float) -> Found:
    """The new stick of a table, fitted with its first end held to a level on the column that bears it."""
    views = evidence_of(drawn(after, seed=2), None, RIG, play_box(BEFORE, RIG, KIT))
    scenes, new = scenes_of(views, accepted, KIT), after.roads[-1]
    pose = stick_pose(np.array(new.a), np.array(new.b))
    rests = Rest(level_mm, "c1", HIGH.height), Rest(KIT.lying_z_mm(4), height=4)
    (found,) = with_columns(scenes, laid(scenes, [(pose, rests)], KIT), KIT)
    return at_rest(scenes, found, accepted, KIT)


@pytest.mark.parametrize("side_mm", [-2.0, 2.0])
def test_a_stick_on_a_rising_one_is_as_high_as_that_lifts_it(side_mm: float) -> None:
    after = laid_over(side_mm)
    true_mm = np.array([after.roads[-1].a[2], after.roads[-1].b[2]])
    on_the_disc_mm = KIT.lying_z_mm(HIGH.height)
    assert true_mm[0] > on_the_disc_mm + 2.0
    found = found_in(after, BEFORE, on_the_disc_mm)
    assert np.abs(found.stick.pose[3:] - true_mm).max() < 0.5
    assert np.abs([rest.z_mm - z_mm for rest, z_mm in zip(found.rests, true_mm, strict=True)]).max() < 0.5
    assert found.doubt is None


def test_a_stick_that_is_seen_within_another_is_asked_for() -> None:
    lifted = replace(RISING, a=(*RISING.a[:2], RISING.a[2] + 4.5), b=(*RISING.b[:2], RISING.b[2] + 4.5))
    after = laid_over(2.0)
    found = found_in(after, replace(BEFORE, roads=(lifted,)), KIT.lying_z_mm(HIGH.height))
    assert found.doubt == SUNK


THICK = KIT.road_thickness_mm


@pytest.mark.parametrize(
    ("above_mm", "deep_mm"),
    [(THICK, 0.0), (THICK + 1.0, 0.0), (THICK - 1.0, 1.0), (0.0, THICK), (0.1 - THICK, 2 * THICK - 0.1), (-THICK, 0.0)],
)
def test_how_deep_a_stick_lies_in_another_and_that_one_below_lies_in_none(above_mm: float, deep_mm: float) -> None:
    level = replace(RISING, a=(-60.0, 10.0, 30.0), b=(35.0, 10.0, 30.0))
    over = replace(level, id="r2", a=(-60.0, 10.0, 30.0 + above_mm), b=(-60.0, 105.0, 30.0 + above_mm))
    assert sunk_mm(over, Layout((LOW, HIGH), (level,), ()), KIT) == pytest.approx(deep_mm)


def test_a_stick_is_in_none_with_which_it_shares_no_column() -> None:
    other = replace(RISING, from_=None, to=None)
    assert sunk_mm(replace(RISING, id="r2"), Layout((LOW, HIGH), (other,), ()), KIT) == 0.0
    assert sunk_mm(replace(RISING, id="r2"), BEFORE, KIT) == pytest.approx(THICK, abs=0.2)
