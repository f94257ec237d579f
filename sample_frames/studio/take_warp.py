"""Printed sheets seen through a calibrated lens: exact warps, sixteen samples a pixel, each with its own moment."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera

Floats = NDArray[np.float64]
Light = NDArray[np.float32]
Texture = NDArray[np.uint8]
Box = tuple[slice, slice]

# Each row and column has the same sum: where in the pixel a sample lies tells nothing of when it is taken.
MOMENTS = np.array([[2, 7, 6], [9, 5, 1], [4, 3, 8]]) - 1
SAMPLES = MOMENTS.size
MIDDLE = SAMPLES // 2
"""The sample at a pixel's centre, and at the middle of an exposure."""
NEAREST_MM = 10.0
_COARSE_PX = 8
_FAR_MM = 1e4
NO_MAP = np.empty(0, dtype=np.float32)
"""The second map of `cv2.remap` where the first holds x and y."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera with the straight rays of every pixel: x and y at a depth of 1, (SAMPLES, h, w, 2) by moment."""

    camera: Camera
    rays: Light

    @property
    def focal_px(self) -> float:
        return self.camera.K[0][0]


def view_of(camera: Camera) -> View:
    """The view of a camera."""
    columns, rows = np.meshgrid(np.arange(camera.width), np.arange(camera.height))
    pixels = np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64)
    along = camera.rays_in_table(pixels) @ np.array(camera.R).T
    straight = (along[:, :2] / along[:, 2:]).reshape(*rows.shape, 2)
    per_row, per_column = np.gradient(straight, axis=(0, 1))
    rays = np.empty((SAMPLES, *straight.shape), dtype=np.float32)
    for place, when in np.ndenumerate(MOMENTS):
        down, right = ((n + 0.5) / len(MOMENTS) - 0.5 for n in place)
        rays[when] = straight + right * per_column + down * per_row
    return View(camera, rays)


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Something flat and printed: pictures of it (RGBA, linear, premultiplied) by their px to the mm.

    A picture starts `margin_mm` before the sheet's own origin; the sheet's x runs right, its y down, its z into it.
    """

    levels: dict[int, Texture]
    width_mm: float
    height_mm: float
    margin_mm: int = 0
    bow_mm: float = 0.0
    """How far its middle row stands out towards the viewer, its top and bottom edge staying where they are."""

    @property
    def outline_mm(self) -> Floats:
        """Corners of the picture (4, 3)."""
        m = float(self.margin_mm)
        right, bottom = self.width_mm + m, self.height_mm + m
        return np.array([[-m, -m, 0.0], [right, -m, 0.0], [right, bottom, 0.0], [-m, bottom, 0.0]])

    def z_mm(self, y_mm: Floats | Light) -> Floats:
        """How deep its rows lie."""
        middle = self.height_mm / 2
        return np.asarray(-self.bow_mm * (1 - ((y_mm - middle) / middle) ** 2), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """What was warped, where it lies in the picture: colour (premultiplied), cover, and the sheet's mm by pixel."""

    box: Box
    colour: Light
    cover: Light
    sheet_mm: Light


def warp(view: View, sheet: Sheet, camera_from_sheet: Floats) -> Layer | None:
    """The sheet at poses (SAMPLES, 4, 4) spread over one exposure, or at one pose (4, 4); None if out of view."""
    poses = np.broadcast_to(camera_from_sheet, (SAMPLES, 4, 4))
    box = _box(view, sheet, poses)
    if box is None:
        return None
    depth_mm = float((poses[MIDDLE] @ [sheet.width_mm / 2, sheet.height_mm / 2, 0.0, 1.0])[2])
    px_per_mm = _level(sheet, len(MOMENTS) * view.focal_px / max(depth_mm, NEAREST_MM))
    texture_from_sheet = np.diag([px_per_mm, px_per_mm, 1.0])
    texture_from_sheet[:2, 2] = sheet.margin_mm * px_per_mm - 0.5
    total = np.zeros((*view.rays[0][box].shape[:2], 4), dtype=np.float32)
    for pose, rays in zip(poses, view.rays, strict=True):
        at = _hit(sheet, pose, rays[box], texture_from_sheet)
        cv2.accumulate(cv2.remap(sheet.levels[px_per_mm], at, NO_MAP, cv2.INTER_LINEAR), total)
    total *= 1 / (255.0 * SAMPLES)
    return Layer(box, total[..., :3], total[..., 3:], _hit(sheet, poses[MIDDLE], view.rays[MIDDLE][box], np.eye(3)))


def _hit(sheet: Sheet, camera_from_sheet: Floats, rays: Light, target_from_sheet: Floats) -> Light:
    """Where rays (h, w, 2) meet the sheet, its mm taken on by a 3x3; far outside where they meet it behind the eye."""
    flat_from_rays = np.linalg.inv(camera_from_sheet[:3, [0, 1, 3]])
    corners = sheet.outline_mm @ camera_from_sheet[:3, :3].T + camera_from_sheet[:3, 3]
    if not sheet.bow_mm and corners[:, 2].min() > 0:
        return np.asarray(cv2.perspectiveTransform(rays, target_from_sheet @ flat_from_rays), dtype=np.float32)
    sheet_from_camera = np.linalg.inv(camera_from_sheet)
    eye = sheet_from_camera[:3, 3]
    along = np.concatenate([rays, np.ones_like(rays[..., :1])], axis=2) @ sheet_from_camera[:3, :3].T
    slope = np.where(np.abs(along[..., 2]) < 1e-9, 1e-9, along[..., 2])
    depth = -eye[2] / slope
    for _ in range(3 if sheet.bow_mm else 0):  # each round leaves a small share of what the bow shifts
        row_mm = np.clip(eye[1] + depth * along[..., 1], -sheet.margin_mm, sheet.height_mm + sheet.margin_mm)
        depth = (sheet.z_mm(row_mm) - eye[2]) / slope
    place = np.where(depth[..., None] > 0, eye[:2] + depth[..., None] * along[..., :2], -_FAR_MM)
    place = np.clip(place, -_FAR_MM, _FAR_MM) * np.diag(target_from_sheet)[:2] + target_from_sheet[:2, 2]
    return np.asarray(place, dtype=np.float32)


def _box(view: View, sheet: Sheet, poses: Floats) -> Box | None:
    """The pixels that can see the sheet, a few more around them included; None if there are none."""
    height, width = view.rays.shape[1:3]
    outline = sheet.outline_mm
    aside = np.array([0.0, 0.0, abs(sheet.bow_mm)])
    swollen = np.concatenate([outline - aside, outline + aside])
    ends = np.concatenate([swollen @ pose[:3, :3].T + pose[:3, 3] for pose in poses[[0, MIDDLE, -1]]])
    if ends[:, 2].max() < NEAREST_MM:
        return None
    if ends[:, 2].min() < NEAREST_MM:
        return slice(0, height), slice(0, width)
    low, high = (ends[:, :2] / ends[:, 2:]).min(axis=0), (ends[:, :2] / ends[:, 2:]).max(axis=0)
    x, y = np.moveaxis(view.rays[MIDDLE, ::_COARSE_PX, ::_COARSE_PX], 2, 0)
    slack = 1.5 * _COARSE_PX / view.focal_px
    seen = (x > low[0] - slack) & (x < high[0] + slack) & (y > low[1] - slack) & (y < high[1] + slack)
    rows, columns = np.flatnonzero(seen.any(axis=1)) * _COARSE_PX, np.flatnonzero(seen.any(axis=0)) * _COARSE_PX
    if not len(rows) or not len(columns):
        return None
    top, left = max(0, int(rows[0]) - _COARSE_PX), max(0, int(columns[0]) - _COARSE_PX)
    return slice(top, min(height, int(rows[-1]) + 2 * _COARSE_PX)), slice(
        left, min(width, int(columns[-1]) + 2 * _COARSE_PX)
    )


def _level(sheet: Sheet, wanted_px_per_mm: float) -> int:
    """The picture whose pixels are nearest in size to what is wanted."""
    return min(sheet.levels, key=lambda level: abs(np.log(level / wanted_px_per_mm)))
