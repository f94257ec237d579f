"""The printed tag strips on a studio table, a little crooked, with the true place of every tag."""

from __future__ import annotations

import mitsuba as mi
import numpy as np

from calibration.page import Page, tag_corners_mm
from calibration.raster import raster
from calibration.sheets import A4, QUIET_MM, STRIP_HEIGHT_MM, STRIP_WIDTH_MM, TAGS_PER_STRIP, tag_strips

from .parts import Part, pose, quad

PX_PER_MM = 8.0
PAPER_MM = 0.12
"""How high above the table the print lies."""


def random_strips(
    rng: np.random.Generator, centre: np.ndarray, clear_mm: float
) -> tuple[tuple[Part, ...], dict[int, np.ndarray]]:
    """Strips round the play area, and each tag's corners (4, 3) in the table frame, clockwise from its top left."""
    pages = tag_strips(A4)
    count = int(rng.integers(4, 7))
    start = float(rng.uniform(0, 2 * np.pi))
    side_by_side_mm = STRIP_WIDTH_MM / (2 * np.tan(np.pi / count))  # nearer, their corners would meet
    parts: list[Part] = []
    corners: dict[int, np.ndarray] = {}
    for number, strip in enumerate(rng.permutation(len(pages) * len(pages[0].tags) // TAGS_PER_STRIP)[:count]):
        angle = start + number * 2 * np.pi / count + float(rng.normal(0.0, 0.03))
        away_mm = max(clear_mm, side_by_side_mm) + STRIP_HEIGHT_MM / 2 + float(rng.uniform(8.0, 24.0))
        place = (centre[0] + np.cos(angle) * away_mm, centre[1] + np.sin(angle) * away_mm, PAPER_MM)
        yaw = angle - np.pi / 2 + float(rng.normal(0.0, 0.05)) + (np.pi if rng.random() < 0.3 else 0.0)
        page, first = _find(pages, int(strip))
        table_from_strip = pose((float(place[0]), float(place[1]), PAPER_MM), float(yaw))
        parts.append(_strip(page, first, table_from_strip))
        corners |= _tags(page, first, table_from_strip)
    return tuple(parts), corners


def _find(pages: tuple[Page, ...], strip: int) -> tuple[Page, int]:
    """The page that a strip is on, and the index of its first tag there."""
    per_page = len(pages[0].tags) // TAGS_PER_STRIP
    return pages[strip // per_page], (strip % per_page) * TAGS_PER_STRIP


def _strip(page: Page, first: int, table_from_strip: np.ndarray) -> Part:
    corner = page.tags[first].rect
    left, top = corner.x_mm - QUIET_MM, corner.y_mm - QUIET_MM
    rows = slice(round(top * PX_PER_MM), round((top + STRIP_HEIGHT_MM) * PX_PER_MM))
    columns = slice(round(left * PX_PER_MM), round((left + STRIP_WIDTH_MM) * PX_PER_MM))
    print_ = raster(page, PX_PER_MM)[rows, columns][::-1].astype(np.float32) / 255.0
    # Mitsuba counts a picture's rows upward, hence the turn above. Paper is not white nor ink black.
    grey = np.repeat((0.03 + 0.75 * print_)[..., None], 3, axis=2)
    picture = {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(grey)), "raw": True}
    bsdf = {"type": "principled", "base_color": picture, "roughness": 0.7, "specular": 0.3}
    return Part(quad(STRIP_WIDTH_MM, STRIP_HEIGHT_MM).transformed(table_from_strip), bsdf)


def _tags(page: Page, first: int, table_from_strip: np.ndarray) -> dict[int, np.ndarray]:
    corner = page.tags[first].rect
    middle = np.array([corner.x_mm - QUIET_MM + STRIP_WIDTH_MM / 2, corner.y_mm - QUIET_MM + STRIP_HEIGHT_MM / 2])
    found = {}
    for tag in page.tags[first : first + TAGS_PER_STRIP]:
        flat = (tag_corners_mm(page)[tag.id] - middle) * [1.0, -1.0]
        points = np.column_stack([flat, np.zeros(4), np.ones(4)])
        found[tag.id] = (points @ table_from_strip.T)[:, :3]
    return found
