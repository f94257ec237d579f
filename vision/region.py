"""The part of the table and of the pictures in which play happens."""

from __future__ import annotations

import numpy as np

from calibration.camera import Rig
from referee.layout import Layout
from referee.pieces import Kit
from vision.seek import Box
from vision.view import Floats, Lens

TALLEST_MM = 110.0


def play_box(layout: Layout, rig: Rig, kit: Kit) -> Box:
    """Where pieces may have been laid: a road's reach around what stands, within the play area."""
    area = np.array(rig.play_area) if rig.play_area else common_view(rig)
    bounds = Box(*area.min(axis=0), *area.max(axis=0))
    spots = [(c.x, c.y) for c in layout.columns] + [tip[:2] for r in layout.roads for tip in (r.a, r.b)]
    if not spots:
        return bounds
    (left, bottom), (right, top) = np.min(spots, axis=0), np.max(spots, axis=0)
    near = Box(left, bottom, right, top).grown(kit.road_length_mm + kit.disc_diameter_mm)
    return near.within(bounds) if rig.play_area else near


def common_view(rig: Rig) -> Floats:
    """Corners of the box on the table that the overhead camera sees."""
    camera = rig.overhead
    frame = np.array([(0, 0), (camera.width, 0), (camera.width, camera.height), (0, camera.height)], float)
    return Lens(camera).on_plane(frame, 0.0)[:, :2]


def corners(box: Box, top_mm: float = TALLEST_MM) -> Floats:
    """The eight corners (8, 3) of the space above a box."""
    points = [(x, y, z) for x in (box.left, box.right) for y in (box.bottom, box.top) for z in (0.0, top_mm)]
    return np.array(points)
