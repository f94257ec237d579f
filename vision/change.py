"""Where a view changed at all: a box to search, so that a still table costs nothing."""

from __future__ import annotations

import cv2
import numpy as np

from vision.evidence import Evidence
from vision.region import TALLEST_MM
from vision.seek import Box
from vision.solids import Prism

CHANGED = 5.0
"""Grey levels, after the light was evened out; what a piece changes somewhere along its outline."""
LEAST_MM2 = 20.0
UNCHANGED_SHARE = 0.3


def changed_box(overhead: Evidence, within: Box) -> Box | None:
    """The part of the table over which the overhead view changed, or None."""
    if overhead.step is None:
        return within
    changed = (overhead.step > CHANGED).astype(np.uint8)
    strong = cv2.morphologyEx(changed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(strong)
    middle = np.array([(within.left + within.right) / 2, (within.bottom + within.top) / 2, 0.0])
    px_per_mm = overhead.lens.px_per_mm(middle)
    large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] > LEAST_MM2 * px_per_mm**2]
    if not large:
        return None
    left, top = stats[large, :2].min(axis=0)
    right, bottom = (stats[large, :2] + stats[large, 2:4]).max(axis=0)
    frame = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], float)
    spots = np.concatenate([overhead.lens.on_plane(frame, z)[:, :2] for z in (0.0, TALLEST_MM)])
    return Box(*spots.min(axis=0), *spots.max(axis=0)).grown(5.0).within(within)


def unchanged(evidence: Evidence, prism: Prism) -> bool:
    """Whether a view looks as before where a piece should now be seen."""
    if evidence.step is None:
        return False
    middle = prism.origin
    spots = np.concatenate(
        [middle + (prism.ring(side) - middle) * share for side in (1.0, -1.0) for share in (0.3, 0.9)]
    )
    pixels = np.rint(evidence.lens.project(spots)).astype(int)
    height, width = evidence.step.shape
    inside = ((pixels >= 0) & (pixels < (width, height))).all(axis=1)
    if not inside.any():
        return True
    x, y = pixels[inside].T
    return float((evidence.step[y, x] > CHANGED).mean()) < UNCHANGED_SHARE
