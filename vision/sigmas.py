"""Error bars: what the fit leaves open, and what no fit can know of calibration and wood."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from referee.layout import Point2, TipSigmas
from vision.bodies import stick_tips
from vision.fit import Fit, Scene, is_aslant
from vision.view import Floats

CALIBRATION_MM = 0.11
"""How far a good calibration is off at a place, per axis."""
WOOD_MM = 0.08
"""How far a real stick or disc differs from its kit's measure."""
STACK_MM = 0.15
"""How far the middle of a column lies from that of its discs: people stack them by hand."""
UNCLEAR_MM, STEEP, MOST_UNCLEAR_MM = 0.12, 4, 3.0
"""How far a column lies off besides of whose outlines half is seen, by which power of the share that grows, and its
most: of clear ones 95 % lay within 0.5 mm of the truth, of those of which a third was seen within 1.3, a quarter 4."""
LENGTH_MM = 0.35
"""The same along a stick where its ends were not measured apart: lengths and the rounding of ends differ."""
LEVEL_MM = 0.3
"""The same in height: sticks warp, and lie on more than is seen."""
EDGE_PX, LEVEL_PX = 0.22, 0.45
"""How far lines seem to lie from where they are, in plan and in height: bevels, shade beside them, blur."""
SHARP, FAR = (0.0, 0.0), 4.0
CORRELATED = 4.0
"""Neighbouring contour points err alike: this many count as one."""


def _widened(variance: float, also_mm: float = 0.0) -> float:
    return math.sqrt(CORRELATED * variance + CALIBRATION_MM**2 + WOOD_MM**2 + also_mm**2)


def pixels_mm(scenes: Sequence[Scene], spot: Floats) -> Point2:
    """How wide a pixel is at a place, from above and where heights are told; from aside alone how deep it is."""
    if is_aslant(scenes):
        lens = scenes[0].evidence.lens
        moved = (lens.project(spot + np.eye(3)) - lens.project(spot)).T
        return 1 / max(float(np.linalg.svd(moved[:, :2])[1][-1]), 1e-6), 1 / max(float(np.hypot(*moved[:, 2])), 1e-6)
    widths = [
        1 / max(float(np.hypot(*(scene.evidence.lens.project(spot + step) - scene.evidence.lens.project(spot)))), 1e-6)
        for scene, step in zip((scenes[0], scenes[-1]), np.eye(3)[[0, 2]], strict=True)
    ]
    return widths[0], min(widths[1], FAR * widths[0])


def column_sigma(fit: Fit, pixel_mm: Point2 = SHARP) -> Point2:
    """One standard deviation of a column's middle in x and y."""
    clear = sum(one.visible * one.seen for one in fit.support) / len(fit.support)
    unclear_mm = min(UNCLEAR_MM * (0.5 / max(clear, 1e-3)) ** STEEP, MOST_UNCLEAR_MM)
    also_mm = math.hypot(STACK_MM, EDGE_PX * pixel_mm[0], unclear_mm)
    return _widened(float(fit.covariance[0, 0]), also_mm), _widened(float(fit.covariance[1, 1]), also_mm)


def tip_sigmas(
    fit: Fit,
    length_mm: float,
    along_mm: float = LENGTH_MM,
    pixel_mm: Point2 = SHARP,
    open_mm: Point2 = SHARP,
) -> TipSigmas:
    """One standard deviation of both tips in x, y and z; `along_mm` is what is not known along the stick, `open_mm` of
    both tips' heights."""
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
    across_mm = EDGE_PX * pixel_mm[0]
    cos, sin = abs(math.cos(yaw)), abs(math.sin(yaw))
    plan_mm = math.hypot(along_mm * cos, across_mm * sin), math.hypot(along_mm * sin, across_mm * cos)
    level_mm = math.hypot(LEVEL_MM, LEVEL_PX * pixel_mm[1])
    also_mm = [also for one_mm in open_mm for also in (*plan_mm, math.hypot(level_mm, one_mm))]
    ax, ay, az, bx, by, bz = (_widened(float(v), float(mm)) for v, mm in zip(variances, also_mm, strict=True))
    return TipSigmas((ax, ay, az), (bx, by, bz))
