"""What is known of one camera's lens at one picture size."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Row

PARAMETERS = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
"""What `Lens.covariance` has rows for, in this order."""


class Lens(msgspec.Struct, frozen=True):
    """A solved lens, with how well it is known."""

    width: int
    height: int
    K: tuple[Row, Row, Row]
    dist: tuple[float, float, float, float, float]
    covariance: tuple[tuple[float, ...], ...]
    """Of PARAMETERS; rows of zeros for those that were held fixed."""
    fitted_px: float
    """RMS distance of found and predicted corners in the views it was solved from."""
    held_out_px: float
    """The same in views that took no part in solving."""
    views: int
    board_bow_mm: float = 0.0
    """How far the board stood out of its plane, which solving allows for."""

    def parameters(self) -> NDArray[np.float64]:
        """Focal lengths, middle and distortion, in the order of PARAMETERS."""
        (fx, _, cx), (_, fy, cy), _ = self.K
        return np.array([fx, fy, cx, cy, *self.dist])
