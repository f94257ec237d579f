"""Plain geometry of sticks, discs and columns, one at a time: what the reference referee measures with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from scipy.optimize import nnls

from referee.pieces import Kit

Vector = tuple[float, ...]
Tips = list[list[float]]
Support = Callable[[Vector], Vector]

EXCUSED_DIAMETERS = 1.5
TOUCHING_MM = 5e-7
"""Nearer than this no sum of floats can tell a curved side from what touches it."""


def last_part(tips: Tips, end: int, length_mm: float) -> Tips:
    """The end of a road that another one may lie on: so much of it, in plan, at that tip."""
    tip, back = tips[end], tips[1 - end]
    length = math.dist(tip[:2], back[:2])
    share = min(length_mm / length, 1.0)
    return [[*((1 - share) * tip[i] + share * back[i] for i in (0, 1)), tip[2]], tip]


def half(tips: Tips, end: int) -> Tips:
    """The end of a road that lies on something: the half of it at that tip."""
    return [[(p + q) / 2 for p, q in zip(*tips, strict=True)], tips[end]]


def plan_corners(tips: Tips, width_mm: float) -> list[Vector]:
    """The rectangle that a stick covers seen from above, counter-clockwise."""
    (ax, ay, _), (bx, by, _) = tips
    length = math.hypot(bx - ax, by - ay)
    x, y = -(by - ay) / length * width_mm / 2, (bx - ax) / length * width_mm / 2
    return [(ax - x, ay - y), (bx - x, by - y), (bx + x, by + y), (ax + x, ay + y)]


def _sides(outline: list[Vector]) -> list[tuple[Vector, Vector]]:
    return list(zip(outline, outline[1:] + outline[:1], strict=True))


def _beyond(side: tuple[Vector, Vector], point: Iterable[float]) -> float:
    """How far a point lies outside one side of a counter-clockwise outline."""
    (px, py), (qx, qy), (x, y) = *side, point
    return ((x - px) * (qy - py) - (y - py) * (qx - px)) / math.dist(*side)


def _to_side(side: tuple[Vector, Vector], point: Iterable[float]) -> float:
    (px, py), (qx, qy), (x, y) = *side, point
    at = ((x - px) * (qx - px) + (y - py) * (qy - py)) / math.dist(*side) ** 2
    at = min(max(at, 0.0), 1.0)
    return math.hypot(px + at * (qx - px) - x, py + at * (qy - py) - y)


def point_gap(outline: list[Vector], point: list[float]) -> float:
    """Distance of a point to an outline; inside, less than 0 by its depth."""
    deepest = max(_beyond(side, point) for side in _sides(outline))
    return deepest if deepest <= 0 else min(_to_side(side, point) for side in _sides(outline))


def outline_gap(one: list[Vector], other: list[Vector]) -> float:
    """Distance of two outlines; overlapping, less than 0 by the least shift that parts them."""
    facing = [(side, other) for side in _sides(one)] + [(side, one) for side in _sides(other)]
    apart = max(min(_beyond(side, corner) for corner in corners) for side, corners in facing)
    return apart if apart <= 0 else min(_to_side(side, corner) for side, corners in facing for corner in corners)


def meeting(one: Tips, other: Tips) -> tuple[float, float, float] | None:
    """Where the two lines meet in plan, as fractions of each, and the rise from the other to the one there."""
    (px, py, pz), (rx, ry, rz) = one[0], (one[1][i] - one[0][i] for i in range(3))
    (qx, qy, qz), (sx, sy, sz) = other[0], (other[1][i] - other[0][i] for i in range(3))
    turn = rx * sy - ry * sx
    if abs(turn) < 1e-12:
        return None
    on_one = ((qx - px) * sy - (qy - py) * sx) / turn
    on_other = ((qx - px) * ry - (qy - py) * rx) / turn
    return on_one, on_other, pz + on_one * rz - qz - on_other * sz


def stick_corners(tips: Tips, kit: Kit, shared: list[float] | None = None) -> list[Vector]:
    """The eight corners of a stick; near a shared column each long side begins where it leaves the excused circle."""
    a, b = tips
    if shared is not None and math.dist(b[:2], shared) < math.dist(a[:2], shared):
        a, b = b, a
    way = [q - p for p, q in zip(a, b, strict=True)]
    ux, uy, uz = (w / math.dist(a, b) for w in way)
    side = (-uy / math.hypot(ux, uy), ux / math.hypot(ux, uy), 0.0)
    up = (-uz * side[1], uz * side[0], ux * side[1] - uy * side[0])
    corners: list[Vector] = []
    for across_mm in (-kit.road_width_mm / 2, kit.road_width_mm / 2):
        edge = [p + across_mm * s for p, s in zip(a, side, strict=True)]
        starts = 0.0
        if shared is not None:
            starts = _leaves(edge, way, shared, EXCUSED_DIAMETERS * kit.disc_diameter_mm)
        for up_mm in (-kit.road_thickness_mm / 2, kit.road_thickness_mm / 2):
            lines = list(zip(edge, way, up, strict=True))
            corners += [tuple(e + at * w + up_mm * u for e, w, u in lines) for at in (starts, 1.0)]
    return corners


def _leaves(start: list[float], way: list[float], centre: list[float], radius_mm: float) -> float:
    """The fraction of a line, within 0 and 1, at which it leaves a circle in plan for good; 0 if it meets none."""
    x, y, dx, dy = start[0] - centre[0], start[1] - centre[1], way[0], way[1]
    a, b, c = dx * dx + dy * dy, x * dx + y * dy, x * x + y * y - radius_mm**2
    square = b * b - a * c
    return min(max((-b + math.sqrt(square)) / a, 0.0), 1.0) if square > 0 else 0.0


def hull(corners: list[Vector]) -> Support:
    """The convex solid of these corners, by its furthest point in a direction."""
    return lambda d: max(corners, key=lambda p: p[0] * d[0] + p[1] * d[1] + p[2] * d[2])


def standing(centre: list[float], radius_mm: float, top_mm: float) -> Support:
    """A column, by its furthest point in a direction."""

    def furthest(d: Vector) -> Vector:
        share = radius_mm / (math.hypot(d[0], d[1]) or 1.0)
        return centre[0] + share * d[0], centre[1] + share * d[1], top_mm if d[2] > 0 else 0.0

    return furthest


def least_mm(one: Support, other: Support) -> float:
    """Least distance of two convex solids.

    Differences of their points are gathered, always the furthest one against the nearest point found so far. That
    point is the shortest mix of them, by least squares; it is proved the shortest when nothing lies further back.
    """
    nearest: Vector = (1.0, 0.0, 0.0)
    kept: list[Vector] = []
    for _ in range(200):
        length = math.hypot(*nearest)
        if length < TOUCHING_MM:
            return 0.0
        back = tuple(-n for n in nearest)
        point = tuple(p - q for p, q in zip(one(back), other(nearest), strict=True))
        if kept and length - sum(p * n for p, n in zip(point, nearest, strict=True)) / length < 1e-8 * max(length, 1.0):
            return length
        kept.append(point)
        sums = np.array([*zip(*kept, strict=True), [length] * len(kept)]) / length
        weights = nnls(sums, np.array([0.0, 0.0, 0.0, 1.0]))[0].tolist()
        mix = [(p, w / sum(weights)) for p, w in zip(kept, weights, strict=True) if w > 0]
        kept = [p for p, _ in mix]
        nearest = tuple(sum(w * p[i] for p, w in mix) for i in range(3))
    raise AssertionError(f"no least distance after 200 points, {length} so far")
