"""Heights of a layout that was read are settled by both views, and one that is right stays."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from referee.layout import Layout
from tests.test_vision_measured import scenes, stacked
from tests.test_vision_watch import KIT
from vision import at_once
from vision.lifts import MOST_AGAINST, with_settled_heights
from vision.refit import fitted, refitted


def heights(layout: Layout) -> list[int]:
    return [column.height for column in layout.columns]


def lifted(name: str, by_discs: int) -> Layout:
    """The table as it is, but for one column and the ends that lie on it."""
    by_mm = by_discs * KIT.disc_height_mm
    columns = [replace(c, height=c.height + by_discs) if c.id == name else c for c in stacked().columns]
    roads = [
        replace(
            road,
            a=(*road.a[:2], road.a[2] + by_mm * (road.from_ == name)),
            b=(*road.b[:2], road.b[2] + by_mm * (road.to == name)),
        )
        for road in stacked().roads
    ]
    return replace(stacked(), columns=tuple(columns), roads=tuple(roads))


@pytest.mark.parametrize(("name", "by_discs"), [("c0", 1), ("c1", -1), ("c1", 1), ("c2", -1), ("c2", 1)])
def test_a_column_that_was_read_a_disc_too_high_or_too_low_is_put_right(name: str, by_discs: int) -> None:
    both = [fitted(lifted(name, by_discs), scenes(), KIT)] * 2
    found, _ = with_settled_heights(both, {}, scenes(), None, KIT)
    assert [heights(one) for one in found] == [heights(stacked())] * 2


@pytest.mark.parametrize(("against", "put_right"), [(-1000.0, False), (-MOST_AGAINST - 1.0, True)])
def test_what_the_search_had_more_against_than_there_is_for_it_stays(against: float, put_right: bool) -> None:
    both = [fitted(lifted("c2", 1), scenes(), KIT)] * 2
    found, _ = with_settled_heights(both, {"c2": {3: against}}, scenes(), None, KIT)
    assert (heights(found[0]) == heights(stacked())) is put_right


def test_right_heights_stay_and_others_are_worse() -> None:
    (found,), rivals = with_settled_heights([fitted(stacked(), scenes(), KIT)], {}, scenes(), None, KIT)
    assert heights(found) == heights(stacked())
    assert {name: set(others) for name, others in rivals.items()} == {"c0": {2}, "c1": {1, 3}, "c2": {2, 4}}
    assert max(gain for others in rivals.values() for gain in others.values()) < 0.0


def test_side_by_side_the_same_is_found_as_by_one_thread_alone() -> None:
    begun = [fitted(lifted("c2", 1), scenes(), KIT)]
    with at_once.alone():
        wanted = with_settled_heights(begun, {}, scenes(), None, KIT)
    assert [with_settled_heights(begun, {}, scenes(), None, KIT) for _ in range(8)] == [wanted] * 8


def test_only_the_pieces_that_are_named_are_fitted() -> None:
    moved = replace(stacked(), columns=tuple(replace(c, x=c.x + 1.0) for c in stacked().columns))
    (found,) = refitted([(moved, {"c1"})], scenes(), KIT)
    assert [one == other for one, other in zip(found.columns, moved.columns, strict=True)] == [True, False, True]
    assert found.roads == moved.roads
    assert abs(found.columns[1].x - stacked().columns[1].x) < 0.5
