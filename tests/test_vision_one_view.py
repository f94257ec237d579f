"""One camera, from above: how high new columns are is asked for, with odds that do not lean to tall ones."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import Column, Layout
from referee.pieces import Kit
from tests.vision_drawing import RIG, drawn, road_between
from vision.bodies import column_body
from vision.covers import pixels_about
from vision.fit import Fit, Scene, Support
from vision.region import play_box
from vision.rims import rim_odds
from vision.solids import solid_of
from vision.told import without_net
from vision.unverified import ONE_VIEW
from vision.views import evidence_of, scenes_of
from vision.watch import explain

KIT = Kit()
HEIGHTS = range(1, 9)
C0 = Column("c0", -60.0, 10.0, 1, False, "purple")
C1 = Column("c1", 20.0, -35.0, 3, False, "purple")
FIRST = Layout((C0, C1), (road_between("r1", C0, C1, KIT),), ())


def with_new(height: int) -> Layout:
    """The first table with a road to a new column."""
    column = Column("c2", 55.0, 45.0, height, False, "purple")
    return replace(FIRST, columns=(C0, C1, column), roads=(*FIRST.roads, road_between("r2", C1, column, KIT, (1, 0))))


@functools.cache
def overhead_of(height: int) -> Scene:
    """What the overhead camera saw before and sees now of a table with a new column."""
    before, now = ({"overhead": drawn(one, seed=i)["overhead"]} for i, one in enumerate((FIRST, with_new(height))))
    return scenes_of(evidence_of(now, before, RIG, play_box(FIRST, RIG, KIT)), FIRST, KIT)[0]


@functools.cache
def seen_from_above(height: int) -> Layout:
    before, now = ({"overhead": drawn(one, seed=i)["overhead"]} for i, one in enumerate((FIRST, with_new(height))))
    return explain(FIRST, before, now, RIG, KIT, ("purple", "green"), "purple")


def columns_seen_alike(height: int) -> list[Fit]:
    """Columns of every height whose tops would be seen where that of a true one is."""
    lens = overhead_of(height).evidence.lens
    x, y = with_new(height).columns[-1].x, with_new(height).columns[-1].y
    pixel = lens.project(np.array([[x, y, KIT.column_top_mm(height)]]))
    places = [lens.on_plane(pixel, KIT.column_top_mm(n))[0, :2] for n in HEIGHTS]
    bodies = [
        column_body(KIT, 0.0, KIT.column_top_mm(n)).prism(place) for n, place in zip(HEIGHTS, places, strict=True)
    ]
    return [Fit(place, np.eye(2), 1.0, (), body) for place, body in zip(places, bodies, strict=True)]


@pytest.mark.parametrize("height", [1, 2, 4, 6])
def test_a_new_column_is_asked_for_with_its_height_among_the_likely_ones(height: int) -> None:
    found = next(column for column in seen_from_above(height).columns if column.id == "c2")
    odds = {one.height: one.p or 0.0 for one in found.candidates}
    assert abs(found.height - height) <= 1
    assert odds[height] > 0.2
    assert found.height == max(odds, key=lambda n: odds[n])
    assert sum(odds.values()) == pytest.approx(1.0, abs=0.05)
    assert found.unsure is not None


@pytest.mark.parametrize("height", [1, 2, 4, 6])
def test_the_road_to_it_is_told_and_asked_for(height: int) -> None:
    road = next(road for road in seen_from_above(height).roads if road.id == "r2")
    assert (road.from_, road.to) == ("c1", "c2")
    assert road.unsure is not None
    assert np.abs(np.array(road.a) - with_new(height).roads[-1].a)[:2].max() < 1.5
    assert seen_from_above(height).unsure == ONE_VIEW


def test_without_the_net_tall_columns_are_not_favoured_either() -> None:
    with without_net():
        before, now = ({"overhead": drawn(one, seed=i)["overhead"]} for i, one in enumerate((FIRST, with_new(1))))
        found = explain(FIRST, before, now, RIG, KIT, ("purple", "green"), "purple")
    assert max(column.height for column in found.columns if column.id == "c2") <= 3


def test_a_point_counts_as_much_on_a_long_outline_as_on_a_short_one() -> None:
    prisms = [column_body(KIT, 0.0, KIT.column_top_mm(n)).prism(np.array([55.0, 45.0])) for n in (1, 8)]
    short, tall = (
        Fit(np.zeros(2), np.eye(2), 1.0, (Support(0.2 * count, 1.0, 0.7, count),), prism)
        for count, prism in zip((60, 220), prisms, strict=True)
    )
    assert short.score == pytest.approx(tall.score)


@pytest.mark.parametrize("height", [1, 4, 7])
def test_the_size_of_a_rim_speaks_for_about_the_true_height(height: int) -> None:
    columns = columns_seen_alike(height)
    odds = rim_odds([overhead_of(height)], columns, [[None] * len(columns)], 0.0, KIT)
    assert abs(HEIGHTS[int(np.argmax(odds))] - height) <= 1
    assert odds[height - 1] > odds.min() + 1.0


def test_what_lies_over_an_old_piece_must_cover_what_changed_of_it() -> None:
    true = with_new(3)
    pieces = [solid_of(piece, KIT) for piece in (true.roads[-1], true.columns[-1])]
    pixels = pixels_about(overhead_of(3), pieces, KIT)
    (told, uncovered_mm2), (less_told, more_mm2) = pixels.with_pieces(pieces), pixels.with_pieces(pieces[1:])
    assert uncovered_mm2 < 0.2 * more_mm2
    assert told > less_told


def test_nothing_is_found_from_above_where_nothing_is_new() -> None:
    before, now = ({"overhead": drawn(FIRST, seed=seed)["overhead"]} for seed in (3, 4))
    assert explain(FIRST, before, now, RIG, KIT, ("purple", "green"), "purple") == FIRST
