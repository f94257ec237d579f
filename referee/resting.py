"""What a stick may lie on, and how it comes to rest: its underside falls onto the highest points under its two ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from referee.geometry import Floats
from referee.layout import Column, Road
from referee.pieces import Kit

LEAST_MM2 = 1e-9
_RIM = np.linspace(0.0, 2 * math.pi, 64, endpoint=False)


@dataclass(frozen=True, slots=True)
class Surface:
    """Something to lie on: an outline in plan (k, 2) and the plane z = level + slope . xy above it."""

    outline: Floats
    level_mm: float
    slope: tuple[float, float] = (0.0, 0.0)

    def heights_mm(self, points: Floats) -> Floats:
        heights: Floats = self.level_mm + points @ np.array(self.slope)
        return heights


def disc_top(kit: Kit, column: Column) -> Surface:
    rim = np.column_stack([np.cos(_RIM), np.sin(_RIM)]) * kit.disc_radius_mm
    return Surface(rim + np.array([column.x, column.y]), kit.column_top_mm(column.height))


def stick_top(kit: Kit, road: Road) -> Surface:
    """The upper face of a stick."""
    return stick_face(kit, np.array(road.a), np.array(road.b), 1.0)


def stick_under(kit: Kit, road: Road) -> Surface:
    """The underside of a stick."""
    return stick_face(kit, np.array(road.a), np.array(road.b), -1.0)


def stick_face(kit: Kit, a: Floats, b: Floats, side: float) -> Surface:
    """The upper (1) or lower (-1) face of a stick between tips (3,)."""
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
    return overlaps(one, [other])[0]


def overlaps(one: Surface, others: Sequence[Surface]) -> list[Floats]:
    """The same for each of some others, all at once: asked one by one most of the time goes into asking."""
    sizes = [len(other.outline) for other in others]
    if not sizes:
        return []
    corners = np.concatenate([other.outline for other in others])
    outlines = shapely.polygons(shapely.linearrings(corners, indices=np.repeat(np.arange(len(sizes)), sizes)))
    shapes = np.asarray(shapely.intersection(shapely.Polygon(one.outline), outlines))
    areas_mm2 = np.asarray(shapely.area(shapes))
    return [
        shapely.get_coordinates(shape) if area_mm2 > LEAST_MM2 else np.empty((0, 2))
        for shape, area_mm2 in zip(shapes, areas_mm2, strict=True)
    ]


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


def tilted_onto(
    kit: Kit, start: Floats, u: Floats, rise: float, surfaces: Sequence[Surface], on_table: tuple[bool, bool]
) -> tuple[float, float] | None:
    """The rise and the level at `start` (2,) of the underside of a stick that is laid along `u` with about such a rise,
    on surfaces or with some ends on the table; None where it would fall. What it meets hangs on how it is tilted: ask
    again with what comes of it."""
    cosine = 1.0 / math.hypot(1.0, rise)
    plan_mm = kit.road_length_mm * cosine
    tips = np.array([*start, 0.0]), np.array([*(start + u * plan_mm), rise * plan_mm])
    under = stick_face(kit, *tips, -1.0)
    shift_mm = kit.road_thickness_mm / 2 * rise * cosine
    ends_mm = shift_mm, shift_mm + plan_mm
    points = [(at_mm, 0.0) for at_mm, lies in zip(ends_mm, on_table, strict=True) if lies]
    for surface, corners in zip(surfaces, overlaps(under, surfaces), strict=True):
        points += zip((corners - start) @ u, surface.heights_mm(corners), strict=True)
    edge = _bearing(points, shift_mm + plan_mm / 2)
    if edge is None:
        return None
    (s0, h0), (s1, h1) = edge
    rise = (h1 - h0) / (s1 - s0)
    return rise, h0 - rise * s0


def tip_heights_mm(kit: Kit, rise: float, level_mm: float) -> tuple[float, float]:
    """The heights of the tips, mid-thickness, of a stick whose underside rises so from a level."""
    thick_mm = kit.road_thickness_mm / 2 * math.hypot(1.0, rise)
    return level_mm + thick_mm, level_mm + thick_mm + rise * (kit.road_length_mm / math.hypot(1.0, rise))
