"""How far along itself a stick lies: its sides do not tell, so its two ends are looked for together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.contours import contour
from vision.fit import NEXT_MM, Scene
from vision.solids import Prism
from vision.view import Floats, is_within

REACH_MM, STEP_MM, HERE_MM = 9.0, 0.25, 0.8
CAP = 0.6
"""Share of a stick's width, from each tip inwards, that counts as its end."""
TURNED = 0.8
"""Cosine to the stick of lines that still tell how far along it lies."""
BLUR_PX = (-0.6, 0.0, 0.6)


def slides_mm() -> Floats:
    """The slides that are tried."""
    steps = round(REACH_MM / STEP_MM)
    return np.asarray(np.arange(-steps, steps + 1) * STEP_MM, np.float64)


def end_scores(scenes: Sequence[Scene], stick: Prism) -> Floats:
    """How well edges bear out both ends of a stick at every slide along itself."""
    slides = slides_mm()
    length, width = np.ptp(stick.outline, axis=0)
    total = np.zeros(len(slides))
    for scene in scenes:
        lens = scene.evidence.lens
        whole = contour(stick, lens.eye)
        along = (whole.points - stick.origin) @ stick.axes[0]
        caps = (
            whole.bounds & (np.abs(along) > length / 2 - CAP * width) & (np.abs(whole.tangents @ stick.axes[0]) < 0.8)
        )
        points, tangents = whole.points[caps], whole.tangents[caps]
        if not len(points):
            continue
        moved = points + slides[:, None, None] * stick.axes[0]
        pixels = lens.project(moved)
        run = lens.project(points + NEXT_MM * tangents) - lens.project(points)
        normals = np.stack([run[:, 1], -run[:, 0]], axis=-1) / np.maximum(np.linalg.norm(run, axis=-1), 1e-9)[:, None]
        strength = np.max([scene.evidence.strength(pixels + blur * normals, normals) for blur in BLUR_PX], axis=0)
        free = is_within(pixels, scene.depth.shape, 2) & ~scene.depth.hides(pixels, lens.depth_mm(moved))
        total += (free * (strength / (strength + scene.knee) - 0.5)).sum(axis=-1)
    return total
