"""The table's top as both cameras see it: what is flat looks the same to both, what stands does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Rig
from referee.layout import BARE_TABLE, Layout
from referee.pieces import Kit
from vision.depth import depth_map
from vision.once import once
from vision.region import play_box
from vision.seek import Box
from vision.solids import solids
from vision.view import Floats, Picture, Singles, View, is_within, sampled, view_of

Mask = NDArray[np.bool_]

GRID_MM = 1.0
DARK = 16.0
"""Added before taking logarithms, so that noise in the dark is not blown up."""
BLUR_MM, SLACK_MM = 1.5, 3.0
"""A low camera sees the table blurred, and a calibration is a little off: neither is a difference."""
SHEEN_MM, COMMON = 40.0, 0.1
"""Light that shines differently to each camera changes over this length; a larger ratio is no sheen."""
LEAST, TIMES = 0.04, 2.0
"""What differs by more than this, and by more than the table mostly does, is likely to stand."""
RIM_PX = 5


@dataclass(frozen=True, eq=False)
class Ground:
    """The table on a metric grid, row by row from the box's lower left corner."""

    box: Box
    views: dict[str, View]
    differs: Singles
    """By how much the cameras see different things there, as a logarithm of brightness."""
    seen: Mask
    """Where both cameras see it, and no piece of the layout."""
    hidden: dict[str, Singles]
    """1 at the pixels of each view that show a piece of the layout."""

    @once
    def level(self) -> float:
        """The difference from which on a place is more likely to stand than to lie flat."""
        return max(LEAST, TIMES * float(np.median(self.differs[self.seen]))) if self.seen.any() else LEAST

    @once
    def evidence(self) -> Singles:
        """How much speaks for something that stands, from -1 to 1, and 1 where that can be told (h, w, 2)."""
        odds = np.clip(np.log((self.differs + LEAST / 4) / (self.level + LEAST / 4)), -1.0, 1.0)
        return np.dstack([odds * self.seen, self.seen]).astype(np.float32)

    @once
    def tensors(self) -> dict[str, Singles]:
        """How strongly colours change at the pixels of each view, and whether a piece hides them (h, w, 4)."""
        return {name: np.dstack([view.edges, self.hidden[name]]) for name, view in self.views.items()}

    def cells(self, points_mm: Floats) -> Floats:
        """Columns and rows (..., 2) of table points (..., 2)."""
        return cells_of(self.box, points_mm)


def cells_of(box: Box, points_mm: Floats) -> Floats:
    """Columns and rows (..., 2) of table points (..., 2) on the grid over a box."""
    cells: Floats = (points_mm - (box.left, box.bottom)) / GRID_MM
    return cells


def grid_over(box: Box) -> Floats:
    """Table points (rows, columns, 3) of the grid over a box."""
    xs, ys = np.arange(box.left, box.right, GRID_MM), np.arange(box.bottom, box.top, GRID_MM)
    return np.stack([*np.meshgrid(xs, ys), np.zeros((len(ys), len(xs)))], axis=-1)


def ground_of(pair: Mapping[str, Picture], rig: Rig, kit: Kit, layout: Layout) -> Ground:
    """What both cameras see of the table beside the pieces of a layout."""
    box = play_box(BARE_TABLE, rig, kit)
    points = grid_over(box)
    views = {name: view_of(pair[name], camera, name) for name, camera in rig.cameras.items()}
    lights: list[Singles] = []
    hidden: dict[str, Singles] = {}
    seen: Mask = np.ones(points.shape[:2], np.bool_)
    for name, view in views.items():
        pixels = view.lens.project(points)
        light = sampled(np.log(view.light + np.float32(DARK)), pixels)
        lights.append(np.asarray(cv2.GaussianBlur(light, (0, 0), BLUR_MM / GRID_MM), np.float32))
        pieces = (depth_map(solids(layout, kit), view.lens).number >= 0).astype(np.float32)
        hidden[name] = np.asarray(cv2.dilate(pieces, np.ones((RIM_PX, RIM_PX))), np.float32)
        seen &= (sampled(hidden[name], pixels) == 0.0) & is_within(pixels, view.picture.shape, 2)
        seen &= view.lens.depth_mm(points) > 1.0
    one, other = lights
    matched = other + _sheen(one - other, seen)
    differs = np.maximum(_beyond(one, matched), _beyond(matched, one))
    return Ground(box, views, differs, seen, hidden)


def _sheen(ratio: Singles, seen: Mask) -> Singles:
    """How the cameras differ in what they see of one and the same table: smoothly."""
    smooth = np.median(ratio[seen], axis=0) + np.zeros_like(ratio) if seen.any() else np.zeros_like(ratio)
    for _ in range(4):
        off = np.linalg.norm(ratio - smooth, axis=2)
        weight = np.asarray(seen / (1 + (off / COMMON) ** 2) ** 2, np.float32)
        # Where nothing counts the table as a whole does.
        mean = (ratio * weight[..., None]).sum(axis=(0, 1)) / max(float(weight.sum()), 1.0)
        smooth = (_blurred(ratio * weight[..., None]) + 0.01 * mean) / (_blurred(weight) + 0.01)[..., None]
    return np.asarray(smooth, np.float32)


def _blurred(values: Singles) -> Singles:
    """Blurred over the length of a sheen, at a quarter of the size."""
    height, width = values.shape[:2]
    small = cv2.resize(values, (max(width // 4, 1), max(height // 4, 1)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), SHEEN_MM / GRID_MM / 4)
    return np.asarray(cv2.resize(small, (width, height)), np.float32)


def _beyond(one: Singles, other: Singles) -> Singles:
    """By how much one lies outside of what the other shows nearby."""
    near = np.ones((2 * round(SLACK_MM / GRID_MM) + 1,) * 2, np.uint8)
    low, high = cv2.erode(other, near), cv2.dilate(other, near)
    return np.asarray(np.linalg.norm(np.maximum(np.maximum(low - one, one - high), 0.0), axis=2), np.float32)
