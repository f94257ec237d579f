"""One pair without history: what cannot be told is asked, never guessed."""

from __future__ import annotations

import functools

from referee.layout import Layout
from tests.test_vision_watch import KIT, PLAYERS, SECOND
from tests.vision_drawing import RIG, drawn
from vision.debug import debug_picture
from vision.scoring import score
from vision.single import layout_of


@functools.cache
def found() -> Layout:
    return layout_of(drawn(SECOND, seed=6), RIG, KIT, PLAYERS)


def test_every_piece_is_found_where_it_stands() -> None:
    seen = score(found(), SECOND)
    assert (seen.columns_found, seen.roads_found, seen.cars_found) == (3, 2, 2)
    assert (seen.heights_right, seen.colours_right) == (3, 2)


def test_the_way_a_road_runs_is_asked_where_no_entrance_tells_it() -> None:
    assert not score(found(), SECOND).wrong_and_sure
    assert all(road.unsure is not None for road in found().roads)


def test_a_debug_picture_shows_both_views() -> None:
    picture = debug_picture(found(), drawn(SECOND, seed=6), RIG, KIT)
    assert picture.shape == (720, 2560, 3)
