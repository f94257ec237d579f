"""How far away each pixel's nearest piece is, and which one: what hides what in a view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from vision.solids import Prism, faces
from vision.view import Floats, Lens, Singles

_SUBPIXEL_BITS = 4


@dataclass(frozen=True, eq=False)
class DepthMap:
    """Depth in mm of the nearest piece at each pixel (infinite where there is none), and its number in `names`."""

    depth_mm: Singles
    number: np.ndarray
    names: tuple[str, ...]

    def without(self, name: str) -> DepthMap:
        """The map as it hides things from the piece `name` itself."""
        own = self.number == self.names.index(name)
        return DepthMap(np.where(own, np.float32(np.inf), self.depth_mm), self.number, self.names)

    def hides(self, pixels: Floats, depth_mm: Floats, slack_mm: float = 2.0) -> np.ndarray:
        """Whether a piece of the map lies in front of points at these pixels (..., 2) and depths (...)."""
        height, width = self.depth_mm.shape
        x = np.rint(pixels[..., 0]).astype(int)
        y = np.rint(pixels[..., 1]).astype(int)
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        nearest = self.depth_mm[np.where(inside, y, 0), np.where(inside, x, 0)]
        hidden: np.ndarray = inside & (nearest < depth_mm - slack_mm)
        return hidden


def with_solids(known: DepthMap, solids: Mapping[str, Prism], lens: Lens) -> DepthMap:
    """The map with further pieces painted in."""
    with np.errstate(divide="ignore"):
        closeness = (1 / known.depth_mm).astype(np.float32)
    return _painted(closeness, known.number.copy(), known.names, solids, lens)


def depth_map(solids: Mapping[str, Prism], lens: Lens) -> DepthMap:
    """Paint pieces into a view, nearest wins."""
    shape = (lens.camera.height, lens.camera.width)
    closeness = np.zeros(shape, np.float32)
    return _painted(closeness, np.full(shape, -1, np.int16), (), solids, lens)


def _painted(
    closeness: Singles, number: np.ndarray, names: tuple[str, ...], solids: Mapping[str, Prism], lens: Lens
) -> DepthMap:
    for i, prism in enumerate(solids.values(), start=len(names)):
        for face in faces(prism, lens.eye):
            _paint(closeness, number, i, face, lens)
    with np.errstate(divide="ignore"):
        return DepthMap((1 / closeness).astype(np.float32), number, (*names, *solids))


def _paint(closeness: Singles, number: np.ndarray, i: int, face: Floats, lens: Lens) -> None:
    pixels = lens.project(face)
    height, width = closeness.shape
    left, top = np.maximum(np.floor(pixels.min(0)).astype(int), 0)
    right, bottom = np.minimum(np.ceil(pixels.max(0)).astype(int) + 1, (width, height))
    if left >= right or top >= bottom:
        return
    mask = np.zeros((bottom - top, right - left), np.uint8)
    corners = np.rint((pixels - (left, top)) * (1 << _SUBPIXEL_BITS)).astype(np.int32)
    cv2.fillConvexPoly(mask, corners, 1, cv2.LINE_8, _SUBPIXEL_BITS)
    slope_x, slope_y, level = lens.closeness_plane(face)
    plane = slope_x * np.arange(left, right) + (slope_y * np.arange(top, bottom) + level)[:, None]
    patch = closeness[top:bottom, left:right]
    nearer = (mask > 0) & (plane > patch)
    patch[nearer] = plane[nearer]
    number[top:bottom, left:right][nearer] = i
