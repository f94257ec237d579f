"""Pictures that are worked out about what is asked of them: a turn looks at a sixth of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from vision.sampling import Floats, Singles, sampled

MARGIN_PX = 40
"""How much more is worked out about what is asked for: further questions are mostly about its neighbours."""

Make = Callable[[slice, slice], Singles]


@dataclass(frozen=True, eq=False)
class _Window:
    """The part of a picture that was worked out, up to but without the last column and row."""

    left: int
    top: int
    right: int
    bottom: int
    values: Singles

    def holds(self, left: int, top: int, right: int, bottom: int) -> bool:
        return self.left <= left and self.top <= top and self.right >= right and self.bottom >= bottom


class Windowed:
    """A picture (h, w, 3) of which a window is worked out and grows: `make` gives rows and columns of it."""

    def __init__(self, shape: tuple[int, ...], make: Make) -> None:
        self._height, self._width = shape[:2]
        self._make = make
        # Set as one: threads may ask at the same time.
        self._window: _Window | None = None

    def at(self, pixels: Floats | Singles) -> Singles:
        """Bilinear values (..., 3) at pixels (..., 2); zero outside."""
        spots = np.asarray(pixels, np.float32)
        if not spots.size:
            return np.zeros((*spots.shape[:-1], 3), np.float32)
        left, top, width, height = cv2.boundingRect(np.ascontiguousarray(spots).reshape(-1, 2))
        # What lies between pixels is read from both, and may be read as lying on the second.
        window = self._about(left, top, left + width + 2, top + height + 2)
        if window.left or window.top:
            spots = spots - np.array([window.left, window.top], np.float32)
        return sampled(window.values, spots)

    def part(self, rows: slice, columns: slice) -> Singles:
        """Some rows and columns of it, as far as there are such."""
        window = self._about(columns.start, rows.start, columns.stop, rows.stop)
        left, top = window.left, window.top
        return window.values[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]

    def whole(self) -> Singles:
        """All of it."""
        return self._about(0, 0, self._width, self._height).values

    def _about(self, left: int, top: int, right: int, bottom: int) -> _Window:
        """A window that holds some columns and rows, as far as there are such."""
        left, right = min(max(left, 0), self._width - 1), min(max(right, 1), self._width)
        top, bottom = min(max(top, 0), self._height - 1), min(max(bottom, 1), self._height)
        window = self._window
        if window is None or not window.holds(left, top, right, bottom):
            left, top = max(left - MARGIN_PX, 0), max(top - MARGIN_PX, 0)
            right, bottom = min(right + MARGIN_PX, self._width), min(bottom + MARGIN_PX, self._height)
            if window is not None:
                left, top = min(left, window.left), min(top, window.top)
                right, bottom = max(right, window.right), max(bottom, window.bottom)
            window = _Window(left, top, right, bottom, self._make(slice(top, bottom), slice(left, right)))
            self._window = window
        return window
