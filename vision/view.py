"""One picture as the search sees it: a camera made for arrays, and what is seen at pixels between its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from calibration.camera import Camera
from vision.errors import VisionError
from vision.once import once
from vision.sampling import Floats as Floats
from vision.sampling import Singles as Singles
from vision.sampling import less as less
from vision.sampling import sampled as sampled
from vision.tensors import structure_in
from vision.windowed import Windowed

Picture = NDArray[np.uint8]

EDGE_BLUR_PX = 1.0
SPARSE = 8
"""Every so many-th pixel tells how bright a picture is."""
FINEST_WIDTH_PX = 1920
"""Wider pictures are halved first: a stick's pose is limited by calibration, not by pixels."""


@dataclass(frozen=True, eq=False)
class Lens:
    """A calibrated camera as arrays, for points of any shape (..., 3)."""

    camera: Camera
    cut_from: tuple[Camera, int, int] | None = None
    """The camera of whose picture this one takes a part, and that part's first column and row."""

    @once
    def eye(self) -> Floats:
        return self.camera.centre_in_table()

    @once
    def _rotation(self) -> Floats:
        return np.array(self.camera.R)

    @once
    def _shift(self) -> Floats:
        return np.array(self.camera.t)

    @once
    def _bends(self) -> tuple[Floats, Floats]:
        """What counts for x and y of the lens's slant, each (2, 1): along themselves, and of their product."""
        _, _, p1, p2, _ = self.camera.dist
        return np.array([[p2], [p1]]), np.array([[2 * p1], [2 * p2]])

    @once
    def _grid(self) -> tuple[Floats, Floats]:
        """Pixels to a unit of x and y, and where they begin, each (2, 1)."""
        (fx, _, cx), (_, fy, cy), _ = self.camera.K
        return np.array([[fx], [fy]]), np.array([[cx], [cy]])

    def project(self, points_in_table: Floats) -> Floats:
        """Pixels (..., 2) of table points (..., 3)."""
        seen = self._rotation @ points_in_table.reshape(-1, 3).T
        seen += self._shift[:, None]
        return self._pixels(seen).reshape(*points_in_table.shape[:-1], 2)

    def project_lines(self, starts_in_table: Floats, runs: Floats, shares: Floats) -> tuple[Floats, Floats]:
        """Pixels (m, n, 2) and depths (m, n) of points that lie at shares (n,) of runs (m, 3) from starts (m, 3)."""
        # A line in the table frame is one in the camera's: far fewer points are turned.
        starts, turned = self._rotation @ starts_in_table.T + self._shift[:, None], self._rotation @ runs.T
        seen = turned[..., None] * shares
        seen += starts[..., None]
        depth_mm = seen[2].copy()
        return self._pixels(seen.reshape(3, -1)).reshape(*depth_mm.shape, 2), depth_mm

    def project_moved(self, points_in_table: Floats, moves_mm: Floats) -> tuple[Floats, Floats]:
        """Pixels (m, n, 2) and depths (m, n) of points (n, 3) after each of some moves (m, 2) along the table."""
        seen = (self._rotation @ points_in_table.T + self._shift[:, None])[:, None]
        seen = seen + (self._rotation[:, :2] @ moves_mm.T)[..., None]
        depth_mm = seen[2].copy()
        return self._pixels(seen.reshape(3, -1)).reshape(*depth_mm.shape, 2), depth_mm

    def _pixels(self, seen: Floats) -> Floats:
        """Pixels (n, 2) of points (3, n) in the camera's frame, which are used up."""
        # In place, and both coordinates at once: this is done millions of times a turn.
        at, z = seen[:2], seen[2]
        at /= z
        k1, k2, _, _, k3 = self.camera.dist
        bent, product = at * at, at[0] * at[1]
        r2 = bent[0] + bent[1]
        radial = r2 * k3
        radial += k2
        radial *= r2
        radial += k1
        radial *= r2
        radial += 1.0
        along, both = self._bends
        bent *= 2
        bent += r2
        bent *= along
        bent += product * both
        at *= radial
        at += bent
        per_unit, begin = self._grid
        skewed = self.camera.K[0][1] * at[1] if self.camera.K[0][1] else None
        at *= per_unit
        if skewed is not None:
            at[0] += skewed
        pixels = np.empty((at.shape[1], 2))
        np.add(at, begin, out=pixels.T)
        return pixels

    def depth_mm(self, points_in_table: Floats) -> Floats:
        depth: Floats = points_in_table @ self._rotation[2] + self._shift[2]
        return depth

    def px_per_mm(self, spot_in_table: Floats) -> float:
        """How many pixels a millimetre at a spot (3,) takes that lies across the line of sight."""
        return self.camera.K[0][0] / float(self.depth_mm(spot_in_table))

    @property
    def looks_down(self) -> bool:
        """Whether the table is seen from above rather than from aside: then heights hardly show."""
        return float(self._rotation[2, 2]) < -math.sqrt(0.5)

    def closeness_planes(self, corners: Floats) -> Floats:
        """1 / depth over pixels of flat faces with three corners each (f, 3, 3): slopes by u and v, value at (0, 0)."""
        seen = corners @ self._rotation.T + self._shift
        one, other = seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0]
        # Their cross product; NumPy's own takes longer over its arguments than over its sums.
        ahead, behind = [1, 2, 0], [2, 0, 1]
        normals = one[:, ahead] * other[:, behind] - one[:, behind] * other[:, ahead]
        slopes: Floats = normals / np.einsum("fi,fi->f", normals, seen[:, 0])[:, None]
        # Straight lines: distortion moves a pixel by far less than would matter for who hides whom.
        (fx, _, mid_x), (_, fy, mid_y), _ = self.camera.K
        slopes[:, :2] /= (fx, fy)
        slopes[:, 2] -= slopes[:, 0] * mid_x + slopes[:, 1] * mid_y
        return slopes

    def on_plane(self, pixels: Floats, z_mm: float | Floats) -> Floats:
        """Table points (n, 3) where the rays of pixels (n, 2) reach the height `z_mm`."""
        rays = self.camera.rays_in_table(pixels)
        reach = (np.asarray(z_mm) - self.eye[2]) / rays[:, 2]
        points: Floats = self.eye + rays * reach[:, None]
        return points

    def halved(self) -> Lens:
        """The same camera for a picture of half the size."""
        camera, (top, middle, _) = self.camera, self.camera.K
        rows = tuple((row[0] / 2, row[1] / 2, (row[2] + 0.5) / 2 - 0.5) for row in (top, middle))
        return Lens(replace(camera, width=camera.width // 2, height=camera.height // 2, K=(*rows, (0.0, 0.0, 1.0))))

    @property
    def corner_px(self) -> Floats:
        """Where this picture begins in the one that it was cut from."""
        return np.array(self.cut_from[1:] if self.cut_from else (0, 0), np.float64)

    def cut(self, left: int, top: int, width: int, height: int) -> Lens:
        """The same camera for a part of its picture."""
        (fx, skew, cx), (_, fy, cy), last = self.camera.K
        k = ((fx, skew, cx - left), (0.0, fy, cy - top), last)
        whole, first_left, first_top = self.cut_from or (self.camera, 0, 0)
        part = replace(self.camera, width=width, height=height, K=k)
        return Lens(part, (whole, first_left + left, first_top + top))


@dataclass(frozen=True, eq=False)
class View:
    """A picture and the lens that took it."""

    lens: Lens
    picture: Picture

    def colours_at(self, pixels: Floats) -> Singles:
        """The picture's own colours (..., 3) at pixels (..., 2); zero outside."""
        # Few pixels are asked for, and near each other: the rest need not be made floats.
        spots = pixels.astype(np.float32)
        height, width = self.picture.shape[:2]
        first = np.clip(np.floor(spots.reshape(-1, 2).min(axis=0)) - 1, 0, (width - 1, height - 1)).astype(int)
        last = np.clip(np.ceil(spots.reshape(-1, 2).max(axis=0)) + 2, first + 1, (width, height)).astype(int)
        part = self.picture[first[1] : last[1], first[0] : last[0]].astype(np.float32)
        return sampled(part, spots - first.astype(np.float32))

    @once
    def light(self) -> Singles:
        """Lightly blurred colours (h, w, 3) as floats."""
        return cv2.GaussianBlur(self.picture, (0, 0), EDGE_BLUR_PX).astype(np.float32)

    @once
    def brightness(self) -> float:
        """How bright most of the picture is, in grey levels."""
        return float(np.median(self.light[::SPARSE, ::SPARSE]))

    @once
    def lab(self) -> Singles:
        """Lightly blurred colours (h, w, 3) in Lab."""
        return np.asarray(cv2.cvtColor(self.light / np.float32(255.0), cv2.COLOR_BGR2Lab), np.float32)

    @once
    def tensor(self) -> Windowed:
        """The structure tensor (h, w, 3): xx, xy, yy of colour change per pixel, summed over channels."""
        return Windowed(self.picture.shape, partial(structure_in, self.light))

    @property
    def edges(self) -> Singles:
        """The same at all pixels."""
        return self.tensor.whole()


def view_of(picture: Picture, camera: Camera, name: str) -> View:
    """A picture with its camera, refused where their sizes differ."""
    if picture.ndim != 3 or picture.shape[2] != 3:
        raise VisionError(f"The {name} picture is no colour picture (shape {picture.shape}): give 8-bit BGR.")
    height, width = picture.shape[:2]
    if (width, height) != (camera.width, camera.height):
        raise VisionError(
            f"The {name} picture is {width}x{height}, its camera was calibrated at {camera.width}x{camera.height}: "
            "take pictures at that size or calibrate again."
        )
    lens = Lens(camera)
    while lens.camera.width > FINEST_WIDTH_PX:
        lens = lens.halved()
        smaller = cv2.resize(picture, (lens.camera.width, lens.camera.height), interpolation=cv2.INTER_AREA)
        picture = np.asarray(smaller, np.uint8)
    return View(lens, picture)


def cut_to(view: View, points_in_table: Floats, margin_px: int = 12) -> View:
    """The part of a view in which these table points lie; the whole view where they lie outside."""
    pixels = view.lens.project(points_in_table[view.lens.depth_mm(points_in_table) > 1.0])
    height, width = view.picture.shape[:2]
    left, top = np.maximum(np.floor(pixels.min(0)).astype(int) - margin_px, 0)
    right, bottom = np.minimum(np.ceil(pixels.max(0)).astype(int) + margin_px, (width, height))
    if right - left < 64 or bottom - top < 64:
        return view
    lens = view.lens.cut(int(left), int(top), int(right - left), int(bottom - top))
    return View(lens, np.ascontiguousarray(view.picture[top:bottom, left:right]))


def is_within(pixels: Floats, shape: tuple[int, ...], margin_px: int) -> NDArray[np.bool_]:
    """Which pixels (..., 2) lie in a picture (height, width, ...), farther from its rim than the margin."""
    u, v = pixels[..., 0], pixels[..., 1]
    high, wide = shape[0] - 1 - margin_px, shape[1] - 1 - margin_px
    within: NDArray[np.bool_] = (u > margin_px) & (u < wide) & (v > margin_px) & (v < high)
    return within
