"""A table read without history is trusted only where nothing is left over and most of it is clear."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import BARE_TABLE, Column, Layout
from tests.test_vision_watch import KIT, PLAYERS, SECOND
from tests.vision_drawing import RIG, drawn
from vision.evidence import Evidence
from vision.first_look import first_look
from vision.flat import Flat, flat_of
from vision.found import BORNE
from vision.lineage import FAINT, UNTOLD
from vision.measured import ALONG
from vision.region import play_box
from vision.scoring import score
from vision.single import layout_of
from vision.strips import Strip, strips
from vision.told import told_of
from vision.tops import PLANE_DISCS
from vision.trust import (
    ASK_ALL,
    LEFT_ON_BARE,
    LEFT_OVER,
    MOST_BARE,
    MOST_LEFT,
    Read,
    asked_where_untrusted,
    left_over,
    read_in,
)  # fmt: skip
from vision.views import evidence_of


@functools.cache
def views() -> tuple[Evidence, ...]:
    found = evidence_of(drawn(SECOND, seed=6), None, RIG, play_box(BARE_TABLE, RIG, KIT))
    return tuple(told_of(view, np.array([0.0, 0.0, 10.0]), KIT) for view in found)


@functools.cache
def flat() -> Flat:
    return flat_of(views()[0].view, play_box(BARE_TABLE, RIG, KIT), PLANE_DISCS * KIT.disc_height_mm, KIT)


@functools.cache
def seen() -> tuple[Strip, ...]:
    return tuple(strips(flat(), KIT))


def clearest(layout: Layout) -> float:
    """How clear the clearest strip is that no road of a layout is."""
    return max((strip.sides for strip in left_over(layout, seen(), flat(), views()[0], KIT)), default=0.0)


@pytest.mark.parametrize("missing", [road.id for road in SECOND.roads])
def test_a_road_that_was_missed_is_left_over_clearer_than_anything_on_a_table_that_is_read_whole(missing: str) -> None:
    less = replace(SECOND, roads=tuple(road for road in SECOND.roads if road.id != missing))
    assert clearest(less) > 1.2 * clearest(SECOND)


def strip(clearness: float) -> Strip:
    return Strip(0.0, 0.0, 0.0, clearness)


@pytest.mark.parametrize(("clearness", "asked"), [(LEFT_OVER - 0.01, False), (LEFT_OVER + 0.01, True)])
def test_a_clear_strip_left_over_asks_for_every_piece_and_for_the_layout(clearness: float, asked: bool) -> None:
    layout = asked_where_untrusted(SECOND, [strip(clearness)])
    assert (layout.unsure is not None) is asked
    assert all((piece.unsure is not None) is asked for piece in layout.pieces())


@pytest.mark.parametrize(("clearness", "asked"), [(LEFT_ON_BARE - 0.01, False), (LEFT_ON_BARE + 0.01, True)])
def test_a_bare_table_is_believed_only_where_nothing_looks_like_a_stick(clearness: float, asked: bool) -> None:
    assert (asked_where_untrusted(BARE_TABLE, [strip(clearness)]).unsure is not None) is asked


@pytest.mark.parametrize("number", [0, 1], ids=["overhead", "side"])
def test_a_view_accounts_for_less_where_a_piece_is_missing_or_one_too_many(number: int) -> None:
    whole = read_in(SECOND, views()[number], KIT, None)
    less = replace(SECOND, roads=SECOND.roads[1:])
    more = replace(SECOND, columns=(*SECOND.columns, Column("c9", 60.0, -70.0, 3, False, None)))
    assert read_in(less, views()[number], KIT, None).left > whole.left
    assert read_in(more, views()[number], KIT, None).bare > whole.bare


@pytest.mark.parametrize("spare", [-0.01, 0.01])
@pytest.mark.parametrize("views_read", [1, 2])
def test_what_a_view_does_not_account_for_asks_for_all(views_read: int, spare: float) -> None:
    whole = [Read(0.0, 0.0)] * (views_read - 1)
    for read in (Read(MOST_LEFT[views_read - 1] + spare, 0.0), Read(0.0, MOST_BARE + spare)):
        assert (asked_where_untrusted(SECOND, [], [*whole, read]).unsure is not None) is (spare > 0)


@pytest.mark.parametrize("doubts", [0, 1])
def test_more_than_a_share_of_doubts_asks_for_all(doubts: int) -> None:
    columns = tuple(replace(c, unsure=FAINT) if i < doubts else c for i, c in enumerate(SECOND.columns))
    layout = asked_where_untrusted(replace(SECOND, columns=columns), [])
    assert (layout.unsure is not None) is (doubts > ASK_ALL * sum(1 for _ in SECOND.built()))


@pytest.mark.parametrize("doubt", [UNTOLD, ALONG, BORNE])
def test_how_a_road_runs_or_lies_along_itself_or_on_what_is_no_reason_to_ask_for_all(doubt: str) -> None:
    roads = tuple(replace(road, unsure=doubt) for road in SECOND.roads)
    assert asked_where_untrusted(replace(SECOND, roads=roads), []).unsure is None


def test_a_missed_piece_is_no_sure_fault_where_the_layout_itself_is_asked_for() -> None:
    bare = Layout((), (), ())
    assert score(bare, SECOND).wrong_and_sure
    assert score(replace(bare, unsure="?"), SECOND).asked


def test_a_table_that_is_read_whole_is_trusted() -> None:
    assert layout_of(first_look(drawn(SECOND, seed=6), RIG, KIT), PLAYERS).unsure is None
