"""How strong edges are among pieces where nothing lies as tried: what a piece must show more than to be believed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from referee.pieces import Kit
from vision.fit import NEXT_MM, Scene
from vision.strips import Strip
from vision.views import steady_knee_of

TRIED, EACH = 40, 4
AWAY = 0.4
HIGHEST = 6.0
"""How far about clear strips sticks are laid by chance, in lengths of one, and how high, in discs."""
SAMPLES = 14


def clutter_knee(scene: Scene, found: Sequence[Strip], kit: Kit) -> float:
    """The strength that edges which keep their colours reach by chance about clear strips; no less than noise."""
    least = steady_knee_of(scene.evidence)
    if not found:
        return least
    rng = np.random.default_rng(0)
    middles = np.repeat([(one.x, one.y) for one in found[:TRIED]], EACH, axis=0)
    middles = middles + rng.uniform(-AWAY, AWAY, middles.shape) * kit.road_length_mm
    turns = rng.uniform(0, np.pi, len(middles))
    ahead = np.stack([np.cos(turns), np.sin(turns), np.zeros(len(turns))], axis=-1)
    levels = rng.uniform(0.5, HIGHEST, len(middles)) * kit.disc_height_mm
    along = np.linspace(-0.45, 0.45, SAMPLES)[:, None] * kit.road_length_mm
    points = np.column_stack([middles, levels])[:, None] + along * ahead[:, None]
    lens = scene.evidence.lens
    pixels = lens.project(points)
    run = lens.project(points[:, 0] + NEXT_MM * ahead) - pixels[:, 0]
    normals = np.stack([run[:, 1], -run[:, 0]], axis=-1) / np.maximum(np.hypot(*run.T), 1e-9)[:, None]
    strength = scene.evidence.steady(pixels, np.broadcast_to(normals[:, None], pixels.shape))
    inside = ((pixels > 2) & (pixels < (lens.camera.width - 3, lens.camera.height - 3))).all(axis=-1)
    return max(least, float(np.median(strength[inside]))) if inside.any() else least
