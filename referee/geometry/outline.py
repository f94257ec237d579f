"""Outlines on the table (areas, buildings) against plan points and sticks, by shapely."""

from __future__ import annotations

import numpy as np
import shapely

from . import Bools, Floats
from .plan import stick_corners

Outline = tuple[tuple[float, float], ...]


def inside_by(points: Floats, outline: Outline) -> Floats:
    """How deep plan points (n, 2) lie inside an outline; negative outside it, (n,)."""
    polygon = shapely.Polygon(outline)
    shapes = shapely.points(points)
    depth = np.asarray(shapely.distance(polygon.exterior, shapes))
    return np.where(shapely.covers(polygon, shapes), depth, -depth)


def points_to_outline(points: Floats, outline: Outline) -> Floats:
    """Distance of plan points (n, 2) to an outline's shape, 0 inside it, (n,)."""
    return np.asarray(shapely.distance(shapely.Polygon(outline), shapely.points(points)))


def stick_to_outline(tips: Floats, width_mm: float, outline: Outline) -> Floats:
    """Plan distance of a stick (n, 2, 3) to an outline's shape, 0 where they overlap, (n,)."""
    sticks = shapely.polygons(stick_corners(tips, width_mm))
    return np.asarray(shapely.distance(shapely.Polygon(outline), sticks))


def stick_covers(tips: Floats, width_mm: float, outline: Outline) -> Bools:
    """Where a stick lies over part of an outline's shape, seen from above, (n,)."""
    sticks = shapely.polygons(stick_corners(tips, width_mm))
    return np.asarray(shapely.area(shapely.intersection(sticks, shapely.Polygon(outline))) > 1e-6)


def triangles(outline: Outline) -> list[Floats]:
    """Triangles (3, 2) that make up an outline's shape."""
    parts = shapely.constrained_delaunay_triangles(shapely.Polygon(outline))
    return [shapely.get_coordinates(part)[:3] for part in shapely.get_parts(parts)]
