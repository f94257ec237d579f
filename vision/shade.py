"""Shadows told from pieces: they darken all colours alike and leave the table's texture where it was."""

from __future__ import annotations

import numpy as np

from vision.evidence import Evidence
from vision.solids import Prism
from vision.view import sampled

DARKEST, LIGHTEST = 0.25, 1.0
EVEN = 0.09
"""How far the ratios of the three channels may lie apart in a shadow: sky and lamp differ in tint."""


def looks_like_shade(overhead: Evidence, flat: Prism) -> bool:
    """Whether what lies flat on the table may be no more than a shadow on it."""
    if overhead.light_before is None:
        return False
    ring = flat.ring(1.0)
    middle = ring.mean(axis=0)
    spots = np.concatenate([middle + (ring - middle) * share for share in (0.2, 0.45, 0.7)])
    pixels = overhead.lens.project(spots)
    now = np.median(sampled(overhead.view.light, pixels), axis=0)
    was = np.median(sampled(overhead.light_before, pixels), axis=0)
    ratio = (now + 2.0) / (was + 2.0)
    return bool(DARKEST < ratio.mean() < LIGHTEST and ratio.max() - ratio.min() < EVEN)
