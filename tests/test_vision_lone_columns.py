"""Bare columns tell where sticks may lead."""

from __future__ import annotations

import math

import numpy as np
import pytest

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from tests.vision_drawing import RIG, road_between
from vision.found import BORNE
from vision.lone_columns import OVER_MM, asked_where_bare, borne_at_tips, led_to_columns, seeds_from
from vision.view import Lens

KIT = Kit()
LENS = Lens(RIG.cameras["overhead"])
Z_MM = 20.0
BARE = Column("c0", -40.0, 5.0, 3, False, None)


def other_at(gap_mm: float) -> Column:
    return Column("c1", BARE.x + gap_mm * math.cos(0.4), BARE.y + gap_mm * math.sin(0.4), 1, False, None)


def test_a_stick_between_two_columns_is_where_a_seed_is() -> None:
    other = other_at(KIT.road_length_mm - 5.0)
    road = road_between("r", BARE, other, KIT)
    tips = LENS.on_plane(LENS.project(np.array([road.a, road.b])), Z_MM)
    x, y = tips.mean(axis=0)[:2]
    yaw = math.atan2(tips[1, 1] - tips[0, 1], tips[1, 0] - tips[0, 0])
    seeds = seeds_from(BARE, Layout((BARE, other), (), ()), LENS, Z_MM, KIT)
    assert min(math.hypot(s.x - x, s.y - y) + 50 * abs(s.yaw_rad - yaw) for s in seeds) < 2.0


@pytest.mark.parametrize(
    ("gap_mm", "within"),
    [
        (KIT.road_length_mm + OVER_MM - 0.5, True),
        (KIT.road_length_mm + OVER_MM + 0.5, False),
        (KIT.road_length_mm - KIT.disc_diameter_mm + 0.5, True),
        (KIT.road_length_mm - KIT.disc_diameter_mm - 0.5, False),
    ],
)
def test_only_columns_that_a_stick_can_join_are_tried(gap_mm: float, within: bool) -> None:
    assert bool(seeds_from(BARE, Layout((BARE, other_at(gap_mm)), (), ()), LENS, Z_MM, KIT)) == within


def test_a_bare_column_is_asked_for_where_a_road_was_laid_elsewhere() -> None:
    laid, end, bare = (
        other_at(90.0),
        Column("c2", -120.0, 0.0, 1, False, None),
        Column("c3", 80.0, -90.0, 1, False, None),
    )
    layout = Layout((BARE, laid, end, bare), (road_between("r", BARE, laid, KIT),), ())
    found = asked_where_bare(layout, {"c0", "c2"})
    assert [column.unsure is None for column in found.columns] == [True, True, True, False]


@pytest.mark.parametrize(("away_mm", "asked"), [(0.5, False), (-0.5, True)])
def test_a_road_that_missed_its_column_ends_beside_it_and_is_asked_for_where_it_would_end_in_it(
    away_mm: float, asked: bool
) -> None:
    old, new = Column("c0", 0.0, 0.0, 3, False, None), Column("c1", 95.0, 0.0, 1, False, None)
    end_mm = new.x - KIT.disc_radius_mm - away_mm
    road = Road("r1", (0.0, 0.0, KIT.lying_z_mm(3)), (end_mm, 0.0, 1.2), "exit", "c0", None, "purple")
    (led,) = led_to_columns(Layout((old, new), (road,), ()), Layout((old,), (), ()), KIT).roads
    assert (led.to, led.kind) == ("c1", "road")
    assert (led.unsure is not None) == asked


@pytest.mark.parametrize(("beside_mm", "bears"), [(-0.5, True), (0.5, False)])
@pytest.mark.parametrize("doubt", [None, "height"])
def test_a_road_lies_on_the_new_column_under_its_tip_not_on_one_that_it_passes(
    beside_mm: float, bears: bool, doubt: str | None
) -> None:
    first, passed = Column("c0", 0.0, 0.0, 3, False, None), Column("c1", 65.0, 12.0, 3, False, None)
    new = Column("c2", 90.0, -KIT.disc_radius_mm - beside_mm, 3, False, None, unsure=doubt)
    z_mm = KIT.lying_z_mm(3)
    road = Road("r1", (0.0, 0.0, z_mm), (90.0, 0.0, z_mm), "road", "c0", "c1", "purple")
    turned = Road("r1", road.b, road.a, "road", "c1", "c0", "purple")
    before = Layout((first, passed), (), ())
    for laid, ends in ((road, ("c0", "c2")), (turned, ("c2", "c0"))):
        (borne,) = borne_at_tips(Layout((first, passed, new), (laid,), ()), before, KIT).roads
        assert (borne.from_, borne.to) == (ends if bears else (laid.from_, laid.to))
        assert borne.unsure == (BORNE if bears and doubt else None)
        low = Column("c2", new.x, new.y, 2, False, None, unsure=doubt)
        over = Layout((first, passed, low), (laid,), ())
        assert borne_at_tips(over, before, KIT) == over, "a tip over a lower column does not lie on it"
    known = Layout((first, passed, new), (road,), ())
    assert borne_at_tips(known, Layout((first, passed), (road,), ()), KIT) == known, "a road that lay there stays"
