"""The part of the table and of the pictures in which play happens."""

from __future__ import annotations

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
LEAST_SHARE = 0.15
"""Of what the cameras see, that the strips must go round, or they lie along one side only and tell no edge."""


def play_outline(rig: Rig, overhead: View | None = None) -> shapely.Polygon:
    """Where pieces may stand: as the rig says, else what both cameras see of the table, inside the strips in view."""
    if rig.play_area:
        return shapely.Polygon(rig.play_area)
    seen = shapely.Polygon(seen_by_both(rig.cameras, None) or _overhead_view(rig))
    middles = tag_middles(overhead) if overhead is not None else np.empty((0, 2))
    if overhead is None or len(middles) < LEAST_TAGS:
        return seen
    strips = shapely.MultiPoint(overhead.lens.on_plane(middles, 0.0)[:, :2]).convex_hull
    inside = strips.buffer(STRIP_MM).intersection(seen)
    return inside if isinstance(inside, shapely.Polygon) and inside.area > LEAST_SHARE * seen.area else seen


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
