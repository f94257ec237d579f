"""Calibrated cameras: where a table point lands in a picture, and which ray a pixel sees."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Row = tuple[float, float, float]


class Camera(msgspec.Struct, frozen=True):
    """A pinhole with OpenCV's five distortion coefficients; p_cam = R p_table + t, in mm."""

    width: int
    height: int
    K: tuple[Row, Row, Row]
    dist: tuple[float, float, float, float, float]
    R: tuple[Row, Row, Row]
    t: Row

    def project(self, points_in_table: Floats) -> Floats:
        """Pixels (n, 2) of table points (n, 3); a pixel's centre has whole-number coordinates."""
        rotation, _ = cv2.Rodrigues(np.array(self.R))
        pixels, _ = cv2.projectPoints(
            np.ascontiguousarray(points_in_table, dtype=np.float64).reshape(-1, 1, 3),
            rotation,
            np.array(self.t),
            np.array(self.K),
            np.array(self.dist),
        )
        return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)

    def depth_mm(self, points_in_table: Floats) -> Floats:
        """How far in front of the camera table points (n, 3) lie, along its axis."""
        depth: Floats = points_in_table @ np.array(self.R[2]) + self.t[2]
        return depth

    def centre_in_table(self) -> Floats:
        """Where the camera stands."""
        centre: Floats = -np.array(self.R).T @ np.array(self.t)
        return centre

    def rays_in_table(self, pixels: Floats) -> Floats:
        """Unit directions (n, 3) in the table frame that pixels (n, 2) look along."""
        straight = cv2.undistortPointsIter(
            np.ascontiguousarray(pixels, dtype=np.float64).reshape(-1, 1, 2),
            np.array(self.K),
            np.array(self.dist),
            np.eye(3),
            np.eye(3),
            (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 100, 1e-12),
        ).reshape(-1, 2)
        along = np.column_stack([straight, np.ones(len(straight))]) @ np.array(self.R)
        rays: Floats = along / np.linalg.norm(along, axis=1, keepdims=True)
        return rays


class Rig(msgspec.Struct, frozen=True, omit_defaults=True):
    """A calibrated pair, as rig.json holds it."""

    cameras: dict[str, Camera]
    play_area: tuple[tuple[float, float], ...] | None = None

    @property
    def overhead(self) -> Camera:
        return self.cameras["overhead"]

    @property
    def side(self) -> Camera:
        return self.cameras["side"]
