"""Old pieces that the pictures bear out less than before."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import Column, Layout
from referee.pieces import Kit
from tests.vision_drawing import RIG, car_on, drawn, road_between
from vision.carry import SAME_MM, put_back
from vision.kept import LEAST_LINES, Check, checks, earlier, is_dimmed, present
from vision.region import play_box
from vision.unverified import LESS, LESS_SEEN, NOT_SEEN, asked_where_unverified, has_large_thing, missing
from vision.view import Picture
from vision.views import evidence_of, scenes_of
from vision.watch import COVERED, explain

KIT = Kit()
C0 = Column("c0", -60.0, 10.0, 1, False, "purple")
C1 = Column("c1", 20.0, -35.0, 3, False, "purple")
C2 = Column("c2", 55.0, 45.0, 2, False, "purple")
R1 = road_between("r1", C0, C1, KIT)
R2 = road_between("r2", C1, C2, KIT, levels=(1, 0))
TABLE = Layout((C0, C1, C2), (R1, R2), ())


def doubts(layout: Layout, checked: dict[str, Check]) -> dict[str, str]:
    asked = asked_where_unverified(layout, TABLE, checked)
    return {piece.id: piece.unsure for piece in asked.pieces() if piece.unsure is not None}


@pytest.mark.parametrize(("kept", "asked"), [(LESS_SEEN - 0.01, {"r1": LESS}), (LESS_SEEN, {})])
def test_an_old_piece_that_shows_less_of_itself_is_asked_for(kept: float, asked: dict[str, str]) -> None:
    assert doubts(TABLE, {"r1": Check(100, kept)}) == asked


def test_a_piece_that_lies_elsewhere_now_was_measured_there() -> None:
    moved = replace(TABLE, columns=(replace(C0, x=C0.x + 2.0), C1, C2))
    assert doubts(moved, {"c0": Check(100, 0.1)}) == {}


@pytest.mark.parametrize(("lines", "asked"), [(LEAST_LINES - 1, {"r2": NOT_SEEN}), (LEAST_LINES, {})])
def test_what_is_hidden_beside_pieces_that_are_gone_is_asked_for(lines: int, asked: dict[str, str]) -> None:
    without = replace(TABLE, roads=(R2,))
    assert doubts(without, {"r2": Check(lines, LESS_SEEN), "c0": Check(100, 1.0)}) == asked


def test_what_is_hidden_where_nothing_is_gone_stays_as_it_was() -> None:
    assert doubts(TABLE, {"r2": Check(0, 0.0)}) == {}


@pytest.mark.parametrize(("kept", "gone"), [(LESS_SEEN - 0.01, {"c0", "r1"}), (LESS_SEEN, {"c0"})])
def test_a_road_hardly_seen_whose_column_is_gone_is_gone_too(kept: float, gone: set[str]) -> None:
    assert missing(TABLE, {"c0": Check(100, 0.1), "c1": Check(100, 1.0), "r1": Check(100, kept)}) == gone


def test_a_road_hardly_seen_on_columns_that_stand_is_not_taken_for_gone() -> None:
    assert missing(TABLE, {"c0": Check(100, 1.0), "c1": Check(100, 1.0), "r1": Check(100, LESS_SEEN - 0.01)}) == set()


@pytest.mark.parametrize("light", [1.0, 0.45, 0.3])
def test_lines_that_weaken_with_the_light_are_still_there(light: float) -> None:
    views = evidence_of(drawn(TABLE, light=light, seed=5), drawn(TABLE, seed=6), RIG, play_box(TABLE, RIG, KIT))
    scenes = scenes_of(views, TABLE, KIT)
    was, is_ = earlier(scenes), present(scenes)
    found = checks(list(TABLE.built()), was, is_, KIT)
    assert min(one.kept for one in found.values()) > LESS_SEEN
    assert is_dimmed(was, is_) == (light < 1)


@pytest.mark.parametrize(("light", "asked"), [(1.0, set()), (0.75, {"r2", "c2"})])
def test_what_is_taken_away_while_a_lamp_goes_out_is_asked_for(light: float, asked: set[str]) -> None:
    less = drawn(replace(TABLE, columns=(C0, C1), roads=(R1,)), light=light, seed=7)
    found = explain(TABLE, drawn(TABLE, seed=8), less, RIG, KIT, ("purple", "green"), None)
    assert {piece.id for piece in found.pieces() if piece.unsure is not None} == asked
    assert ("r2" in {piece.id for piece in found.pieces()}) == bool(asked)


@pytest.mark.parametrize(("light", "moves"), [(1.0, True), (0.75, False)])
def test_what_is_pushed_while_a_lamp_goes_out_is_asked_for_where_it_stood(light: float, moves: bool) -> None:
    lone = replace(TABLE, roads=(R1,))
    pushed = drawn(replace(lone, columns=(C0, C1, replace(C2, x=C2.x + 1.5))), light=light, seed=9)
    found = explain(lone, drawn(lone, seed=10), pushed, RIG, KIT, ("purple", "green"), None)
    column = next(one for one in found.columns if one.id == "c2")
    assert (column.x > C2.x + 1.0) is moves
    assert moves or column == replace(C2, unsure=column.unsure)
    assert moves or column.unsure is not None


def with_a_hand(pictures: dict[str, Picture]) -> dict[str, Picture]:
    """The pictures with a forearm's length of something brown over the road between c0 and c1."""
    covered = {name: picture.copy() for name, picture in pictures.items()}
    for name, picture in covered.items():
        height, width = picture.shape[:2]
        middle = RIG.cameras[name].project(np.array([[(C0.x + C1.x) / 2, (C0.y + C1.y) / 2, 15.0]]))[0]
        wide = round(0.06 * width)
        cv2.line(picture, (round(middle[0]), round(middle[1])), (0, height // 3), (60, 90, 140), 2 * wide)
    return covered


def test_a_hand_is_a_large_thing_and_a_turn_is_none() -> None:
    before, after = drawn(replace(TABLE, columns=(C0, C1), roads=(R1,)), seed=1), drawn(TABLE, seed=2)
    assert not has_large_thing(before, after, RIG)
    assert has_large_thing(before, with_a_hand(before), RIG)


def test_what_a_hand_covers_is_not_gone() -> None:
    driven = replace(TABLE, cars=(car_on("k1", R1, "purple", KIT),))
    hand = with_a_hand(drawn(driven, seed=4))
    found = explain(driven, drawn(driven, seed=3), hand, RIG, KIT, ("purple", "green"), None)
    assert {piece.id for piece in driven.pieces()} <= {piece.id for piece in found.pieces()}
    assert next(road for road in found.roads if road.id == "r1").unsure in {COVERED, LESS}


def test_what_was_found_where_a_column_only_seemed_to_be_missing_is_that_column() -> None:
    again, far = replace(C1, id="c8", x=C1.x + 1.5), Column("c9", 90.0, -60.0, 2, False, "green")
    new = road_between("r9", again, far, KIT)
    seen = Layout((C0, C2, again, far), (R1, R2, new), ())
    back = put_back(seen, TABLE, {"c1"})
    assert {column.id for column in back.columns} == {"c0", "c1", "c2", "c9"}
    assert {column for column in back.columns if column.id == "c1"} == {C1}
    assert [(road.from_, road.to) for road in back.roads if road.id == "r9"] == [("c1", "c9")]


@pytest.mark.parametrize("other", [{"x": C1.x + SAME_MM + 0.1}, {"height": 2}])
def test_a_column_that_stands_elsewhere_or_is_lower_is_another_one(other: dict[str, float]) -> None:
    seen = Layout((C0, C2, replace(C1, id="c8", **other)), (R1, R2), ())
    assert {column.id for column in put_back(seen, TABLE, {"c1"}).columns} == {"c0", "c1", "c2", "c8"}
