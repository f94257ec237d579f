"""After a knock: pieces that lie about are no roads and columns any more, and what only seems gone is covered."""

from __future__ import annotations

import math

import cv2
import numpy as np
from msgspec.structs import replace

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from vision.depth import DepthMap
from vision.evidence import Evidence
from vision.paint import chroma
from vision.solids import Prism, faces

LEAST_PX = 40
BARE_TINT = 0.13
BARE_LIGHT = 0.6
"""How far tint and log brightness of a place that was left may lie from the table's beside it."""
RING_PX = 9
STOOD_MM = 6.0
AFTER_A_FALL = "pieces fell: it may lie there or have been laid"


def without_fallen(layout: Layout, accepted: Layout, gone: set[str], kit: Kit) -> Layout:
    """The layout without sticks and discs that lie about since others are gone; what else is new is asked for."""
    lost_roads = [road for road in accepted.roads if road.id in gone]
    lost_columns = [column for column in accepted.columns if column.id in gone]
    if not lost_roads and not lost_columns:
        return layout
    old = {piece.id for piece in accepted.pieces()}
    lying = {r.id for r in layout.roads if r.id not in old and _lies(r, lost_roads, kit)}
    roads = tuple(road for road in layout.roads if road.id not in lying)
    bearing = {name for road in roads for name in road.columns()}
    unborne = {name for road in lost_roads for name in road.columns()}
    down = [c for c in lost_columns if c.id in unborne]
    discs = {
        c.id
        for c in layout.columns
        if c.id not in old and c.id not in bearing and down and not _stands(c, lost_columns)
    }
    columns = tuple(c for c in layout.columns if c.id not in discs)
    if lying or discs:
        roads = tuple(replace(r, unsure=r.unsure or AFTER_A_FALL) if r.id not in old else r for r in roads)
        columns = tuple(replace(c, unsure=c.unsure or AFTER_A_FALL) if c.id not in old else c for c in columns)
    return replace(layout, roads=roads, columns=columns)


def _lies(road: Road, lost: list[Road], kit: Kit) -> bool:
    """Whether a new stick is one that fell: it touches the table, and one that did not is gone from near it."""
    if road.from_ is not None and road.to is not None:
        return False
    middle = tuple((p + q) / 2 for p, q in zip(road.a[:2], road.b[:2], strict=True))
    for one in lost:
        was = tuple((p + q) / 2 for p, q in zip(one.a[:2], one.b[:2], strict=True))
        if math.dist(middle, was) < 1.5 * kit.road_length_mm and (
            (road.from_ is None and road.to is None) or one.kind == "road"
        ):
            return True
    return False


def _stands(column: Column, lost: list[Column]) -> bool:
    """Whether a new column is an old one that was pushed a little and still stands."""
    return any(c.height == column.height and math.hypot(c.x - column.x, c.y - column.y) < STOOD_MM for c in lost)


def is_left_bare(evidence: Evidence, known: DepthMap, prism: Prism) -> bool:
    """Whether the table is seen where a piece was; a hand over it is no sign that it is gone."""
    if evidence.before is None or evidence.change is None:
        return True
    mask = np.zeros(known.number.shape, np.uint8)
    for face in faces(prism, evidence.lens.eye):
        cv2.fillConvexPoly(mask, np.rint(evidence.lens.project(face)).astype(np.int32), 1)
    left, top, width, height = cv2.boundingRect(mask)
    rows = slice(max(top - RING_PX, 0), top + height + RING_PX)
    columns = slice(max(left - RING_PX, 0), left + width + RING_PX)
    mask, number = mask[rows, columns], known.number[rows, columns]
    around = cv2.dilate(mask, np.ones((2 * RING_PX + 1,) * 2, np.uint8)) > 0
    inside, beside = (mask > 0) & (number < 0), around & (mask == 0) & (number < 0)
    if inside.sum() < LEAST_PX or beside.sum() < LEAST_PX:
        return True
    now = evidence.view.light[rows, columns]
    was = (evidence.view.light - evidence.change)[rows, columns]
    place, table = np.median(now[inside], axis=0), np.median(was[beside], axis=0)
    tint = float(np.hypot(*(chroma(place) - chroma(table))))
    light = abs(math.log((float(place.sum()) + 10) / (float(table.sum()) + 10)))
    return tint < BARE_TINT and light < BARE_LIGHT
