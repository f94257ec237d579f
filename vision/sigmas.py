"""Error bars: what the fit leaves open, and what no fit can know of calibration and wood."""

from __future__ import annotations

import math

import numpy as np

from referee.layout import Point2, TipSigmas
from vision.bodies import stick_tips
from vision.fit import Fit

CALIBRATION_MM = 0.11
"""How far a good calibration is off at a place, per axis."""
WOOD_MM = 0.08
"""How far a real stick or disc differs from its kit's measure."""
STACK_MM = 0.2
"""How far the middle of a column lies from that of its discs: people stack them by hand."""
LENGTH_MM = 0.35
"""The same along a stick where its ends were not measured apart: lengths and the rounding of ends differ."""
LEVEL_MM = 0.3
"""The same in height: sticks warp, and lie on more than is seen."""
CORRELATED = 4.0
"""Neighbouring contour points err alike: this many count as one."""


def _widened(variance: float, also_mm: float = 0.0) -> float:
    return math.sqrt(CORRELATED * variance + CALIBRATION_MM**2 + WOOD_MM**2 + also_mm**2)


def column_sigma(fit: Fit) -> Point2:
    """One standard deviation of a column's middle in x and y."""
    return _widened(float(fit.covariance[0, 0]), STACK_MM), _widened(float(fit.covariance[1, 1]), STACK_MM)


def tip_sigmas(fit: Fit, length_mm: float, along_mm: float = LENGTH_MM) -> TipSigmas:
    """One standard deviation of both tips in x, y and z; `along_mm` is what is not known along the stick."""
    tips = np.array(stick_tips(fit.pose, length_mm)).ravel()
    steps = np.array([0.01, 0.01, 1e-4, 0.01, 0.01])
    jacobian = np.column_stack(
        [
            (np.array(stick_tips(fit.pose + np.eye(5)[i] * step, length_mm)).ravel() - tips) / step
            for i, step in enumerate(steps)
        ]
    )
    variances = np.diag(jacobian @ fit.covariance @ jacobian.T)
    yaw = float(fit.pose[2])
    also_mm = np.tile([along_mm * abs(math.cos(yaw)), along_mm * abs(math.sin(yaw)), LEVEL_MM], 2)
    ax, ay, az, bx, by, bz = (_widened(float(v), float(mm)) for v, mm in zip(variances, also_mm, strict=True))
    return TipSigmas((ax, ay, az), (bx, by, bz))
