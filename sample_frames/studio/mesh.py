"""Triangle meshes in mm: a checked frozen type with its shading normals, and the few things done to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CREASE_DEG = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Vertices (n,3) in mm, faces (m,3) seen anticlockwise from outside, unit normals (n,3), perhaps uvs (n,2)."""

    vertices: Floats
    faces: Ints
    normals: Floats
    uvs: Floats | None = None

    def __post_init__(self) -> None:
        n = len(self.vertices)
        if self.vertices.shape != (n, 3) or self.normals.shape != (n, 3) or self.faces.shape != (len(self.faces), 3):
            raise ValueError(f"mesh of {self.vertices.shape}, {self.normals.shape}, {self.faces.shape}: not (n,3) each")
        if self.uvs is not None and self.uvs.shape != (n, 2):
            raise ValueError(f"uvs are {self.uvs.shape}, not ({n}, 2)")
        if len(self.faces) and not 0 <= self.faces.min() <= self.faces.max() < n:
            raise ValueError(f"a face names a vertex outside 0 to {n - 1}")

    @property
    def bounds_mm(self) -> Floats:
        """The lowest and the highest corner, (2,3)."""
        return np.stack([self.vertices.min(axis=0), self.vertices.max(axis=0)])

    @property
    def volume_mm3(self) -> float:
        """The volume inside; positive where faces look outward."""
        a, b, c = (self.vertices[self.faces[:, i]] for i in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)

    def transformed(self, target_from_source: Floats) -> Mesh:
        """The mesh under an affine 4x4; a mirroring one keeps faces outward."""
        linear = target_from_source[:3, :3]
        faces = self.faces if np.linalg.det(linear) > 0 else self.faces[:, ::-1].copy()
        normals = _unit(self.normals @ np.linalg.inv(linear))
        return replace(
            self, vertices=self.vertices @ linear.T + target_from_source[:3, 3], faces=faces, normals=normals
        )

    def with_uvs(self, uvs: Floats) -> Mesh:
        """The same mesh with other texture coordinates."""
        return replace(self, uvs=uvs)


def merged(meshes: Iterable[Mesh]) -> Mesh:
    """One mesh of several; it has uvs only if all of them do."""
    parts = list(meshes)
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    uvs = [part.uvs for part in parts if part.uvs is not None]
    return Mesh(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=False)]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate(uvs) if len(uvs) == len(parts) else None,
    )


def shaded(points: Floats, faces: Ints, crease_deg: float = CREASE_DEG) -> Mesh:
    """A mesh whose normals run smoothly over edges flatter than the crease; along sharper ones it is split."""
    across = np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]])
    solid = np.linalg.norm(across, axis=1) > 1e-12
    faces, across = faces[solid], across[solid]
    flat = _unit(across)
    corner_vertex = faces.reshape(-1)
    corner_face = np.repeat(np.arange(len(faces)), 3)
    first, second = _corner_pairs(corner_vertex)
    same = np.einsum("ij,ij->i", flat[corner_face[first]], flat[corner_face[second]]) > np.cos(np.deg2rad(crease_deg))
    sums = np.zeros((len(corner_vertex), 3))
    # Weighing by area keeps large faces flat and lets their bevels carry the bend.
    np.add.at(sums, first[same], across[corner_face[second[same]]])
    normals = _unit(sums)
    keys = np.column_stack([corner_vertex, np.round(normals * 1e6)]).astype(np.int64)
    _, kept, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return Mesh(points[corner_vertex[kept]], inverse.reshape(-1, 3).astype(np.int64), normals[kept])


def moved(x_mm: float = 0.0, y_mm: float = 0.0, z_mm: float = 0.0, yaw_rad: float = 0.0) -> Floats:
    """The 4x4 that turns about z, then shifts."""
    cos, sin = np.cos(yaw_rad), np.sin(yaw_rad)
    return np.array([[cos, -sin, 0, x_mm], [sin, cos, 0, y_mm], [0, 0, 1, z_mm], [0, 0, 0, 1]], dtype=np.float64)


def fitted(meshes: dict[str, Mesh], low_mm: Floats, high_mm: Floats) -> dict[str, Mesh]:
    """The parts, stretched together so that their common bounds are exactly these."""
    bounds = np.stack([mesh.bounds_mm for mesh in meshes.values()])
    low, high = bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)
    scale = (high_mm - low_mm) / (high - low)
    matrix = np.eye(4)
    matrix[:3, :3] = np.diag(scale)
    matrix[:3, 3] = low_mm - low * scale
    return {part: mesh.transformed(matrix) for part, mesh in meshes.items()}


def _corner_pairs(corner_vertex: Ints) -> tuple[Ints, Ints]:
    """All ordered pairs of corners at one vertex, each corner with itself too."""
    order = np.argsort(corner_vertex, kind="stable")
    _, starts, counts = np.unique(corner_vertex[order], return_index=True, return_counts=True)
    count_of = np.repeat(counts, counts)
    first = np.repeat(order, count_of)
    run = np.arange(len(first)) - np.repeat(np.cumsum(count_of) - count_of, count_of)
    second = order[np.repeat(np.repeat(starts, counts), count_of) + run]
    return first.astype(np.int64), second.astype(np.int64)


def _unit(vectors: Floats) -> Floats:
    unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit
