"""Cars as the overhead view first tells them: stretches of a road whose colour is not the road's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from referee.layout import Road
from referee.pieces import Kit
from vision.depth import DepthMap
from vision.paint import chroma
from vision.view import Floats, View, sampled

STEP_MM = 0.5
FAR = 0.17
"""Chroma distance from the road's own from which a pixel is a car's."""
FILLED = 0.3
GAP_MM = 3.5
LIFT_MM = 3.0


@dataclass(frozen=True, slots=True)
class Stripe:
    """A coloured stretch of a road: from and to in mm from tip a, its chroma and the road's, and how much shows."""

    road: str
    start_mm: float
    end_mm: float
    seen: tuple[float, float]
    plain: tuple[float, float]
    shown: float
    lean: float = 0.0
    """How far along the road the camera sees a thing shifted for each mm of its height."""

    @property
    def middle_mm(self) -> float:
        return (self.start_mm + self.end_mm) / 2

    @property
    def length_mm(self) -> float:
        return self.end_mm - self.start_mm


def stripes(view: View, depth: DepthMap, road: Road, kit: Kit) -> list[Stripe]:
    """Coloured stretches of one road; `depth` holds every column and road."""
    a, b = np.array(road.a), np.array(road.b)
    length = float(np.linalg.norm(b - a))
    u = (b - a) / length
    v = np.array([-u[1], u[0], 0.0]) / max(float(np.hypot(u[0], u[1])), 1e-9)
    along = np.arange(1.0, length - 1.0, STEP_MM)
    aside = np.arange(-kit.road_width_mm / 2 + 0.75, kit.road_width_mm / 2 - 0.7, STEP_MM)
    points = a + along[:, None, None] * u + aside[:, None] * v
    surface = points + np.array([0, 0, kit.road_thickness_mm / 2])
    lifted = surface + np.array([0, 0, LIFT_MM])
    pixels = view.lens.project(lifted)
    free = ~depth.hides(view.lens.project(surface), view.lens.depth_mm(surface), slack_mm=3.0)
    free &= ~depth.hides(pixels, view.lens.depth_mm(lifted), slack_mm=1.0)
    tints = chroma(sampled(view.light, pixels))
    if free.sum() < 40:
        return []
    plain = _plain(tints, free)
    far = free & (np.hypot(*(tints - plain).transpose(2, 0, 1)) > FAR)
    shown = free.mean(axis=1)
    filled = far.sum(axis=1) / np.maximum(free.sum(axis=1), 1)
    marked = (filled > FILLED) & (shown > 0.25)
    # A window or a bumper may have the road's tint, and a road above hides a part.
    bridged = ndimage.binary_closing(np.pad(marked, 20), np.ones(int(GAP_MM / STEP_MM)))[20:-20]
    labels, count = ndimage.label(bridged)
    found = []
    shortest = 0.55 * min(size[0] for size in kit.cars.values())
    for i in range(1, count + 1):
        rows = np.flatnonzero(labels == i)
        if len(rows) * STEP_MM < shortest:
            continue
        own = tints[rows][far[rows]]
        apart = np.hypot(*(own - plain).T)
        vivid = np.median(own[apart >= np.percentile(apart, 50)], axis=0)
        begin, end = float(along[rows[0]]), float(along[rows[-1]])
        open_share = float(shown[rows].mean())
        ray = a + u * (begin + end) / 2 - view.lens.eye
        lean = abs(float(ray[:2] @ u[:2] / max(float(np.hypot(u[0], u[1])), 1e-9) / ray[2]))
        found.append(Stripe(road.id, begin, end, tuple(vivid), tuple(plain), open_share, lean))
    return found


def _plain(tints: Floats, free: np.ndarray) -> Floats:
    """The road's own chroma: the commonest one, since cars cover less than half."""
    values = tints[free]
    plain: Floats = np.median(values, axis=0)
    for _ in range(3):
        near = values[np.hypot(*(values - plain).T) < FAR]
        if len(near) < 20:
            break
        plain = np.median(near, axis=0)
    return plain
