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
EDGE_PX = 0.22
"""How far lines of a column seem to lie from where they are: bevels, shade beside them, blur."""
SETTLED = (0.0, 0.0)
"""Nothing is open of how high both tips lie."""
CORRELATED = 4.0
"""Neighbouring contour points of a column err alike: this many count as one."""
LENGTH_MM = 0.35
"""How far a stick's ends leave its place open where they were not measured apart: lengths and their rounding differ."""
STICK_MM = 0.05
"""How far a stick is off in each direction however clear it is."""
STICK_LINES, ROUGH_PX2, ROUGHEST = 23.0, 0.2, (0.4, 4.0)
"""So many points of a stick's long straight lines err alike where they are so far off it in the mean square, the more
the farther, within limits: so errors across and in height grew on the tables of two renderers, of either kind alike
(2300 ends; an error in plan of 0.3 mm at 95 % where the fit alone says 0.038, of 1.2 where it says 0.12)."""
OPEN_MM = 1.2
"""From what its ends leave open on, they may be somewhere else altogether."""
HELD_MM = 1.8
"""However little is seen of how high a stick lies, what bears it tells so much."""


def _widened(variance: float, also_mm: float = 0.0) -> float:
    return math.sqrt(CORRELATED * variance + CALIBRATION_MM**2 + WOOD_MM**2 + also_mm**2)


def pixel_mm_at(scenes: Sequence[Scene], spot: Floats) -> float:
    """How wide a pixel is at a place; from aside alone how deep it is."""
    lens = scenes[0].evidence.lens
    moved = (lens.project(spot + np.eye(3)) - lens.project(spot)).T
    px_per_mm = np.linalg.svd(moved[:, :2])[1][-1] if is_aslant(scenes) else np.hypot(*moved[:, 0])
    return 1 / max(float(px_per_mm), 1e-6)


def column_sigma(fit: Fit, pixel_mm: float = 0.0) -> Point2:
    """One standard deviation of a column's middle in x and y."""
    clear = sum(one.visible * one.seen for one in fit.support) / len(fit.support)
    unclear_mm = min(UNCLEAR_MM * (0.5 / max(clear, 1e-3)) ** STEEP, MOST_UNCLEAR_MM)
    also_mm = math.hypot(STACK_MM, EDGE_PX * pixel_mm, unclear_mm)
    return _widened(float(fit.covariance[0, 0]), also_mm), _widened(float(fit.covariance[1, 1]), also_mm)


def lines_alike(stick: Fit) -> float:
    """How many points of a stick's lines err alike: by so much more is open than if each told something of its own."""
    return STICK_LINES * min(max(stick.chi2 / ROUGH_PX2, ROUGHEST[0]), ROUGHEST[1])


def tip_sigmas(fit: Fit, length_mm: float, along_mm: float = LENGTH_MM, open_mm: Point2 = SETTLED) -> TipSigmas:
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
    covariance = lines_alike(fit) * (jacobian @ fit.covariance @ jacobian.T)
    yaw = float(fit.pose[2])
    ahead, aside = np.array([math.cos(yaw), math.sin(yaw)]), np.array([-math.sin(yaw), math.cos(yaw)])
    found = []
    for first, also_mm in ((0, open_mm[0]), (3, open_mm[1])):
        plan = covariance[first : first + 2, first : first + 2]
        across_mm = math.sqrt(float(aside @ plan @ aside) + STICK_MM**2)
        slid_mm = math.sqrt(float(ahead @ plan @ ahead) + _slide_mm(along_mm, across_mm) ** 2)
        high_mm2 = float(covariance[first + 2, first + 2])
        high_mm2 = high_mm2 / (1 + high_mm2 / HELD_MM**2) + STICK_MM**2 + also_mm**2
        x_mm, y_mm = np.hypot(slid_mm * ahead, across_mm * aside)
        found.append((float(x_mm), float(y_mm), math.sqrt(high_mm2)))
    return TipSigmas(*found)


def _slide_mm(along_mm: float, across_mm: float) -> float:
    """How far a stick is off along itself: less than its ends alone say where its lines are sharp, unless they leave
    quite another place open."""
    return along_mm if along_mm > OPEN_MM else math.sqrt(along_mm * max(across_mm, STICK_MM))
