"""Pieces tried at many places: what each would show in a view, kept, so that whole tables are scored quickly."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.contours import contour
from vision.fit import NEXT_MM, Scene
from vision.odds import PER_MM2, SIDE, STICK, TOP
from vision.solids import Prism, is_round
from vision.view import Floats, Lens, Singles, is_within, least_across

SLACK_MM = 2.5


@dataclass(frozen=True, eq=False)
class Part:
    """A piece in one view: where its contour lies (coarse pixels), how far away, what each point adds if it shows."""

    spots: np.ndarray
    cells: np.ndarray
    """A number for where (a few pixels) and in which direction each line runs."""
    shares: Singles
    """What each point takes of its cell."""
    depth_mm: Singles
    values: Singles
    corner: tuple[int, int]
    patch: Singles
    """Depth in mm over the coarse pixels from `corner` on, infinite beside the piece."""
    pixels: NDArray[np.intp]
    """The coarse pixels that it covers."""
    near_mm: Singles
    """Its depth at each of them."""
    told: Singles
    """What each of them adds if the piece is what it shows, by what it was taken for."""


@dataclass(eq=False)
class Stage:
    """One view with the parts that were tried in it."""

    scene: Scene
    parts: dict[Hashable, Part] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.coarse = self.scene.evidence.lens.halved()
        self._claims = np.zeros(self.coarse.camera.height * self.coarse.camera.width, np.float32)
        self._depth = np.full((self.coarse.camera.height, self.coarse.camera.width), np.inf, np.float32)
        self._odds = self.scene.evidence.odds

    def part(self, key: Hashable, prism: Prism) -> Part:
        """What a piece would show, looked up where it was tried before."""
        if key not in self.parts:
            self.parts[key] = _part(self.scene, self.coarse, prism, self._odds)
        return self.parts[key]

    def value(self, parts: Sequence[Part]) -> float:
        """What pieces add when all of them stand together and hide each other."""
        for part in parts:
            (top, left), (height, width) = part.corner, part.patch.shape
            window = self._depth[top : top + height, left : left + width]
            np.minimum(window, part.patch, out=window)
        depth = self._depth.ravel()
        spots = np.concatenate([part.spots for part in parts])
        cells = np.concatenate([part.cells for part in parts])
        free = depth[spots] >= np.concatenate([part.depth_mm for part in parts])
        pixels = np.concatenate([part.pixels for part in parts])
        told = 0.0
        if self._odds is not None:
            shown = np.concatenate([part.near_mm for part in parts]) <= depth[pixels]
            told = float(np.concatenate([part.told for part in parts]) @ shown)
        depth[pixels] = np.inf
        # A line in the picture is worth something once, however many pieces claim it.
        np.add.at(self._claims, cells[free], np.concatenate([part.shares for part in parts])[free])
        values = np.concatenate([part.values for part in parts])[free]
        claims = np.maximum(self._claims[cells[free]], 1.0)
        self._claims[cells] = 0.0
        return told + float(np.where(values > 0, values / claims, values).sum())


def _part(scene: Scene, coarse: Lens, prism: Prism, odds: Singles | None) -> Part:
    lens = scene.evidence.lens
    whole = contour(prism, lens.eye)
    points, tangents = whole.points[whole.bounds], whole.tangents[whole.bounds]
    pixels, ahead = np.split(lens.project(np.concatenate([points, points + NEXT_MM * tangents])), 2)
    run = ahead - pixels
    normals = np.stack([run[:, 1], -run[:, 0]], axis=-1) / np.maximum(np.hypot(*run.T), 1e-9)[:, None]
    strength = least_across(scene.evidence.soft_edges, pixels, normals)
    inside = is_within(pixels, scene.depth.shape, 1)
    coarse_pixels = (pixels - 0.5) / 2
    size = np.array([coarse.camera.width, coarse.camera.height])
    x, y = np.clip(np.rint(coarse_pixels[inside]), 0, size - 1).astype(np.intp).T
    direction = (np.floor(np.arctan2(normals[inside, 1], normals[inside, 0]) / (np.pi / 4)).astype(np.intp) + 8) % 4
    cells = ((y // 2) * (coarse.camera.width // 2) + x // 2) * 4 + direction
    values = (strength / (strength + scene.knee) - 0.5)[inside]
    depth = (lens.depth_mm(points[inside]) - SLACK_MM).astype(np.float32)
    corner, patch, top = _patch(coarse, prism, coarse_pixels, lens.depth_mm(points))
    rows, columns = np.nonzero(np.isfinite(patch))
    near_mm, covered = patch[rows, columns], (rows + corner[0]) * coarse.camera.width + columns + corner[1]
    told = np.zeros_like(near_mm)
    if odds is not None:
        scale = PER_MM2 * (float(coarse.depth_mm(prism.origin)) / coarse.camera.K[0][0]) ** 2
        kind = np.where(top[rows, columns], TOP, SIDE) - STICK if is_round(prism) else 0
        told = (scale * odds[rows + corner[0], columns + corner[1], kind]).astype(np.float32)
    cells = np.minimum(cells, coarse.camera.width * coarse.camera.height - 1)
    _, which, counts = np.unique(cells, return_inverse=True, return_counts=True)
    shares = (1.0 / counts[which]).astype(np.float32)
    return Part(
        y * coarse.camera.width + x,
        cells,
        shares,
        depth,
        values.astype(np.float32),
        corner,
        patch,
        covered,
        near_mm,
        told,
    )


def _patch(
    coarse: Lens, prism: Prism, outline: Floats, depth_mm: Floats
) -> tuple[tuple[int, int], Singles, NDArray[np.bool_]]:
    """Depth within an outline (n, 2): of the plane that fits it, and of the upper face; where that shows."""
    size = (coarse.camera.width, coarse.camera.height)
    left, top = (int(np.clip(np.floor(v), 0, limit - 1)) for v, limit in zip(outline.min(0), size, strict=True))
    right, bottom = (int(np.clip(np.ceil(v) + 1, 1, limit)) for v, limit in zip(outline.max(0), size, strict=True))
    shape = (max(bottom - top, 1), max(right - left, 1))
    patch = np.full(shape, np.inf, np.float32)
    _fill(patch, outline - (left, top), 1 / depth_mm)
    ring = prism.ring(1.0)
    upper = np.zeros(shape, bool)
    if 2 * prism.half_mm > SLACK_MM and float((coarse.eye - ring[0]) @ prism.axes[2]) > 0:
        upper = _fill(patch, coarse.project(ring) - (left, top), 1 / coarse.depth_mm(ring))
    return (top, left), patch, upper


def _fill(patch: Singles, outline: Floats, closeness: Floats) -> NDArray[np.bool_]:
    """Paint a face's depth, and tell where it is."""
    hull = cv2.convexHull(np.rint(outline * 8).astype(np.int32))
    mask = np.zeros(patch.shape, np.uint8)
    cv2.fillConvexPoly(mask, hull, 1, cv2.LINE_8, 3)
    design = np.column_stack([outline, np.ones(len(outline))])
    slope_x, slope_y, level = np.linalg.solve(design.T @ design + 1e-9 * np.eye(3), design.T @ closeness)
    height, width = patch.shape
    plane = slope_x * np.arange(width) + (slope_y * np.arange(height) + level)[:, None]
    np.copyto(patch, 1 / np.maximum(plane, 1e-6), where=mask > 0, casting="same_kind")
    return mask > 0


def total(stages: Iterable[Stage], pieces: Sequence[tuple[Hashable, Prism]]) -> float:
    """What all pieces together add over all views."""
    if not pieces:
        return 0.0
    return sum(stage.value([stage.part(key, prism) for key, prism in pieces]) for stage in stages)
