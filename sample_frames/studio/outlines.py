"""Plan outlines of the city: their turn, their length, and points on them."""

from __future__ import annotations

import numpy as np

from sample_frames.studio.mesh import Floats, moved
from sample_frames.studio.solids import Outline


def anticlockwise(outline: Outline) -> Floats:
    """The outline without repeated or needless points, turning left."""
    flat = np.asarray(outline, dtype=np.float64)
    flat = flat[np.linalg.norm(flat - np.roll(flat, 1, axis=0), axis=1) > 1e-6]
    back, on = flat - np.roll(flat, 1, axis=0), np.roll(flat, -1, axis=0) - flat
    flat = flat[np.abs(back[:, 0] * on[:, 1] - back[:, 1] * on[:, 0]) > 1e-6]
    after = np.roll(flat, -1, axis=0)
    turn = float(np.sum(flat[:, 0] * after[:, 1] - flat[:, 1] * after[:, 0]))
    left: Floats = flat if turn > 0 else flat[::-1].copy()
    return left


def lengthwise(flat: Floats) -> tuple[Floats, float, float]:
    """The smallest box with a side along one of the outline's: the 4x4 from its frame, half its length and width."""
    best: tuple[float, Floats, float, float] | None = None
    for side in np.roll(flat, -1, axis=0) - flat:
        yaw = float(np.arctan2(side[1], side[0]))
        along = np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]])
        inside = flat @ along.T
        low, high = inside.min(axis=0), inside.max(axis=0)
        half = (high - low) / 2
        if best is None or half[0] * half[1] < best[0] - 1e-9:
            turned = half[1] > half[0]
            centre = along.T @ ((low + high) / 2)
            frame = moved(float(centre[0]), float(centre[1]), 0.0, yaw + (np.pi / 2 if turned else 0.0))
            best = (float(half[0] * half[1]), frame, float(half.max()), float(half.min()))
    assert best is not None
    return best[1:]


def rays(flat: Floats, centre: Floats, angles_rad: Floats) -> Floats:
    """Where rays from a point inside first meet the outline."""
    hits = []
    for angle in angles_rad:
        ray = np.array([np.cos(angle), np.sin(angle)])
        start, side = flat - centre, np.roll(flat, -1, axis=0) - flat
        across = ray[0] * side[:, 1] - ray[1] * side[:, 0]
        safe = np.where(np.abs(across) < 1e-12, np.nan, across)
        far = (start[:, 0] * side[:, 1] - start[:, 1] * side[:, 0]) / safe
        share = (start[:, 0] * ray[1] - start[:, 1] * ray[0]) / safe
        met = far[(far > 0) & (share >= -1e-9) & (share <= 1 + 1e-9)]
        hits.append(centre + ray * met.min())
    return np.array(hits)


def middle(flat: Floats) -> Floats:
    """The centre of the area inside."""
    after = np.roll(flat, -1, axis=0)
    cross = flat[:, 0] * after[:, 1] - flat[:, 1] * after[:, 0]
    centre: Floats = ((flat + after) * cross[:, None]).sum(axis=0) / (3 * cross.sum())
    return centre
