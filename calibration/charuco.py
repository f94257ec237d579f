"""A ChArUco board in a picture: which of its inner corners are seen, and where."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import BoardSpec
from calibration.camera import Floats
from calibration.corners import fit_corners

Picture = NDArray[np.uint8]

LOOKED_AT_PX = 1920  # markers are looked for in pictures of at most this length, corners in the whole picture
QUICK_ABOVE_PX = 1300
BENT_BY_LENS = 0.5  # of a square: how far a corner may lie from where a flat board without a lens would have it
NEAREST = 8  # corners that tell where a missing one is


@dataclass(frozen=True, slots=True, eq=False)
class BoardSeen:
    """The inner corners of a board in one picture; sharpness is one over the blur of its edges in px."""

    ids: NDArray[np.intp]
    corners_px: Floats
    size: tuple[int, int]
    name: str
    sharpness: float
    time_s: float = 0.0


def find_board(picture: Picture, spec: BoardSpec, name: str = "", thorough: bool = True) -> BoardSeen | None:
    """The board in a picture, grey or BGR; None if it shows too little of it. A quick look may miss a small board."""
    grey = grey_of(picture, spec.inverted)
    at_squares = spec.corners_mm() / spec.square_mm
    rough = _roughly(grey, spec, at_squares, thorough)
    if rough is None:
        return None
    guesses, px_from_squares = rough
    height, width = grey.shape
    inside = ((guesses >= 0) & (guesses <= [width - 1, height - 1])).all(axis=1) & (_side_px(px_from_squares) > 1.0)
    asked = np.flatnonzero(inside)
    if len(asked) < least_corners(spec):
        return None
    margin = (1 - spec.marker_mm / spec.square_mm) / 2
    fitted = fit_corners(grey, guesses[asked], px_from_squares[asked], margin)
    kept = asked[fitted.good]
    if len(kept) < least_corners(spec) or np.linalg.matrix_rank(at_squares[kept] - at_squares[kept].mean(axis=0)) < 2:
        return None
    sharpness = 1.0 / float(np.median(fitted.blur_px[fitted.good]))
    return BoardSeen(kept, fitted.corners_px[fitted.good], (width, height), name, sharpness)


def least_corners(spec: BoardSpec) -> int:
    """How many corners a picture has to show to count."""
    return max(4, min(8, (spec.columns - 1) * (spec.rows - 1) // 2))


def grey_of(picture: Picture, inverted: bool = False) -> Picture:
    """The picture in grey, as its negative for an inverted print."""
    grey = picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    return np.asarray(cv2.bitwise_not(grey), dtype=np.uint8) if inverted else grey


def find_markers(grey: Picture, dictionary: str, thorough: bool = True) -> tuple[list[Floats], NDArray[np.int32]]:
    """Corners (1, 4, 2) and ids of a dictionary's markers, in pixels of the whole picture."""
    longest = max(grey.shape)
    scale = max(1.0, longest / LOOKED_AT_PX)
    small = grey
    if scale > 1:
        small = np.asarray(cv2.resize(grey, None, fx=1 / scale, fy=1 / scale, interpolation=cv2.INTER_AREA), np.uint8)
    detector = _marker_detector(dictionary, thorough or longest <= QUICK_ABOVE_PX)
    found: tuple[Any, ...] = detector.detectMarkers(small)  # OpenCV's types leave out the None that its ids can be
    if found[1] is None:
        return [], np.empty(0, np.int32)
    ratio = np.array([grey.shape[1] / small.shape[1], grey.shape[0] / small.shape[0]])
    return [((np.asarray(c) + 0.5) * ratio - 0.5).astype(np.float32) for c in found[0]], np.asarray(found[1], np.int32)


def _roughly(grey: Picture, spec: BoardSpec, at_squares: Floats, thorough: bool) -> tuple[Floats, Floats] | None:
    """Where every corner (n, 2) about is, and the pixels (n, 2, 2) of a square's sides there; None without a board."""
    markers, marker_ids = find_markers(grey, spec.dictionary, thorough)
    if len(markers) < 2:
        return None
    found: tuple[Any, ...] = _charuco(spec).detectBoard(grey, markerCorners=markers, markerIds=marker_ids)
    if found[1] is None or len(found[1]) < 4:
        return None
    ids, rough = np.ravel(found[1]).astype(np.intp), np.array(found[0], dtype=np.float64).reshape(-1, 2)
    marker_px = float(np.median([cv2.arcLength(marker, True) for marker in markers])) / 4
    flat = _homography(at_squares[ids], rough, BENT_BY_LENS * marker_px * spec.square_mm / spec.marker_mm)
    if flat is None:
        return None
    expected, px_from_squares = _mapped(flat, at_squares)
    near = np.linalg.norm(rough - expected[ids], axis=1) < BENT_BY_LENS * _side_px(px_from_squares[ids])
    if near.sum() < 4:
        return None
    return _all_corners(at_squares, ids[near], rough[near], expected), px_from_squares


@lru_cache(maxsize=32)
def _marker_detector(dictionary: str, thorough: bool) -> cv2.aruco.ArucoDetector:
    settings = cv2.aruco.DetectorParameters()
    if not thorough:
        settings.adaptiveThreshWinSizeMin = settings.adaptiveThreshWinSizeMax = 13
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary)), settings)


@lru_cache(maxsize=4)
def _charuco(spec: BoardSpec) -> cv2.aruco.CharucoDetector:
    return cv2.aruco.CharucoDetector(spec.charuco())


def _homography(squares: Floats, pixels: Floats, most_px: float) -> Floats | None:
    """From the board in squares to pixels, whatever a few corners say; None if they say nothing."""
    found: tuple[Any, ...] = cv2.findHomography(squares, pixels, cv2.RANSAC, most_px)
    return None if found[0] is None or not np.isfinite(found[0]).all() else np.asarray(found[0], dtype=np.float64)


def _mapped(px_from_board: Floats, squares: Floats) -> tuple[Floats, Floats]:
    """Pixels (n, 2) of board points, and the pixels (n, 2, 2) of a square's sides there."""
    mapped = np.column_stack([squares, np.ones(len(squares))]) @ px_from_board.T
    pixels = mapped[:, :2] / mapped[:, 2:]
    sides = (px_from_board[None, :2, :2] - pixels[:, :, None] * px_from_board[None, 2:, :2]) / mapped[:, 2, None, None]
    return pixels, sides


def _side_px(px_from_squares: Floats) -> Floats:
    side: Floats = np.linalg.norm(px_from_squares, axis=1).min(axis=1)
    return side


def _all_corners(at_squares: Floats, ids: NDArray[np.intp], rough: Floats, expected: Floats) -> Floats:
    """Where every corner should be: as found, or moved against the flat board like its nearest found ones."""
    guesses = expected.copy()
    offset = rough - expected[ids]
    for corner in np.setdiff1d(np.arange(len(at_squares)), ids).tolist():
        distance = np.linalg.norm(at_squares[ids] - at_squares[corner], axis=1)
        near = np.argsort(distance)[:NEAREST]
        slope = np.column_stack([np.ones(len(near)), at_squares[ids[near]] - at_squares[corner]])
        guesses[corner] += np.linalg.lstsq(slope, offset[near], rcond=0.05)[0][0]
    guesses[ids] = rough
    return guesses
