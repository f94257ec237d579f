"""Bodies as triangles for the painter: prisms, turned profiles and quads, each with its paint and what it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

OTHER, STICK, TOP, SIDE, CAR = range(5)
CLASSES = ("other", "stick", "disc top", "disc side", "car")


@dataclass(slots=True)
class Bodies:
    """Triangles of a table: rows of position, normal, colour, shine, grain, instance and class for each corner."""

    rows: list[Floats] = field(default_factory=list)
    count: int = 0
    tips: list[tuple[int, np.ndarray]] = field(default_factory=list)
    """For each end of a stick its instance, and points (k, 2, 3) across its upper face: at the end, a little inside."""
    columns: list[tuple[float, float, int]] = field(default_factory=list)
    """Where columns stand, and of how many discs."""
    sticks: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    """Both tips of every stick, in the middle of its thickness."""

    def instance(self) -> int:
        """A new number for a piece, told apart from all others in the truth."""
        self.count += 1
        return self.count

    def add(
        self, corners: np.ndarray, normals: np.ndarray, paint: np.ndarray, instance: int, kind: int,
        shine: float = 0.2, grain: float = 0.0,
    ) -> None:  # fmt: skip
        """Triangles (n, 3, 3) with a normal for each corner."""
        flat = corners.reshape(-1, 3)
        rest = np.broadcast_to(np.r_[paint, shine, grain, instance, kind].astype(np.float32), (len(flat), 7))
        self.rows.append(np.hstack([flat, normals.reshape(-1, 3), rest]).astype(np.float32))

    def table(self) -> Floats:
        return np.ascontiguousarray(np.concatenate(self.rows))


def prism(outline: np.ndarray, low: float, high: float, smooth: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triangles of a convex outline (k, 2) between two heights, their normals, and which belong to the upper face."""
    k = len(outline)
    ahead = np.roll(outline, -1, axis=0)
    bottom, top = (np.column_stack([outline, np.full(k, z)]) for z in (low, high))
    bottom_ahead, top_ahead = (np.column_stack([ahead, np.full(k, z)]) for z in (low, high))
    walls = np.concatenate([np.stack([bottom, bottom_ahead, top_ahead], 1), np.stack([bottom, top_ahead, top], 1)])
    out = np.column_stack([(ahead - outline)[:, 1], -(ahead - outline)[:, 0], np.zeros(k)])
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    if smooth:
        mean = out + np.roll(out, 1, axis=0)
        mean /= np.linalg.norm(mean, axis=1, keepdims=True)
        later = np.roll(mean, -1, axis=0)
        wall_normals = np.concatenate([np.stack([mean, later, later], 1), np.stack([mean, later, mean], 1)])
    else:
        wall_normals = np.repeat(np.concatenate([out, out])[:, None], 3, axis=1)
    lid = np.stack([np.broadcast_to(top.mean(0), (k, 3)), top, top_ahead], 1)
    lid_normals = np.broadcast_to([0.0, 0.0, 1.0], lid.shape)
    is_lid = np.r_[np.zeros(2 * k, bool), np.ones(k, bool)]
    return np.concatenate([walls, lid]), np.concatenate([wall_normals, lid_normals]), is_lid


@lru_cache(maxsize=256)
def turned(profile: tuple[tuple[float, float], ...], sides: int = 36) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triangles of a profile (radius, z) from below to above, with normals, and which of them look up."""
    turn = np.linspace(0, 2 * np.pi, sides + 1)
    corners, normals, up = [], [], []
    for (r0, z0), (r1, z1) in pairwise(profile):
        slope = np.array([z1 - z0, r0 - r1]) / max(math.hypot(r1 - r0, z1 - z0), 1e-9)
        for i in range(sides):
            a, b = turn[i], turn[i + 1]
            p = [
                (r * math.cos(t), r * math.sin(t), z)
                for r, z, t in ((r0, z0, a), (r0, z0, b), (r1, z1, b), (r1, z1, a))
            ]
            n = [(slope[0] * math.cos(t), slope[0] * math.sin(t), slope[1]) for t in (a, b, b, a)]
            corners += [(p[0], p[1], p[2]), (p[0], p[2], p[3])]
            normals += [(n[0], n[1], n[2]), (n[0], n[2], n[3])]
            up += [slope[1] > 0.5] * 2
    return np.array(corners), np.array(normals), np.array(up)


def rounded(length: float, width: float, radius: float) -> np.ndarray:
    """A rectangle about the origin with rounded corners, counter-clockwise."""
    turns = np.linspace(0, np.pi / 2, 6)
    corner = np.column_stack([np.cos(turns), np.sin(turns)]) * radius
    half = np.array([length / 2 - radius, width / 2 - radius])
    signs = ((1, 1), (-1, 1), (-1, -1), (1, -1))
    quarter = [np.array([[0, -1], [1, 0]]), -np.eye(2), np.array([[0, 1], [-1, 0]])]
    parts = [corner] + [corner @ np.asarray(turn).T for turn in quarter]
    return np.concatenate([part + half * sign for part, sign in zip(parts, signs, strict=True)])


def placed(
    corners: np.ndarray, normals: np.ndarray, origin: np.ndarray, axes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Triangles moved to an origin with other axes (rows)."""
    return corners @ axes + origin, normals @ axes


def leaning(along: np.ndarray) -> np.ndarray:
    """Axes (rows) of a body that points along a vector without rolling aside."""
    u = along / np.linalg.norm(along)
    v = np.array([-u[1], u[0], 0.0])
    v /= max(float(np.linalg.norm(v)), 1e-9)
    return np.stack([u, v, np.cross(u, v)])
