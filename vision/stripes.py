"""Cars as the overhead view first tells them: stretches of a road whose colour is not the road's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from referee.layout import Layout, Road
from referee.pieces import Kit
from vision.depth import DepthMap
from vision.looks import wood_of
from vision.once import once
from vision.paint import chroma
from vision.view import Floats, Lens, View, sampled

STEP_MM = 0.5
FAR = 0.17
"""Chroma distance from the road's own from which a pixel is a car's."""
PAINTED = 0.33
"""The same from which a whole road is: in shade or a lamp's light wood was 0.22 and 0.3 away, under two cars 0.35."""
LEAST_TINTED, LEAST_BARE = 20, 0.1
"""How many points tell a chroma, and the share of a road that must look like wood to be its bare part."""
FILLED, LEAST_SHOWN, LEAST_POINTS = 0.3, 0.25, 40
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


@dataclass(frozen=True, eq=False)
class Band:
    """A road's upper side in one view: places along it in mm, and for each row across what shows and is painted."""

    along_mm: Floats
    tints: Floats
    free: np.ndarray
    plain: Floats

    @once
    def far(self) -> np.ndarray:
        """Which points nothing hides that are not of the road's colour."""
        far: np.ndarray = self.free & (np.hypot(*(self.tints - self.plain).transpose(2, 0, 1)) > FAR)
        return far

    @property
    def shown(self) -> Floats:
        """The share of each row that nothing known hides."""
        share: Floats = self.free.mean(axis=1)
        return share

    def painted(self) -> np.ndarray:
        """Rows of which enough shows, and enough of that is not of the road's colour."""
        filled = self.far.sum(axis=1) / np.maximum(self.free.sum(axis=1), 1)
        rows: np.ndarray = (filled > FILLED) & (self.shown > LEAST_SHOWN)
        return rows

    def vivid(self, rows: np.ndarray) -> Floats:
        """The paint's chroma in some rows."""
        own = self.tints[rows][self.far[rows]]
        apart = np.hypot(*(own - self.plain).T)
        chosen: Floats = np.median(own[apart >= np.percentile(apart, 50)], axis=0)
        return chosen


def bands(
    view: View, depth: DepthMap, layout: Layout, roads: Sequence[Road], kit: Kit, lift_mm: float
) -> dict[str, Band]:
    """The colours so far above the upper sides of some roads of a layout, where enough of them shows; `depth` holds
    what may hide them."""
    if not roads:
        return {}
    shown = {road.id: upper_side(view.lens, depth, road, kit, lift_mm) for road in roads}
    seen = {
        name: (along, chroma(sampled(view.light, pixels)), free)
        for name, (along, pixels, free) in shown.items()
        if free.sum() >= LEAST_POINTS
    }
    wood = wood_of(view, depth, layout, kit)
    return {
        name: Band(along, tints, free, plain_of(tints[free], None if wood is None else wood.tint))
        for name, (along, tints, free) in seen.items()
    }


def upper_side(
    lens: Lens, depth: DepthMap, road: Road, kit: Kit, lift_mm: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Places along a road in mm, the pixels of rows across so far above it, and which of them nothing hides."""
    a, b = np.array(road.a), np.array(road.b)
    length = float(np.linalg.norm(b - a))
    u = (b - a) / length
    v = np.array([-u[1], u[0], 0.0]) / max(float(np.hypot(u[0], u[1])), 1e-9)
    along = np.arange(1.0, length - 1.0, STEP_MM)
    aside = np.arange(-kit.road_width_mm / 2 + 0.75, kit.road_width_mm / 2 - 0.7, STEP_MM)
    points = a + along[:, None, None] * u + aside[:, None] * v
    surface = points + np.array([0, 0, kit.road_thickness_mm / 2])
    lifted = surface + np.array([0, 0, lift_mm])
    pixels = lens.project(lifted)
    free = ~depth.hides(lens.project(surface), lens.depth_mm(surface), slack_mm=3.0)
    free &= ~depth.hides(pixels, lens.depth_mm(lifted), slack_mm=1.0)
    return along, pixels, free


def stretches(rows: np.ndarray) -> list[np.ndarray]:
    """Runs of rows; a window or a bumper may have the road's tint, and a road above hides a part."""
    bridged = ndimage.binary_closing(np.pad(rows, 20), np.ones(int(GAP_MM / STEP_MM)))[20:-20]
    labels, count = ndimage.label(bridged)
    return [np.flatnonzero(labels == i) for i in range(1, count + 1)]


def stripes(view: View, depth: DepthMap, layout: Layout, roads: Sequence[Road], kit: Kit) -> dict[str, list[Stripe]]:
    """Coloured stretches of some roads of a layout; `depth` holds every column and road."""
    shortest = 0.55 * min(size[0] for size in kit.cars.values())
    found: dict[str, list[Stripe]] = {road.id: [] for road in roads}
    by_id = {road.id: road for road in roads}
    for name, seen in bands(view, depth, layout, roads, kit, LIFT_MM).items():
        long_enough = [rows for rows in stretches(seen.painted()) if len(rows) * STEP_MM >= shortest]
        found[name] = [stripe_of(view, seen, by_id[name], rows, seen.vivid(rows)) for rows in long_enough]
    return found


def stripe_of(view: View, seen: Band, road: Road, rows: np.ndarray, vivid: Floats) -> Stripe:
    """A run of rows as a stretch of the road with a paint."""
    a, b = np.array(road.a), np.array(road.b)
    u = (b - a) / float(np.linalg.norm(b - a))
    begin, end = float(seen.along_mm[rows[0]]), float(seen.along_mm[rows[-1]])
    ray = a + u * (begin + end) / 2 - view.lens.eye
    lean = abs(float(ray[:2] @ u[:2] / max(float(np.hypot(u[0], u[1])), 1e-9) / ray[2]))
    return Stripe(road.id, begin, end, tuple(vivid), tuple(seen.plain), float(seen.shown[rows].mean()), lean)


def plain_of(tints: Floats, usual: Floats | None) -> Floats:
    """A road's own chroma of what shows (n, 2) of it: the commonest one, unless that is unlike the usual one of all
    roads (2,) and some of it is not: two long cars cover more than half of a road."""
    plain = commonest(tints)
    if usual is None or np.hypot(*(plain - usual)) < PAINTED:
        return plain
    near = np.hypot(*(tints - usual).T) < FAR
    bare: Floats = np.median(tints[near], axis=0) if near.mean() > LEAST_BARE else plain
    return bare


def commonest(tints: Floats) -> Floats:
    """The chroma (2,) that most of some (n, 2) are near."""
    plain: Floats = np.median(tints, axis=0)
    for _ in range(3):
        near = tints[np.hypot(*(tints - plain).T) < FAR]
        if len(near) < LEAST_TINTED:
            break
        plain = np.median(near, axis=0)
    return plain
