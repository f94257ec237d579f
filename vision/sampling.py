"""What a picture shows between its pixels."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

_NO_MAP = np.empty(0, np.float32)


def less(spots: Floats, corner: tuple[float, float]) -> Floats:
    """Spots (..., 2) as they lie from a corner: one coordinate after the other, for NumPy takes several times as long
    where it goes from pair to pair."""
    from_corner = np.empty(spots.shape)
    for axis in (0, 1):
        np.subtract(spots[..., axis], corner[axis], out=from_corner[..., axis])
    return from_corner


def sampled(picture: Singles, pixels: Floats | Singles) -> Singles:
    """Bilinear values (..., channels) at pixels (..., 2); zero outside."""
    shape = pixels.shape[:-1]
    count = pixels.size // 2
    # remap takes no more than 32767 columns
    columns = max(min(count, 8192), 1)
    rows = max(-(-count // columns), 1)
    if rows * columns == count:
        spots = np.asarray(pixels, np.float32).reshape(rows, columns, 2)
    else:
        spots = np.full((rows, columns, 2), -10, np.float32)
        spots.reshape(-1, 2)[:count] = pixels.reshape(-1, 2)
    values: Any = cv2.remap(picture, spots, _NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    flat: Singles = values.reshape(rows * columns, *values.shape[2:])[:count]
    return flat.reshape(*shape, *flat.shape[1:])
