"""Pictures that are worked out about what is asked of them: a turn looks at a sixth of a table."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from vision.sampling import Floats, Singles, sampled

MARGIN_PX = 40
"""How much more is worked out about what is asked for: further questions are mostly about its neighbours."""

Make = Callable[[slice, slice], Singles]
Window = tuple[int, int, int, int]
"""The first column and row of a part of a picture, and those past its last ones."""


class Windowed:
    """A picture (h, w, ...) of which a window is worked out and grows: `make` gives rows and columns of it."""

    def __init__(self, shape: tuple[int, ...], make: Make) -> None:
        self._height, self._width = shape[:2]
        self._make = make
        # Not even zeros outside the window: nothing there is looked at, and a picture's worth of them takes a while.
        self._values = np.empty(shape, np.float32)
        # Threads may ask at the same time: it is set as one, and after all in it was worked out.
        self._window: Window | None = None

    def at(self, pixels: Floats | Singles) -> Singles:
        """Bilinear values at pixels (..., 2); zero outside."""
        spots = np.asarray(pixels, np.float32)
        if spots.size and not self._is_whole():
            left, top, width, height = cv2.boundingRect(spots.reshape(-1, 2))
            # What lies between pixels is read from both, and may be read as lying on the second.
            self._work_out(left, top, left + width + 2, top + height + 2)
        return sampled(self._values, spots)

    def part(self, rows: slice, columns: slice) -> Singles:
        """Some rows and columns of it, as far as there are such."""
        self._work_out(columns.start, rows.start, columns.stop, rows.stop)
        return self._values[rows, columns]

    def whole(self) -> Singles:
        """All of it."""
        if self._window is None:
            self._values = self._make(slice(0, self._height), slice(0, self._width))
            self._window = 0, 0, self._width, self._height
        self._work_out(0, 0, self._width, self._height)
        return self._values

    def _is_whole(self) -> bool:
        return self._window == (0, 0, self._width, self._height)

    def _work_out(self, left: int, top: int, right: int, bottom: int) -> None:
        """Let the window grow to some columns and rows, as far as there are such."""
        left, right = min(max(left, 0), self._width - 1), min(max(right, 1), self._width)
        top, bottom = min(max(top, 0), self._height - 1), min(max(bottom, 1), self._height)
        old = self._window
        if old is not None and old[0] <= left and old[1] <= top and old[2] >= right and old[3] >= bottom:
            return
        left, top = max(left - MARGIN_PX, 0), max(top - MARGIN_PX, 0)
        right, bottom = min(right + MARGIN_PX, self._width), min(bottom + MARGIN_PX, self._height)
        if old is None:
            self._fill(left, top, right, bottom)
        else:
            left, top, right, bottom = min(left, old[0]), min(top, old[1]), max(right, old[2]), max(bottom, old[3])
            self._fill(left, top, right, old[1])
            self._fill(left, old[1], old[0], old[3])
            self._fill(old[2], old[1], right, old[3])
            self._fill(left, old[3], right, bottom)
        self._window = left, top, right, bottom

    def _fill(self, left: int, top: int, right: int, bottom: int) -> None:
        if left < right and top < bottom:
            rows, columns = slice(top, bottom), slice(left, right)
            self._values[rows, columns] = self._make(rows, columns)
