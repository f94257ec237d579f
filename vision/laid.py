"""A stick that was found, as pieces of the layout: which way it runs, what it rests on, and its errors."""

from __future__ import annotations

from msgspec.structs import replace

from referee.layout import Column, Layout, Road, RoadKind, TipSigmas
from referee.pieces import Kit
from vision.bodies import stick_tips
from vision.found import Found
from vision.names import next_id
from vision.rests import Rest
from vision.sigmas import LENGTH_MM, column_sigma, tip_sigmas


def with_found(layout: Layout, found: Found, kit: Kit, owner: str | None) -> tuple[Layout, list[Road | Column]]:
    """The layout with a stick and its new columns, the stick first in what was added."""
    known = layout
    columns: list[Column] = []
    ends: list[str | None] = []
    for rest, fit in zip(found.rests, found.columns, strict=True):
        if fit is None or rest.height is None:
            ends.append(rest.column)
            continue
        x, y = (float(v) for v in fit.pose)
        columns.append(Column(next_id("c", layout), x, y, rest.height, False, owner, column_sigma(fit, found.pixel_mm)))
        layout = replace(layout, columns=(*layout.columns, columns[-1]))
        ends.append(columns[-1].id)
    tips = [(float(x), float(y), float(z)) for x, y, z in stick_tips(found.stick.pose, kit.road_length_mm)]
    along_mm = LENGTH_MM if found.along is None else found.along.stated_mm
    sigma = tip_sigmas(found.stick, kit.road_length_mm, along_mm, found.open_mm)
    if _backwards(found.rests, known, owner):
        tips, ends, sigma = tips[::-1], ends[::-1], TipSigmas(sigma.b, sigma.a)
    if found.doubt is not None:
        columns = [replace(column, unsure=found.doubt) for column in columns]
        layout = replace(layout, columns=(*known.columns, *columns))
    road = Road(next_id("r", layout), tips[0], tips[1], _kind(ends), ends[0], ends[1], owner, sigma, found.doubt)
    return replace(layout, roads=(*layout.roads, road)), [road, *columns]


def _kind(ends: list[str | None]) -> RoadKind:
    if ends[0] is None:
        return "entrance"
    return "exit" if ends[1] is None else "road"


def _backwards(rests: tuple[Rest, Rest], layout: Layout, owner: str | None) -> bool:
    """Whether tip b is the base point: a known column, of two the player's latest; an entrance begins below."""
    order = {column.id: (column.owner == owner, i) for i, column in enumerate(layout.columns)}
    one, other = rests
    if one.column is not None and other.column is not None:
        return order[other.column] > order[one.column]
    if one.column is None and other.column is None:
        return other.is_ground and not one.is_ground
    return one.column is None
