"""The four sides of tags, fitted to the light across them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from calibration.camera import Floats
from calibration.tag_looks import REACH_PX, USUAL_BLUR_PX, Looks, module_px

SPILL_PX, SPILL_FROM = 0.15, 0.12
"""What corners are off by where the blur is as wide as a module, and from what share of one it starts."""
FLOOR_PX = 0.02
"""What no fit is better than: lenses, paper and ink have their own unevenness."""
MOST_SIGMA_PX = 0.4
LEAST_CONTRAST = 0.02


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


def fit_sides(gray: NDArray[np.uint8], looks: Looks) -> Sides:
    """The line where black paper turns white, by least squares over all the light across each side.

    Per side: dark and bright level, both linear along it, the edge's offset and turn, and the blur.
    """
    s, n, whiter, inner_px = looks.s, looks.n, looks.whiter, looks.inner_px
    shape = looks.length_px.shape
    light = light_at(gray, looks.pixels).reshape(s.shape)
    low, high = np.percentile(light, [5, 95], axis=1)
    p = np.zeros((len(s), 7))  # dark, its slope, contrast, its slope, offset, turn, log blur
    p[:, 0], p[:, 2], p[:, 6] = low, np.maximum(high - low, 1e-3), np.log(USUAL_BLUR_PX)
    for _ in range(looks.rounds):
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
    area_px = np.ptp(n, axis=1) * np.ptp(s, axis=1) * looks.length_px.ravel() / 2
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


def decoded(picture: NDArray[np.uint8]) -> Floats:
    """How much light fell on every pixel and channel."""
    light: Floats = _SRGB[picture]
    return light


def encoded(light: Floats) -> Floats:
    """The way back, as shares of the highest level."""
    coded: Floats = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 0.0) ** (1 / 2.4) - 0.055)
    return coded


_LEVELS = np.arange(256) / 255.0
_SRGB = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)
