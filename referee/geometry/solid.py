"""Least distance of convex solids in 3D, exact: by their vertices, edges and faces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import EXACT_MM, Bools, Floats

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Shape:
    """How a solid's vertices hang together: its edges, and four corners of each face, outward by the right hand."""

    edges: Indices
    faces: Indices
    directions: Indices
    """Edges that all others are parallel to."""


def _prism_shape(corners: int) -> Shape:
    """Vertices 0..n-1 round the bottom (counter-clockwise seen from above), n..2n-1 above them."""
    ring = np.arange(corners)
    after = (ring + 1) % corners
    bottom, upright = np.stack([ring, after], 1), np.stack([ring, ring + corners], 1)
    walls = np.stack([ring, after, after + corners, ring + corners], 1)
    last = corners - 1  # a triangle counts one corner twice
    caps = np.array([[0, last, 2, 1], [corners, corners + 1, corners + 2, corners + last]])
    return Shape(
        edges=np.concatenate([bottom, bottom + corners, upright]),
        faces=np.concatenate([walls, caps]),
        directions=np.concatenate([bottom, upright[:1]]),
    )


_SHAPES = {corners: _prism_shape(corners) for corners in (3, 4)}


@dataclass(frozen=True, slots=True)
class Solid:
    """A convex prism-like solid per sample: vertices (n, v, 3) that hang together by `shape`."""

    vertices: Floats
    shape: Shape

    def sample(self, rows: Bools) -> Solid:
        return Solid(self.vertices[rows], self.shape)


def stick(tips: Floats, width_mm: float, thickness_mm: float) -> Solid:
    """The box of a stick between its tips (n, 2, 3)."""
    return _swept(tips, np.zeros((len(tips), 4)), width_mm, thickness_mm)


def stick_outside(tips: Floats, width_mm: float, thickness_mm: float, centre: Floats, radius_mm: float) -> Solid:
    """A stick less what lies within `radius_mm` in plan of `centre`, near the tip that is closer to it.

    Each long side is cut where it leaves the circle; a stick that lies wholly inside shrinks to its far end.
    """
    to_centre = np.hypot(*np.moveaxis(tips[:, :, :2] - centre[:, None], 2, 0))
    flip = to_centre[:, 1] < to_centre[:, 0]
    ordered = np.where(flip[:, None, None], tips[:, ::-1], tips)
    along = ordered[:, 1, :2] - ordered[:, 0, :2]
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)
    axis = along / length[:, None]
    offset = centre - ordered[:, 0, :2]
    centre_along = np.einsum("ni,ni->n", offset, axis)
    centre_across = axis[:, 0] * offset[:, 1] - axis[:, 1] * offset[:, 0]
    cuts = []
    for side in (-width_mm / 2, width_mm / 2):
        square = radius_mm**2 - (side - centre_across) ** 2
        leaves = centre_along + np.sqrt(np.maximum(square, 0.0))
        cuts.append(np.where(square > 0, np.clip(leaves / length, 0.0, 1.0), 0.0))
    right_cut, left_cut = cuts
    starts = np.stack([right_cut, left_cut, right_cut, left_cut], axis=1)
    return _swept(ordered, starts, width_mm, thickness_mm)


def _swept(tips: Floats, starts: Floats, width_mm: float, thickness_mm: float) -> Solid:
    """Box along the tips; its four long edges begin at the fractions `starts` (-- +- -+ ++ of width, thickness)."""
    a, b = tips[:, 0], tips[:, 1]
    axis = b - a
    axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-9)
    side = np.stack([-axis[:, 1], axis[:, 0], np.zeros(len(axis))], axis=1)
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
    up = np.cross(axis, side)
    corners = []
    for number, (w, t) in enumerate(((-1, -1), (1, -1), (-1, 1), (1, 1))):
        offset = side * (w * width_mm / 2) + up * (t * thickness_mm / 2)
        corners.append((a + (b - a) * starts[:, number : number + 1] + offset, b + offset))
    (near_rb, far_rb), (near_lb, far_lb), (near_rt, far_rt), (near_lt, far_lt) = corners
    bottom = [near_rb, far_rb, far_lb, near_lb]
    top = [near_rt, far_rt, far_lt, near_lt]
    return Solid(np.stack(bottom + top, axis=1), _SHAPES[4])


def triangle_prism(triangle: Floats, height_mm: float, samples: int) -> Solid:
    """An upright prism on the table over a triangle (3, 2)."""
    (x0, y0), (x1, y1), (x2, y2) = triangle
    if (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0) < 0:
        triangle = triangle[::-1]
    bottom = np.column_stack([triangle, np.zeros(3)])
    top = np.column_stack([triangle, np.full(3, height_mm)])
    return Solid(np.broadcast_to(np.concatenate([bottom, top]), (samples, 6, 3)), _SHAPES[3])


def distance(one: Solid, other: Solid) -> Floats:
    """Least distance of two convex solids, 0 where they touch or overlap, (n,)."""
    result = np.zeros(len(one.vertices))
    apart = separation(one, other) > -EXACT_MM
    if apart.any():
        first, second = one.sample(apart), other.sample(apart)
        result[apart] = np.minimum.reduce(
            [
                _vertices_to_faces(first, second),
                _vertices_to_faces(second, first),
                _vertices_to_edges(first, second),
                _vertices_to_edges(second, first),
                _edges_to_edges(first, second),
            ]
        )
    return result


def face_planes(solid: Solid) -> tuple[Floats, Floats]:
    """Outward unit normals (n, f, 3) of the faces and their offsets (n, f); zeros for a vanished face."""
    corner = solid.vertices[:, solid.shape.faces]
    # By the diagonals: they give a normal even where one side of the face has vanished.
    normal = _unit(_cross(corner[:, :, 2] - corner[:, :, 0], corner[:, :, 3] - corner[:, :, 1]), 1e-12)
    return normal, np.einsum("nfi,nfi->nf", normal, corner[:, :, 0])


def edge_lines(solid: Solid) -> tuple[Floats, Floats]:
    """Where each edge starts, and the way to its end, both (n, e, 3)."""
    start, end = solid.shape.edges.T
    return solid.vertices[:, start], solid.vertices[:, end] - solid.vertices[:, start]


def by_axis(points: Floats) -> Floats:
    """Points (n, k, 3) as (3, n, k): sums over one axis at a time are quicker."""
    return np.ascontiguousarray(np.moveaxis(points, 2, 0))


def separation(one: Solid, other: Solid) -> Floats:
    """Largest gap seen from any direction that may part two solids, (n,).

    Negative where they overlap; where they do not, never more than their distance, and much quicker to find.
    """
    edge_one, edge_other = _edge_directions(one), _edge_directions(other)
    crossed = _cross(edge_one[:, :, None], edge_other[:, None]).reshape(len(edge_one), -1, 3)
    axes = np.concatenate([face_planes(one)[0], face_planes(other)[0], _unit(crossed, 1e-9)], axis=1)
    along_one, along_other = (solid.vertices @ axes.swapaxes(1, 2) for solid in (one, other))
    gaps = np.maximum(along_one.min(axis=1) - along_other.max(axis=1), along_other.min(axis=1) - along_one.max(axis=1))
    real = np.einsum("nai,nai->na", axes, axes) > 0.5
    widest: Floats = np.where(real, gaps, -np.inf).max(axis=1)
    return widest


def _edge_directions(solid: Solid) -> Floats:
    """Unit directions that the edges run in; a vanished edge has none (zeros), (n, d, 3)."""
    start, end = solid.shape.directions.T
    return _unit(solid.vertices[:, end] - solid.vertices[:, start], 1e-9)


def _cross(one: Floats, other: Floats) -> Floats:
    """Cross products along the last axis (numpy's own takes three times as long)."""
    (a, b, c), (x, y, z) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    return np.stack([b * z - c * y, c * x - a * z, a * y - b * x], axis=-1)


def _unit(vectors: Floats, least: float) -> Floats:
    """Vectors made one long; those shorter than `least` become zeros."""
    length = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]
    units: Floats = np.where(length > least, vectors / np.maximum(length, least), 0.0)
    return units


def _vertices_to_faces(points: Solid, solid: Solid) -> Floats:
    """Least distance of the vertices of one solid to the faces of the other that they look onto, (n,)."""
    normal, offset = face_planes(solid)
    turned = normal.swapaxes(1, 2)
    height = points.vertices @ turned - offset[:, None]
    slopes = normal @ turned
    outside = np.full(height.shape, -np.inf)
    for face in range(height.shape[2]):
        np.maximum(outside, height[:, :, face, None] - height * slopes[:, None, face], out=outside)
    real = np.einsum("nfi,nfi->nf", normal, normal)[:, None] > 0.5
    lands = real & (outside <= 1e-9) & (height >= -EXACT_MM)
    least: Floats = np.where(lands, np.maximum(height, 0.0), np.inf).min(axis=(1, 2))
    return least


def _vertices_to_edges(points: Solid, solid: Solid) -> Floats:
    """Least distance of the vertices of one solid to the edges of the other, (n,)."""
    (px, py, pz), (rx, ry, rz) = (by_axis(line)[:, :, None] for line in edge_lines(solid))
    x, y, z = by_axis(points.vertices)[..., None]
    x, y, z = x - px, y - py, z - pz
    square = np.maximum(rx * rx + ry * ry + rz * rz, 1e-18)
    at = np.minimum(np.maximum((x * rx + y * ry + z * rz) / square, 0.0), 1.0)
    x, y, z = x - at * rx, y - at * ry, z - at * rz
    least: Floats = np.sqrt((x * x + y * y + z * z).min(axis=(1, 2)))
    return least


def _edges_to_edges(one: Solid, other: Solid) -> Floats:
    """Least distance over pairs of edges whose common perpendicular meets both inside, (n,)."""
    p, r = edge_lines(one)
    q, s = edge_lines(other)
    here = p[:, :1]
    p, q = p - here, q - here
    rr, ss = (np.einsum("nei,nei->ne", way, way) for way in (r, s))
    rs = r @ s.swapaxes(1, 2)
    gr = r @ q.swapaxes(1, 2) - np.einsum("nei,nei->ne", p, r)[:, :, None]
    gs = np.einsum("nfi,nfi->nf", q, s)[:, None] - p @ s.swapaxes(1, 2)
    determinant = rr[:, :, None] * ss[:, None] - rs**2
    skew = determinant > 1e-14 * np.maximum(rr[:, :, None] * ss[:, None], 1e-18)
    safe = np.where(skew, determinant, 1.0)
    on_one = (gr * ss[:, None] - gs * rs) / safe
    on_other = (gr * rs - gs * rr[:, :, None]) / safe
    meets = skew & (on_one >= 0) & (on_one <= 1) & (on_other >= 0) & (on_other <= 1)
    row, first, second = np.nonzero(meets)
    foot_one = p[row, first] + on_one[meets][:, None] * r[row, first]
    foot_other = q[row, second] + on_other[meets][:, None] * s[row, second]
    least = np.full(len(p), np.inf)
    np.minimum.at(least, row, np.linalg.norm(foot_other - foot_one, axis=1))
    return least
