"""The part of the table and of the pictures in which play happens."""

from __future__ import annotations

import math

import numpy as np
import shapely

from calibration.camera import Rig
from calibration.play_area import seen_by_both
from referee.layout import Layout
from referee.pieces import Kit
from vision.printed import tag_middles
from vision.seek import Box
from vision.view import Floats, Lens, View

TALLEST_MM = 110.0
LEAST_TAGS = 6
STRIP_MM = 40.0
"""How far beyond the strips in view pieces may stand: another strip may be covered."""
WIDEST_GAP_RAD = math.radians(160.0)
"""Between strips, seen from the middle of what the cameras see: beyond it some are missing, and they tell no edge."""


def play_outline(rig: Rig, overhead: View | None = None) -> shapely.Polygon:
    """Where pieces may stand: as the rig says, else what both cameras see of the table, inside the strips in view."""
    if rig.play_area:
        return shapely.Polygon(rig.play_area)
    seen = shapely.Polygon(seen_by_both(rig.cameras, None) or _overhead_view(rig))
    middles = tag_middles(overhead) if overhead is not None else np.empty((0, 2))
    if overhead is None or len(middles) < LEAST_TAGS:
        return seen
    tags = overhead.lens.on_plane(middles, 0.0)[:, :2]
    inside = shapely.MultiPoint(tags).convex_hull.buffer(STRIP_MM).intersection(seen)
    return inside if isinstance(inside, shapely.Polygon) and _go_round(seen.centroid, tags) else seen


def _go_round(middle: shapely.Point, tags: Floats) -> bool:
    """Whether tags (n, 2) lie on all sides of a middle."""
    turns = np.sort(np.arctan2(tags[:, 1] - middle.y, tags[:, 0] - middle.x))
    return bool(np.diff(turns, append=turns[0] + 2 * np.pi).max() < WIDEST_GAP_RAD)


def play_box(layout: Layout, rig: Rig, kit: Kit) -> Box:
    """Where pieces may have been laid: a road's reach around what stands, within the play area."""
    bounds = Box(*play_outline(rig).bounds)
    spots = [(c.x, c.y) for c in layout.columns] + [tip[:2] for r in layout.roads for tip in (r.a, r.b)]
    if not spots:
        return bounds
    (left, bottom), (right, top) = np.min(spots, axis=0), np.max(spots, axis=0)
    near = Box(left, bottom, right, top).grown(kit.road_length_mm + kit.disc_diameter_mm)
    return near.within(bounds) if rig.play_area else near


def _overhead_view(rig: Rig) -> Floats:
    """Corners of what the overhead camera sees of the table."""
    camera = rig.overhead
    frame = np.array([(0, 0), (camera.width, 0), (camera.width, camera.height), (0, camera.height)], float)
    return Lens(camera).on_plane(frame, 0.0)[:, :2]


def corners(box: Box, top_mm: float = TALLEST_MM) -> Floats:
    """The eight corners (8, 3) of the space above a box."""
    points = [(x, y, z) for x in (box.left, box.right) for y in (box.bottom, box.top) for z in (0.0, top_mm)]
    return np.array(points)
