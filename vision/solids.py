"""Pieces as upright or tilted prisms: discs, sticks, cars and houses all are, for the eye of a camera."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from referee.layout import Building, Car, Column, Layout, Road
from referee.pieces import Kit
from vision.once import once
from vision.view import Floats

END_ROUNDNESS = 0.45
"""Radius of a stick's corners as a share of its width: what craft sticks have, between square and half round."""
DISC_SIDES = 48
PAINTED_SIDES = 16
STEP_MM = 2.0


@dataclass(frozen=True, eq=False)
class Prism:
    """A convex outline (k, 2), counter-clockwise in the plane of axes 0 and 1, swept along axis 2 by +-half_mm."""

    outline: Floats
    origin: Floats
    axes: Floats
    half_mm: float

    def ring(self, side: float) -> Floats:
        """The outline (k, 3) in the table frame on the upper (1) or lower (-1) face."""
        points: Floats = self.origin + self.outline @ self.axes[:2] + side * self.half_mm * self.axes[2]
        return points

    @once
    def _key(self) -> tuple[bytes, ...]:
        return self.outline.tobytes(), self.origin.tobytes(), self.axes.tobytes(), struct.pack("d", self.half_mm)

    def __eq__(self, other: object) -> bool:
        """Of the same shape at the same place."""
        return isinstance(other, Prism) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def stick(a: Floats, b: Floats, kit: Kit) -> Prism:
    """The box of a road between its tips."""
    along = b - a
    length = float(np.linalg.norm(along))
    outline = stick_outline(round(length, 2), kit.road_width_mm)
    return Prism(outline, (a + b) / 2, _frame(along / length), kit.road_thickness_mm / 2)


def _frame(u: Floats) -> Floats:
    """Axes of a body that points along the unit vector `u` without rolling to a side."""
    x, y, z = (float(c) for c in u)
    flat = max(math.hypot(x, y), 1e-9)
    return np.array([(x, y, z), (-y / flat, x / flat, 0.0), (-x * z / flat, -y * z / flat, flat)])


@lru_cache(maxsize=64)
def stick_outline(length_mm: float, width_mm: float) -> Floats:
    """A rectangle with rounded corners, its long sides cut into steps."""
    radius = END_ROUNDNESS * width_mm
    half_l, half_w = length_mm / 2, width_mm / 2
    turn = np.linspace(0, np.pi / 2, 6)
    corner = np.column_stack([np.cos(turn), np.sin(turn)]) * radius + (half_l - radius, half_w - radius)
    steps = max(int((length_mm - 2 * radius) / STEP_MM), 2)
    side = np.linspace(half_l - radius, radius - half_l, steps + 1)[1:-1]
    right_up = np.concatenate([corner, np.column_stack([side, np.full(len(side), half_w)])])
    left_up = corner[::-1] * (-1, 1)
    upper = np.concatenate([right_up, left_up])
    return np.concatenate([upper, -upper])


def cylinder(x: float, y: float, bottom_mm: float, top_mm: float, radius_mm: float) -> Prism:
    """An upright cylinder as a many-sided prism."""
    origin = np.array([x, y, (bottom_mm + top_mm) / 2])
    return Prism(disc_outline(radius_mm), origin, np.eye(3), (top_mm - bottom_mm) / 2)


def is_round(prism: Prism) -> bool:
    """Whether a prism is a column."""
    return len(prism.outline) == DISC_SIDES


@lru_cache(maxsize=64)
def disc_outline(radius_mm: float) -> Floats:
    """A many-sided outline whose sides touch the circle on average."""
    angles = np.arange(DISC_SIDES) * (2 * np.pi / DISC_SIDES)
    fit = radius_mm / math.cos(np.pi / DISC_SIDES / 1.7)
    return np.column_stack([np.cos(angles), np.sin(angles)]) * fit


def box(centre: Floats, yaw_rad: float, size_mm: tuple[float, float, float], pitch_rad: float = 0.0) -> Prism:
    """A car as the box it fills."""
    length, width, height = size_mm
    cos, sin = math.cos(pitch_rad), math.sin(pitch_rad)
    u = np.array([math.cos(yaw_rad) * cos, math.sin(yaw_rad) * cos, sin])
    outline = np.array([(1, -1), (1, 1), (-1, 1), (-1, -1)]) * (length / 2, width / 2)
    return Prism(outline, np.asarray(centre, float), _frame(u), height / 2)


def solid_of(piece: Column | Road | Car | Building, kit: Kit) -> Prism:
    """A piece of a layout as a prism."""
    match piece:
        case Column():
            return cylinder(piece.x, piece.y, 0.0, kit.column_top_mm(piece.height), kit.disc_radius_mm)
        case Road():
            return stick(np.array(piece.a), np.array(piece.b), kit)
        case Car():
            return box(np.array([piece.x, piece.y, piece.z]), piece.yaw, car_size_mm(piece.type, kit))
        case Building():
            outline = np.array(piece.outline)
            if _area(outline) < 0:
                outline = outline[::-1]
            return Prism(outline, np.array([0, 0, piece.height_mm / 2]), np.eye(3), piece.height_mm / 2)


def car_size_mm(kind: str | None, kit: Kit) -> tuple[float, float, float]:
    """Length, width and height of a type; of a middling car where the type is not known."""
    if kind in kit.cars:
        return kit.cars[kind]
    length, width, height = np.median(np.array(list(kit.cars.values())), axis=0)
    return float(length), float(width), float(height)


def solids(layout: Layout, kit: Kit) -> dict[str, Prism]:
    """Every piece and building of a layout by its id."""
    return {piece.id: solid_of(piece, kit) for piece in (*layout.pieces(), *layout.buildings)}


def faces(prism: Prism, eye: Floats) -> list[Floats]:
    """Polygons (k, 3) of the faces that a camera at `eye` sees; narrow ones side by side are taken together."""
    if is_round(prism):
        prism = Prism(prism.outline[:: DISC_SIDES // PAINTED_SIDES], prism.origin, prism.axes, prism.half_mm)
    top, bottom = prism.ring(1.0), prism.ring(-1.0)
    seen: list[Floats] = []
    if (eye - top[0]) @ prism.axes[2] > 0:
        seen.append(top)
    if (eye - bottom[0]) @ prism.axes[2] < 0:
        seen.append(bottom[::-1])
    front = _facing(prism, top, eye)
    # Steps along one flat side make one face.
    for first, last in _runs(front, prism.outline):
        j = (last + 1) % len(top)
        seen.append(np.array([bottom[first], bottom[j], top[j], top[first]]))
    return seen


def _next(ring: Floats) -> Floats:
    """Each corner's follower."""
    return np.concatenate([ring[1:], ring[:1]])


def _facing(prism: Prism, top: Floats, eye: Floats) -> np.ndarray:
    """Which side faces (from corner i to the next) look towards the eye."""
    direction = _next(prism.outline) - prism.outline
    outward = np.column_stack([direction[:, 1], -direction[:, 0]]) @ prism.axes[:2]
    facing: np.ndarray = np.einsum("ij,ij->i", outward, eye - top) > 0
    return facing


def _runs(front: np.ndarray, outline: Floats) -> list[tuple[int, int]]:
    """First and last side of each run of sides that face the eye and point the same way."""
    x, y = (_next(outline) - outline).T
    turns = np.abs(x[:-1] * y[1:] - y[:-1] * x[1:]) > 1e-6 * np.hypot(x[:-1], y[:-1]) * np.hypot(x[1:], y[1:])
    runs: list[tuple[int, int]] = []
    for i in np.flatnonzero(front).tolist():
        if runs and runs[-1][1] == i - 1 and not turns[i - 1]:
            runs[-1] = (runs[-1][0], i)
        else:
            runs.append((i, i))
    return runs


def _area(outline: Floats) -> float:
    x, y = outline.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
