"""A picture as it would look from a camera that has moved a little."""

from __future__ import annotations

from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from vision.view import Lens

Pixels = TypeVar("Pixels", NDArray[np.uint8], NDArray[np.float32])


def pictures_moved(picture: Pixels, was: Camera, now: Camera) -> Pixels:
    """The picture warped by how the table's plane moved in it; what stands on the table is off by far less."""
    height, width = picture.shape[:2]
    across, down = np.meshgrid(np.linspace(0.2, 0.8, 4), np.linspace(0.3, 0.9, 4))
    old = np.stack([across.ravel() * was.width, down.ravel() * was.height], axis=1)
    new = now.project(Lens(was).on_plane(old, 0.0))
    scale = np.array([width / was.width, height / was.height])
    homography, _ = cv2.findHomography((old + 0.5) * scale - 0.5, (new + 0.5) * scale - 0.5)
    warped = cv2.warpPerspective(picture, homography, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(warped, dtype=picture.dtype)
