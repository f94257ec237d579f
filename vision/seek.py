"""Where sticks may lie, as the overhead view alone tells it: two long edges a stick's width apart."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.evidence import Evidence
from vision.view import Floats, Lens, Singles, less, sampled

GRID_MM = 0.75
COARSE = 8
"""Points of the grid to one that is projected, in each direction; OpenCV is exact between them up to 32."""
SLIDE_MM = 18.0


@dataclass(frozen=True, slots=True)
class Box:
    """A field of the table, in mm."""

    left: float
    bottom: float
    right: float
    top: float

    def grown(self, by_mm: float) -> Box:
        return Box(self.left - by_mm, self.bottom - by_mm, self.right + by_mm, self.top + by_mm)

    def within(self, other: Box) -> Box:
        left, bottom = max(self.left, other.left), max(self.bottom, other.bottom)
        return Box(left, bottom, min(self.right, other.right), min(self.top, other.top))


@dataclass(frozen=True, slots=True)
class Seed:
    """A stick's middle and yaw as they would be at the height `z_mm`; `score` is the share of its sides seen."""

    x: float
    y: float
    yaw_rad: float
    z_mm: float
    score: float


@dataclass(frozen=True, eq=False)
class Field:
    """Edge tensors of the overhead view on a metric grid at one height, one per picture that must show the edge."""

    box: Box
    z_mm: float
    tensors: tuple[Singles, ...]
    pixels_per_mm: Floats
    """Jacobian (2, 2) of pixels by table mm at the middle of the field."""
    mosts: dict[tuple[float, float], float] = dataclasses.field(default_factory=dict)
    """By direction and knee the largest share that was seen of a stick: no more is once edges are taken out."""

    def only(self, free: NDArray[np.bool_] | NDArray[np.uint8]) -> Field:
        """The field with edges only where it is free (h, w); what is seen in it then is told of it alone."""
        tensors = tuple(tensor * free[..., None] for tensor in self.tensors)
        return dataclasses.replace(self, tensors=tensors, mosts=dict(self.mosts))

    def strength(self, yaw_rad: float) -> Singles:
        """How strong edges along a direction are at each point of the grid."""
        along = self.pixels_per_mm @ (math.cos(yaw_rad), math.sin(yaw_rad))
        nx, ny = np.array([along[1], -along[0]]) / np.hypot(*along)
        weights = np.array([[nx * nx, 2 * nx * ny, ny * ny]])
        energy = cv2.transform(self.tensors[0], weights)
        for tensor in self.tensors[1:]:
            energy = cv2.min(energy, cv2.transform(tensor, weights))
        positive = np.maximum(energy, 0.0, out=np.asarray(energy, np.float32))
        return np.sqrt(positive, out=positive)

    def around(self, x: float, y: float, reach_mm: float) -> Field:
        """The part of the field within reach of a place."""
        height, width = self.tensors[0].shape[:2]
        left, right = (
            int(np.clip(round((x - self.box.left + side) / GRID_MM), 0, width)) for side in (-reach_mm, reach_mm)
        )
        bottom, top = (
            int(np.clip(round((y - self.box.bottom + side) / GRID_MM), 0, height)) for side in (-reach_mm, reach_mm)
        )
        edges = self.box.left + left * GRID_MM, self.box.bottom + bottom * GRID_MM
        box = Box(*edges, self.box.left + right * GRID_MM, self.box.bottom + top * GRID_MM)
        cut = tuple(tensor[bottom:top, left:right] for tensor in self.tensors)
        return Field(box, self.z_mm, cut, self.pixels_per_mm)


def field(evidence: Evidence, box: Box, z_mm: float) -> Field:
    """Lay the metric grid over a part of the overhead view."""
    pixels = grid_pixels(evidence.lens, box, z_mm)
    tensors = [tensor.at(pixels) for tensor in evidence.tensors]
    middle = np.array([(box.left + box.right) / 2, (box.bottom + box.top) / 2, z_mm])
    nearby = evidence.lens.project(middle + np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float))
    return Field(box, z_mm, tuple(tensors), np.column_stack([nearby[1] - nearby[0], nearby[2] - nearby[0]]))


def grid_pixels(lens: Lens, box: Box, z_mm: float) -> Singles:
    """Pixels (rows, columns, 2) of a level grid: of one point in some, and between these along straight lines."""
    xs, ys = np.arange(box.left, box.right, GRID_MM), np.arange(box.bottom, box.top, GRID_MM)
    few = (np.arange(0, len(values) + COARSE, COARSE) * GRID_MM + values[0] for values in (xs, ys))
    wide, high = np.meshgrid(*few)
    coarse = lens.project(np.dstack([wide, high, np.full(wide.shape, z_mm)])).astype(np.float32)
    finer = np.array([[1 / COARSE, 0, 0], [0, 1 / COARSE, 0]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(coarse, finer, (len(xs), len(ys)), flags=flags), np.float32)


def slid(where: Field, seed: Seed, kit: Kit, knee: float, most: int = 4) -> list[Seed]:
    """The seed moved along itself to where its two ends are seen and its sides still are, best first."""
    cos, sin = math.cos(seed.yaw_rad), math.sin(seed.yaw_rad)
    u, v = np.array([cos, sin]), np.array([-sin, cos])
    slides = np.arange(-SLIDE_MM, SLIDE_MM + 0.1, 1.0)
    where = where.around(seed.x, seed.y, kit.road_length_mm / 2 + SLIDE_MM + kit.road_width_mm)
    ends, sides = where.strength(seed.yaw_rad + math.pi / 2), where.strength(seed.yaw_rad)
    across_mm = np.array([-0.12, 0.0, 0.12]) * kit.road_width_mm
    along_mm = np.linspace(-0.45, 0.45, 46) * kit.road_length_mm
    middle = np.array([seed.x, seed.y]) + slides[:, None] * u
    score = np.zeros(len(slides))
    for side in (-0.5, 0.5):
        tips = middle + side * kit.road_length_mm * u
        at_tip = _values(where, ends, tips[:, None] + across_mm[:, None] * v).max(axis=1)
        edge = middle[:, None] + along_mm[:, None] * u + side * kit.road_width_mm * v
        at_edge = _values(where, sides, edge)
        score += at_tip / (at_tip + knee) + 4 * (at_edge / (at_edge + knee)).mean(axis=1)
    peaks = np.flatnonzero((score >= np.roll(score, 1)) & (score >= np.roll(score, -1)))
    best = peaks[np.argsort(-score[peaks])][:most]
    return [dataclasses.replace(seed, x=float(middle[i, 0]), y=float(middle[i, 1])) for i in best]


def seen_share(where: Field, seed: Seed, kit: Kit, knee: float) -> float:
    """The share of a seed's sides that the field shows."""
    cos, sin = math.cos(seed.yaw_rad), math.sin(seed.yaw_rad)
    along_mm = np.linspace(-0.45, 0.45, 46)[:, None] * kit.road_length_mm * np.array([cos, sin])
    sides = [
        np.array([seed.x, seed.y]) + along_mm + side * kit.road_width_mm * np.array([-sin, cos]) for side in (-0.5, 0.5)
    ]
    where = where.around(seed.x, seed.y, kit.road_length_mm / 2 + kit.road_width_mm)
    strength = _values(where, where.strength(seed.yaw_rad), np.stack(sides))
    return float((strength / (strength + knee)).mean())


def _values(where: Field, strength: Singles, points_mm: Floats) -> Singles:
    return sampled(strength, less(points_mm, (where.box.left, where.box.bottom)) / GRID_MM)
