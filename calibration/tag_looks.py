"""Where tags are looked at: along and across their four sides, in a picture whose lens is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from scipy.special import ndtr

from calibration.camera import Camera, Floats
from calibration.lens import Lens
from calibration.markers import TAG_DICTIONARY, marker_dictionary

MODULES = 8
REACH_PX = 4.0
ENDS_MODULES, ENDS_PX = 0.7, 1.6
"""How far from the corners a side is looked at: nearer, the next side shines in."""
QUIET_MODULES = 1.4
"""As far as the paper around a tag is white."""
USUAL_BLUR_PX = 0.8


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for a side: looks along it and across it, and rounds of the fit."""

    along: int
    across: int
    rounds: int


CAREFUL = Effort(24, 13, 8)
QUICK = Effort(10, 9, 3)


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """All that is known of tags' sides before a picture is looked at; s and n are (sides, looks)."""

    ids: tuple[int, ...]
    corners: Floats
    """(tags, 4, 2), in the straightened picture."""
    pixels: Floats
    """(sides * looks, 2), in the picture itself."""
    s: Floats
    """Along each side, from -1 to 1."""
    n: Floats
    """Outward from it, px."""
    whiter: Floats
    """(2, sides, looks): how much whiter than its outer neighbour the first and the second row of modules is."""
    inner_px: Floats
    """(2, sides, looks): how far inside the rows begin."""
    length_px: Floats
    """(tags, 4)."""
    rounds: int


def looks_at(ids: Sequence[int], corners: Floats, lens: Lens | Camera | None, effort: Effort) -> Looks:
    """The looks at tags whose corners (tags, 4, 2) are known about, in the straightened picture."""
    u, v = _grid(corners, effort)
    at = _on_picture(corners, u, v)
    start, end = corners, np.roll(corners, -1, axis=1)
    length = np.linalg.norm(end - start, axis=-1)
    along = (end - start) / length[..., None]
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    middle = ((start + end) / 2)[:, :, None]
    s = (np.einsum("tsni,tsi->tsn", at - middle, along) * 2 / length[..., None]).reshape(-1, u.shape[-1])
    n = np.einsum("tsni,tsi->tsn", at - middle, outward).reshape(s.shape)
    rows = [_on_picture(corners, u, np.full_like(v, row)) - middle for row in (1.0, 2.0)]
    inner_px = np.stack([-np.einsum("tsni,tsi->tsn", row, outward).reshape(s.shape) for row in rows])
    whiter = _whiter(ids, u, length).reshape(2, *s.shape)
    return Looks(tuple(ids), corners, bent(at.reshape(-1, 2), lens), s, n, whiter, inner_px, length, effort.rounds)


def _grid(corners: Floats, effort: Effort) -> tuple[Floats, Floats]:
    """Where sides are looked at, in modules along and inward (tags, 4, n)."""
    wide_px = module_px(corners)
    inward = np.minimum(1.7, REACH_PX / wide_px)
    outward = np.minimum(np.maximum(QUIET_MODULES - 1.5 / wide_px, 0.6), REACH_PX / wide_px)
    ends = np.clip(ENDS_PX / np.roll(wide_px, 1, axis=1), ENDS_MODULES, 2.5)
    u = np.linspace(ends, MODULES - ends, effort.along, axis=-1)
    v = np.linspace(-outward, inward, effort.across, axis=-1)
    full = (*wide_px.shape, effort.along, effort.across)
    u_all, v_all = np.broadcast_to(u[..., None], full), np.broadcast_to(v[..., None, :], full)
    return u_all.reshape(*full[:2], -1), v_all.reshape(*full[:2], -1)


def module_px(corners: Floats) -> Floats:
    """How wide a module is across each side (tags, 4)."""
    side = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=-1)
    area = np.array([cv2.contourArea(quad.astype(np.float32)) for quad in corners])
    wide_px: Floats = np.maximum(area[:, None] / np.maximum(side, 1e-6) / MODULES, 0.2)
    return wide_px


def _on_picture(corners: Floats, u: Floats, v: Floats) -> Floats:
    """Places (tags, 4, n, 2) in the straightened picture of module coordinates counted from each side."""
    last = float(MODULES)
    x = np.stack([u[:, 0], last - v[:, 1], last - u[:, 2], v[:, 3]], axis=1)
    y = np.stack([v[:, 0], u[:, 1], last - v[:, 2], last - u[:, 3]], axis=1)
    square = np.array([[0, 0], [last, 0], [last, last], [0, last]], dtype=np.float32)
    maps = np.stack([cv2.getPerspectiveTransform(square, quad.astype(np.float32)) for quad in corners])
    at = np.einsum("tij,jtsn->tsni", maps, np.stack([x, y, np.ones_like(x)]))
    places: Floats = at[..., :2] / at[..., 2:]
    return places


def _whiter(ids: Sequence[int], u: Floats, length_px: Floats) -> Floats:
    """How much whiter than their outer neighbours the first and second row of modules are along each side."""
    rows = np.stack([_steps_inward(tag) for tag in ids], axis=1)
    blur = np.maximum(USUAL_BLUR_PX * MODULES / np.maximum(length_px, 1.0), 0.05)[..., None]
    whiter = np.zeros((2, *u.shape))
    for cell in range(1, MODULES - 1):
        whiter += rows[..., cell, None] * (ndtr((cell + 1 - u) / blur) - ndtr((cell - u) / blur))
    return whiter


@cache
def _steps_inward(tag: int) -> Floats:
    """(2, 4, 8): from the border to the first row of modules behind each side, and on to the second."""
    cells = marker_dictionary(TAG_DICTIONARY).generateImageMarker(tag, MODULES).astype(np.float64) / 255.0
    return np.diff(np.stack([np.rot90(cells, side)[:3] for side in range(4)], axis=1), axis=0)


def straight(pixels: Floats, lens: Lens | Camera | None) -> Floats:
    """Pixels as a lens without distortion would show them."""
    if lens is None:
        return pixels
    matrix = np.array(lens.K)
    flat = np.ascontiguousarray(pixels, dtype=np.float64).reshape(-1, 1, 2)
    ends = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-9)
    straight = cv2.undistortPointsIter(flat, matrix, np.array(lens.dist), np.eye(3), matrix, ends)
    return np.asarray(straight, dtype=np.float64).reshape(pixels.shape)


def bent(pixels: Floats, lens: Lens | Camera | None) -> Floats:
    """The way back, by OpenCV's formula: projectPoints would work out derivatives that nobody asked for."""
    if lens is None:
        return pixels
    (fx, _, cx), (_, fy, cy), _ = lens.K
    k1, k2, p1, p2, k3 = lens.dist
    x, y = (pixels[..., 0] - cx) / fx, (pixels[..., 1] - cy) / fy
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    seen_x = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    seen_y = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    return np.stack([fx * seen_x + cx, fy * seen_y + cy], axis=-1)
