"""How a stick comes to rest: its underside falls onto the highest points of what lies under its two ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from referee.geometry import Floats
from referee.layout import Column, Layout, Point3, Road
from referee.pieces import Kit

_RIM = np.linspace(0.0, 2 * math.pi, 64, endpoint=False)
_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Surface:
    """Something to lie on: an outline in plan (k, 2) and the plane z = level + slope . xy above it."""

    outline: Floats
    level_mm: float
    slope: tuple[float, float] = (0.0, 0.0)

    def heights_mm(self, points: Floats) -> Floats:
        heights: Floats = self.level_mm + points @ np.array(self.slope)
        return heights


@dataclass(frozen=True, slots=True)
class Lay:
    """What is asked for: a stick from a base along a heading, its tips `reach` past the middle of its columns."""

    heading_deg: float
    reach_mm: float
    far_reach_mm: float = 0.0
    height: int | None = None
    """Discs of the new column at the far end; None: the far end goes down to the table."""
    side_mm: float = 0.0
    """How far left of the middle of the base the stick lies."""


def disc_top(kit: Kit, column: Column) -> Surface:
    rim = np.column_stack([np.cos(_RIM), np.sin(_RIM)]) * kit.disc_radius_mm
    return Surface(rim + np.array([column.x, column.y]), kit.column_top_mm(column.height))


def stick_top(kit: Kit, road: Road) -> Surface:
    """The upper face of a stick."""
    return _face(kit, np.array(road.a), np.array(road.b), 1.0)


def stick_under(kit: Kit, road: Road) -> Surface:
    """The underside of a stick."""
    return _face(kit, np.array(road.a), np.array(road.b), -1.0)


def _face(kit: Kit, a: Floats, b: Floats, side: float) -> Surface:
    along = b[:2] - a[:2]
    plan_mm = max(float(np.hypot(*along)), 1e-9)
    u = along / plan_mm
    rise = float(b[2] - a[2]) / plan_mm
    cosine = 1.0 / math.hypot(1.0, rise)
    shift = -side * u * (kit.road_thickness_mm / 2 * rise * cosine)
    half = np.array([-u[1], u[0]]) * (kit.road_width_mm / 2)
    corners = np.array([a[:2] - half, b[:2] - half, b[:2] + half, a[:2] + half]) + shift
    level = float(a[2]) + side * kit.road_thickness_mm / 2 / cosine - rise * float(a[:2] @ u)
    return Surface(corners, level, (rise * float(u[0]), rise * float(u[1])))


def overlap_points(one: Surface, other: Surface) -> Floats:
    """Corners (k, 2) of where two surfaces overlap in plan; planes differ most at these."""
    shape = shapely.intersection(shapely.Polygon(one.outline), shapely.Polygon(other.outline))
    return shapely.get_coordinates(shape) if shape.area > 1e-9 else np.empty((0, 2))


def at_column(kit: Kit, layout: Layout, column: Column) -> list[Surface]:
    """What a stick may lie on at a column: its top, and the sticks whose ends lie there."""
    return [disc_top(kit, column), *(stick_top(kit, r) for r in layout.roads if column.id in r.columns())]


def lie(
    kit: Kit, layout: Layout, base: Column, lay: Lay, also: Sequence[Surface] = ()
) -> tuple[Point3, Point3, tuple[float, float]] | None:
    """Tips a (at the base) and b of a stick at rest, and the middle of its new column; None where it would fall."""
    angle = math.radians(lay.heading_deg)
    u = np.array([math.cos(angle), math.sin(angle)])
    start = np.array([base.x, base.y]) - u * lay.reach_mm + np.array([-u[1], u[0]]) * lay.side_mm
    near = [*at_column(kit, layout, base), *also]
    far_mm = 0.0 if lay.height is None else kit.column_top_mm(lay.height)
    rise = (far_mm - kit.column_top_mm(base.height)) / kit.road_length_mm
    level_mm, centre = 0.0, start
    for _ in range(_ROUNDS):
        cosine = 1.0 / math.hypot(1.0, rise)
        plan_mm = kit.road_length_mm * cosine
        end = start + u * plan_mm
        centre = end - u * lay.far_reach_mm
        tips = (np.array([*start, 0.0]), np.array([*end, rise * plan_mm]))
        under = _face(kit, *tips, -1.0)
        shift_mm = kit.road_thickness_mm / 2 * rise * cosine
        points = [(shift_mm + plan_mm, 0.0)] if lay.height is None else []
        surfaces = near
        if lay.height is not None:
            surfaces = [*near, disc_top(kit, Column("", float(centre[0]), float(centre[1]), lay.height, False, None))]
        for surface in surfaces:
            corners = overlap_points(under, surface)
            points += zip((corners - start) @ u, surface.heights_mm(corners), strict=True)
        edge = _bearing(points, shift_mm + plan_mm / 2)
        if edge is None:
            return None
        (s0, h0), (s1, h1) = edge
        rise = (h1 - h0) / (s1 - s0)
        if abs(rise) > 1.0:
            return None
        level_mm = h0 - rise * s0
    thick_mm = kit.road_thickness_mm / 2 * math.hypot(1.0, rise)
    plan_mm = kit.road_length_mm / math.hypot(1.0, rise)
    end = start + u * plan_mm
    centre = end - u * lay.far_reach_mm
    a = (float(start[0]), float(start[1]), level_mm + thick_mm)
    b = (float(end[0]), float(end[1]), level_mm + thick_mm + rise * plan_mm)
    return a, b, (float(centre[0]), float(centre[1]))


def _bearing(
    points: list[tuple[float, float]], middle: float
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The edge of the upper hull of (along, height) that the middle of the stick lies over: the highest line there."""
    found = np.array(points).reshape(-1, 2)
    left, right = found[found[:, 0] < middle], found[found[:, 0] > middle]
    if not len(left) or not len(right):
        return None
    share = (middle - left[:, :1]) / (right[:, 0] - left[:, :1])
    height = left[:, 1:] + (right[:, 1] - left[:, 1:]) * share
    i, j = np.unravel_index(int(np.argmax(height)), height.shape)
    return (float(left[i, 0]), float(left[i, 1])), (float(right[j, 0]), float(right[j, 1]))


def axes_of(road: Road) -> tuple[Floats, Floats]:
    """Unit directions in plan along a road, and to the left of it."""
    along = np.array(road.b[:2]) - road.a[:2]
    u = along / np.hypot(*along)
    return u, np.array([-u[1], u[0]])


def lies_on(kit: Kit, upper: Road, lower: Road) -> bool:
    """Whether a road's underside touches the upper face of another one."""
    under, top = stick_under(kit, upper), stick_top(kit, lower)
    corners = overlap_points(under, top)
    gaps = under.heights_mm(corners) - top.heights_mm(corners)
    return bool(len(gaps)) and -kit.road_thickness_mm / 2 < float(gaps.min()) < 0.1
