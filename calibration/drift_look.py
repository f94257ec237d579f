"""One camera's tags against where they belong: how the camera moved, and which tags do not fit that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.bundle_rows import PAPER_MM
from calibration.camera import Camera, Floats
from calibration.rig_quality import camera_of, lens_numbers, project
from calibration.strips import laid
from calibration.tags import TagSeen

MOVED_PX, MOVED_SIGMAS = 0.35, 6.0
STIFF_MM = 0.5
"""A moved tag keeps its shape to within this; what does not is half hidden."""
SCALES_PX = (6.0, 3.0, 1.5, 0.7, 0.4, 0.4)
"""How far off a tag may be to count half, step by step; those far wider than the tags are off change nothing."""
PER_INSET_PX = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """The camera as it is now, how far that is from how it was, and the tags that do not fit it."""

    camera: Camera
    shift_px: float
    """RMS over the tags' corners."""
    noise_px: float
    """What that would be of the corners' own noise."""
    shift_mm: float
    turn_deg: float
    strays: Mapping[int, float]
    """How far each moved on the table; not a number where it is half hidden."""
    steady: frozenset[int]
    covariance: Floats
    """(6, 6) of the pose."""


def compare(camera: Camera, tags: Mapping[int, Floats], seen: Mapping[int, TagSeen]) -> Look:
    """The camera's pose that most tags agree with, starting from how most of them shifted."""
    ids = list(seen)
    points = np.concatenate([tags[tag] for tag in ids])
    pixels = np.concatenate([seen[tag].corners_px for tag in ids])
    sigma = np.array([seen[tag].sigma_px for tag in ids])
    start = camera.project(points)
    shifts = (pixels - start).reshape(-1, 4, 2).mean(axis=1)
    off = np.linalg.norm(shifts - np.median(shifts, axis=0), axis=1)
    middle = (start.reshape(-1, 4, 2) - start.reshape(-1, 4, 2).mean(axis=1, keepdims=True)).reshape(-1, 2)
    now, covariance, noise_px = camera, np.zeros((7, 7)), 0.0
    far_px = max(2 * float(np.abs(pixels - start).max()), SCALES_PX[-1])
    for scale in [scale for scale in SCALES_PX if scale <= far_px]:
        weight = 1 / (1 + (off / scale) ** 2) ** 2 / sigma**2
        predicted, slopes = project(now, points)
        # A seventh unknown, how much larger tags look than they are: blur and exposure change that, not the pose.
        full = np.column_stack([slopes[:, :6], middle.reshape(-1, 1) / PER_INSET_PX])
        weighed = full * np.repeat(weight, 8)[:, None]
        information = weighed.T @ full
        unit = 1 / np.sqrt(np.diag(information))
        covariance = np.linalg.inv(information * np.outer(unit, unit)) * np.outer(unit, unit)
        change = covariance @ (weighed.T @ (pixels - predicted).ravel())
        R = cv2.Rodrigues(change[:3])[0] @ np.array(now.R)
        now = camera_of((now.width, now.height), lens_numbers(now), R, np.array(now.t) + change[3:6])
        left = (pixels - now.project(points) - change[6] * middle / PER_INSET_PX).reshape(-1, 4, 2)
        off = np.sqrt((left**2).sum(axis=2).mean(axis=1))
        spread = np.einsum("ij,jk,ik->", slopes[:, :6], covariance[:6, :6], slopes[:, :6])
        noise_px = float(np.sqrt(spread / len(points)))
    stray = off > np.maximum(MOVED_PX, MOVED_SIGMAS * sigma)
    strays = {tag: _moved_mm(now, tags[tag], seen[tag].corners_px) for tag, out in zip(ids, stray, strict=True) if out}
    after = now.project(points)
    turned, _ = cv2.Rodrigues(np.array(now.R) @ np.array(camera.R).T)
    return Look(
        now,
        float(np.sqrt(((after - start) ** 2).sum(axis=1).mean())),
        noise_px,
        float(np.sqrt(((_on_table(camera, after) - points[:, :2]) ** 2).sum(axis=1).mean())),
        float(np.degrees(np.linalg.norm(turned))),
        strays,
        frozenset(tag for tag in ids if tag not in strays),
        covariance[:6, :6],
    )


def _on_table(camera: Camera, pixels: Floats) -> Floats:
    """Where on the strips' plane (n, 2) pixels (n, 2) look."""
    centre, rays = camera.centre_in_table(), camera.rays_in_table(pixels)
    plan: Floats = centre[:2] + rays[:, :2] * ((PAPER_MM - centre[2]) / np.minimum(rays[:, 2], -1e-3))[:, None]
    return plan


def _moved_mm(camera: Camera, corners: Floats, pixels: Floats) -> float:
    """How far a tag was moved on the table; not a number where it lost its shape, being half hidden."""
    there = _on_table(camera, pixels)
    stiff = laid(corners[:, :2], there).in_table(corners[:, :2])
    if np.abs(stiff - there).max() > STIFF_MM:
        return float("nan")
    return float(np.linalg.norm((stiff - corners[:, :2]).mean(axis=0)))
