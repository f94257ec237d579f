"""M1 to M10: what each player would score if the game ended now."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry
from shapely.ops import polygonize

from .edition import Rules
from .geometry.plan import stick_corners
from .layout import Area, Layout, Road
from .pieces import Kit
from .position import Position, stock


def score(position: Position, rules: Rules, kit: Kit, player: str) -> dict[str, int]:
    """Points per mission; their sum is the player's score. M8 is what the tower adds to M7."""
    layout = position.layout
    roads = [r for r in layout.roads if r.owner == player]
    with_cars = {c.road for c in layout.cars if c.owner == player}
    has = stock(position, rules, player)
    buildings, tower = _enclosed(layout, roads)
    return {
        "M1": sum(c.owner == player for c in layout.cars),
        "M2": _developments(layout, player),
        "M3": 2 if _longest_jam([r for r in roads if r.id in with_cars]) >= 3 else 0,
        "M4": 2 if _any_through(layout, kit, rules, (r for r in roads if r.id in with_cars)) else 0,
        "M5": 2 if _exit_on(layout, kit, rules, roads, "airport") else 0,
        "M6": 2 if _exit_on(layout, kit, rules, roads, "green") else 0,
        "M7": buildings,
        "M8": buildings if tower else 0,
        "M9": 2 if _has_tallest(layout, player) else 0,
        "M10": max(has.grey + has.yellow, 0) // 5,
    }


def _areas(layout: Layout, kind: str) -> list[shapely.Polygon]:
    return [_polygon(a) for a in layout.areas if a.kind == kind]


def _polygon(area: Area) -> shapely.Polygon:
    return shapely.Polygon(area.outline)


def _developments(layout: Layout, player: str) -> int:
    """M2: areas that a column of the player stands on."""
    centres = [shapely.Point(c.x, c.y) for c in layout.columns if c.owner == player]
    return sum(any(area.covers(centre) for centre in centres) for area in _areas(layout, "development"))


def _longest_jam(roads: list[Road]) -> int:
    """M3: the most roads, all with cars, that hang together by columns (a Y counts)."""
    return max(map(len, _connected(roads)), default=0)


def _any_through(layout: Layout, kit: Kit, rules: Rules, roads: Iterable[Road]) -> bool:
    """M4: a road that passes over the rainbow's outline in plan."""
    rainbows = _areas(layout, "rainbow")
    return any(_line(road, kit, rules).intersects(rainbow) for road in roads for rainbow in rainbows)


def _line(road: Road, kit: Kit, rules: Rules) -> BaseGeometry:
    if rules.options.city_by == "any_part":
        return shapely.Polygon(stick_corners(np.array([[road.a, road.b]]), kit.road_width_mm)[0])
    return shapely.LineString([road.a[:2], road.b[:2]])


def _exit_on(layout: Layout, kit: Kit, rules: Rules, roads: Iterable[Road], kind: str) -> bool:
    """M5, M6: an exit whose table end lies in an area of this kind."""
    areas = _areas(layout, kind)
    exits = [r for r in roads if r.kind == "exit"]
    if rules.options.city_by == "any_part":
        return any(_line(r, kit, rules).intersects(area) for r in exits for area in areas)
    return any(area.covers(shapely.Point(r.b[:2])) for r in exits for area in areas)


def enclosures(layout: Layout, roads: Iterable[Road]) -> list[BaseGeometry]:
    """What roads enclose in plan by crossing each other, for each connected highway.

    A road's centre line is carried on to the middle of the columns that it rests on, so that roads that
    share a column meet there.
    """
    centres = {c.id: (c.x, c.y) for c in layout.columns}
    enclosed: list[BaseGeometry] = []
    for highway in _connected(list(roads)):
        lines = []
        for road in highway:
            points = [road.a[:2], road.b[:2]]
            if road.from_ in centres:
                points.insert(0, centres[road.from_])
            if road.to in centres:
                points.append(centres[road.to])
            lines.append(shapely.LineString(points))
        faces = list(polygonize(shapely.unary_union(lines)))
        enclosed.append(shapely.unary_union(faces))
    return enclosed


def _connected(roads: list[Road]) -> list[list[Road]]:
    """Roads in groups that hang together by columns."""
    groups: list[list[Road]] = []
    for road in roads:
        touching = [g for g in groups if any(road.shares_column_with(r) for r in g)]
        merged = [r for g in touching for r in g] + [road]
        groups = [g for g in groups if g not in touching] + [merged]
    return groups


def _enclosed(layout: Layout, roads: list[Road]) -> tuple[int, bool]:
    """M7, M8: how many buildings the player's roads enclose, and whether the tower is among the enclosed."""
    obstacles = [b for b in layout.buildings if b.kind in ("building", "tower")]
    if not obstacles:
        return 0, False
    held = enclosures(layout, roads)
    kinds = [b.kind for b in obstacles if any(face.covers(shapely.Polygon(b.outline)) for face in held)]
    return kinds.count("building"), "tower" in kinds


def _has_tallest(layout: Layout, player: str) -> bool:
    """M9: the tallest plain grey column; ties all score."""
    plain = [c for c in layout.columns if not c.junction]
    tallest = max((c.height for c in plain), default=0)
    return any(c.owner == player and c.height == tallest for c in plain)
