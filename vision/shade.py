"""Shadows told from pieces: they darken all colours alike and leave the table's texture where it was."""

from __future__ import annotations

import numpy as np

from vision.evidence import Evidence
from vision.solids import Prism
from vision.view import Floats, sampled

DARKEST, LIGHTEST = 0.25, 1.0
DIMMED, FAR_TINT = 0.8, 0.35
"""Share of its light that each channel keeps at most in a shadow that is told by its tint, and how far from discs' that
must be: discs in a shade of their own are nearer."""
EVEN = 0.09
"""How far the ratios of the three channels may lie apart in a shadow: sky and lamp differ in tint."""


def looks_like_shade(overhead: Evidence, flat: Prism) -> bool:
    """Whether what lies flat on the table may be no more than a shadow on it."""
    ratio = _dimmed(overhead, flat)
    return ratio is not None and bool(DARKEST < ratio.mean() < LIGHTEST and ratio.max() - ratio.min() < EVEN)


def is_shade_by_tint(overhead: Evidence, face: Prism, tints: Floats, plain: Floats) -> bool:
    """Whether a face of tints (n, 2) is a shadow and no disc: every colour is darker than before, and the tint far from
    that of plain discs (2,) and not towards yellow. A low sun's shadows are as blue as its light is warm."""
    ratio = _dimmed(overhead, face)
    if ratio is None or ratio.max() > DIMMED or not len(tints):
        return False
    away = np.median(tints, axis=0) - plain
    return bool(np.hypot(*away) > FAR_TINT and away[1] > 0)


def _dimmed(overhead: Evidence, face: Prism) -> Floats | None:
    """How much of its light before each channel (3,) has left on the upper side of something; None without history."""
    if overhead.light_before is None:
        return None
    ring = face.ring(1.0)
    middle = ring.mean(axis=0)
    spots = np.concatenate([middle + (ring - middle) * share for share in (0.2, 0.45, 0.7)])
    pixels = overhead.lens.project(spots)
    now = np.median(sampled(overhead.view.light, pixels), axis=0)
    was = np.median(sampled(overhead.light_before, pixels), axis=0)
    ratio: Floats = (now + 2.0) / (was + 2.0)
    return ratio
