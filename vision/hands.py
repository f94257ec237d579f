"""MediaPipe's opinion on where hands are: it misses many from above, so it is one voice among others."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np

from vision.view import Picture

Box = tuple[float, float, float, float]
"""Left, top, width, height, in parts of the picture."""
WHOLE: Box = (0.0, 0.0, 1.0, 1.0)
SURE = 0.5
WIDEST_PX = 960
ROOM = 0.6
"""A window is looked at with so much of its size round it: a palm is found by what it hangs on."""


class HandFinder:
    """Finds hands in single pictures; loading takes a second or two, a look 15-30 ms."""

    def __init__(self) -> None:
        with _quiet():
            from mediapipe.python.solutions import hands

            # What MediaPipe's makers should hear of their protobuf, and nobody else.
            warnings.filterwarnings("ignore", r"SymbolDatabase\.GetPrototype", UserWarning)
            self._hands: Any = hands.Hands(static_image_mode=True, max_num_hands=2, min_detection_confidence=SURE)
            self._hands.process(np.zeros((64, 64, 3), np.uint8))

    def find(self, picture: Picture, windows: Sequence[Box] = (WHOLE,)) -> list[Box]:
        """Boxes round the hands that are seen in any of the windows."""
        found = []
        for window in windows:
            left, top, width, height = _with_room(window) if window != WHOLE else WHOLE
            rows, columns = picture.shape[:2]
            part = picture[
                int(top * rows) : int((top + height) * rows), int(left * columns) : int((left + width) * columns)
            ]
            if min(part.shape[:2]) < 16:
                continue
            for x, y, w, h in self._look(part):
                found.append((left + x * width, top + y * height, w * width, h * height))
        return found

    def close(self) -> None:
        self._hands.close()

    def _look(self, part: Picture) -> list[Box]:
        height, width = part.shape[:2]
        if width > WIDEST_PX:
            part = np.asarray(cv2.resize(part, (WIDEST_PX, round(height * WIDEST_PX / width))), dtype=np.uint8)
        seen = self._hands.process(cv2.cvtColor(part, cv2.COLOR_BGR2RGB)).multi_hand_landmarks or []
        boxes = []
        for hand in seen:
            points = np.array([(point.x, point.y) for point in hand.landmark])
            (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
            boxes.append((float(left), float(top), float(right - left), float(bottom - top)))
        return boxes


def _with_room(window: Box) -> Box:
    left, top, width, height = window
    side_x, side_y = width * ROOM / 2, height * ROOM / 2
    x0, y0 = max(0.0, left - side_x), max(0.0, top - side_y)
    return x0, y0, min(1.0, left + width + side_x) - x0, min(1.0, top + height + side_y) - y0


@contextmanager
def _quiet() -> Iterator[None]:
    """MediaPipe's libraries write greetings straight to the terminal while they load."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
