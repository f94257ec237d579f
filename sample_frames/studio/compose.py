"""Something that moves, laid over a picture of what stands still: only its own pixels and its shadow are new."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera

from .lens import Light
from .parts import Part

FILM_PX = (384, 216)
"""Windows are rendered at this size at most, whatever they show: one size of film is one compiled kernel."""
MARGIN_PX = 56
FEATHER_PX = 40
SHADOW_BLUR_PX = 3.0
NEAR_MM = 40.0

Window = tuple[int, int, int, int]
"""Left, top, width, height in px."""


def window_of(parts: list[Part], camera: Camera) -> Window | None:
    """The part of the picture that these are in, as wide for its height as the film, with room for their shadows.

    None if they are out of view.
    """
    points = np.concatenate([part.mesh.vertices for part in parts])
    points = points[camera.depth_mm(points) > NEAR_MM]
    if not len(points):
        return None
    size = np.array([camera.width, camera.height])
    pixels = camera.project(points)
    if not ((pixels > -0.5) & (pixels < size - 0.5)).all(axis=1).any():
        return None
    low = np.maximum(pixels.min(axis=0) - MARGIN_PX, 0)
    high = np.minimum(pixels.max(axis=0) + MARGIN_PX, size)
    wide = FILM_PX[0] / FILM_PX[1]
    height = min(max(high[1] - low[1], (high[0] - low[0]) / wide, FILM_PX[1]), camera.height, camera.width / wide)
    height_px = int(np.ceil(height))
    width_px = min(round(height_px * wide), camera.width)
    left, top = np.clip((low + high - (width_px, height_px)) / 2, 0, size - (width_px, height_px)).astype(int)
    return int(left), int(top), width_px, height_px


def lay_over(background: Light, seen: Light, moving: NDArray[np.bool_], window: Window) -> Light:
    """The background with what a window saw: the moving pixels as they are, round them the change of light alone."""
    left, top, width, height = window
    under = background[top : top + height, left : left + width]
    over = cv2.resize(seen, (width, height), interpolation=cv2.INTER_CUBIC).clip(0.0)
    large = cv2.resize(moving.astype(np.float32), (width, height), interpolation=cv2.INTER_LINEAR)
    share = cv2.GaussianBlur(large, (0, 0), 0.7)[..., None]
    apart = (cv2.dilate(large, np.ones((5, 5))) < 0.01).astype(np.float32)[..., None]

    def level(light: Light) -> Light:
        return np.asarray(cv2.GaussianBlur(light * apart, (0, 0), SHADOW_BLUR_PX), dtype=np.float32)

    ratio = np.clip((level(over) + 1e-4) / (level(under) + 1e-4), 0.05, 3.0)
    fade = _feather(width, height, background.shape[1], background.shape[0], left, top)[..., None]
    ratio = 1.0 + (ratio - 1.0) * fade
    result = background.copy()
    result[top : top + height, left : left + width] = share * over + (1 - share) * under * ratio
    return result


def _feather(width: int, height: int, full_width: int, full_height: int, left: int, top: int) -> NDArray[np.float32]:
    """1 inside, falling to 0 at those borders of the window that are not the picture's."""
    x, y = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)
    far = np.float32(FEATHER_PX)
    from_left = np.where(left > 0, x, far)
    from_right = np.where(left + width < full_width, width - 1 - x, far)
    from_top = np.where(top > 0, y, far)
    from_bottom = np.where(top + height < full_height, height - 1 - y, far)
    across = np.minimum(np.minimum(from_left, from_right) / far, 1.0)
    down = np.minimum(np.minimum(from_top, from_bottom) / far, 1.0)
    return np.asarray(down[:, None] * across[None], dtype=np.float32)
