"""Solid things cannot stand in each other: which sticks and columns would, beyond the errors of a coarse search."""

from __future__ import annotations

import numpy as np

from referee.pieces import Kit
from vision.view import Floats

DEEP_MM = 1.8
NEAREST = 0.85
"""How near the middles of two columns may seem, in diameters."""
SAMPLES = 25


def columns_clash(spots: Floats, kit: Kit) -> np.ndarray:
    """Which pairs (m, m) of columns at spots (m, 2) would stand in each other; each pair once."""
    gaps = np.hypot(*(spots[:, None] - spots[None]).transpose(2, 0, 1))
    return np.triu(gaps < NEAREST * kit.disc_diameter_mm, 1)


def sticks_clash(tips: Floats, kit: Kit) -> np.ndarray:
    """Which pairs (m, m) of sticks (m, 2, 3) would pass through each other or lie in one place; each pair once."""
    shares = np.linspace(0.1, 0.9, SAMPLES)
    points = tips[:, 0, None] + shares[:, None] * (tips[:, 1] - tips[:, 0])[:, None]
    run = (tips[:, 1] - tips[:, 0])[:, :2]
    length = np.hypot(*run.T)
    u = run / length[:, None]
    arm = points[None, :, :, :2] - tips[:, None, None, 0, :2]
    along = np.einsum("ijkc,ic->ijk", arm, u) / length[:, None, None]
    aside = np.einsum("ijkc,ic->ijk", arm, np.stack([-u[:, 1], u[:, 0]], axis=-1))
    level = tips[:, None, None, 0, 2] + along * (tips[:, 1, 2] - tips[:, 0, 2])[:, None, None]
    apart = np.abs(points[None, ..., 2] - level)
    near = (np.abs(aside) < 0.4 * kit.road_width_mm) & (apart < max(kit.road_thickness_mm - DEEP_MM, 0.5))
    hit = (near & (along > 0.12) & (along < 0.88)).any(axis=-1)
    return np.triu(hit | hit.T, 1)


def stick_through_column(tips: Floats, spots: Floats, tops_mm: Floats, own: np.ndarray, kit: Kit) -> np.ndarray:
    """Which sticks (m, 2, 3) would pass through which columns (k) that do not bear them, (m, k)."""
    run = (tips[:, 1] - tips[:, 0])[:, :2]
    square = np.einsum("ij,ij->i", run, run)
    arm = spots[None] - tips[:, None, 0, :2]
    share = np.clip(np.einsum("ijc,ic->ij", arm, run) / square[:, None], 0, 1)
    gap = np.hypot(*(arm - share[..., None] * run[:, None]).transpose(2, 0, 1))
    level = tips[:, 0, 2, None] + share * (tips[:, 1, 2] - tips[:, 0, 2])[:, None]
    through = (gap < kit.disc_radius_mm + kit.road_width_mm / 2 - 3.0) & (level < tops_mm - 2 * DEEP_MM)
    return np.asarray(through & ~own)
