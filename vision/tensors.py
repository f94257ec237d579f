"""How strongly colours change in any direction: structure tensors of pictures, and what they say along a normal."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from vision.sampling import Floats, Singles, sampled

BAND_PX = 48
"""How many rows of a picture are worked on at once."""
ABOUT_PX = 4
"""How many rows and columns bear on a spot between pixels."""
_OVER_CHANNELS = np.ones((1, 3), np.float32)


def structure_in(light: Singles, rows: slice, columns: slice) -> Singles:
    """Some rows and columns of the structure tensor (h, w, 3) of a blurred colour picture: xx, xy, yy of its change,
    summed over channels."""
    left = max(columns.start - 1, 0)
    within = slice(columns.start - left, columns.stop - left)
    tensor = np.empty((rows.stop - rows.start, columns.stop - columns.start, 3), np.float32)
    # Band by band, each with a row more on either side: what is worked out on the way stays in the cache.
    for first in range(rows.start, rows.stop, BAND_PX):
        begin, last = max(first - 1, 0), min(first + BAND_PX, rows.stop)
        band = _structure(light[begin : last + 1, left : columns.stop + 1])
        tensor[first - rows.start : last - rows.start] = band[first - begin : last - begin, within]
    return tensor


def sideways_at(light: Singles, pixels: Floats) -> Singles:
    """The xx of that at pixels (n, 2) that lie apart, none of them at the picture's rim."""
    few = pixels.astype(np.float32)
    corners = np.floor(few).astype(np.intp)
    # All that bears on each of them, side by side in a square: where these meet nothing is looked at.
    runs = sliding_window_view(light.reshape(len(light), -1), 3 * ABOUT_PX, axis=1)
    about = runs[corners[:, 1, None] + np.arange(-1, ABOUT_PX - 1), 3 * (corners[:, 0, None] - 1)]
    many = math.isqrt(len(few) - 1) + 1
    square = np.zeros((many * many, ABOUT_PX, 3 * ABOUT_PX), np.float32)
    square[: len(few)] = about
    square = square.reshape(many, many, ABOUT_PX, -1).swapaxes(1, 2).reshape(many * ABOUT_PX, -1, 3)
    dx = _sideways(square)
    row, column = np.divmod(np.arange(len(few)), many)
    begins = np.column_stack([column, row]) * ABOUT_PX + 1
    return sampled(summed(dx, dx), (few - corners.astype(np.float32)) + begins.astype(np.float32))


def _structure(light: Singles) -> Singles:
    dx, dy = _sideways(light), cv2.Sobel(light, cv2.CV_32F, 0, 1, ksize=3, scale=0.125)
    return np.asarray(cv2.merge([summed(dx, dx), summed(dx, dy), summed(dy, dy)]), np.float32)


def _sideways(light: Singles) -> Singles:
    return np.asarray(cv2.Sobel(light, cv2.CV_32F, 1, 0, ksize=3, scale=0.125), np.float32)


def summed(one: Any, other: Any) -> Singles:
    """Products summed over channels."""
    return np.asarray(cv2.transform(cv2.multiply(one, other), _OVER_CHANNELS), np.float32)


def across(tensor: Singles, normals: Floats) -> Singles:
    """How strongly colours change (grey levels per px) along normals (..., 2), from sampled tensors (..., 3)."""
    return np.sqrt(energy(tensor, *squares(normals)))


def squares(normals: Floats) -> tuple[Singles, Singles, Singles]:
    """What the entries of a tensor count along normals (..., 2)."""
    x, y = normals[..., 0].astype(np.float32), normals[..., 1].astype(np.float32)
    return x * x, 2 * x * y, y * y


def energy(tensor: Singles, xx: Singles, xy: Singles, yy: Singles) -> Singles:
    """What tensors (..., 3) add up to with what their entries count, the square of a change per pixel."""
    total: Singles = tensor[..., 0] * xx
    total += tensor[..., 1] * xy
    total += tensor[..., 2] * yy
    return np.maximum(total, 0.0, out=total)
