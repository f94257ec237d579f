"""The overhead view laid flat on one height, and the disc tops in it: rims whose edges all point at a middle."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from referee.pieces import Kit
from vision.at_once import at_once
from vision.fit import Scene
from vision.printed import printed, without_printed
from vision.region import TALLEST_MM
from vision.seek import Box
from vision.view import Floats, Singles, less, sampled

GRID_MM = 0.75
PLANE_DISCS = 2.0
RIM_SIGMA_MM = 0.6
LEAST_SHARE = 0.3
APART = 0.6
"""How near two tops may look to each other, in diameters."""
SIZES = 4


@dataclass(frozen=True, eq=False)
class Plan:
    """Edges of the overhead view as rays meet the plane `z_mm`: tensors whose trace is 1 where an edge is clear."""

    box: Box
    z_mm: float
    eye: Floats
    tensor: Singles

    def flat(self, points: Floats) -> Floats:
        """Where table points (..., 3) are seen on the plane, (..., 2)."""
        share = (self.eye[2] - self.z_mm) / (self.eye[2] - points[..., 2:])
        spots: Floats = self.eye[:2] + (points[..., :2] - self.eye[:2]) * share
        return spots

    def lifted(self, spots: Floats, z_mm: float | Floats) -> Floats:
        """Table points (..., 3) at heights that are seen at spots (..., 2) of the plane."""
        height = np.broadcast_to(np.asarray(z_mm, float), spots.shape[:-1])[..., None]
        share = (self.eye[2] - height) / (self.eye[2] - self.z_mm)
        points: Floats = np.concatenate([self.eye[:2] + (spots - self.eye[:2]) * share, height], axis=-1)
        return points

    def seen(self, spots: Floats, normals: Floats) -> Singles:
        """How clearly (0 to 1) an edge across unit normals (..., 2) is seen at spots (..., 2)."""
        tensor = sampled(self.tensor, less(spots, (self.box.left, self.box.bottom)) / GRID_MM)
        nx, ny = normals[..., 0].astype(np.float32), normals[..., 1].astype(np.float32)
        clear: Singles = tensor[..., 0] * nx * nx + 2 * tensor[..., 1] * nx * ny + tensor[..., 2] * ny * ny
        return clear


def plan_of(overhead: Scene, box: Box, kit: Kit) -> Plan:
    """The overhead view on the plane of a low column's top."""
    z_mm = PLANE_DISCS * kit.disc_height_mm
    lens = overhead.evidence.lens
    xs, ys = np.arange(box.left, box.right, GRID_MM), np.arange(box.bottom, box.top, GRID_MM)
    points = np.stack([*np.meshgrid(xs, ys), np.full((len(ys), len(xs)), z_mm)], axis=-1)
    view = overhead.evidence.view
    tensor = sampled(without_printed(view.edges, printed(view)), lens.project(points))
    middle = np.array([(box.left + box.right) / 2, (box.bottom + box.top) / 2, z_mm])
    nearby = lens.project(middle + np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float))
    left, _, right = np.linalg.svd(np.column_stack([nearby[1] - nearby[0], nearby[2] - nearby[0]]))
    (a, b), (c, d) = left @ right
    # From the picture's axes to the table's, and edges far above the knee no stronger than others.
    turn = np.array([[a * a, 2 * a * c, c * c], [a * b, a * d + b * c, c * d], [b * b, 2 * b * d, d * d]])
    strength = tensor[..., 0] + tensor[..., 2]
    tensor = cv2.transform(tensor, turn) / (strength + overhead.knee**2)[..., None]
    return Plan(box, z_mm, lens.eye, np.asarray(tensor, np.float32))


def tops(plan: Plan, kit: Kit, most: int, least: float = LEAST_SHARE) -> tuple[Floats, Floats]:
    """Likely disc tops, best first: the share of the rim that is seen (k,), and where on the plane (k, 2)."""
    parts = [np.ascontiguousarray(plan.tensor[..., i]) for i in range(3)]
    levels_mm = np.linspace(kit.disc_height_mm, TALLEST_MM - kit.disc_height_mm, SIZES)
    radii = kit.disc_radius_mm * (plan.eye[2] - plan.z_mm) / (plan.eye[2] - levels_mm) / GRID_MM
    share: Singles = np.max(at_once(lambda radius: _rims(parts, radius), radii.tolist()), axis=0, initial=0.0)
    size = 2 * int(APART * kit.disc_radius_mm / GRID_MM) + 1
    peaks = np.argwhere((share >= cv2.dilate(share, np.ones((size, size), np.uint8))) & (share > least))
    shares = share[peaks[:, 0], peaks[:, 1]].astype(float)
    order = np.argsort(-shares)[:most]
    spots: Floats = peaks[order, ::-1] * np.float64(GRID_MM) + np.array([plan.box.left, plan.box.bottom])
    return shares[order], spots


def rim_strength(overhead: Scene, plan: Plan, spots: Floats, kit: Kit) -> float:
    """How strong (grey levels per px) the rims of tops at spots (k, 2) of the plane mostly are."""
    if not len(spots):
        return 0.0
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rim = np.column_stack([np.cos(turn), np.sin(turn)])
    points = plan.lifted(spots, plan.z_mm)[:, None] + np.pad(rim * kit.disc_radius_mm, ((0, 0), (0, 1)))
    tensor = sampled(overhead.evidence.view.edges, overhead.evidence.lens.project(points))
    return float(np.median(np.sqrt(tensor[..., 0] + tensor[..., 2])))


def _rims(parts: list[np.ndarray], radius: float) -> np.ndarray:
    """The share of a rim of a radius (in cells) about each cell whose edges point at the cell."""
    reach = math.ceil(radius) + 2
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1].astype(float)
    away = np.maximum(np.hypot(x, y), 1e-9)
    ring = np.exp(-0.5 * np.square((away - radius) / (RIM_SIGMA_MM / GRID_MM)))
    ring /= ring.sum()
    nx, ny = x / away, y / away
    kernels = (ring * nx * nx, 2 * ring * nx * ny, ring * ny * ny)
    found = [
        cv2.filter2D(part, -1, kernel.astype(np.float32), borderType=cv2.BORDER_CONSTANT)
        for part, kernel in zip(parts, kernels, strict=True)
    ]
    return np.asarray(found[0] + found[1] + found[2])
