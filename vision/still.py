"""A settled picture as it is kept: vision looks at exactly what a recording stores, so it sees the same there again."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.errors import BadSession
from vision.view import Picture

JPEG_QUALITY = 92
"""Finer than what webcams and phones send; a sixth of the size without any loss."""
PNG_EFFORT = 1
"""Level 1 takes 0.1 s at 720p; level 6 takes three times that to save a tenth."""
FORMATS = {b"\xff\xd8": "jpeg", b"\x89P": "png"}


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """A picture, and the bytes that it was read from."""

    picture: Picture
    data: bytes

    @staticmethod
    def of(picture: Picture) -> Still:
        """A camera's picture as it comes back from its JPEG."""
        quality = [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY, cv2.IMWRITE_JPEG_OPTIMIZE, 1]
        return Still.read(cv2.imencode(".jpg", picture, quality)[1].tobytes())

    @staticmethod
    def exactly(picture: Picture) -> Still:
        """A picture of unknown origin, without loss."""
        return Still(picture, cv2.imencode(".png", picture, [cv2.IMWRITE_PNG_COMPRESSION, PNG_EFFORT])[1].tobytes())

    @staticmethod
    def read(data: bytes, name: str = "a still") -> Still:
        """The picture that was kept as these bytes."""
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
        if picture is None:
            raise BadSession(f"{name} is no picture that can be read; copy the file again")
        return Still(np.asarray(picture, np.uint8), data)

    @property
    def format(self) -> str:
        """As other programs call it."""
        return FORMATS.get(self.data[:2], "png")
