"""Where a view changed at all: a box to search, so that a still table costs nothing."""

from __future__ import annotations

import cv2
import numpy as np

from vision.evidence import Evidence
from vision.region import TALLEST_MM
from vision.seek import Box
from vision.solids import Prism
from vision.view import Picture

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
    middle = np.array([(within.left + within.right) / 2, (within.bottom + within.top) / 2, 0.0])
    large = large_patches(np.asarray(strong, np.uint8), LEAST_MM2 * overhead.lens.px_per_mm(middle) ** 2)
    if large is None:
        return None
    left, top, width, height = cv2.boundingRect(large)
    right, bottom = left + width, top + height
    frame = np.array([(left, top), (right, top), (right, bottom), (left, bottom)], float)
    spots = np.concatenate([overhead.lens.on_plane(frame, z)[:, :2] for z in (0.0, TALLEST_MM)])
    return Box(*spots.min(axis=0), *spots.max(axis=0)).grown(5.0).within(within)


def large_patches(mask: Picture, least_px: float) -> Picture | None:
    """What of a mask of zeros and ones hangs together over more than so many pixels; None: nothing."""
    count, labels = cv2.connectedComponents(mask)
    # Counted where the mask is set, which is little of it; OpenCV's own statistics take five times as long.
    large = np.bincount(labels[mask > 0], minlength=count) > least_px
    return large.astype(np.uint8)[labels] if large.any() else None


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
