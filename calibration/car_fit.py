"""Cars measured by their outlines in both views: a body with a roof on it, fitted to what is not paper or shadow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from calibration.camera import Floats
from calibration.card_pose import CardView
from calibration.piece_start import Blob, Lights
from calibration.strips import turn

DIRECTIONS = 36
MOST_HIGH = 1.5
"""Against what is usual for its type: higher up in the picture is what stands behind."""
MARGIN_PX = 3
TINTED, PAINTED = 0.03, 0.35
"""How tinted paint is that is no shadow, and as a share of the strongest tint."""
COLOURED = 0.07
"""How tinted a car's paint is that tells it from paper."""
LIKE = 0.75
"""Cosine between tints of one car: what is painted in another colour is another car."""
LEAST_ALIKE = 0.3
FINE, GLASS_PX = 4, 4
BODY_TOP, BODY_FOOT, ROOF_WIDE = 0.5, 0.1, 0.8
USUAL_SPREAD = 0.12
SIGMA_PX = 2.0
"""Of an outline in one direction; all that are seen are wrong in common."""
UNPAINTED_MM = 1.0
"""Bumpers, tyres and glass at the ends may be no part of what is seen of a car: no size is known better."""
LEAST_PX = 12


@dataclass(frozen=True, slots=True, eq=False)
class FittedCar:
    """Length, width, height with their sigmas, and where it stands."""

    size_mm: tuple[float, float, float]
    sigma_mm: tuple[float, float, float]
    centre_mm: Floats
    yaw_rad: float
    off_px: float
    coloured: bool
    """Whether it is told from paper and shadow by its paint in both views; else its size is a guess."""


def fit_car(
    blob: Blob, usual_mm: tuple[float, float, float], views: Mapping[str, CardView], lights: Lights
) -> FittedCar | None:
    """The car that makes a blob; None where neither view shows enough of it.

    Outlines tell width and height badly, so that what they usually are counts too.
    """
    angles = np.arange(DIRECTIONS) * 2 * np.pi / DIRECTIONS
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    supports, coloured = {}, True
    most_high_mm = MOST_HIGH * usual_mm[2]
    own = _tint(blob, views["overhead"], lights["overhead"])
    for name, view in views.items():
        mask, corner, tint = _mask(blob, view, lights[name], most_high_mm, own)
        coloured &= tint > COLOURED
        if mask.sum() < LEAST_PX * FINE**2:
            return None
        spots = np.argwhere(mask)[:, ::-1].astype(np.float64)
        pixels = corner + (spots + 0.5) / FINE - 0.5
        supports[name] = (pixels @ ways.T).max(axis=0)

    def misses(numbers: Floats) -> Floats:
        usual = (numbers[4:6] / usual_mm[1:] - 1.0) / USUAL_SPREAD
        rows = [usual, (numbers[6:] - [0.7, 0.0]) / [0.2, 0.1]]
        points = _points(numbers)
        for name, view in views.items():
            rows.append(((view.camera.project(points) @ ways.T).max(axis=0) - supports[name]) / SIGMA_PX)
        return np.concatenate(rows)

    long, wide = (min(side, most) for side, most in zip(blob.size_mm, (30.0, 9.0), strict=True))
    start = np.array([*blob.centre_mm, blob.yaw_rad, max(long, 9.0), max(wide, 5.0), usual_mm[2], 0.7, 0.0])
    low = [*(start[:2] - 12), start[2] - 0.5, 6.0, 4.0, 2.5, 0.25, -0.25]
    high = [*(start[:2] + 12), start[2] + 0.5, 40.0, 13.0, most_high_mm, 1.0, 0.25]
    best = least_squares(misses, start, bounds=(low, high), loss="soft_l1", x_scale=[1, 1, 0.05, 1, 1, 1, 0.2, 0.1])
    spread = np.sqrt(np.diag(np.linalg.pinv(best.jac.T @ best.jac)))
    off = float(np.median(np.abs(misses(best.x)[4:])) * SIGMA_PX)
    worse = max(1.0, off / SIGMA_PX)
    length, width, height = (float(v) for v in best.x[3:6])
    length_sigma, width_sigma, height_sigma = (float(v) for v in np.hypot(spread[3:6] * worse, UNPAINTED_MM))
    sigma = (length_sigma, width_sigma, height_sigma)
    return FittedCar((length, width, height), sigma, best.x[:2], float(best.x[2]), off, coloured)


def _points(numbers: Floats) -> Floats:
    """Corners of the body and of the roof."""
    x, y, yaw, length, width, height, share, shift = numbers
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) / 2
    body = corners * [length, width]
    roof = corners * [length * share, width * ROOF_WIDE] + [
        np.clip(shift, -(1 - share) / 2, (1 - share) / 2) * length,
        0,
    ]
    levels = ((body, BODY_FOOT), (body, BODY_TOP), (roof, 1.0))
    flat = np.concatenate([plan for plan, _ in levels]) @ turn(float(yaw)).T + np.array([x, y])
    return np.column_stack([flat, np.repeat([share_up * height for _, share_up in levels], 4)])


def _tint(blob: Blob, view: CardView, light: NDArray[np.float32]) -> Floats:
    """The strongest tint (2,) amid a blob, against the paper beside it."""
    long, wide = blob.size_mm
    u, v = np.meshgrid(np.linspace(-0.3, 0.3, 25) * long, np.linspace(-0.3, 0.3, 13) * wide)
    middle = _colours(np.column_stack([u.ravel(), v.ravel()]), blob, view, light)
    around = np.linspace(0, 2 * np.pi, 60)
    ring = np.column_stack([np.cos(around) * (long / 2 + 4.0), np.sin(around) * (wide / 2 + 3.0)])
    tint = middle - np.median(_colours(ring, blob, view, light), axis=0)
    strong = np.linalg.norm(tint, axis=1)
    found: Floats = np.median(tint[strong >= np.percentile(strong, 60)], axis=0)
    return found


def _colours(plan: Floats, blob: Blob, view: CardView, light: NDArray[np.float32]) -> Floats:
    points = np.column_stack([plan @ turn(blob.yaw_rad).T + blob.centre_mm, np.zeros(len(plan))])
    pixels = view.camera.project(points).astype(np.float32)
    seen = cv2.remap(light, pixels[None, :, 0], pixels[None, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen[0, :, 1:], dtype=np.float64)


def _mask(
    blob: Blob, view: CardView, light: NDArray[np.float32], most_high_mm: float, own: Floats
) -> tuple[NDArray[np.bool_], Floats, float]:
    """What has the car's paint where the blob's car is seen, in quarters of a pixel, its corner and tint."""
    long, wide = blob.size_mm
    box = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) / 2 * [min(long, 34.0) + 1, min(wide, 12.0) + 1]
    plan = box @ turn(blob.yaw_rad).T + blob.centre_mm
    points = np.concatenate([np.column_stack([plan, np.full(4, z)]) for z in (0.0, most_high_mm)])
    hull = cv2.convexHull(view.camera.project(points).astype(np.float32))[:, 0]
    height, width = light.shape[:2]
    low = np.maximum(np.floor(hull.min(axis=0)).astype(int) - MARGIN_PX, 0)
    high = np.minimum(np.ceil(hull.max(axis=0)).astype(int) + MARGIN_PX, [width, height])
    patch = light[low[1] : high[1], low[0] : high[0]]
    if patch.size == 0:
        return np.zeros((1, 1), dtype=bool), low.astype(np.float64), 0.0
    fine = cv2.resize(patch, None, fx=FINE, fy=FINE, interpolation=cv2.INTER_LINEAR)
    paper = np.median(fine[fine[..., 0] >= np.percentile(fine[..., 0], 60)], axis=0)
    inside = np.zeros(fine.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.rint((hull - low + 0.5) * FINE).astype(np.int32), 1)
    tints = fine[..., 1:] - paper[1:]
    tint = np.linalg.norm(tints, axis=2)
    # Shadows are tinted by the room, much less than a car is by its paint.
    strong = float(np.percentile(tint[inside > 0], 95))
    like = tints @ own > LIKE * tint * np.linalg.norm(own)
    # Glass and tyres are as dark as shadows; the paint alone reaches round them, and ends where the body does.
    painted = (tint > max(TINTED, PAINTED * strong)) & (inside > 0)
    # Where the two cameras see colours so differently, all that is painted counts.
    painted = painted & like if (painted & like).sum() > LEAST_ALIKE * painted.sum() else painted
    mask = cv2.morphologyEx(painted.astype(np.uint8), cv2.MORPH_OPEN, np.ones((FINE, FINE), np.uint8))
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((GLASS_PX * FINE, GLASS_PX * FINE), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    if count < 2:
        return np.zeros((1, 1), dtype=bool), low.astype(np.float64), 0.0
    return labels == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA])), low.astype(np.float64), strong
