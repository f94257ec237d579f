"""Square markers as vectors: OpenCV's bit patterns, traced into closed outlines."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError

Point = tuple[float, float]
Loop = tuple[Point, ...]

TAG_DICTIONARY = "DICT_APRILTAG_36h11"


@cache
def marker_dictionary(name: str) -> cv2.aruco.Dictionary:
    """One of OpenCV's dictionaries by its name, such as DICT_5X5_100."""
    number = getattr(cv2.aruco, name, None) if name.startswith("DICT_") else None
    if number is None:
        known = sorted(word for word in dir(cv2.aruco) if word.startswith("DICT_"))
        raise CalibrationError(f"dictionary: '{name}' is unknown; known are {', '.join(known)}")
    return cv2.aruco.getPredefinedDictionary(number)


def marker_loops(dictionary_name: str, marker_id: int, x_mm: float, y_mm: float, side_mm: float) -> tuple[Loop, ...]:
    """The black of a marker, its border included, with its top-left corner at (x, y)."""
    dictionary = marker_dictionary(dictionary_name)
    modules = dictionary.markerSize + 2
    black = dictionary.generateImageMarker(marker_id, modules) == 0
    module_mm = side_mm / modules
    return tuple(tuple((x_mm + x * module_mm, y_mm + y * module_mm) for x, y in loop) for loop in trace(black))


def trace(black: NDArray[np.bool_]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Outlines of the black cells of a grid: clockwise around black, the other way around a hole.

    Whole outlines rather than a rectangle per cell or row, so that no viewer shows hairlines between them.
    """
    onward = _border(black)
    loops = []
    while onward:
        start = here = next(iter(onward))
        loop: list[tuple[int, int]] = []
        while not loop or here != start:
            loop.append(here)
            ways = onward[here]
            here = ways.pop()
            if not ways:
                del onward[loop[-1]]
        loops.append(_bends(loop))
    return tuple(loops)


def _border(black: NDArray[np.bool_]) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Grid point -> where the cell sides that begin there end, where black meets white; black is on the right."""
    padded = np.pad(black, 1)
    onward: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for y, x in np.argwhere(black).tolist():
        sides = (
            (padded[y, x + 1], (x, y), (x + 1, y)),
            (padded[y + 1, x + 2], (x + 1, y), (x + 1, y + 1)),
            (padded[y + 2, x + 1], (x + 1, y + 1), (x, y + 1)),
            (padded[y + 1, x], (x, y + 1), (x, y)),
        )
        for neighbour_is_black, start, end in sides:
            if not neighbour_is_black:
                onward.setdefault(start, []).append(end)
    return onward


def _bends(loop: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The loop without the points that lie on a straight run."""
    around = zip(loop[-1:] + loop[:-1], loop, loop[1:] + loop[:1], strict=True)
    return tuple(at for before, at, after in around if before[0] != after[0] and before[1] != after[1])
