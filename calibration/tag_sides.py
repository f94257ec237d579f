"""The four sides of tags, fitted to the light across them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
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
SPILL_PX, SPILL_FROM = 0.15, 0.12
"""What corners are off by where the blur is as wide as a module, and from what share of one it starts."""
FLOOR_PX = 0.02
"""What no fit is better than: lenses, paper and ink have their own unevenness."""
MOST_SIGMA_PX = 0.4
LEAST_CONTRAST = 0.02
_BLUR_PX = 0.8


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for a side: looks along it and across it, and rounds of the fit."""

    along: int
    across: int
    rounds: int


CAREFUL = Effort(24, 13, 8)
QUICK = Effort(10, 9, 4)


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Fitted sides (tags, 4) about the lines from corner to corner."""

    off_px: Floats
    """Outward, at the middle."""
    turn_px: Floats
    """How much more at the far end."""
    covariance: Floats
    """(tags, 4, 2, 2) of the two."""
    blur_px: Floats
    good: NDArray[np.bool_]


def fit_sides(
    gray: NDArray[np.uint8], ids: Sequence[int], corners: Floats, lens: Lens | Camera | None, effort: Effort
) -> Sides:
    """The line where black paper turns white, by least squares over all the light across each side.

    Per side: dark and bright level, both linear along it, the edge's offset and turn, and the blur.
    """
    shape = (len(ids), 4)
    u, v = _grid(corners, effort)
    at = _on_picture(corners, u, v)
    start, end = corners, np.roll(corners, -1, axis=1)
    length = np.linalg.norm(end - start, axis=-1)
    along = (end - start) / length[..., None]
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    from_middle = at - ((start + end) / 2)[:, :, None]
    s = (np.einsum("tsni,tsi->tsn", from_middle, along) * 2 / length[..., None]).reshape(-1, u.shape[-1])
    n = np.einsum("tsni,tsi->tsn", from_middle, outward).reshape(s.shape)
    whiter = _whiter(ids, u, length).reshape(2, *s.shape)
    rows = [_on_picture(corners, u, np.full_like(v, row)) - ((start + end) / 2)[:, :, None] for row in (1.0, 2.0)]
    inner_px = np.stack([-np.einsum("tsni,tsi->tsn", row, outward).reshape(s.shape) for row in rows])

    light = light_at(gray, bent(at.reshape(-1, 2), lens)).reshape(s.shape)
    low, high = np.percentile(light, [5, 95], axis=1)
    p = np.zeros((len(s), 7))  # dark, its slope, contrast, its slope, offset, turn, log blur
    p[:, 0], p[:, 2], p[:, 6] = low, np.maximum(high - low, 1e-3), np.log(_BLUR_PX)
    for _ in range(effort.rounds):
        blur = np.exp(p[:, 6:7])
        outer = (n - p[:, 4:5] - p[:, 5:6] * s) / blur
        inner = -outer - inner_px / blur
        step = ndtr(outer) + (whiter * ndtr(inner)).sum(axis=0)
        contrast = p[:, 2:3] + p[:, 3:4] * s
        residual = light - p[:, 0:1] - p[:, 1:2] * s - contrast * step
        bell_outer, bell_inner = _bell(outer), whiter * _bell(inner)
        off = contrast * (bell_inner.sum(axis=0) - bell_outer) / blur
        spread = -contrast * (bell_outer * outer + (bell_inner * inner).sum(axis=0))
        slopes = np.stack([np.ones_like(s), s, step, step * s, off, off * s, spread], axis=1)
        noise = 1.5 * np.median(np.abs(residual), axis=1, keepdims=True) + 1e-4
        weight = 1 / (1 + (residual / (3 * noise)) ** 2)
        weighed = slopes * weight[:, None]
        normal = weighed @ slopes.swapaxes(1, 2) + 1e-9 * np.eye(7)
        p += np.clip(np.linalg.solve(normal, weighed @ residual[..., None])[..., 0], *_STEPS)
        p[:, 6] = np.clip(p[:, 6], np.log(0.3), np.log(4.0))
    # Looks lie closer than pixels: so many are one measurement.
    area_px = np.ptp(n, axis=1) * np.ptp(s, axis=1) * length.ravel() / 2
    crowding = np.maximum(1.0, s.shape[1] / np.maximum(area_px, 1.0))
    variance = (weight * residual**2).sum(axis=1) / weight.sum(axis=1) * crowding
    covariance = np.linalg.inv(normal)[:, 4:6, 4:6] * variance[:, None, None]
    contrast_ok = p[:, 2] > np.maximum(LEAST_CONTRAST, 3 * np.sqrt(variance / crowding))
    near = np.abs(p[:, 4]) + np.abs(p[:, 5]) < REACH_PX
    good = contrast_ok & near & (weight.mean(axis=1) > 0.6)
    off_px, turn_px, blur_px = p[:, 4].reshape(shape), p[:, 5].reshape(shape), np.exp(p[:, 6]).reshape(shape)
    return Sides(off_px, turn_px, covariance.reshape(*shape, 2, 2), blur_px, good.reshape(shape))


_MOST = np.array([0.3, 0.3, 0.5, 0.5, 0.7, 0.7, 0.4])
_STEPS = (-_MOST, _MOST)


def _bell(x: Floats) -> Floats:
    bell: Floats = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
    return bell


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
    blur = np.maximum(_BLUR_PX * MODULES / np.maximum(length_px, 1.0), 0.05)[..., None]
    whiter = np.zeros((2, *u.shape))
    for cell in range(1, MODULES - 1):
        whiter += rows[..., cell, None] * (ndtr((cell + 1 - u) / blur) - ndtr((cell - u) / blur))
    return whiter


@cache
def _steps_inward(tag: int) -> Floats:
    """(2, 4, 8): from the border to the first row of modules behind each side, and on to the second."""
    cells = marker_dictionary(TAG_DICTIONARY).generateImageMarker(tag, MODULES).astype(np.float64) / 255.0
    return np.diff(np.stack([np.rot90(cells, side)[:3] for side in range(4)], axis=1), axis=0)


def meet(corners: Floats, sides: Sides) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Where neighbouring sides meet (tags, 4, 2), their sigma per tag, and which tags are to be trusted."""
    start, end = corners, np.roll(corners, -1, axis=1)
    along = (end - start) / np.linalg.norm(end - start, axis=-1, keepdims=True)
    outward = np.stack([along[..., 1], -along[..., 0]], axis=-1)
    first = start + outward * (sides.off_px - sides.turn_px)[..., None]
    last = end + outward * (sides.off_px + sides.turn_px)[..., None]
    normal = np.stack([(last - first)[..., 1], -(last - first)[..., 0]], axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    level = (normal * first).sum(axis=-1)
    # Corner k lies on side k and on the one before it.
    both = np.stack([np.roll(normal, 1, axis=1), normal], axis=-2)
    solvable = np.abs(np.linalg.det(both)) > 0.1
    inverse = np.linalg.inv(np.where(solvable[..., None, None], both, np.eye(2)))
    fitted = (inverse @ np.stack([np.roll(level, 1, axis=1), level], axis=-1)[..., None])[..., 0]
    at_end, at_start = ((sides.covariance * np.outer(e, e)).sum(axis=(-2, -1)) for e in ([1.0, 1.0], [1.0, -1.0]))
    variance = np.stack([np.roll(at_end, 1, axis=1), at_start], axis=-1)
    spread = np.einsum("tcij,tcj,tcij->tc", inverse, variance, inverse) / 2
    spill = SPILL_PX * np.maximum((sides.blur_px / module_px(corners)).max(axis=1) - SPILL_FROM, 0.0)
    sigma = np.sqrt(spread.mean(axis=1) + spill**2 + FLOOR_PX**2)
    good = sides.good.all(axis=1) & solvable.all(axis=1) & (sigma < MOST_SIGMA_PX)
    return fitted, sigma, good


def light_at(gray: NDArray[np.uint8], pixels: Floats) -> Floats:
    """How much light fell on places (n, 2): sRGB decoded, since blur is linear in light and not in grey levels."""
    height, width = gray.shape
    whole = np.clip(np.floor(pixels), 0, [width - 2, height - 2]).astype(np.intp)
    x, y = whole.T
    u, v = np.clip(pixels - whole, 0.0, 1.0).T
    upper = (1 - u) * _SRGB[gray[y, x]] + u * _SRGB[gray[y, x + 1]]
    lower = (1 - u) * _SRGB[gray[y + 1, x]] + u * _SRGB[gray[y + 1, x + 1]]
    light: Floats = (1 - v) * upper + v * lower
    return light


_LEVELS = np.arange(256) / 255.0
_SRGB = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)


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
