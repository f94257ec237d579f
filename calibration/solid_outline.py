"""The outline that a rounded convex solid makes in a picture, and how far that outline is from given places."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, Floats

LEAST_PLACES = 16


@dataclass(frozen=True, slots=True, eq=False)
class RoundedSolid:
    """The hull of some points, grown by a ball: a piece whose edges are rounded off."""

    points: Floats
    """(n, 3), in the card's frame."""
    round_mm: float
    top: Floats
    """(m, 3): the outline of its flat top."""
    rim: Floats
    """(m, 3): where the top turns into the sides."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A convex outline in a picture, clockwise as it is seen, with y down."""

    corners_px: Floats
    """(n, 2)."""
    low: NDArray[np.bool_]
    """Whether a corner lies at the foot of the solid, where it meets the paper."""


def outline(solid: RoundedSolid, camera: Camera) -> Outline:
    """What a camera sees of a solid against what lies behind."""
    pixels = camera.project(solid.points)
    around = cv2.convexHull(pixels.astype(np.float32), clockwise=False, returnPoints=False)[:, 0]
    hull = pixels[around]
    per_mm = camera.K[0][0] / camera.depth_mm(solid.points[around])
    out = _outward(hull)
    before = np.roll(out, 1, axis=0)
    mitre = (out + before) / np.maximum(1 + np.sum(out * before, axis=1, keepdims=True), 0.5)
    heights = solid.points[:, 2]
    low = heights[around] < (heights.min() + heights.max()) / 2
    return Outline(hull + mitre * (solid.round_mm * per_mm)[:, None], low)


def flat(points: Floats, camera: Camera) -> Floats:
    """A flat convex outline (n, 3) as it is seen, clockwise."""
    pixels = camera.project(points)
    around: Floats = pixels[cv2.convexHull(pixels.astype(np.float32), clockwise=False, returnPoints=False)[:, 0]]
    return around


def _outward(hull: Floats) -> Floats:
    """Normals of the sides that begin at each corner."""
    along = np.roll(hull, -1, axis=0) - hull
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    return np.column_stack([along[:, 1], -along[:, 0]])


def walk(seen: Outline, spacing_px: float, looks: int = 1) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Places (n, 2) evenly along an outline, their outward normals, and whether they lie at the solid's foot.

    With several looks to a place there are so many times more.
    """
    closed = np.vstack([seen.corners_px, seen.corners_px[:1]])
    steps = np.linalg.norm(np.diff(closed, axis=0), axis=1)
    reached = np.concatenate([[0.0], np.cumsum(steps)])
    count = looks * max(LEAST_PLACES, round(float(reached[-1]) / spacing_px))
    at = (np.arange(count) + 0.5) * reached[-1] / count
    side = np.clip(np.searchsorted(reached, at, side="right") - 1, 0, len(steps) - 1)
    share = (at - reached[side]) / np.maximum(steps[side], 1e-9)
    places = closed[side] + (closed[side + 1] - closed[side]) * share[:, None]
    low = seen.low[side] & seen.low[(side + 1) % len(seen.low)]
    return places, _outward(seen.corners_px)[side], low


def reach(corners_px: Floats, places: Floats, normals: Floats) -> Floats:
    """How far (n,) along its normal each place is from a closed outline; nan where the normal misses it."""
    start = corners_px
    along = np.roll(corners_px, -1, axis=0) - start
    from_place = start[None] - places[:, None]
    cross = normals[:, None, 0] * along[None, :, 1] - normals[:, None, 1] * along[None, :, 0]
    safe = np.where(np.abs(cross) < 1e-12, 1e-12, cross)
    far = (from_place[..., 0] * along[None, :, 1] - from_place[..., 1] * along[None, :, 0]) / safe
    share = (from_place[..., 0] * normals[:, None, 1] - from_place[..., 1] * normals[:, None, 0]) / safe
    far = np.where((share >= -1e-6) & (share <= 1 + 1e-6), far, np.inf)
    nearest = np.take_along_axis(far, np.abs(far).argmin(axis=1)[:, None], axis=1)[:, 0]
    return np.where(np.isfinite(nearest), nearest, np.nan)
