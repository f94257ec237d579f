"""Buildings (S5) and a Rainbow City (S6) laid out round the entrances, as players would."""

from __future__ import annotations

import math

import numpy as np
import shapely

from referee.layout import Area, AreaKind, Building, Layout, Point2
from referee.pieces import Kit

AREA_SIZES_MM: tuple[tuple[AreaKind, float, float], ...] = (
    *((("development", 66.0, 54.0),) * 5),
    ("airport", 92.0, 58.0),
    ("green", 76.0, 60.0),
    ("rainbow", 88.0, 14.0),
)
City = tuple[tuple[Building, ...], tuple[Area, ...]]


def city_about(kit: Kit, table: Layout, rng: np.random.Generator) -> City:
    """Five development areas with three buildings and the tower, airport, green area and rainbow, about a set-up."""
    taken = _standing(kit, table)
    areas: list[Area] = []
    for number, (kind, length_mm, width_mm) in enumerate(AREA_SIZES_MM):
        apart_mm = kit.disc_diameter_mm * 1.15 if kind == "development" else kit.disc_diameter_mm * 0.5
        shape = _room(taken, (length_mm, width_mm), apart_mm, rng)
        # Others keep a column's width from development areas too, so that these stay free to be built on.
        taken.append(shape.buffer(kit.disc_diameter_mm * 0.2))
        areas.append(Area(f"{kind}{number}", kind, _points(shape)))
    homes = rng.permutation(5)[:4]
    buildings = [
        Building(f"b{n}", "building" if n < 3 else "tower", *_block(kit, areas[int(home)], n == 3, rng))
        for n, home in enumerate(homes)
    ]
    return (*buildings, *_extras(areas, rng)), tuple(areas)


def buildings_for(kit: Kit, table: Layout, count: int, rng: np.random.Generator) -> tuple[Building, ...]:
    """One building for each player, anywhere that leaves room to build (S5)."""
    taken = _standing(kit, table)
    found = []
    for number in range(count):
        side_mm = float(rng.uniform(18.0, 30.0))
        shape = _room(taken, (side_mm, float(rng.uniform(16.0, 26.0))), kit.disc_diameter_mm, rng)
        taken.append(shape.buffer(kit.disc_diameter_mm))
        found.append(Building(f"b{number}", "building", _points(shape), float(rng.uniform(25.0, 60.0))))
    return tuple(found)


def _standing(kit: Kit, table: Layout) -> list[shapely.Geometry]:
    columns = [shapely.Point(c.x, c.y).buffer(kit.disc_radius_mm) for c in table.columns]
    roads = [shapely.LineString([r.a[:2], r.b[:2]]).buffer(kit.road_width_mm * 0.75) for r in table.roads]
    return [*columns, *roads]


def _room(
    taken: list[shapely.Geometry], size_mm: tuple[float, float], apart_mm: float, rng: np.random.Generator
) -> shapely.Polygon:
    """A rectangle near the middle that keeps its distance; further out the longer none is found."""
    half_length, half_width = size_mm[0] / 2, size_mm[1] / 2
    corners = np.array([(-half_length, -half_width), (half_length, -half_width), (half_length, half_width),
                        (-half_length, half_width)])  # fmt: skip
    for tried in range(10_000):
        far_mm = 60.0 + 160.0 * math.sqrt(float(rng.random())) + tried * 0.3
        bearing, turn = rng.uniform(0, 2 * math.pi, 2)
        c, s = math.cos(turn), math.sin(turn)
        middle = np.array([math.cos(bearing), math.sin(bearing)]) * far_mm
        shape = shapely.Polygon(np.round(corners @ np.array([[c, s], [-s, c]]) + middle, 3))
        if all(shape.distance(other) > apart_mm for other in taken):
            return shape
    raise AssertionError("a table has no end, so there is room")


def _points(shape: shapely.Polygon) -> tuple[Point2, ...]:
    return tuple((float(x), float(y)) for x, y in shapely.get_coordinates(shape)[:-1])


def _block(kit: Kit, area: Area, tower: bool, rng: np.random.Generator) -> tuple[tuple[Point2, ...], float]:
    """Outline and height of a building in a corner of its area, so that columns find room beside it."""
    corners = np.array(area.outline)
    origin, along, across = corners[0], corners[1] - corners[0], corners[3] - corners[0]
    lengths = np.hypot(*along), np.hypot(*across)
    x, y = along / lengths[0], across / lengths[1]
    side_mm = 18.0 if tower else float(rng.uniform(18.0, 25.0))
    flip = rng.random() < 0.5
    start = origin + x * (lengths[0] - side_mm - 3.0 if flip else 3.0) + y * 3.0
    outline = [start, start + x * side_mm, start + x * side_mm + y * side_mm, start + y * side_mm]
    height_mm = float(rng.uniform(75.0, 95.0)) if tower else float(rng.uniform(25.0, 55.0))
    return tuple((round(float(p[0]), 3), round(float(p[1]), 3)) for p in outline), height_mm


def _extras(areas: list[Area], rng: np.random.Generator) -> list[Building]:
    """Trees at the edge of the green area, an aeroplane on the airport."""
    found = []
    for area in areas:
        corners = np.array(area.outline)
        middle = corners.mean(axis=0)
        if area.kind == "green":
            for number in range(2):
                place = middle + (corners[number * 2] - middle) * 0.75
                ring = [place + 5.0 * np.array([math.cos(a), math.sin(a)]) for a in np.arange(6) * math.pi / 3]
                found.append(_prop(f"tree{number}", ring, float(rng.uniform(14.0, 22.0))))
        elif area.kind == "airport":
            place = middle + (corners[int(rng.integers(4))] - middle) * 0.55
            x = (corners[1] - corners[0]) / np.hypot(*(corners[1] - corners[0]))
            y = np.array([-x[1], x[0]])
            nose = [place + x * 11, place + y * 9 - x * 7, place - y * 9 - x * 7]
            found.append(_prop("plane0", nose, 8.0, aeroplane=True))
    return found


def _prop(name: str, ring: list[np.ndarray], height_mm: float, aeroplane: bool = False) -> Building:
    outline = tuple((round(float(p[0]), 3), round(float(p[1]), 3)) for p in ring)
    return Building(name, "aeroplane" if aeroplane else "tree", outline, height_mm)
