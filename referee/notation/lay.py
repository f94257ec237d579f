"""Working out places that a hand-written line leaves open: how a stick lies between two columns."""

from __future__ import annotations

import math

from ..layout import Column, Point2, Point3, Road
from ..pieces import Kit

REACH_MM = 3.0
"""How far past the middle of a column a stick's tip lies, unless the line says otherwise."""


def plan_length_mm(kit: Kit, rise_mm: float) -> float:
    """Length of a stick seen from above when its tips differ in height."""
    return math.sqrt(max(kit.road_length_mm**2 - rise_mm**2, 1.0))


def column_place(kit: Kit, base: Column, height: int, heading_deg: float, reach_mm: float, levels: float) -> Point2:
    """Where a column stands so that a stick from `base` lies `reach_mm` past the middle of both."""
    rise_mm = (height - base.height) * kit.disc_height_mm - levels * kit.road_thickness_mm
    apart_mm = plan_length_mm(kit, rise_mm) - 2 * reach_mm
    angle = math.radians(heading_deg)
    return base.x + apart_mm * math.cos(angle), base.y + apart_mm * math.sin(angle)


def road_tips(
    kit: Kit, start: Column, end: Column, levels: tuple[int, int], shift_mm: float, side_mm: float
) -> tuple[Point3, Point3]:
    """Tips of a stick that lies centred on two columns, moved lengthwise by `shift_mm` and to the left by `side_mm`."""
    z_a, z_b = kit.lying_z_mm(start.height, levels[0]), kit.lying_z_mm(end.height, levels[1])
    apart_mm = max(math.hypot(end.x - start.x, end.y - start.y), 1e-6)
    ux, uy = (end.x - start.x) / apart_mm, (end.y - start.y) / apart_mm
    half_mm = plan_length_mm(kit, z_b - z_a) / 2
    x = (start.x + end.x) / 2 + ux * shift_mm - uy * side_mm
    y = (start.y + end.y) / 2 + uy * shift_mm + ux * side_mm
    return (x - ux * half_mm, y - uy * half_mm, z_a), (x + ux * half_mm, y + uy * half_mm, z_b)


def ramp_tips(
    kit: Kit, column: Column, level: int, heading_deg: float, reach_mm: float, up: bool
) -> tuple[Point3, Point3]:
    """Tips of an entrance (`up`) or exit: travelling along `heading_deg`, one tip on the table."""
    z = kit.lying_z_mm(column.height, level)
    table_z = kit.road_thickness_mm / 2
    length_mm = plan_length_mm(kit, z - table_z)
    angle = math.radians(heading_deg)
    ux, uy = math.cos(angle), math.sin(angle)
    near_mm = reach_mm if up else -reach_mm
    far_mm = near_mm - length_mm if up else near_mm + length_mm
    near = (column.x + ux * near_mm, column.y + uy * near_mm, z)
    far = (column.x + ux * far_mm, column.y + uy * far_mm, table_z)
    return (far, near) if up else (near, far)


def car_place(kit: Kit, road: Road, fraction: float, car_type: str | None = None) -> tuple[float, float, float, float]:
    """x, y, z and yaw of a car that stands at a fraction of a road's length; z is the middle of a car of known type."""
    x, y, z = (a + fraction * (b - a) for a, b in zip(road.a, road.b, strict=True))
    yaw = math.atan2(road.b[1] - road.a[1], road.b[0] - road.a[0])
    half_mm = kit.cars[car_type][2] / 2 if car_type in kit.cars else 0.0
    return x, y, z + kit.road_thickness_mm / 2 + half_mm, yaw
