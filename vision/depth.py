"""How close each pixel's nearest piece is, and which one: what hides what in a view."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from vision.solids import Prism, faces
from vision.view import Floats, Lens, Singles

_SUBPIXEL_BITS = 4


@dataclass(frozen=True, eq=False)
class DepthMap:
    """1 / depth in mm of the nearest piece at each pixel (0 where there is none), and its number in `names`."""

    closeness: Singles
    number: NDArray[np.int16]
    names: tuple[str, ...]
    left_out: int | None = None
    """The number of a piece that hides nothing."""
    left: int = 0
    top: int = 0
    """The first pixel, where the map is of a part of the view only: beyond it nothing hides."""

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        height, width = self.closeness.shape
        return height, width

    def without(self, name: str) -> DepthMap:
        """The map as it hides things from the piece `name` itself."""
        return dataclasses.replace(self, left_out=self.names.index(name))

    def hides(self, pixels: Floats, depth_mm: Floats, slack_mm: float = 2.0) -> NDArray[np.bool_]:
        """Whether a piece of the map lies in front of points at these pixels (..., 2) and depths (...)."""
        if not self.names:
            return np.zeros(pixels.shape[:-1], bool)
        inside, spots = _spots(pixels, self.left, self.top, self.shape)
        hidden: NDArray[np.bool_] = inside & (self.closeness.take(spots) * (depth_mm - slack_mm) > 1.0)
        if self.left_out is not None:
            hidden &= self.number.take(spots) != self.left_out
        return hidden


@dataclass(frozen=True, eq=False)
class Patch:
    """One piece in a view: its closeness at the pixels of a window, 0 beside it."""

    left: int
    top: int
    closeness: Singles

    @property
    def window(self) -> tuple[slice, slice]:
        """Its rows and columns."""
        height, width = self.closeness.shape
        return slice(self.top, self.top + height), slice(self.left, self.left + width)

    def nearer(self, closeness: Singles) -> NDArray[np.bool_]:
        """Where in its window the piece is nearer than a whole view says that something is."""
        is_nearer: NDArray[np.bool_] = self.closeness > closeness[self.window]
        return is_nearer

    def at(self, pixels: Floats) -> Singles:
        """Its closeness at pixels (..., 2), 0 beside it."""
        inside, spots = _spots(pixels, self.left, self.top, self.closeness.shape)
        return np.where(inside, self.closeness.take(spots), np.float32(0.0))

    def hides(self, pixels: Floats, depth_mm: Floats, slack_mm: float = 2.0) -> NDArray[np.bool_]:
        """Whether the piece lies in front of points at these pixels (..., 2) and depths (...)."""
        inside, spots = _spots(pixels, self.left, self.top, self.closeness.shape)
        hidden: NDArray[np.bool_] = inside & (self.closeness.take(spots) * (depth_mm - slack_mm) > 1.0)
        return hidden

    def within(self, left: int, top: int, width: int, height: int) -> Patch | None:
        """The same in a part of the picture that begins at a column and a row; None where it is not in it."""
        tall, wide = self.closeness.shape
        x, y = self.left - left, self.top - top
        first_x, first_y, end_x, end_y = max(-x, 0), max(-y, 0), min(width - x, wide), min(height - y, tall)
        if (first_x, first_y, end_x, end_y) == (0, 0, wide, tall):
            return Patch(x, y, self.closeness)
        if first_x >= end_x or first_y >= end_y:
            return None
        part = np.ascontiguousarray(self.closeness[first_y:end_y, first_x:end_x])
        return Patch(x + first_x, y + first_y, part)


def _spots(pixels: Floats, left: int, top: int, shape: tuple[int, ...]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Which pixels (..., 2) lie in a window, and their places in it as it lies in memory."""
    height, width = shape
    x, y = np.rint(pixels[..., 0]), np.rint(pixels[..., 1])
    if left or top:
        x, y = x - left, y - top
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    return inside, np.where(inside, y * width + x, 0.0).astype(np.intp)


def with_solids(known: DepthMap, solids: Mapping[str, Prism], lens: Lens) -> DepthMap:
    """The map with further pieces painted in."""
    patches = [patch_of(prism, lens) for prism in solids.values()]
    if not any(patch is not None and patch.nearer(known.closeness).any() for patch in patches):
        return dataclasses.replace(known, names=(*known.names, *solids))
    painted = _painted(known.closeness.copy(), known.number.copy(), known.names, solids, lens)
    return dataclasses.replace(painted, left_out=known.left_out)


def depth_map(solids: Mapping[str, Prism], lens: Lens) -> DepthMap:
    """Paint pieces into a view, nearest wins."""
    shape = (lens.camera.height, lens.camera.width)
    return _painted(np.zeros(shape, np.float32), np.full(shape, -1, np.int16), (), solids, lens)


def depth_about(names: Collection[str], solids: Mapping[str, Prism], lens: Lens, margin_px: int) -> DepthMap:
    """The same for the part of a view in which some of the pieces are, and so far beyond; for all of it if none is."""
    windows = [patch.window for name in names if (patch := patch_of(solids[name], lens)) is not None]
    if not windows:
        return depth_map(solids, lens)
    limits = (lens.camera.height, lens.camera.width)
    (top, bottom), (left, right) = (
        (max(min(s.start for s in sides) - margin_px, 0), min(max(s.stop for s in sides) + margin_px, limit))
        for sides, limit in zip(zip(*windows, strict=True), limits, strict=True)
    )
    part = depth_map(solids, lens.cut(left, top, right - left, bottom - top))
    return dataclasses.replace(part, left=left, top=top)


def _painted(
    closeness: Singles, number: NDArray[np.int16], names: tuple[str, ...], solids: Mapping[str, Prism], lens: Lens
) -> DepthMap:
    for i, prism in enumerate(solids.values(), start=len(names)):
        if (patch := patch_of(prism, lens)) is None:
            continue
        window, nearer = patch.window, patch.nearer(closeness)
        np.copyto(closeness[window], patch.closeness, where=nearer)
        np.copyto(number[window], np.int16(i), where=nearer)
    return DepthMap(closeness, number, (*names, *solids))


def patch_of(prism: Prism, lens: Lens) -> Patch | None:
    """A piece as the lens sees it; None where it is not in the picture."""
    whole, left, top = lens.cut_from or (lens.camera, 0, 0)
    patch = _painted_alone(prism, whole)
    return patch and patch.within(left, top, lens.camera.width, lens.camera.height)


@lru_cache(maxsize=1024)
def _painted_alone(prism: Prism, camera: Camera) -> Patch | None:
    """Kept: a turn paints much the same table many times over, and the next turn most of it again."""
    lens = Lens(camera)
    seen = faces(prism, lens.eye)
    points = np.concatenate(seen)
    pixels = lens.project(points)
    size = np.array([lens.camera.width, lens.camera.height])
    left, top = np.maximum(np.floor(pixels.min(0)).astype(int), 0)
    right, bottom = np.minimum(np.ceil(pixels.max(0)).astype(int) + 1, size)
    if left >= right or top >= bottom:
        return None
    closeness = np.zeros((bottom - top, right - left), np.float32)
    # Which face was painted last at each pixel.
    label = np.zeros(closeness.shape, np.uint8)
    across, down = np.arange(left, right), np.arange(top, bottom)
    corners = np.rint((pixels - (left, top)) * (1 << _SUBPIXEL_BITS)).astype(np.int32)
    sizes = np.array([len(face) for face in seen])
    begins = np.cumsum(sizes) - sizes
    lows = np.maximum(np.minimum.reduceat(corners >> _SUBPIXEL_BITS, begins), 0).tolist()
    highs = np.maximum((np.maximum.reduceat(corners, begins) >> _SUBPIXEL_BITS) + 2, 0).tolist()
    planes = lens.closeness_planes(points[begins[:, None] + sizes[:, None] * (0, 1, 2) // 3]).tolist()
    outlines = np.split(corners, begins[1:])
    for i, (outline, (x, y), (x_end, y_end), (slope_x, slope_y, level)) in enumerate(
        zip(outlines, lows, highs, planes, strict=True), start=1
    ):
        cv2.fillConvexPoly(label, outline, i, cv2.LINE_8, _SUBPIXEL_BITS)
        window = slice(y, y_end), slice(x, x_end)
        plane = slope_x * across[x:x_end] + (slope_y * down[y:y_end] + level)[:, None]
        np.copyto(
            closeness[window], plane, where=(label[window] == i) & (plane > closeness[window]), casting="same_kind"
        )
    return Patch(int(left), int(top), closeness)
