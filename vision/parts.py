"""A piece tried at a place: what it would show in a view, in coarse pixels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.contours import Prisms, contours
from vision.evidence import least_across
from vision.fit import NEXT_MM, Scene, spans_of
from vision.odds import PER_MM2, SIDE, STICK, TOP
from vision.once import once
from vision.solids import Prism, is_round
from vision.view import Floats, Lens, Singles, is_within

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

    @once
    def places(self) -> np.ndarray:
        """Where its contour lies, and after that the pixels that it covers: others hide both alike."""
        return np.concatenate([self.spots, self.pixels])

    @once
    def hidden_mm(self) -> Singles:
        """What is nearer than this hides each of them."""
        return np.concatenate([self.depth_mm, self.near_mm])

    @once
    def nearest_mm(self) -> float:
        return float(self.near_mm.min(initial=np.inf))

    @once
    def farthest_mm(self) -> float:
        return float(max(self.near_mm.max(initial=-np.inf), self.depth_mm.max(initial=-np.inf)))


def cell_count(coarse: Lens) -> int:
    """How many cells there are: four directions for each two by two coarse pixels."""
    return 4 * ((coarse.camera.height + 1) // 2) * ((coarse.camera.width + 1) // 2)


def parts_of(scene: Scene, coarse: Lens, prisms: Prisms) -> list[Part]:
    """What pieces would show, each by itself, in a scene whose lens, for pixels of double size, is `coarse`."""
    lens = scene.evidence.lens
    whole = contours(prisms, lens.eye)
    points, tangents, owners = whole.points[whole.bounds], whole.tangents[whole.bounds], whole.owners[whole.bounds]
    pixels, ahead = lens.project(np.stack([points, points + NEXT_MM * tangents]))
    run = ahead - pixels
    normals = np.stack([run[:, 1], -run[:, 0]], axis=-1) / np.maximum(np.hypot(*run.T), 1e-9)[:, None]
    strength = least_across(scene.evidence.soft_edges, pixels, normals)
    inside = is_within(pixels, scene.depth.shape, 1)
    coarse_pixels, depth_mm = (pixels - 0.5) / 2, lens.depth_mm(points)
    size = np.array([coarse.camera.width, coarse.camera.height])
    x, y = np.clip(np.rint(coarse_pixels[inside]), 0, size - 1).astype(np.intp).T
    direction = (np.floor(np.arctan2(normals[inside, 1], normals[inside, 0]) / (np.pi / 4)).astype(np.intp) + 8) % 4
    cells = ((y // 2) * ((coarse.camera.width + 1) // 2) + x // 2) * 4 + direction
    _, which, counts = np.unique(owners[inside] * cell_count(coarse) + cells, return_inverse=True, return_counts=True)
    spots, shares = y * coarse.camera.width + x, (1.0 / counts[which]).astype(np.float32)
    near = (depth_mm[inside] - SLACK_MM).astype(np.float32)
    values = (strength / (strength + scene.knee) - 0.5)[inside].astype(np.float32)
    faces = _patches(coarse, prisms, coarse_pixels, depth_mm, owners)
    found = []
    for i, (span, (corner, patch, is_top)) in enumerate(zip(spans_of(owners[inside], len(prisms)), faces, strict=True)):
        lines = spots[span], cells[span], shares[span], near[span], values[span]
        found.append(Part(*lines, corner, patch, *_told(scene, coarse, prisms[i], corner, patch, is_top)))
    return found


def _told(
    scene: Scene, coarse: Lens, prism: Prism, corner: tuple[int, int], patch: Singles, is_top: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], Singles, Singles]:
    """The coarse pixels that a piece covers, its depth at each, and what each adds by what it was taken for."""
    (top, left), within = corner, np.flatnonzero(np.isfinite(patch))
    wide, width = patch.shape[1], coarse.camera.width
    pixels = within + within // wide * (width - wide) + (top * width + left)
    near_mm, odds = patch.take(within), scene.evidence.odds
    if odds is None:
        return pixels, near_mm, np.zeros_like(near_mm)
    first = pixels * odds.shape[-1]
    # A stick is one all over, a column has a top.
    if is_round(prism):
        first += np.where(is_top.take(within), TOP - STICK, SIDE - STICK)
    scale = PER_MM2 * (float(coarse.depth_mm(prism.origin)) / coarse.camera.K[0][0]) ** 2
    return pixels, near_mm, (scale * odds.take(first)).astype(np.float32)


def _patches(
    coarse: Lens, prisms: Prisms, outlines: Floats, depth_mm: Floats, owners: NDArray[np.intp]
) -> Iterator[tuple[tuple[int, int], Singles, NDArray[np.bool_]]]:
    """Of each piece the depth within its outline: of the plane that fits that, and of the upper face; where it is."""
    limits = np.array([coarse.camera.width, coarse.camera.height])
    spans = spans_of(owners, len(prisms))
    begins = [span.start for span in spans]
    firsts = np.clip(np.floor(np.minimum.reduceat(outlines, begins)), 0, limits - 1).astype(int)
    lasts = np.clip(np.ceil(np.maximum.reduceat(outlines, begins)) + 1, 1, limits).astype(int)
    outlines = np.asarray(outlines - firsts[owners], np.float64)
    planes = _planes(outlines, 1 / depth_mm, begins)
    rings = prisms.origins[:, None] + prisms.outline @ prisms.axes[:, :2]
    rings += (prisms.halves_mm[:, None] * prisms.axes[:, 2])[:, None]
    towards = np.einsum("mi,mi->m", coarse.eye - rings[:, 0], prisms.axes[:, 2])
    has_top = (towards > 0) & (2 * prisms.halves_mm > SLACK_MM)
    tops = coarse.project(rings) - firsts[:, None]
    size = len(prisms.outline)
    top_planes = _planes(tops.reshape(-1, 2), 1 / coarse.depth_mm(rings).ravel(), range(0, len(prisms) * size, size))
    for i, ((left, top), (right, bottom)) in enumerate(zip(firsts.tolist(), lasts.tolist(), strict=True)):
        shape = (max(bottom - top, 1), max(right - left, 1))
        patch, is_top = np.full(shape, np.inf, np.float32), np.zeros(shape, bool)
        _fill(patch, outlines[spans[i]], planes[i])
        if has_top[i]:
            is_top = _fill(patch, tops[i], top_planes[i])
        yield (top, left), patch, is_top


def _planes(outlines: Floats, closeness: Floats, begins: Sequence[int]) -> Floats:
    """The planes that fit values at points (n, 2) best, for runs of points: slopes and value at (0, 0), each (3,)."""
    design = np.column_stack([outlines, np.ones(len(outlines))])
    products = np.add.reduceat(design[:, :, None] * design[:, None], begins)
    rights = np.add.reduceat(design * closeness[:, None], begins)
    planes = np.linalg.solve(products + 1e-9 * np.eye(3), rights[..., None])[..., 0]
    return np.asarray(planes, np.float64)


def _fill(patch: Singles, outline: Floats, plane: Floats) -> NDArray[np.bool_]:
    """Paint a face's depth, and tell where it is."""
    hull = cv2.convexHull(np.rint(outline * 8).astype(np.int32))
    mask = np.zeros(patch.shape, np.uint8)
    cv2.fillConvexPoly(mask, hull, 1, cv2.LINE_8, 3)
    slope_x, slope_y, level = plane.tolist()
    height, width = patch.shape
    closeness = slope_x * np.arange(width) + (slope_y * np.arange(height) + level)[:, None]
    np.maximum(closeness, 1e-6, out=closeness)
    face = mask.view(bool)
    np.copyto(patch, np.divide(1, closeness, out=closeness), where=face, casting="same_kind")
    return face
