"""Printed tags in the overhead view: full of edges, and none of them a piece's."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.tags import rough_tags
from vision.view import Floats, View

MARGIN = 1.9
"""How far the paper reaches about a tag, in sizes of the tag."""


def printed(view: View) -> list[Floats]:
    """Outlines (4, 2) in pixels of the paper about each tag."""
    return [quad.mean(axis=0) + MARGIN * (quad - quad.mean(axis=0)) for quad in _quads(view)]


def tag_middles(view: View) -> Floats:
    """Pixels (n, 2) in the middle of each tag."""
    return np.array([quad.mean(axis=0) for quad in _quads(view)]).reshape(-1, 2)


def _quads(view: View) -> list[Floats]:
    grey = np.asarray(cv2.cvtColor(view.picture, cv2.COLOR_BGR2GRAY), np.uint8)
    return list(rough_tags(grey).values())


def without_printed(tensor: np.ndarray, outlines: list[Floats]) -> np.ndarray:
    """Edges (h, w, 3) of a view with those of printed paper taken out."""
    if not outlines:
        return tensor
    mask = np.ones(tensor.shape[:2], np.float32)
    cv2.fillPoly(mask, [np.rint(outline).astype(np.int32) for outline in outlines], (0.0,))
    return tensor * mask[..., None]
