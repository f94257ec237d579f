"""Solid things cannot stand in each other: which pairs would, beyond the errors of a coarse search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.view import Floats

DEEP_MM = 1.8
NEAREST = 0.85
"""How near the middles of two columns may seem, in diameters."""
SAMPLES = 25
TIP_MM = 5.0
"""How much of a stick at either end does not speak: where along itself it lies is not known well in a coarse search."""
MEET_MM = 22.0
"""How far from its end a stick does not speak where another one lies on the same column: which lies on which is not
known there, and neither is how high."""

Supports = NDArray[np.intp]
"""Of sticks (m, 2) the numbers of what bears their ends, less than 0 for the table."""


def columns_clash(one: Floats, other: Floats, kit: Kit) -> np.ndarray:
    """Whether columns at spots (m, 2) would stand in those at others (m, 2)."""
    clash: np.ndarray = np.hypot(*(one - other).T) < NEAREST * kit.disc_diameter_mm
    return clash


def sticks_clash(one: Floats, other: Floats, on: Supports, other_on: Supports, kit: Kit) -> np.ndarray:
    """Whether sticks (m, 2, 3) would pass through others (m, 2, 3), or lie in one place with them."""
    meet = (on[:, :, None] == other_on[:, None]) & (on >= 0)[:, :, None]
    clash: np.ndarray = _cuts(one, other, meet.any(axis=2), kit) | _cuts(other, one, meet.any(axis=1), kit)
    return clash


def _cuts(one: Floats, other: Floats, meet: np.ndarray, kit: Kit) -> np.ndarray:
    """Whether sticks pass through others; at some of their ends (m, 2) they meet those on a column."""
    run, beside_mm = other[:, 1] - other[:, 0], 0.4 * kit.road_width_mm
    length = np.hypot(run[:, 0], run[:, 1])
    ux, uy = (run[:, :2] / length[:, None]).T[..., None]
    tips = one - other[:, :1]
    a, b = (tips[..., 1] * ux - tips[..., 0] * uy).T
    # Most have both tips on one side of the other's line: no point of them is near it.
    cut: np.ndarray = (np.minimum(a, b) < beside_mm) & (np.maximum(a, b) > -beside_mm)
    start, end, run, length, ux, uy = tips[cut, 0], tips[cut, 1], run[cut], length[cut], ux[cut], uy[cut]
    shares = np.linspace(0.1, 0.9, SAMPLES)
    arm = start[:, None] + shares[:, None] * (end - start)[:, None]
    along = (arm[..., 0] * ux + arm[..., 1] * uy) / length[:, None]
    aside = arm[..., 1] * ux - arm[..., 0] * uy
    apart = np.abs(arm[..., 2] - along * run[:, 2, None])
    near = (np.abs(aside) < beside_mm) & (apart < max(kit.road_thickness_mm - DEEP_MM, 0.5))
    from_ends_mm = np.stack([shares, 1 - shares]) * kit.road_length_mm
    near &= ~(meet[cut][:, :, None] & (from_ends_mm < MEET_MM)).any(axis=1)
    cut[cut] = (near & (along > 0.12) & (along < 0.88)).any(axis=-1)
    return cut


def stick_through_column(tips: Floats, spots: Floats, tops_mm: Floats, kit: Kit) -> np.ndarray:
    """Whether sticks (m, 2, 3) would pass through columns at spots (m, 2) of heights (m,) that do not bear them."""
    inner = TIP_MM / kit.road_length_mm * (tips[:, 1] - tips[:, 0])
    tips = np.stack([tips[:, 0] + inner, tips[:, 1] - inner], axis=1)
    run = (tips[:, 1] - tips[:, 0])[:, :2]
    arm = spots - tips[:, 0, :2]
    share = np.clip(np.einsum("ij,ij->i", arm, run) / np.einsum("ij,ij->i", run, run), 0, 1)
    gap = np.hypot(*(arm - share[:, None] * run).T)
    level = tips[:, 0, 2] + share * (tips[:, 1, 2] - tips[:, 0, 2])
    clash: np.ndarray = (gap < kit.disc_radius_mm + kit.road_width_mm / 2 - 3.0) & (level < tops_mm - 2 * DEEP_MM)
    return clash
