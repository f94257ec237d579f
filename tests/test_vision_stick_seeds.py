"""Seeds of sticks: the quick search over a thinned grid finds what a look at every point finds."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from referee.layout import Column, Layout
from referee.pieces import Kit
from tests.vision_drawing import RIG, drawn, road_between
from vision import stick_seeds
from vision.region import play_box
from vision.seek import Field, Seed, field
from vision.stick_rows import Rows, rows_of
from vision.stick_seeds import Wanted, seek_sticks
from vision.views import evidence_of

KIT = Kit()
KNEE = 3.0
COLUMNS = (
    Column("c0", -45.0, 0.0, 2, False, None),
    Column("c1", 48.0, 12.0, 4, False, None),
    Column("c2", 90.0, 100.0, 1, False, None),
)
ROADS = (road_between("r0", COLUMNS[0], COLUMNS[1], KIT), road_between("r1", COLUMNS[1], COLUMNS[2], KIT))
TABLE = Layout(columns=COLUMNS, roads=ROADS, cars=())
ALL = Wanted(7, 7, 0.0)


@pytest.fixture(scope="module")
def where() -> Field:
    """A table with three columns and two roads from above."""
    views = evidence_of(drawn(TABLE), None, RIG, play_box(TABLE, RIG, KIT))
    return field(views[0], play_box(TABLE, RIG, KIT), 20.0)


def _whole(where: Field, wanted: Wanted, monkeypatch: pytest.MonkeyPatch) -> list[Seed]:
    with monkeypatch.context() as patch:
        patch.setattr(stick_seeds, "SMALL", math.inf)
        return seek_sticks(where, KIT, KNEE, wanted)


def test_a_thinned_grid_leads_to_the_seeds_that_a_look_at_every_point_finds(
    where: Field, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert where.tensors[0][..., 0].size > stick_seeds.SMALL
    quick, slow = seek_sticks(where, KIT, KNEE, ALL), _whole(where, ALL, monkeypatch)
    assert len(quick) == len(slow) == ALL.most
    for one, other in zip(quick, slow, strict=True):
        assert (one.x, one.y, one.yaw_rad) == pytest.approx((other.x, other.y, other.yaw_rad))
        # Turning a part of a picture rounds a little otherwise than turning all of it.
        assert one.score == pytest.approx(other.score, abs=1e-3)


def test_the_best_two_seeds_lie_on_the_two_roads(where: Field) -> None:
    for seed in seek_sticks(where, KIT, KNEE, Wanted(2, 2, 0.0)):
        middles = [np.add(road.a, road.b)[:2] / 2 for road in ROADS]
        assert min(math.dist(middle, (seed.x, seed.y)) for middle in middles) < 12.0


def test_few_seeds_are_given_in_any_case_and_more_only_where_they_are_clear(where: Field) -> None:
    every = seek_sticks(where, KIT, KNEE, ALL)
    clear = (every[3].score + every[4].score) / 2
    assert seek_sticks(where, KIT, KNEE, Wanted(2, 7, clear)) == every[:4]
    assert seek_sticks(where, KIT, KNEE, Wanted(5, 7, 1.0)) == every[:5]


def test_a_field_that_shows_nothing_has_no_seeds(where: Field) -> None:
    bare = Field(where.box, where.z_mm, tuple(np.zeros_like(t) for t in where.tensors), where.pixels_per_mm)
    assert seek_sticks(bare, KIT, KNEE, ALL) == []


def test_a_field_narrower_than_a_stick_is_searched_without_a_fault(where: Field) -> None:
    narrow = where.around(0.0, 0.0, 3.0)
    assert seek_sticks(narrow, KIT, KNEE, ALL) == []


def test_directions_that_showed_too_little_before_are_left_out_and_nothing_is_missed(
    where: Field, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = where.around(60.0, 50.0, 100.0)
    assert part.tensors[0][..., 0].size < stick_seeds.SMALL
    few = Wanted(2, 3, 0.55)
    seek_sticks(part, KIT, KNEE, few)
    left = dataclasses.replace(part, tensors=tuple(tensor * np.float32(0.9) for tensor in part.tensors))
    asked: list[float] = []

    def looked_at(one: Field, yaw_rad: float, kit: Kit, knee: float) -> Rows:
        asked.append(yaw_rad)
        return rows_of(one, yaw_rad, kit, knee)

    monkeypatch.setattr(stick_seeds, "rows_of", looked_at)
    again = seek_sticks(left, KIT, KNEE, few)
    assert 0 < len(asked) < len(stick_seeds.YAWS_RAD) / 2
    assert again == seek_sticks(dataclasses.replace(left, mosts={}), KIT, KNEE, few)
    assert len(asked) > len(stick_seeds.YAWS_RAD)


def test_what_a_part_of_a_field_shows_leaves_out_nothing_of_the_whole(where: Field) -> None:
    whole = dataclasses.replace(where.around(60.0, 50.0, 100.0), mosts={})
    few = Wanted(2, 3, 0.55)
    first = seek_sticks(whole, KIT, KNEE, few)
    assert first
    nothing = np.zeros(whole.tensors[0].shape[:2], np.uint8)
    assert seek_sticks(whole.only(nothing), KIT, KNEE, few) == []
    assert seek_sticks(whole, KIT, KNEE, few) == first
