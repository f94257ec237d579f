"""Pieces as a few numbers in the card's frame, and the solids that they make."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from calibration.camera import Floats
from calibration.solid_outline import RoundedSolid
from calibration.strips import turn
from referee.pieces import Kit

DISC_ROUND_MM = 0.6
STICK_ROUND_MM, STICK_ROUND_SHARE = 0.35, 0.3
THICKNESS_SPREAD_MM = 0.8
"""Sticks are about as thick as usual: said where a low or hidden view tells nothing of it."""
AROUND = 72
RIM_RAD = 0.45


class Shape(Protocol):
    """A kind of piece."""

    names: ClassVar[tuple[str, ...]]
    usual: ClassVar[tuple[float, ...]]
    """What a number is expected to change by: steps of a fit, and how far it may go in one."""

    prior: ClassVar[tuple[tuple[float, ...], tuple[float, ...]]]
    """What the numbers usually are and how much they vary, where that is needed."""

    @staticmethod
    def solid(numbers: Floats) -> RoundedSolid: ...


class DiscShape:
    """A disc lying flat: x, y, diameter, height."""

    names: ClassVar[tuple[str, ...]] = ("x_mm", "y_mm", "diameter_mm", "height_mm")
    usual: ClassVar[tuple[float, ...]] = (0.5, 0.5, 0.5, 0.5)
    prior: ClassVar[tuple[tuple[float, ...], tuple[float, ...]]] = ((0.0,) * 4, (np.inf,) * 4)

    @staticmethod
    def solid(numbers: Floats) -> RoundedSolid:
        x, y, diameter, height = numbers
        round_mm = min(DISC_ROUND_MM, 0.2 * height)
        angles = np.arange(AROUND) * 2 * np.pi / AROUND
        circle = np.column_stack([np.cos(angles), np.sin(angles)]) * (diameter / 2 - round_mm) + [x, y]
        return _upright(circle, round_mm, height)


class StickShape:
    """A stick lying flat: x, y, yaw, length, width, thickness, and how round its ends are as a share of the width."""

    names: ClassVar[tuple[str, ...]] = ("x_mm", "y_mm", "yaw_rad", "length_mm", "width_mm", "thickness_mm", "roundness")
    usual: ClassVar[tuple[float, ...]] = (0.5, 0.5, 0.01, 0.5, 0.5, 0.3, 0.1)
    prior: ClassVar[tuple[tuple[float, ...], tuple[float, ...]]] = (
        (0.0,) * 5 + (Kit().road_thickness_mm, 0.4),
        (np.inf,) * 5 + (THICKNESS_SPREAD_MM, 0.1),
    )

    @staticmethod
    def solid(numbers: Floats) -> RoundedSolid:
        x, y, yaw, length, width, thickness, roundness = numbers
        round_mm = min(STICK_ROUND_MM, STICK_ROUND_SHARE * thickness)
        radius = min(max(roundness, 0.0), 0.499) * width
        half = np.array([length, width]) / 2 - radius
        angles = np.linspace(0, np.pi / 2, 10)
        corner = np.column_stack([np.cos(angles), np.sin(angles)]) * max(radius - round_mm, 0.01)
        inner = half - (round_mm - min(radius, round_mm))
        outline = np.concatenate(
            [
                (corner @ turn(quarter * np.pi / 2).T) + inner * sign
                for quarter, sign in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1)))
            ]
        )
        return _upright(outline @ turn(yaw).T + np.array([x, y]), round_mm, thickness)


def _upright(plan: Floats, round_mm: float, height_mm: float) -> RoundedSolid:
    """A prism whose plan is inset by the rounding, from the paper up."""
    foot, upper, top = (
        np.column_stack([plan, np.full(len(plan), z)]) for z in (round_mm, height_mm - round_mm, height_mm)
    )
    # Within the rounding, where it looks more aside than up: there it takes on the light of the sides.
    out = _outward(plan) * round_mm * np.cos(RIM_RAD)
    rim = np.column_stack([plan + out, np.full(len(plan), height_mm - round_mm * (1 - np.sin(RIM_RAD)))])
    return RoundedSolid(np.concatenate([foot, upper]), round_mm, top, rim)


def _outward(plan: Floats) -> Floats:
    """Normals at the corners of an anticlockwise plan."""
    along = np.roll(plan, -1, axis=0) - np.roll(plan, 1, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.column_stack([along[:, 1], -along[:, 0]])
