"""ChArUco boards: ours for the lenses, and other people's by their numbers."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError
from calibration.markers import Loop, marker_dictionary, marker_loops


@dataclass(frozen=True, slots=True)
class BoardSpec:
    """What a ChArUco board is; inverted means printed white on black, legacy is OpenCV's pattern before 4.6."""

    columns: int = 7
    rows: int = 9
    square_mm: float = 25.0
    marker_mm: float = 19.0
    dictionary: str = "DICT_5X5_100"
    inverted: bool = False
    legacy: bool = False

    def __post_init__(self) -> None:
        if self.columns < 3 or self.rows < 3:
            raise CalibrationError(f"board: {self.columns} x {self.rows} squares; it takes at least 3 x 3")
        if not 0 < self.marker_mm < self.square_mm:
            raise CalibrationError(
                f"board: a marker of {self.marker_mm} mm does not fit a square of {self.square_mm} mm"
            )
        held = len(marker_dictionary(self.dictionary).bytesList)
        if self.columns * self.rows // 2 > held:
            needed = self.columns * self.rows // 2
            raise CalibrationError(f"board: needs {needed} markers, {self.dictionary} has {held}")

    @property
    def width_mm(self) -> float:
        return self.columns * self.square_mm

    @property
    def height_mm(self) -> float:
        return self.rows * self.square_mm

    def charuco(self) -> cv2.aruco.CharucoBoard:
        """The board for OpenCV, in mm; detect an inverted one in the negative of the picture."""
        dictionary = marker_dictionary(self.dictionary)
        board = cv2.aruco.CharucoBoard((self.columns, self.rows), self.square_mm, self.marker_mm, dictionary)
        board.setLegacyPattern(self.legacy)
        return board

    def corners_mm(self) -> NDArray[np.float64]:
        """Inner corners (n, 2) by their ids, x right and y down from the board's top-left corner."""
        return np.array(self.charuco().getChessboardCorners(), dtype=np.float64)[:, :2]

    def loops_mm(self) -> tuple[Loop, ...]:
        """Everything black on the board, in its own frame."""
        board = self.charuco()
        middles = [np.mean(corners, axis=0) for corners in board.getObjPoints()]
        holds_marker = {(int(x // self.square_mm), int(y // self.square_mm)) for x, y, _ in middles}
        loops = [
            _square(column * self.square_mm, row * self.square_mm, self.square_mm, self.square_mm)
            for row in range(self.rows)
            for column in range(self.columns)
            if (column, row) not in holds_marker
        ]
        inset_mm = self.marker_mm / 2
        for marker_id, (x, y, _) in zip(np.ravel(board.getIds()).tolist(), middles, strict=True):
            left, top = float(x) - inset_mm, float(y) - inset_mm
            loops += marker_loops(self.dictionary, marker_id, left, top, self.marker_mm)
        if not self.inverted:
            return tuple(loops)
        return (_square(0.0, 0.0, self.width_mm, self.height_mm), *(loop[::-1] for loop in loops))


def _square(x_mm: float, y_mm: float, width_mm: float, height_mm: float) -> Loop:
    right, bottom = x_mm + width_mm, y_mm + height_mm
    return ((x_mm, y_mm), (right, y_mm), (right, bottom), (x_mm, bottom))
