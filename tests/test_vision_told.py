"""What the net takes pixels for, on pictures of a program that it was not taught with: the bundled stills."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from gui.bench_frames import STILLS, Table, tables_in
from referee.layout import BARE_TABLE, Column, Layout
from tests.vision_drawing import RIG
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.odds import MOST_ODDS, STICK, odds_of, stick_odds
from vision.region import play_box
from vision.solids import solids
from vision.told import is_told_top, told_of, told_sticks, told_tops, without_net
from vision.view import Floats
from vision.views import evidence_of


@functools.cache
def table() -> Table:
    return next(iter(tables_in(STILLS / "still_003")))


@functools.cache
def views() -> tuple[Evidence, ...]:
    turn = max(table().files)
    found = evidence_of(table().pair(turn), None, table().rig, play_box(BARE_TABLE, table().rig, table().kit))
    return tuple(told_of(view, middle(), table().kit) for view in found)


def layout() -> Layout:
    return table().layouts[max(table().files)]


def middle() -> Floats:
    return np.array([*np.mean([(c.x, c.y) for c in layout().columns], axis=0), 10.0])


def poses(aside_mm: float) -> Floats:
    """Every road, so far beside where it lies."""
    found = []
    for road in layout().roads:
        a, b = np.array(road.a), np.array(road.b)
        yaw = np.arctan2(b[1] - a[1], b[0] - a[0])
        x, y = (a + b)[:2] / 2 + aside_mm * np.array([-np.sin(yaw), np.cos(yaw)])
        found.append((x, y, yaw, a[2], b[2]))
    return np.array(found)


def test_shares_are_shares() -> None:
    for view in views():
        assert view.told is not None
        assert view.told.shape == (*view.view.picture.shape[:2], 7)
        assert view.told[..., :5].sum(axis=-1) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("number", [0, 1], ids=["overhead", "side"])
def test_pieces_are_told_from_the_table(number: int) -> None:
    view = views()[number]
    shown = depth_map(solids(layout(), table().kit), view.lens).number >= 0
    assert view.told is not None
    piece = 1 - view.told[..., 0]
    assert piece[shown].mean() > 3 * piece[~shown].mean()
    assert piece[shown].mean() > 0.6


@pytest.mark.parametrize("number", [0, 1], ids=["overhead", "side"])
def test_sticks_add_most_where_they_lie(number: int) -> None:
    view, kit = views()[number], table().kit
    assert view.stick_odds is not None
    there, beside = (stick_odds(view.stick_odds, view.lens, poses(mm), kit) for mm in (0.0, 1.5 * kit.road_width_mm))
    assert np.median(there) > np.median(beside) + 5.0


def test_tops_and_sticks_are_taken_for_what_they_are() -> None:
    kit, overhead = table().kit, views()[0]
    tops = np.array([(c.x, c.y, kit.column_top_mm(c.height)) for c in layout().columns])
    lines = np.array([(road.a, road.b) for road in layout().roads])
    assert np.median(told_tops(overhead, tops, kit.disc_radius_mm)) > 0.2
    away = tops + np.array([0.0, 3 * kit.disc_diameter_mm, 0.0])
    assert np.median(told_tops(overhead, away, kit.disc_radius_mm)) < -0.2
    assert np.median(told_sticks(overhead, lines)) > 0.8


def test_odds_of_nothing_say_nothing_and_none_is_sure() -> None:
    even = np.full((4, 4, 6), 0.25, np.float32)
    even[..., 4:] = 0.0
    assert odds_of(even, (2, 2)) == pytest.approx(0.0)
    even[..., :4] = 0.0
    even[..., STICK] = 1.0
    assert odds_of(even, (2, 2))[..., 0].max() <= MOST_ODDS


def test_where_the_net_was_not_asked_nothing_is_told() -> None:
    column = Column("c1", 0.0, 0.0, 1, False, None)
    picture = np.zeros((RIG.overhead.height, RIG.overhead.width, 3), np.uint8)
    view = evidence_of({"overhead": picture}, None, RIG, play_box(BARE_TABLE, RIG, table().kit))[0]
    spot = np.array([[column.x, column.y, 10.0]])
    assert view.odds is None
    assert told_tops(view, spot, 9.0).tolist() == [0.0]
    assert told_sticks(view, np.array([[(0.0, 0, 10), (90.0, 0, 10)]])).tolist() == [1.0]


def test_disc_tops_may_be_taken_for_tops_and_bare_table_may_not() -> None:
    kit = table().kit
    bare = [Evidence(view.view) for view in views()]
    tops = [np.array([c.x, c.y, kit.column_top_mm(c.height)]) for c in layout().columns[:6]]
    assert all(is_told_top(bare, top, kit) for top in tops)
    spots = np.array([(c.x, c.y) for c in layout().columns])
    aside = np.array([*(spots.min(axis=0) - 60.0), kit.disc_height_mm])
    assert not is_told_top(bare, aside, kit)
    with without_net():
        assert is_told_top(bare, aside, kit)
