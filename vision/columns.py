"""Where columns stand that are new: rings in the overhead view that no stick led to, or near the tip of one."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from referee.pieces import Kit
from vision.bodies import column_body
from vision.fit import Fit, Over, Scene, fits, tell_heights
from vision.rims import RIM_MM
from vision.scan import column_scores, grid_mm
from vision.seek import GRID_MM, Field
from vision.view import Floats

RING_LEAST = 0.4
MOST_RINGS = 4
LEAST_SEEN = 0.55
LEAST_SCORE = 14.0
LEAST_SCANNED = 0.0
"""Score of a coarse scan below which no column is fitted: true ones had 18 and more, fits below it came to 7."""
LEAST_COUNT = 20
FITTED = 3


def rings(where: Field, kit: Kit, knee: float, most: int = MOST_RINGS) -> list[tuple[float, Floats]]:
    """Likely disc tops of a field: the share of the rim that is seen, and the place (2,) at the field's height."""
    energy = np.minimum.reduce([tensor[..., 0] + tensor[..., 2] for tensor in where.tensors])
    strength = np.sqrt(np.maximum(energy, 0.0))
    seen = strength / (strength + knee)
    radius = kit.disc_radius_mm / GRID_MM
    reach = int(radius) + 3
    away = np.hypot(*np.mgrid[-reach : reach + 1, -reach : reach + 1])
    kernel = np.exp(-0.5 * np.square((away - radius) / 0.8)).astype(np.float32)
    share = cv2.filter2D(seen.astype(np.float32), -1, kernel / kernel.sum(), borderType=cv2.BORDER_CONSTANT)
    size = 2 * int(0.8 * radius) + 1
    peaks = np.argwhere((share >= cv2.dilate(share, np.ones((size, size), np.uint8))) & (share > RING_LEAST))
    found = [
        (float(share[v, u]), np.array([where.box.left + u * GRID_MM, where.box.bottom + v * GRID_MM])) for v, u in peaks
    ]
    return sorted(found, key=lambda ring: -ring[0])[:most]


def columns_at(scenes: Sequence[Scene], seen_at: Floats, z_mm: float, kit: Kit, highest: int) -> list[tuple[int, Fit]]:
    """Columns whose top would look like a ring seen at a place (2,) on a height, best first; none where none may be."""
    lens = scenes[0].evidence.lens
    pixel = lens.project(np.array([[*seen_at, z_mm]]))

    def best(height: int) -> tuple[float, int, Floats]:
        top_mm = kit.column_top_mm(height)
        places = lens.on_plane(pixel, top_mm)[0, :2] + grid_mm(3.0, 1.0)
        scores = sum(column_scores(scene, places, 0.0, top_mm, kit) for scene in scenes)
        return float(np.max(scores)), height, places[int(np.argmax(scores))]

    found = sorted(map(best, range(1, highest + 1)), key=lambda one: -one[0])
    if found[0][0] < LEAST_SCANNED:
        return []
    heights = [height for _, height, _ in found[:FITTED]]
    body = column_body(kit, 0.0, np.array([kit.column_top_mm(height) for height in heights]))
    ways = fits(scenes, body, np.array([place for _, _, place in found[:FITTED]]))
    return sorted(zip(heights, ways, strict=True), key=lambda one: -one[1].score)


def is_seen(column: Fit) -> bool:
    """Whether every view that shows enough of a column bears it out."""
    clear = [one for one in column.support if one.count >= LEAST_COUNT]
    return bool(clear) and column.score > LEAST_SCORE and all(one.seen > LEAST_SEEN for one in clear)


def place_near(scenes: Sequence[Scene], near: Floats, top_mm: float, over: Over, kit: Kit) -> Floats:
    """Where within reach of a stick's tip a column with its top at a height is seen best."""
    places = near + grid_mm(kit.disc_radius_mm + 4.0, 1.5)
    pairs = zip(scenes, over, strict=True)
    from_mm = float(feet_mm(scenes, np.array(top_mm)))
    scores = sum(column_scores(scene, places, from_mm, top_mm, kit, patch) for scene, patch in pairs)
    best: Floats = places[int(np.argmax(scores))]
    return best


def feet_mm(scenes: Sequence[Scene], tops_mm: Floats) -> Floats:
    """From what height on columns with tops at some heights are looked at: from above alone by their upper rims, for
    a taller column has more lines, and of lines that are none some lie on shadows and seams."""
    return np.zeros_like(tops_mm) if tell_heights(scenes) else tops_mm - RIM_MM
