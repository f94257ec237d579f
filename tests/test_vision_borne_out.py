"""What something unknown hides from the side camera is told by the other, and asked for."""

from __future__ import annotations

import cv2
import numpy as np
from msgspec.structs import replace

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from tests.vision_drawing import RIG, drawn, road_between
from vision.borne_out import UNSEEN
from vision.view import Lens, Picture
from vision.watch import explain

KIT = Kit()
PLAYERS = ("purple", "green")
OLD = (Column("c0", -70.0, 10.0, 2, False, "purple"), Column("c1", 0.0, -40.0, 3, False, "green"))
BEFORE = Layout(OLD, (), ())
COLUMN = Column("c2", 24.0, 8.0, 3, False, "purple")
AFTER = replace(BEFORE, columns=(*OLD, COLUMN), roads=(road_between("r0", OLD[0], COLUMN, KIT),))


def _with_a_cup(pictures: dict[str, Picture], column: Column) -> dict[str, Picture]:
    """The pictures with something before a column in the side view, as high as that and a little wider."""
    top_mm, wide_mm = KIT.column_top_mm(column.height) + 3.0, KIT.disc_radius_mm + 5.0
    points = [(column.x + x, column.y, z) for x in (-wide_mm, wide_mm) for z in (-2.0, top_mm)]
    pixels = np.rint(Lens(RIG.side).project(np.array(points))).astype(np.int32)
    side = pictures["side"].copy()
    cv2.fillConvexPoly(side, cv2.convexHull(pixels), (60, 50, 110))
    return {**pictures, "side": side}


def _new(has_cup: bool) -> tuple[list[Column], list[Road]]:
    before, now = drawn(BEFORE), drawn(AFTER, seed=1)
    if has_cup:
        before, now = _with_a_cup(before, COLUMN), _with_a_cup(now, COLUMN)
    seen = explain(BEFORE, before, now, RIG, KIT, PLAYERS, "purple")
    return [c for c in seen.columns if c not in OLD], list(seen.roads)


def test_a_column_behind_a_cup_is_found_and_asked_for() -> None:
    (column,), (road,) = _new(has_cup=True)
    assert (column.height, column.unsure) == (COLUMN.height, UNSEEN)
    assert np.hypot(column.x - COLUMN.x, column.y - COLUMN.y) < 3.0
    assert {road.from_, road.to} == {"c0", column.id}


def test_without_the_cup_nothing_is_asked() -> None:
    (column,), (road,) = _new(has_cup=False)
    assert (column.height, column.unsure, road.unsure) == (COLUMN.height, None, None)
