"""Spots of the players' paints in the overhead view: where a car may stand, whatever it stands on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
import shapely

from referee.pieces import Kit
from vision.paint import chroma, hue_apart, paint_of
from vision.printed import printed
from vision.view import Floats, Singles, View

LEVELS = (0.6, 0.45, 0.33, 0.24, 0.17)
"""Chroma distances from what is around, clearest first: a car on a tinted road joins it at low ones."""
AROUND_CELLS, CELL_PX = 21, 8
AREAS = (0.35, 2.0)
STRETCH = 1.6
"""A spot's area and sides against those of the smallest and the largest car."""
APART_MM = 8.0
FARTHEST_HUE = 0.7
PAPER_MM = 4.0


def paint_spots(
    view: View, area: shapely.Polygon, z_mm: float, players: Sequence[str], kit: Kit
) -> tuple[Floats, Floats]:
    """Spots as large as a car and of a player's hue, clearest first: middles (n, 2) at a height, how clear (n,)."""
    tint = chroma(view.light).astype(np.float32)
    around = _around(tint)
    apart = np.hypot(*cv2.split(tint - around)).astype(np.float32)
    paints = [paint_of(player, kit) for player in players]
    papers = [shapely.Polygon(view.lens.on_plane(outline, 0.0)[:, :2]).buffer(PAPER_MM) for outline in printed(view)]
    free = area.difference(shapely.union_all(papers)) if papers else area
    found: list[Floats] = []
    levels: list[float] = []
    for level in LEVELS:
        marked = cv2.morphologyEx((apart > level).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        _, labels, boxes, middles = cv2.connectedComponentsWithStats(marked)
        places = view.lens.on_plane(np.asarray(middles, np.float64), z_mm)
        px_per_mm = np.hypot(*(view.lens.project(places + np.array([1.0, 0.0, 0.0])) - view.lens.project(places)).T)
        for i in _car_sized(boxes[:, cv2.CC_STAT_AREA] / px_per_mm**2, kit):
            place = places[i, :2]
            if any(math.dist(place, other) < APART_MM for other in found) or not free.covers(shapely.Point(place)):
                continue
            left, top, width, height = boxes[i, :4]
            ys, xs = np.nonzero(labels[top : top + height, left : left + width] == i)
            if not _car_shaped(np.column_stack([xs, ys]) / px_per_mm[i], kit):
                continue
            vivid = apart[top + ys, left + xs]
            seen = np.median(tint[top + ys, left + xs][vivid >= np.median(vivid)], axis=0)
            lamp = around[int(middles[i, 1]), int(middles[i, 0])] / 2
            if min(hue_apart(seen - lamp, paint) for paint in paints) < FARTHEST_HUE:
                found.append(place)
                levels.append(level)
    return np.array(found).reshape(-1, 2), np.array(levels)


def _around(tint: Singles) -> Singles:
    """The chroma (h, w, 2) that is usual about each pixel."""
    height, width = tint.shape[:2]
    small = cv2.resize(tint, (max(width // CELL_PX, 1), max(height // CELL_PX, 1)), interpolation=cv2.INTER_AREA)
    low, high = small.min(), small.max()
    levels = ((small - low) / max(float(high - low), 1e-6) * 255).astype(np.uint8)
    usual = np.dstack([cv2.medianBlur(np.ascontiguousarray(levels[..., c]), AROUND_CELLS) for c in range(2)])
    back = usual.astype(np.float32) / 255 * (high - low) + low
    return np.asarray(cv2.resize(back, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)


def _car_sized(areas_mm2: Floats, kit: Kit) -> list[int]:
    footprints = [length * width for length, width, _ in kit.cars.values()]
    fits = (areas_mm2 > AREAS[0] * min(footprints)) & (areas_mm2 < AREAS[1] * max(footprints))
    return [int(i) for i in np.flatnonzero(fits) if i > 0]


def _car_shaped(spots_mm: Floats, kit: Kit) -> bool:
    """Whether pixels (n, 2) in mm are no longer and no wider than a car; a rectangle's side is root 12 of its sigma."""
    short, long = np.sqrt(12 * np.maximum(np.linalg.eigvalsh(np.cov(spots_mm.T)), 0.0))
    longest, widest = (max(size[i] for size in kit.cars.values()) for i in (0, 1))
    return bool(long < STRETCH * longest and short < STRETCH * widest)
