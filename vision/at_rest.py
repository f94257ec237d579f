"""A new stick as it comes to rest on what lies under its ends, tilted as that makes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as replaced

from msgspec.structs import replace

from referee.layout import Column, Layout, Point3, Road
from referee.pieces import Kit
from referee.resting import overlap_points, stick_top, stick_under
from vision.bodies import stick_tips
from vision.fit import Scene
from vision.found import SUNK, SUNK_MM, Found
from vision.piles import APART, CLASH_COST, MOST_HIGH_MM, Way, piled
from vision.refit import levels_of, ways_of
from vision.view import Floats

NEW = "new"
EASED = 0.6
"""What a point of score counts for how likely ways to rest are: they differ in one stick, seen with all else known."""


def at_rest(scenes: Sequence[Scene], found: Found, layout: Layout, kit: Kit) -> Found:
    """A stick that was found at about the heights at which it lies, on the level or at rest on what it meets there
    that both views bear out best; asked for where others are about as likely."""
    whole, road = with_new(found, layout, kit)
    (ways,) = ways_of([(road, [scene.depth for scene in scenes])], levels_of(whole, [road], kit), scenes, kit)
    # What lay there before lies there still: one stick in another is unlikely, however well it fits.
    sunk = [sunk_mm(_at(road, way, kit), layout, kit) for way in ways]
    apt = [
        replaced(way, likely=way.likely - CLASH_COST * (deep_mm > (1 - APART) * kit.road_thickness_mm))
        for way, deep_mm in zip(ways, sunk, strict=True)
    ]
    (way,) = piled([road], [apt], whole.columns, scenes[0], kit, EASED)
    one, other = (replaced(rest, z_mm=float(z_mm)) for rest, z_mm in zip(found.rests, way.levels_mm, strict=True))
    is_open = max(way.open_mm) > MOST_HIGH_MM or sunk_mm(_at(road, way, kit), layout, kit) > SUNK_MM
    doubt = found.doubt or (SUNK if is_open else None)
    return replaced(found, stick=way.stick, rests=(one, other), open_mm=way.open_mm, doubt=doubt)


def sunk_mm(road: Road, layout: Layout, kit: Kit) -> float:
    """How deep a road lies in another one with which it shares a column; one that lies below it is in none."""
    deepest_mm, under = 0.0, stick_under(kit, road)
    for other in layout.roads:
        if other.shares_column_with(road) and len(corners := overlap_points(under, top := stick_top(kit, other))):
            deep_mm = float((top.heights_mm(corners) - under.heights_mm(corners)).mean())
            deepest_mm = max(deepest_mm, deep_mm if deep_mm < 2 * kit.road_thickness_mm else 0.0)
    return deepest_mm


def with_new(found: Found, layout: Layout, kit: Kit) -> tuple[Layout, Road]:
    """The layout with a stick that was found and its new columns, and that stick."""
    ends: list[str | None] = []
    columns: list[Column] = []
    for rest, fit in zip(found.rests, found.columns, strict=True):
        if fit is not None and rest.height is not None:
            x, y = (float(v) for v in fit.pose)
            columns.append(Column(f"{NEW} {len(columns)}", x, y, rest.height, False, None))
            ends.append(columns[-1].id)
        else:
            ends.append(rest.column)
    road = Road(NEW, *_tips(found.stick.pose, kit), "road", ends[0], ends[1], None)
    return replace(layout, columns=(*layout.columns, *columns), roads=(*layout.roads, road)), road


def _at(road: Road, way: Way, kit: Kit) -> Road:
    """A road lying in a way."""
    a, b = _tips(way.stick.pose, kit)
    return replace(road, a=a, b=b)


def _tips(pose: Floats, kit: Kit) -> tuple[Point3, Point3]:
    a, b = ((float(x), float(y), float(z)) for x, y, z in stick_tips(pose, kit.road_length_mm))
    return a, b
