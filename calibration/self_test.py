"""A check at start-up that corners come back unbiased: some versions of OpenCV shift them by half a pixel."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Floats
from calibration.charuco import BoardSeen, Picture, find_board
from calibration.errors import CalibrationError
from calibration.page import Fill, Page
from calibration.raster import raster

LIMIT_PX = 0.05
SPEC = BoardSpec(columns=5, rows=4)
MARGIN_MM = 6.0
RASTER_PX_PER_MM = 8.0
FINE = 4  # subpixels along each side of a pixel
SIZE = (240, 200)
SHOWN_PX = ((18.3, 27.6), (221.7, 12.9), (228.4, 183.2), (9.1, 169.8))  # where the page's corners come to lie


def check_corners(find: Callable[[Picture, BoardSpec], BoardSeen | None] = find_board) -> float:
    """The mean distance in px of found and true corners of a drawn board; refuses an OpenCV that is too far off."""
    picture, corners_px = drawn_board()
    seen = find(picture, SPEC)
    if seen is None:
        raise CalibrationError(f"OpenCV {cv2.__version__} does not find a drawn board; install the version of the lock")
    away_px = float(np.linalg.norm(seen.corners_px - corners_px[seen.ids], axis=1).mean())
    if away_px > LIMIT_PX:
        raise CalibrationError(
            f"OpenCV {cv2.__version__} puts corners {away_px:.2f} px beside where they are, "
            f"{LIMIT_PX} at most is right; install the version of the lock"
        )
    return away_px


def drawn_board() -> tuple[Picture, Floats]:
    """A board seen aslant, every pixel the mean of its area, and where its corners (n, 2) lie."""
    loops = tuple(tuple((x + MARGIN_MM, y + MARGIN_MM) for x, y in loop) for loop in SPEC.loops_mm())
    width, height = SPEC.width_mm + 2 * MARGIN_MM, SPEC.height_mm + 2 * MARGIN_MM
    sheet = raster(Page("drawn", width, height, 1, (Fill(loops),)), RASTER_PX_PER_MM)
    rim = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    px_from_mm = np.asarray(cv2.getPerspectiveTransform(rim, np.array(SHOWN_PX, dtype=np.float32)), dtype=np.float64)
    # A pixel's centre has whole-number coordinates, so what is enlarged moves by half a pixel.
    fine_from_px = np.array([[FINE, 0, (FINE - 1) / 2], [0, FINE, (FINE - 1) / 2], [0, 0, 1.0]])
    sheet_from_mm = np.array([[RASTER_PX_PER_MM, 0, -0.5], [0, RASTER_PX_PER_MM, -0.5], [0, 0, 1.0]])
    fine_from_sheet = fine_from_px @ px_from_mm @ np.linalg.inv(sheet_from_mm)
    fine_size = (SIZE[0] * FINE, SIZE[1] * FINE)
    fine = cv2.warpPerspective(sheet, fine_from_sheet, fine_size, flags=cv2.INTER_LINEAR, borderValue=(160,))
    sharp = cv2.resize(fine, SIZE, interpolation=cv2.INTER_AREA)
    blurred = np.asarray(cv2.GaussianBlur(sharp, (0, 0), 0.6), dtype=np.uint8)
    corners = cv2.perspectiveTransform((SPEC.corners_mm() + MARGIN_MM).reshape(-1, 1, 2), px_from_mm)
    return blurred, np.asarray(corners, dtype=np.float64).reshape(-1, 2)
