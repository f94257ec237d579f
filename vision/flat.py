"""The overhead view laid flat on one height: colours on a metric grid, and how they differ from the table's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from referee.pieces import Kit
from vision.once import once
from vision.printed import printed
from vision.seek import Box
from vision.view import Floats, Picture, Singles, View, less, sampled

CELLS_ACROSS = 6
"""Cells of the grid across a stick; fewer where pixels are coarser."""
EVERY = 10
USUAL_MM = 50.0
RUN_CELLS = 5
DARK = 4.0


@dataclass(frozen=True, eq=False)
class Flat:
    """Colours, and 255 where pieces may be seen, (h, w, 4), as rays meet the plane `z_mm`."""

    box: Box
    z_mm: float
    cell_mm: float
    eye: Floats
    cells: Picture

    def mm(self, cells: Floats) -> Floats:
        """Spots (..., 2) of the plane at cells (..., 2)."""
        spots: Floats = cells * self.cell_mm + (self.box.left, self.box.bottom)
        return spots

    def seen_at(self, points: Floats) -> Floats:
        """Spots (..., 2) of the plane at which table points (..., 3) are seen."""
        share = (self.eye[2] - self.z_mm) / (self.eye[2] - points[..., 2:])
        spots: Floats = self.eye[:2] + (points[..., :2] - self.eye[:2]) * share
        return spots

    def values(self, of: Singles, spots: Floats) -> Singles:
        """What a map of the cells holds at spots (..., 2)."""
        return sampled(of, less(spots, (self.box.left, self.box.bottom)) / self.cell_mm)

    def colours(self, spots: Floats) -> Singles:
        return self.values(self._light, spots)

    def tints(self, spots: Floats) -> Singles:
        return self.values(self.tint, spots)

    @once
    def _light(self) -> Singles:
        return np.ascontiguousarray(self.cells[..., :3], np.float32)

    @once
    def own_step(self) -> float:
        """How far colours mostly change over two cells along runs of cells: the table's own grain."""
        runs = cv2.blur(self._light, (RUN_CELLS, 1))
        change = np.abs(runs[2:] - runs[:-2]).max(axis=-1)
        seen = cv2.min(self.cells[2:, :, 3], self.cells[:-2, :, 3]) == 255
        return float(np.median(change[seen])) if seen.any() else 0.0

    @once
    def tint(self) -> Singles:
        """How each cell's colours (h, w, 3) differ from those of most cells around, as logarithms of ratios."""
        height, width = self.cells.shape[:2]
        small = cv2.resize(self.cells[..., :3], (max(width // 4, 1), max(height // 4, 1)), interpolation=cv2.INTER_AREA)
        usual: Any = cv2.medianBlur(small, 2 * round(USUAL_MM / (4 * self.cell_mm)) + 1)
        logs = cv2.resize(cv2.log(usual.astype(np.float32) + DARK), (width, height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(cv2.log(self._light + DARK) - logs, np.float32)


def flat_of(view: View, box: Box, z_mm: float, kit: Kit) -> Flat:
    """The overhead view laid flat, with printed paper marked as free of pieces."""
    lens = view.lens
    middle = np.array([(box.left + box.right) / 2, (box.bottom + box.top) / 2, z_mm])
    pixel_mm = float(lens.depth_mm(middle)) / lens.camera.K[0][0]
    cell_mm = max(kit.road_width_mm / CELLS_ACROSS, pixel_mm)
    width, height = int((box.right - box.left) / cell_mm), int((box.top - box.bottom) / cell_mm)
    # Straight between every tenth cell: lenses bend far less than would matter.
    xs, ys = (np.linspace(0, size - 1, size // EVERY + 2) for size in (width, height))
    x, y = np.meshgrid(box.left + xs * cell_mm, box.bottom + ys * cell_mm)
    coarse = lens.project(np.stack([x, y, np.full(x.shape, z_mm)], axis=-1)).astype(np.float32)
    u, v = np.meshgrid(
        *(np.linspace(0, len(one) - 1, size, dtype=np.float32) for one, size in ((xs, width), (ys, height)))
    )
    pixels: Any = cv2.remap(coarse, u, v, cv2.INTER_LINEAR)
    free = np.full(view.picture.shape[:2], 255, np.uint8)
    for paper in printed(view):
        cv2.fillConvexPoly(free, np.rint(paper).astype(np.int32), 0)
    layers = np.dstack([view.picture, free])
    cells = cv2.remap(layers, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return Flat(box, z_mm, cell_mm, lens.eye, np.asarray(cells, np.uint8))
