"""Where pieces may stand: the rig's play area, else what both cameras see inside the strips in view."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from msgspec.structs import replace

from gui.bench_frames import STILLS, Table, tables_in
from vision.printed import tag_middles
from vision.region import LEAST_TAGS, play_outline
from vision.view import view_of


@pytest.fixture(scope="module")
def stripped() -> Table:
    """A bundled table with strips round it."""
    return next(tables_in(STILLS / "still_000"))


def test_strips_in_view_bound_the_play_area_and_every_piece_is_inside(stripped: Table) -> None:
    turn = max(stripped.files)
    overhead = view_of(stripped.pair(turn)["overhead"], stripped.rig.overhead, "overhead")
    seen, inside = play_outline(stripped.rig), play_outline(stripped.rig, overhead)
    assert seen.buffer(1.0).contains(inside)
    assert inside.area < 0.9 * seen.area
    assert all(inside.contains(shapely.Point(column.x, column.y)) for column in stripped.layouts[turn].columns)


def test_without_strips_it_is_what_both_cameras_see(stripped: Table) -> None:
    bare = np.full((stripped.rig.overhead.height, stripped.rig.overhead.width, 3), 128, np.uint8)
    assert play_outline(stripped.rig, view_of(bare, stripped.rig.overhead, "overhead")) == play_outline(stripped.rig)


def test_a_rig_that_names_its_play_area_is_believed(stripped: Table) -> None:
    told = replace(stripped.rig, play_area=((0.0, 0.0), (50.0, 0.0), (0.0, 50.0)))
    overhead = view_of(stripped.pair(max(stripped.files))["overhead"], stripped.rig.overhead, "overhead")
    assert play_outline(told, overhead).equals(shapely.Polygon(((0, 0), (50, 0), (0, 50))))


def test_strips_of_which_some_are_not_read_bound_nothing() -> None:
    table = next(tables_in(STILLS / "still_010"))  # Tags on two sides of it are covered by stock.
    turn = max(table.files)
    overhead = view_of(table.pair(turn)["overhead"], table.rig.overhead, "overhead")
    assert len(tag_middles(overhead)) >= LEAST_TAGS
    assert play_outline(table.rig, overhead) == play_outline(table.rig)
