"""The album: the settled pictures that turns were accepted on, kept small. Qt-free."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from gui.feed import Picture, Pictures

QUALITY = 88


class Album:
    """Pictures by turn, as JPEG in memory: a long game takes tens of megabytes, not thousands."""

    def __init__(self) -> None:
        self._pages: dict[int, dict[str, bytes]] = {}

    def keep(self, turn: int, pictures: Pictures) -> None:
        """The newest settled pictures of a turn take the place of earlier ones."""
        self._pages[turn] = {name: _packed(picture) for name, picture in pictures.items()}

    def pictures(self, turn: int) -> Mapping[str, Picture]:
        """The pictures of a turn; none where no camera saw it."""
        return {name: _unpacked(data) for name, data in self._pages.get(turn, {}).items()}


def _packed(picture: Picture) -> bytes:
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()


def _unpacked(data: bytes) -> Picture:
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)
