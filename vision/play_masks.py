"""Which pixels look at the play area, and which at what lies just round it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import shapely

from calibration.camera import Camera, Rig
from calibration.play_area import seen_by_both
from vision.view import Floats, Picture

TALLEST_MM = 90.0
"""Columns and what is laid on them stay below."""
ROUND_MM = 35.0
"""A hand is noticed this far before it is over the play area."""
WHOLE_SPAN_MM = 700.0
"""What a picture is taken to show across, where no rig tells."""
FARTHEST_MM = 5_000.0


@dataclass(frozen=True, slots=True, eq=False)
class PlayMask:
    """A camera's small picture: where the play area is, a little more round it, and the scale there."""

    inside: Picture
    """255 where a pixel looks at the play area, or at what stands on it."""
    near: Picture
    px_per_mm: float
    """At the middle of the play area."""
    scale_by_row: Floats
    """Pixels per mm of what lies on the table, by the row of the picture where it is seen, at its middle column."""

    def px(self, mm: float) -> int:
        """A length at the middle in whole pixels, odd, as kernels want it."""
        return max(1, 2 * round(mm * self.px_per_mm / 2 - 0.5) + 1)


def smaller(picture: Picture, width_px: int) -> Picture:
    """A picture of about this width: a whole fraction of its own, which is quickest."""
    height, width = picture.shape[:2]
    return np.asarray(
        cv2.resize(picture, small_size((width, height), width_px), interpolation=cv2.INTER_AREA), np.uint8
    )


def small_size(size: tuple[int, int], width_px: int) -> tuple[int, int]:
    """Width and height that `smaller` makes of a picture."""
    by = max(1, size[0] // width_px)
    return size[0] // by, size[1] // by


def play_mask(size: tuple[int, int], rig: Rig | None, name: str, width_px: int) -> PlayMask:
    """For pictures of a size made smaller; without a rig, or where it tells no area, all of the picture."""
    small = small_size(size, width_px)
    outline = None
    if rig is not None and name in rig.cameras:
        outline = rig.play_area or seen_by_both(rig.cameras, None)
    if rig is None or outline is None:
        whole = np.full(small[::-1], 255, np.uint8)
        px_per_mm = small[0] / WHOLE_SPAN_MM
        return PlayMask(whole, whole, px_per_mm, np.full(small[1], px_per_mm))
    camera, area = rig.cameras[name], shapely.Polygon(outline)
    scale = small[0] / camera.width
    inside = _drawn(camera, area, small, scale)
    near = _drawn(camera, area.buffer(ROUND_MM), small, scale)
    middle = np.array([[area.centroid.x, area.centroid.y, 0.0]])
    focal = camera.K[0][0] * scale
    return PlayMask(inside, near, focal / float(camera.depth_mm(middle)[0]), _by_row(camera, small, focal))


def _drawn(camera: Camera, area: shapely.Polygon, small: tuple[int, int], scale: float) -> Picture:
    """The space over an area, as it is seen: each stretch of its edge with the wall that stands on it."""
    outline = np.array(shapely.segmentize(area, 20.0).exterior.coords)
    mask = np.zeros(small[::-1], np.uint8)
    foot, top = (np.column_stack([outline, np.full(len(outline), z_mm)]) for z_mm in (0.0, TALLEST_MM))
    ahead = (camera.depth_mm(foot) > 1.0) & (camera.depth_mm(top) > 1.0)
    foot_px, top_px = (_pixels(camera, points, scale) for points in (foot, top))
    for shape in (foot_px[ahead], top_px[ahead]):
        if len(shape) > 2:
            cv2.fillPoly(mask, [shape], 255)
    for k in np.flatnonzero(ahead[:-1] & ahead[1:]):
        wall = np.array([foot_px[k], foot_px[k + 1], top_px[k + 1], top_px[k]])
        cv2.fillConvexPoly(mask, cv2.convexHull(wall), 255)
    return mask


def _pixels(camera: Camera, points: Floats, scale: float) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    pixels = (camera.project(points) + 0.5) * scale - 0.5
    return np.clip(pixels, -10_000, 10_000).round().astype(np.int32)


def _by_row(camera: Camera, small: tuple[int, int], focal: float) -> Floats:
    rows = (np.arange(small[1]) + 0.5) / small[1] * camera.height
    rays = camera.rays_in_table(np.column_stack([np.full(len(rows), camera.width / 2), rows]))
    centre = camera.centre_in_table()
    reach = centre[2] / np.maximum(-rays[:, 2], centre[2] / FARTHEST_MM)
    scales: Floats = focal / np.maximum(camera.depth_mm(centre + rays * reach[:, None]), 1.0)
    return scales
