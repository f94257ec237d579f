"""Sticks and cars as boxes in 3D, placed by a pose table_from_piece."""

from __future__ import annotations

import math

import numpy as np

from referee.geometry import Floats
from referee.geometry.solid import Solid, stick
from referee.layout import Car, Column, Road
from referee.pieces import SEDAN, Kit

_SHAPE = stick(np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]]), 1.0, 1.0).shape
_CORNERS = np.array(
    [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]]
)


def box(table_from_piece: Floats, size_mm: tuple[float, float, float]) -> Floats:
    """Corners (8, 3) of a box about the origin of its pose."""
    local = _CORNERS * (np.array(size_mm) / 2)
    corners: Floats = local @ table_from_piece[:3, :3].T + table_from_piece[:3, 3]
    return corners


def solids(corners: list[Floats]) -> Solid:
    """Boxes as one batch for the referee's geometry."""
    return Solid(np.array(corners).reshape(-1, 8, 3), _SHAPE)


def pose(origin: tuple[float, float, float] | Floats, x: Floats, z: Floats) -> Floats:
    """A pose from its origin, its x axis, and the axis z that it stays in one plane with."""
    forward = x / np.linalg.norm(x)
    left = np.cross(z, forward)
    left = left / np.linalg.norm(left)
    result = np.eye(4)
    result[:3, :3] = np.column_stack([forward, left, np.cross(forward, left)])
    result[:3, 3] = origin
    return result


def stick_pose(road: Road) -> Floats:
    """Origin in the middle of the stick, x from a to b, z up."""
    a, b = np.array(road.a), np.array(road.b)
    return pose((a + b) / 2, b - a, np.array([0.0, 0.0, 1.0]))


def stick_box(kit: Kit, road: Road) -> Floats:
    return box(stick_pose(road), (kit.road_length_mm, kit.road_width_mm, kit.road_thickness_mm))


def car_size_mm(kit: Kit, car: Car) -> tuple[float, float, float]:
    """Length, width, height; cars without types are as large as the sedan."""
    return kit.cars[car.type or SEDAN]


def car_pose(car: Car, road: Road | None) -> Floats:
    """Origin in the middle of the car, x forwards, z up; tilted as its road is."""
    forward = np.array([math.cos(car.yaw), math.sin(car.yaw), 0.0])
    if road is not None:
        along = np.array(road.b) - np.array(road.a)
        forward[2] = along[2] / np.hypot(along[0], along[1]) * np.sign(forward[:2] @ along[:2])
    return pose((car.x, car.y, car.z), forward, np.array([0.0, 0.0, 1.0]))


def car_box(kit: Kit, car: Car, road: Road | None) -> Floats:
    return box(car_pose(car, road), car_size_mm(kit, car))


def column_box(kit: Kit, column: Column) -> Floats:
    """The square box round a column."""
    top_mm = kit.column_top_mm(column.height)
    placed = np.eye(4)
    placed[:3, 3] = (column.x, column.y, top_mm / 2)
    return box(placed, (kit.disc_diameter_mm, kit.disc_diameter_mm, top_mm))
