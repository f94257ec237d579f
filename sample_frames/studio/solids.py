"""Closed raw solids: lofts, extruded outlines, lathed profiles, boxes, beams and panels; shaded into meshes last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sample_frames.studio.mesh import CREASE_DEG, Floats, Ints, Mesh, shaded

BEVEL_STEPS = 3
Outline = Sequence[tuple[float, float]] | Floats


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A closed surface before shading: points (n,3) in mm, faces (m,3) looking outward."""

    points: Floats
    faces: Ints

    def warped(self, bend: Callable[[Floats], Floats]) -> Solid:
        """The solid with its points moved by a function that keeps its sides apart."""
        return Solid(bend(self.points), self.faces)

    def upright(self) -> Solid:
        """The solid turned about x so that what was drawn in (x, y) stands in (x, z), and z looks to the right."""
        return Solid(self.points @ np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]), self.faces)

    def shifted(self, x_mm: float, y_mm: float, z_mm: float) -> Solid:
        return Solid(self.points + np.array([x_mm, y_mm, z_mm]), self.faces)

    def mesh(self, crease_deg: float = CREASE_DEG) -> Mesh:
        return shaded(self.points, self.faces, crease_deg)


def loft(rings: Sequence[Floats]) -> Solid:
    """A skin over rings of equally many points, anticlockwise as seen from where they lead, closed at both ends."""
    stack = np.asarray(rings, dtype=np.float64)
    count, n = stack.shape[:2]
    here = np.arange(n)
    after = (here + 1) % n
    skin = []
    for i in range(count - 1):
        a, b, c, d = here + i * n, after + i * n, after + (i + 1) * n, here + (i + 1) * n
        skin += [np.column_stack([a, b, c]), np.column_stack([a, c, d])]
    bottom = _cap(stack[0])[:, ::-1]
    top = _cap(stack[-1]) + (count - 1) * n
    return Solid(stack.reshape(-1, 3), np.concatenate([*skin, bottom, top]).astype(np.int64))


def extruded(outline: Outline, low_mm: float, high_mm: float, bevel_mm: float = 0.0) -> Solid:
    """A prism over an anticlockwise outline from z = low to z = high, its upper and lower edges rounded."""
    flat = np.asarray(outline, dtype=np.float64)
    if bevel_mm <= 0:
        return loft([_at(flat, low_mm), _at(flat, high_mm)])
    angles = np.linspace(0, np.pi / 2, BEVEL_STEPS + 1)
    insets, drops = bevel_mm * (1 - np.cos(angles)), bevel_mm * (1 - np.sin(angles))
    rings = [_at(inset(flat, i), high_mm - d) for i, d in zip(insets, drops, strict=True)]
    under = [_at(inset(flat, i), low_mm + d) for i, d in zip(insets, drops, strict=True)]
    return loft([*reversed(under), *rings])


def lathed(profile: Sequence[tuple[float, float]], segments: int = 48) -> Solid:
    """A surface of revolution about z through (radius, z) points from below upward; radii stay above 0."""
    angles = np.arange(segments) * (2 * np.pi / segments)
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    return loft([_at(around * radius, z) for radius, z in profile])


def box(low: Sequence[float], high: Sequence[float], bevel_mm: float = 0.0) -> Solid:
    """A box between two corners with all its edges rounded."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    outline = np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], dtype=np.float64)
    return extruded(rounded(outline, 1.05 * bevel_mm) if bevel_mm > 0 else outline, z0, z1, bevel_mm)


def beam(start: Floats, end: Floats, thickness_mm: float) -> Solid:
    """A square bar between two points."""
    along = (end - start) / np.linalg.norm(end - start)
    side = np.cross(along, (0.0, 0.0, 1.0) if abs(along[2]) < 0.9 else (1.0, 0.0, 0.0))
    side *= thickness_mm / 2 / np.linalg.norm(side)
    up = np.cross(along, side)
    ring = np.array([side + up, up - side, -side - up, side - up])
    return loft([start + ring, end + ring])


def panel(corners: Floats, proud_mm: float, depth_mm: float, radius_mm: float = 0.0) -> Solid:
    """A plate on a flat patch (n,3), anticlockwise from outside, standing proud of it and sunk into what bears it."""
    along = (corners[1] - corners[0]) / np.linalg.norm(corners[1] - corners[0])
    out = np.cross(along, corners[2] - corners[0])
    out /= np.linalg.norm(out)
    frame = np.stack([along, np.cross(out, along), out])
    flat = ((corners - corners[0]) @ frame.T)[:, :2]
    plate = extruded(rounded(flat, radius_mm) if radius_mm > 0 else flat, -depth_mm, proud_mm)
    return plate.warped(lambda points: points @ frame + corners[0])


def rounded(outline: Outline, radius_mm: float, steps: int = BEVEL_STEPS) -> Floats:
    """The outline with its corners replaced by arcs, each of steps + 1 points."""
    flat = np.asarray(outline, dtype=np.float64)
    before, after = np.roll(flat, 1, axis=0) - flat, np.roll(flat, -1, axis=0) - flat
    corners = []
    for corner, last, following in zip(flat, before, after, strict=True):
        reach = 0.49 * min(np.linalg.norm(last), np.linalg.norm(following))
        back, on = last / np.linalg.norm(last), following / np.linalg.norm(following)
        half = np.arccos(np.clip(back @ on, -1, 1)) / 2
        if half > np.pi / 2 - 1e-6:
            corners.append(corner + np.linspace(-0.01, 0.01, steps + 1)[:, None] * on * reach)
            continue
        radius = min(radius_mm, reach * np.tan(half))
        middle = corner + (back + on) / np.linalg.norm(back + on) * radius / np.sin(half)
        start, end = corner + back * radius / np.tan(half) - middle, corner + on * radius / np.tan(half) - middle
        turn = np.pi - 2 * half
        t = np.linspace(0, 1, steps + 1)[:, None]
        corners.append(middle + (np.sin((1 - t) * turn) * start + np.sin(t * turn) * end) / np.sin(turn))
    return np.concatenate(corners)


def rectangle(x0: float, x1: float, y0: float, y1: float, radius_mm: float) -> Floats:
    """A rectangle with round corners, anticlockwise."""
    return rounded([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], radius_mm)


def inset(outline: Floats, by_mm: float) -> Floats:
    """The anticlockwise outline moved inward by this much, corner by corner."""
    on = np.roll(outline, -1, axis=0) - outline
    on /= np.linalg.norm(on, axis=1, keepdims=True)
    inward = np.column_stack([-on[:, 1], on[:, 0]])
    before = np.roll(inward, 1, axis=0)
    mitre = (inward + before) / (1 + np.einsum("ij,ij->i", inward, before))[:, None]
    moved: Floats = outline + mitre * by_mm
    return moved


def _at(flat: Floats, z_mm: float) -> Floats:
    return np.column_stack([flat, np.full(len(flat), z_mm)])


def _cap(ring: Floats) -> Ints:
    """Triangles over a ring: a zigzag where it bulges everywhere, else ears cut off one by one."""
    normal = np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0)
    out = normal / np.linalg.norm(normal)
    side = np.roll(ring, -1, axis=0) - ring
    if np.all(np.cross(side, np.roll(side, -1, axis=0)) @ out > -1e-9):
        low, high, faces = 0, len(ring) - 1, []
        while high - low >= 2:
            faces.append((low, low + 1, high))
            low += 1
            if high - low >= 2:
                faces.append((low, high - 1, high))
                high -= 1
        return np.array(faces, dtype=np.int64)
    return _ears(ring, out)


def _ears(ring: Floats, out: Floats) -> Ints:
    left = list(range(len(ring)))
    faces: list[tuple[int, ...]] = []
    while len(left) > 3:
        for k in range(len(left)):
            ear = left[k - 1], left[k], left[(k + 1) % len(left)]
            a, b, c = ring[list(ear)]
            if np.cross(b - a, c - b) @ out > 0 and not _holds_any(ring, ear, left, out):
                break
        else:
            raise ValueError(f"an outline of {len(ring)} points crosses itself or turns clockwise")
        faces.append(ear)
        del left[k]
    return np.array([*faces, tuple(left)], dtype=np.int64)


def _holds_any(ring: Floats, ear: tuple[int, int, int], left: list[int], out: Floats) -> bool:
    others = ring[[i for i in left if i not in ear]]
    inside = np.ones(len(others), dtype=bool)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        inside &= np.cross(ring[ear[j]] - ring[ear[i]], others - ring[ear[i]]) @ out > -1e-9
    return bool(inside.any())
