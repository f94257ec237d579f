"""Least distance in 3D of a stick's box and an upright cylinder that stands on the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import Floats
from .solid import Solid, by_axis, edge_lines, face_planes, stick

_HALVINGS = 36
"""Places on an edge are found to this many bits."""
_FOUND_MM = 1e-8
"""So an edge that dips into the cylinder comes out at less than this."""


@dataclass(frozen=True, slots=True)
class _Column:
    """Upright cylinders on the table, one per sample. Points here are (3, n, k): xyz comes first."""

    centre: Floats
    radius_mm: float
    top_mm: float

    def gap(self, points: Floats) -> Floats:
        """Distance of points to the solid cylinder, 0 inside, (n, k)."""
        from_axis = np.hypot(points[0] - self.centre[:, :1], points[1] - self.centre[:, 1:])
        distance: Floats = np.hypot(np.maximum(from_axis - self.radius_mm, 0.0), self._over(points[2]))
        return distance

    def growth(self, points: Floats, along: Floats) -> Floats:
        """Half the rate at which the square of that distance grows along directions (3, n, k), (n, k)."""
        x, y = points[0] - self.centre[:, :1], points[1] - self.centre[:, 1:]
        from_axis = np.sqrt(x * x + y * y)
        share = np.maximum(from_axis - self.radius_mm, 0.0) / np.maximum(from_axis, self.radius_mm)
        rate: Floats = share * (x * along[0] + y * along[1]) + self._over(points[2]) * along[2]
        return rate

    def _over(self, z: Floats) -> Floats:
        """How far above the top; negative below the table."""
        over: Floats = z - np.minimum(np.maximum(z, 0.0), self.top_mm)
        return over


def stick_to_column(
    tips: Floats, width_mm: float, thickness_mm: float, centre: Floats, radius_mm: float, top_mm: float
) -> Floats:
    """Least distance, 0 where they touch or overlap, (n,).

    The nearest point of the box lies on one of its edges or inside one of its faces; every point that is tried
    belongs to the box, so none can come out too near.
    """
    box, column = stick(tips, width_mm, thickness_mm), _Column(centre, radius_mm, top_mm)
    least = np.minimum(_edges(box, column), _faces(box, column))
    return np.where(least < _FOUND_MM, 0.0, least)


def _edges(box: Solid, column: _Column) -> Floats:
    """Least distance of the edges, (n,): along each it is convex, so halving finds where it stops falling."""
    start, along = (by_axis(line) for line in edge_lines(box))
    at = np.full(start.shape[1:], 0.5)
    for bit in range(2, _HALVINGS + 2):
        at += np.copysign(0.5**bit, -column.growth(start + at * along, along))
    gaps = np.minimum(column.gap(start + at * along), column.gap(start + np.round(at) * along))
    least: Floats = gaps.min(axis=1)
    return least


def _faces(box: Solid, column: _Column) -> Floats:
    """Least distance of points inside the faces, (n,), and 0 where the box holds the middle of the cylinder.

    By symmetry the point to try lies in the upright plane through the axis and the face's normal. There the
    cylinder is a rectangle: tried is the foot of its nearest corner, or where the diagonal from it meets the face.
    """
    normal, offset = face_planes(box)
    flat = np.hypot(normal[..., 0], normal[..., 1])
    away = normal[..., :2] / np.maximum(flat, 1e-12)[..., None] * column.radius_mm
    highest = np.where(normal[..., 2] > 0, column.top_mm, 0.0)
    behind = np.concatenate([column.centre[:, None] - away, (column.top_mm - highest)[..., None]], axis=2)
    front = np.concatenate([column.centre[:, None] + away, highest[..., None]], axis=2)
    depth, rise = (np.einsum("nfi,nfi->nf", corner, normal) - offset for corner in (behind, front))
    at = np.clip(-depth / np.maximum(rise - depth, 1e-12), 0.0, 1.0)
    corner = behind + at[..., None] * (front - behind)
    foot = corner - (np.einsum("nfi,nfi->nf", corner, normal) - offset)[..., None] * normal
    middle = np.column_stack([column.centre, np.full(len(flat), column.top_mm / 2)])[:, None]
    tried = np.concatenate([foot, middle], axis=1)
    inside = (np.einsum("nki,nfi->nkf", tried, normal) - offset[:, None] <= 1e-9).all(axis=2)
    least: Floats = np.where(inside, column.gap(by_axis(tried)), np.inf).min(axis=1)
    return least
