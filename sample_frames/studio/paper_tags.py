"""The printed tag strips on a studio table, a little crooked, with the true place of every tag."""

from __future__ import annotations

from typing import Any

import mitsuba as mi
import numpy as np
from numpy.typing import NDArray

from calibration.page import Page, tag_corners_mm
from calibration.raster import raster
from calibration.sheets import A4, QUIET_MM, STRIP_HEIGHT_MM, STRIP_WIDTH_MM, TAGS_PER_STRIP, tag_strips

from .parts import Part, pose, quad
from .strip_places import strip_places

PX_PER_MM = 8.0
GAP_MM = (8.0, 24.0)
PAPER_MM = 0.12
"""How high above the table the print lies."""


def random_strips(
    rng: np.random.Generator, centre: np.ndarray, clear_mm: float
) -> tuple[tuple[Part, ...], dict[int, np.ndarray]]:
    """Strips round the play area, and each tag's corners (4, 3) in the table frame, clockwise from its top left."""
    parts: list[Part] = []
    corners: dict[int, np.ndarray] = {}
    for place in strip_places(rng, tag_strips(A4), centre, clear_mm, GAP_MM):
        table_from_strip = pose((place.x_mm, place.y_mm, PAPER_MM), place.yaw_rad)
        parts.append(_strip(place.page, place.first, table_from_strip))
        corners |= _tags(place.page, place.first, table_from_strip)
    return tuple(parts), corners


def _strip(page: Page, first: int, table_from_strip: np.ndarray) -> Part:
    corner = page.tags[first].rect
    left, top = corner.x_mm - QUIET_MM, corner.y_mm - QUIET_MM
    rows = slice(round(top * PX_PER_MM), round((top + STRIP_HEIGHT_MM) * PX_PER_MM))
    columns = slice(round(left * PX_PER_MM), round((left + STRIP_WIDTH_MM) * PX_PER_MM))
    cut = raster(page, PX_PER_MM)[rows, columns]
    return Part(quad(STRIP_WIDTH_MM, STRIP_HEIGHT_MM).transformed(table_from_strip), printed(cut))


def printed(picture: NDArray[np.uint8]) -> dict[str, Any]:
    """Paper with a picture on it, its top row at the far end of y."""
    # Mitsuba counts a picture's rows upward, hence the turn. Paper is not white nor ink black.
    grey = np.repeat((0.03 + 0.75 * picture[::-1].astype(np.float32) / 255.0)[..., None], 3, axis=2)
    bitmap = {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(grey)), "raw": True}
    return {"type": "principled", "base_color": bitmap, "roughness": 0.7, "specular": 0.3}


def _tags(page: Page, first: int, table_from_strip: np.ndarray) -> dict[int, np.ndarray]:
    corner = page.tags[first].rect
    middle = np.array([corner.x_mm - QUIET_MM + STRIP_WIDTH_MM / 2, corner.y_mm - QUIET_MM + STRIP_HEIGHT_MM / 2])
    found = {}
    for tag in page.tags[first : first + TAGS_PER_STRIP]:
        flat = (tag_corners_mm(page)[tag.id] - middle) * [1.0, -1.0]
        points = np.column_stack([flat, np.zeros(4), np.ones(4)])
        found[tag.id] = (points @ table_from_strip.T)[:, :3]
    return found
