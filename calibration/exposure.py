"""Overexposed pictures: how much lighter the paper is than the file can say, told by the edges of known print."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, Floats
from calibration.tag_looks import bent, module_px, straight
from calibration.tag_sides import light_at

DARK_PX, WHITE_PX = -1.6, (2.0, 3.5)
LEAST_MODULE_PX = 2.5
MOST_CLIPPED = 1.8
ALONG = 30


def exposure(grey: NDArray[np.uint8], places: Mapping[int, Floats], camera: Camera) -> tuple[float, float]:
    """How light paper is in the picture, and how many times lighter in truth.

    Blur is symmetric in light: half way between black and white lies where the print ends. Where more than half is
    seen there, white was cut off.
    """
    whites, halves = [], []
    for corners in places.values():
        at = straight(corners, camera)
        if module_px(at[None]).min() < LEAST_MODULE_PX:
            continue
        start, end = at, np.roll(at, -1, axis=0)
        along = (end - start) / np.linalg.norm(end - start, axis=1, keepdims=True)
        outward = np.column_stack([along[:, 1], -along[:, 0]])
        share = np.linspace(0.15, 0.85, ALONG)
        line = start[:, None] + (end - start)[:, None] * share[None, :, None]

        def across(px: float, line: Floats = line, outward: Floats = outward) -> Floats:
            spot = bent((line + px * outward[:, None]).reshape(-1, 2), camera)
            return np.median(light_at(grey, spot).reshape(4, ALONG), axis=1)

        black, white = across(DARK_PX), (across(WHITE_PX[0]) + across(WHITE_PX[1])) / 2
        halves.append(np.mean((across(0.0) - black) / np.maximum(white - black, 1e-3)))
        whites.append(white.mean())
    if not whites:
        return 1.0, 1.0
    return float(np.median(whites)), float(np.clip(2 * np.median(halves), 1.0, MOST_CLIPPED))


def unclipped(light: NDArray[np.float32], white: float, clipped: float) -> NDArray[np.float32]:
    """Light with its cut-off highlights raised to what they were, as far as the paper tells."""
    if clipped <= 1.0:
        return light
    share = light / np.float32(white)
    knee = min(clipped / 2, 0.95)
    above = np.clip((share - knee) / (1 - knee), 0.0, 1.0)
    raised: NDArray[np.float32] = (np.minimum(share, 1.0) + (clipped - 1.0) * above**2) * np.float32(white)
    return raised.astype(np.float32)
