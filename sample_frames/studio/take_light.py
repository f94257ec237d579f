"""The light on a take: a few lamps and the room's own, on matt and on slightly glossy things."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .light import blackbody
from .take_warp import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Lights:
    """Lamps (n, 3) with the light (n, 3 RGB) they give on the table below; what comes from above and from all round."""

    lamps_mm: Floats
    rgb: Floats
    above: Floats
    around: Floats

    def on(self, points_in_table: Floats, normals: Floats) -> Floats:
        """Light (n, 3 RGB) that falls on surface points (n, 3)."""
        falls = self.around + self.above * (0.5 + 0.5 * normals[..., 2:3])
        for lamp, rgb in zip(self.lamps_mm, self.rgb, strict=True):
            way = lamp - points_in_table
            away_mm = np.linalg.norm(way, axis=-1, keepdims=True)
            level = np.maximum(0.0, (way * normals).sum(axis=-1, keepdims=True) / away_mm)
            falls = falls + rgb * level * (np.linalg.norm(lamp) / away_mm) ** 2
        return np.asarray(falls)

    def gloss(self, points_in_table: Floats, normals: Floats, eye: Floats, sharpness: float) -> Floats:
        """Light (n, 3 RGB) that a gloss of strength 1 throws to the eye (Blinn and Phong)."""
        to_eye = eye - points_in_table
        to_eye = to_eye / np.linalg.norm(to_eye, axis=-1, keepdims=True)
        shine = np.zeros((*points_in_table.shape[:-1], 3))
        for lamp, rgb in zip(self.lamps_mm, self.rgb, strict=True):
            way = lamp - points_in_table
            half = way / np.linalg.norm(way, axis=-1, keepdims=True) + to_eye
            half = half / np.linalg.norm(half, axis=-1, keepdims=True)
            shine += rgb * np.maximum(0.0, (half * normals).sum(axis=-1, keepdims=True)) ** sharpness
        return shine


def random_lights(rng: np.random.Generator) -> Lights:
    """One to three lamps, warm or cold, and a window's or ceiling's light."""
    count = int(rng.integers(1, 4))
    away_mm, around = rng.uniform(200.0, 1_300.0, count), rng.uniform(0.0, 2 * np.pi, count)
    lamps = np.column_stack([away_mm * np.cos(around), away_mm * np.sin(around), rng.uniform(1_300.0, 2_000.0, count)])
    kelvin = float(rng.uniform(2_700.0, 6_500.0))
    rgb = np.stack([blackbody(kelvin + float(rng.normal(0.0, 300.0))) for _ in range(count)])
    rgb *= rng.dirichlet(np.full(count, 2.0))[:, None] * float(rng.uniform(0.4, 0.9))
    sky = blackbody(float(rng.uniform(4_500.0, 7_500.0)))
    return Lights(lamps, rgb, sky * float(rng.uniform(0.15, 0.5)), sky * float(rng.uniform(0.05, 0.2)))
