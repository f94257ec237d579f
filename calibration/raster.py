"""Pages as pictures: every pixel's grey is the exact share of white in its area."""

from __future__ import annotations

import math
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.markers import Loop, Point
from calibration.page import CAP_HEIGHT, DESCENT, Fill, Line, Outline, Page, Rect, Shape, Text

_ARC_STEPS = 24  # chords per quarter circle
_STEPS_PER_PX = 4  # of a slanted edge
_LETTER_SCALE = 2.0  # Hershey letters are drawn this large, then shrunk
_PEN_PX = 5
_LETTER_CAP_PX = round(21 * _LETTER_SCALE) + _PEN_PX


def raster(page: Page, px_per_mm: float) -> NDArray[np.uint8]:
    """The page in grey; its point (x, y) mm lies at pixel (x, y) * px_per_mm - 0.5, whole numbers being centres."""
    height, width = math.ceil(page.height_mm * px_per_mm), math.ceil(page.width_mm * px_per_mm)
    step = np.zeros((height + 1, width + 2), dtype=np.float32)
    for shape in page.shapes:
        for loop in _loops(shape):
            _add(step, np.array(loop) * px_per_mm)
    black = np.clip(np.cumsum(step, axis=1)[:height, :width], 0.0, 1.0)
    for shape in page.shapes:
        if isinstance(shape, Text):
            _write(black, shape, px_per_mm)
    grey: NDArray[np.uint8] = np.rint(255.0 * (1.0 - black)).astype(np.uint8)
    return grey


def _add(step: NDArray[np.float32], loop_px: NDArray[np.float64]) -> None:
    """Add a loop's area to `step`, whose running sum along x is the black share of each pixel."""
    for (x0, y0), (x1, y1) in pairwise([*loop_px.tolist(), loop_px[0].tolist()]):
        if y0 == y1:
            continue
        # Cut where it passes from row to row, and a slanted edge so finely that each part counts as upright.
        parts = 1 if x0 == x1 else math.ceil(_STEPS_PER_PX * max(abs(x1 - x0), abs(y1 - y0)))
        rows = np.arange(math.ceil(min(y0, y1)), math.floor(max(y0, y1)) + 1)
        cuts = np.unique(np.concatenate([np.linspace(0.0, 1.0, parts + 1), (rows - y0) / (y1 - y0)]))
        middle = (cuts[1:] + cuts[:-1]) / 2
        x = x0 + (x1 - x0) * middle
        row, column = np.floor(y0 + (y1 - y0) * middle).astype(int), np.floor(x).astype(int)
        black = np.diff(cuts) * (y0 - y1)  # it lies to the right of an edge that runs up
        np.add.at(step, (row, column), black * (column + 1 - x))
        np.add.at(step, (row, column + 1), black * (x - column))


def _loops(shape: Shape) -> list[Loop]:
    """The filled loops that look like the shape; words have none."""
    match shape:
        case Fill(loops):
            return list(loops)
        case Line():
            return _stroke(shape)
        case Outline(rect, radius_mm, width_mm):
            half = width_mm / 2
            return [_rounded(rect.grown(half), radius_mm + half), _rounded(rect.grown(-half), radius_mm - half)[::-1]]
        case Text():
            return []


def _stroke(line: Line) -> list[Loop]:
    start, end = np.array(line.start_mm), np.array(line.end_mm)
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length
    aside = np.array([-along[1], along[0]]) * line.width_mm / 2
    dash = line.dash_mm or length
    loops = []
    for begin in np.arange(0.0, length, 2 * dash).tolist():
        a, b = start + begin * along, start + min(begin + dash, length) * along
        loops.append(tuple(_point(p) for p in (a - aside, b - aside, b + aside, a + aside)))
    return loops


def _rounded(rect: Rect, radius_mm: float) -> Loop:
    if radius_mm <= 0:
        return rect.corners_mm
    centres = rect.grown(-radius_mm).corners_mm
    points = []
    for quarter, (x, y) in enumerate(centres):
        for angle in np.linspace(quarter + 2, quarter + 3, _ARC_STEPS + 1).tolist():
            turn = angle * math.pi / 2
            points.append((x + radius_mm * math.cos(turn), y + radius_mm * math.sin(turn)))
    return tuple(points)


def _point(pair: NDArray[np.float64]) -> Point:
    return float(pair[0]), float(pair[1])


def _write(black: NDArray[np.float32], text: Text, px_per_mm: float) -> None:
    """Words in OpenCV's own letters, stretched to where Helvetica's would stand."""
    box = text.box
    left, top = round(box.x_mm * px_per_mm), round(box.y_mm * px_per_mm)
    width = max(1, round(box.width_mm * px_per_mm))
    height = max(1, round(box.height_mm * px_per_mm))
    (drawn_width, _), _ = cv2.getTextSize(text.words, cv2.FONT_HERSHEY_SIMPLEX, _LETTER_SCALE, 1)
    drawn = np.zeros((round(_LETTER_CAP_PX * (1 + DESCENT / CAP_HEIGHT)), drawn_width + _PEN_PX), dtype=np.uint8)
    origin = (_PEN_PX // 2, _LETTER_CAP_PX - _PEN_PX // 2)
    cv2.putText(drawn, text.words, origin, cv2.FONT_HERSHEY_SIMPLEX, _LETTER_SCALE, 255, _PEN_PX, cv2.LINE_AA)
    fitted = cv2.resize(drawn, (width, height), interpolation=cv2.INTER_AREA)
    place = black[top : top + height, left : left + width]
    np.maximum(place, fitted[: place.shape[0], : place.shape[1]] / np.float32(255), out=place)
