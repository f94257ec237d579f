"""The part of the table that a rig is for: inside the strips, and seen by both cameras."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import shapely
import shapely.ops
from shapely.geometry.base import BaseGeometry

from calibration.camera import Camera, Floats
from calibration.strips import Placed, Strip

BORDER_PX = 8.0
FARTHEST_MM = 5_000.0


def play_area(
    cameras: Mapping[str, Camera],
    tags_in_plan: Sequence[Floats],
    places: Mapping[int, Placed],
    strips: Sequence[Strip],
    print_scale: float,
) -> tuple[tuple[float, float], ...] | None:
    """The outline inside the strips that both cameras see: cut off where the middle first meets each strip."""
    if len(strips) < 3:
        return None
    hull = shapely.MultiPoint(np.concatenate(tags_in_plan)).convex_hull
    area = hull
    middle = hull.centroid
    for strip in strips:
        corners = np.concatenate(list(strip.corners_mm.values())) * print_scale
        paper = shapely.MultiPoint(places[strip.first].in_table(corners)).convex_hull
        if strip.card or paper.contains(middle):
            continue
        near = shapely.ops.nearest_points(paper, middle)[0]
        out = np.array([near.x - middle.x, near.y - middle.y])
        out /= np.hypot(*out)
        aside = np.array([-out[1], out[0]]) * FARTHEST_MM
        edge = np.array([near.x, near.y])
        inside = shapely.Polygon(
            [edge + aside, edge - aside, edge - aside - out * FARTHEST_MM, edge + aside - out * FARTHEST_MM]
        )
        area = area.intersection(inside)
    return seen_by_both(cameras, area)


def seen_by_both(cameras: Mapping[str, Camera], area: BaseGeometry | None) -> tuple[tuple[float, float], ...] | None:
    """The outline of what both cameras see of an area of the table, or of all of it."""
    for camera in cameras.values():
        seen = _footprint(camera)
        area = seen if area is None else area.intersection(seen)
    if not isinstance(area, shapely.Polygon) or area.area < 1.0:
        return None
    outline = shapely.simplify(area, 1.0).exterior.coords[:-1]
    return tuple((float(x), float(y)) for x, y in outline)


def _footprint(camera: Camera) -> shapely.Polygon:
    """What a camera sees of the table, up to some metres."""
    left, top, right, bottom = BORDER_PX, BORDER_PX, camera.width - 1 - BORDER_PX, camera.height - 1 - BORDER_PX
    frame = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    edge = np.concatenate(
        [np.linspace(a, b, 12, endpoint=False) for a, b in zip(frame, np.roll(frame, -1, 0), strict=True)]
    )
    rays = camera.rays_in_table(edge)
    centre = camera.centre_in_table()
    down = np.maximum(-rays[:, 2], centre[2] / FARTHEST_MM)
    return shapely.Polygon(centre[:2] + rays[:, :2] * (centre[2] / down)[:, None]).buffer(0)
