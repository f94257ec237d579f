"""Refuses layouts, kits and notes that no table could show, naming the field and its value."""

from __future__ import annotations

import math
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

import shapely

from .errors import BadGame
from .layout import Building, Car, Column, Joint, Layout, Road
from .pieces import Kit

MOST_PIECES = 1_000
"""Of one kind on one table; the largest box holds 80 discs."""
MOST_MM = 10_000.0
MOST_HEIGHT = 100


def number(value: float, where: str, low: float = -MOST_MM, high: float = MOST_MM) -> None:
    if not math.isfinite(value):
        raise BadGame(f"{where}: {value} is not a number")
    if not low <= value <= high:
        raise BadGame(f"{where}: {value:g} is out of range ({low:g} to {high:g})")


def numbers(values: Iterable[float], where: str, low: float = -MOST_MM, high: float = MOST_MM) -> None:
    for index, value in enumerate(values):
        number(value, f"{where}[{index}]", low, high)


def check_kit(kit: Kit, where: str = "kit") -> None:
    for name in ("disc_diameter_mm", "disc_height_mm", "road_length_mm", "road_width_mm", "road_thickness_mm"):
        number(getattr(kit, name), f"{where}.{name}", 0.1, 1_000.0)
    for car, size_mm in kit.cars.items():
        numbers(size_mm, f"{where}.cars.{car}", 0.1, 1_000.0)


def check_layout(layout: Layout, where: str, players: tuple[str, ...] | None = None) -> None:
    """Raise BadGame at the first thing in the layout that cannot be."""
    for name in ("columns", "roads", "cars", "buildings", "areas"):
        pieces = getattr(layout, name)
        if len(pieces) > MOST_PIECES:
            raise BadGame(f"{where}.{name}: {len(pieces)} pieces; at most {MOST_PIECES} are read")
    _unique_ids(layout, where)
    columns = {c.id for c in layout.columns}
    roads = {r.id for r in layout.roads}
    for i, column in enumerate(layout.columns):
        _column(column, f"{where}.columns[{i}]")
    for i, road in enumerate(layout.roads):
        _road(road, f"{where}.roads[{i}]", columns)
    for i, car in enumerate(layout.cars):
        _car(car, f"{where}.cars[{i}]", roads)
    for i, building in enumerate(layout.buildings):
        _outline(building.outline, f"{where}.buildings[{i}].outline")
        _building(building, f"{where}.buildings[{i}]")
    for i, area in enumerate(layout.areas):
        _outline(area.outline, f"{where}.areas[{i}].outline")
    if players is not None:
        for kind in ("columns", "roads", "cars"):
            for i, piece in enumerate(getattr(layout, kind)):
                for owner in (piece.owner, *(c.owner for c in piece.candidates)):
                    if owner is not None and owner not in players:
                        raise BadGame(f"{where}.{kind}[{i}].owner: '{owner}' is not one of {', '.join(players)}")
    if layout.joint is not None:
        _joint(layout.joint, layout, f"{where}.joint")


def check_no_cycle(layout: Layout, where: str) -> None:
    """A set-up whose roads run in a ring is no set-up (later, closing a ring is play, and illegal: R4)."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for road in layout.roads:
        if road.from_ is not None and road.to is not None:
            sorter.add(road.from_, road.to)
    try:
        sorter.prepare()
    except CycleError as error:
        raise BadGame(f"{where}.roads: {' > '.join(error.args[1])} is a cycle") from None


def _unique_ids(layout: Layout, where: str) -> None:
    seen: set[str] = set()
    for name in ("columns", "roads", "cars", "buildings", "areas"):
        for i, piece in enumerate(getattr(layout, name)):
            if not piece.id or len(piece.id) > 64:
                raise BadGame(f"{where}.{name}[{i}].id: '{piece.id[:70]}' is not an id (1 to 64 characters)")
            if piece.id in seen:
                raise BadGame(f"{where}.{name}[{i}].id: '{piece.id}' is used twice")
            seen.add(piece.id)


def _column(column: Column, where: str) -> None:
    numbers((column.x, column.y), f"{where} x, y")
    if not 1 <= column.height <= MOST_HEIGHT:
        raise BadGame(f"{where}.height: {column.height} is not a number of discs (1 to {MOST_HEIGHT})")
    for i, candidate in enumerate(column.candidates):
        if candidate.height is not None and not 1 <= candidate.height <= MOST_HEIGHT:
            raise BadGame(f"{where}.candidates[{i}].height: {candidate.height} is not a number of discs")
        if candidate.p is not None:
            number(candidate.p, f"{where}.candidates[{i}].p", 0.0, 1.0)
    if column.sigma is not None:
        numbers(column.sigma, f"{where}.sigma", 0.0)


def _road(road: Road, where: str, columns: set[str]) -> None:
    numbers(road.a, f"{where}.a")
    numbers(road.b, f"{where}.b")
    if math.dist(road.a[:2], road.b[:2]) < 0.01:
        raise BadGame(f"{where}: tips {road.a} and {road.b} are one point in plan")
    for name, column in (("from", road.from_), ("to", road.to)):
        if column is not None and column not in columns:
            raise BadGame(f"{where}.{name}: there is no column '{column}'")
    if road.from_ is not None and road.from_ == road.to:
        raise BadGame(f"{where}.to: '{road.to}' is where the road starts: a cycle")
    if road.kind == "entrance" and road.from_ is not None:
        raise BadGame(f"{where}.from: '{road.from_}', but an entrance starts at the table (null)")
    if road.kind == "exit" and road.to is not None:
        raise BadGame(f"{where}.to: '{road.to}', but an exit ends on the table (null)")
    if road.sigma is not None:
        numbers(road.sigma.a, f"{where}.sigma.a", 0.0)
        numbers(road.sigma.b, f"{where}.sigma.b", 0.0)


def _car(car: Car, where: str, roads: set[str]) -> None:
    numbers((car.x, car.y, car.z, car.yaw), f"{where} x, y, z, yaw")
    if car.road is not None and car.road not in roads:
        raise BadGame(f"{where}.road: there is no road '{car.road}'")
    if car.sigma is not None:
        numbers(car.sigma, f"{where}.sigma", 0.0)


def _building(building: Building, where: str) -> None:
    number(building.height_mm, f"{where}.height_mm", 0.0)


def _outline(outline: tuple[tuple[float, float], ...], where: str) -> None:
    if not 3 <= len(outline) <= MOST_PIECES:
        raise BadGame(f"{where}: {len(outline)} corners; an outline has 3 to {MOST_PIECES}")
    for i, point in enumerate(outline):
        numbers(point, f"{where}[{i}]")
    polygon = shapely.Polygon(outline)
    if not polygon.is_valid or polygon.area < 1e-6:
        raise BadGame(f"{where}: {shapely.is_valid_reason(polygon)}: the outline is no simple shape")


def _joint(joint: Joint, layout: Layout, where: str) -> None:
    known = {f"{p.id}.{axis}" for p in layout.pieces() if not isinstance(p, Road) for axis in "xyz"}
    known |= {f"{r.id}.{tip}.{axis}" for r in layout.roads for tip in "ab" for axis in "xyz"}
    for i, name in enumerate(joint.order):
        if name not in known:
            raise BadGame(f"{where}.order[{i}]: '{name}' is no coordinate of this layout")
        if name in joint.order[:i]:
            raise BadGame(f"{where}.order[{i}]: '{name}' is named twice")
    if joint.order and not joint.factors:
        raise BadGame(f"{where}.factors: none for {len(joint.order)} coordinates")
    if len({len(row) for row in joint.factors}) > 1:
        raise BadGame(f"{where}.factors: rows of different lengths")
    if joint.factors and len(joint.order) not in (len(joint.factors), len(joint.factors[0])):
        raise BadGame(f"{where}.factors: {len(joint.factors)} rows for {len(joint.order)} coordinates")
    for i, row in enumerate(joint.factors):
        numbers(row, f"{where}.factors[{i}]")
