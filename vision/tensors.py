"""How strongly colours change in any direction: structure tensors of pictures, and what they say along a normal."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

BAND_PX = 48
"""How many rows of a picture are worked on at once."""
_OVER_CHANNELS = np.ones((1, 3), np.float32)


def structure(light: Singles) -> Singles:
    """The structure tensor (h, w, 3) of a blurred colour picture: xx, xy, yy of its change, summed over channels."""
    tensor = np.empty(light.shape, np.float32)
    # Band by band, each with a row more on either side: what is worked out on the way stays in the cache.
    for first in range(0, len(light), BAND_PX):
        begin, last = max(first - 1, 0), min(first + BAND_PX, len(light))
        tensor[first:last] = _structure(light[begin : last + 1])[first - begin : last - begin]
    return tensor


def _structure(light: Singles) -> Singles:
    dx = cv2.Sobel(light, cv2.CV_32F, 1, 0, ksize=3, scale=0.125)
    dy = cv2.Sobel(light, cv2.CV_32F, 0, 1, ksize=3, scale=0.125)
    pairs = ((dx, dx), (dx, dy), (dy, dy))
    return np.asarray(cv2.merge([cv2.transform(cv2.multiply(a, b), _OVER_CHANNELS) for a, b in pairs]), np.float32)


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
