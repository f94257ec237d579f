"""How plain sticks are: one colour from end to end, and another one beside them. Grain and weave are not."""

from __future__ import annotations

import numpy as np

from referee.pieces import Kit
from vision.view import Floats, Lens, Singles, sampled

SAMPLES = 20
REACH = 0.44
INSIDE, BESIDE = (-0.25, 0.0, 0.25), (-0.95, -0.75, 0.75, 0.95)
"""In widths of a stick from its middle."""
SPREAD, LEAST_SPREAD = 3.0, 12.0
"""How far (grey levels) a colour may be from a stick's own: some times what half of its colours are, or this."""


def plainness(light: Singles, lens: Lens, poses: Floats, kit: Kit, samples: int = SAMPLES) -> Floats:
    """How much more of a stick than of its surroundings has the stick's colour, (m,) from -1 to 1, at poses (m, 5)."""
    yaw, za, zb = poses[:, 2], poses[:, 3], poses[:, 4]
    flat = np.sqrt(np.maximum(kit.road_length_mm**2 - (zb - za) ** 2, 1.0))
    u = np.stack([np.cos(yaw) * flat, np.sin(yaw) * flat, zb - za], axis=-1)
    v = np.stack([-np.sin(yaw), np.cos(yaw), np.zeros_like(yaw)], axis=-1) * kit.road_width_mm
    middle = np.column_stack([poses[:, :2], (za + zb + kit.road_thickness_mm) / 2])
    lines = middle[:, None] + np.linspace(-REACH, REACH, samples)[:, None] * u[:, None]
    inside, beside = (
        _planes(sampled(light, lens.project(lines[:, None] + np.array(sides)[:, None, None] * v[:, None, None])))
        for sides in (INSIDE, BESIDE)
    )
    own = np.median(inside, axis=2, keepdims=True)
    away, around = (np.maximum.reduce(np.abs(colours - own)) for colours in (inside, beside))
    limit = np.maximum(SPREAD * np.median(away, axis=1, keepdims=True), LEAST_SPREAD)
    share: Floats = (away < limit).mean(axis=1) - (around < limit).mean(axis=1)
    return share


def _planes(colours: Singles) -> Singles:
    """Channel by channel (3, m, n) what was sampled for each of some sticks (m, ..., 3): far quicker to go through."""
    return np.ascontiguousarray(colours.reshape(len(colours), -1, 3).transpose(2, 0, 1))
