"""Where pieces lie in a picture: their silhouettes and crossings in pixels, and what part of it a ruling is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import Camera
from gui.words import crossing_badge
from referee.layout import Layout, Road
from referee.pieces import Kit
from referee.ruling import Ruling
from vision.solids import solids
from vision.view import Floats, Lens

CROP_MARGIN = 0.35
SEEN_PX = 0.8


@dataclass(frozen=True, slots=True)
class Badge:
    """A word on a crossing, where the new road crosses another."""

    x: float
    y: float
    text: str
    earns: bool


def silhouettes(layout: Layout, camera: Camera, kit: Kit) -> dict[str, Floats]:
    """The outline (n, 2) in pixels of every piece, building and card, by id, as if nothing hid it."""
    rings = {area.id: np.pad(np.array(area.outline), ((0, 0), (0, 1))) for area in layout.areas}
    rings |= {name: np.concatenate([p.ring(1.0), p.ring(-1.0)]) for name, p in solids(layout, kit).items()}
    if not rings:
        return {}
    pixels = Lens(camera).project(np.concatenate(list(rings.values()))).astype(np.float32)
    parts = np.split(pixels, np.cumsum([len(ring) for ring in rings.values()])[:-1])
    return {name: _hull(part) for name, part in zip(rings, parts, strict=True)}


def _hull(points: np.ndarray) -> Floats:
    """The hull, without corners that nobody sees."""
    hull = cv2.approxPolyDP(cv2.convexHull(points), SEEN_PX, True)
    return np.asarray(hull, np.float64).reshape(-1, 2)


def meeting_mm(one: Road, other: Road) -> tuple[float, float, float] | None:
    """Where the centre line of one road crosses another in plan, at its own height."""
    a, b = np.array(one.a), np.array(one.b)
    c, d = np.array(other.a[:2]), np.array(other.b[:2])
    along, across = b[:2] - a[:2], d - c
    turn = along[0] * across[1] - along[1] * across[0]
    if abs(turn) < 1e-9:
        return None
    gap = c - a[:2]
    share = float((gap[0] * across[1] - gap[1] * across[0]) / turn)
    x, y, z = a + (b - a) * share
    return float(x), float(y), float(z)


def badges(layout: Layout, ruling: Ruling, fresh: Iterable[str], camera: Camera) -> tuple[Badge, ...]:
    """The words on the crossings of a turn's new road."""
    roads = {road.id: road for road in layout.roads}
    new = [roads[name] for name in fresh if name in roads]
    found = []
    for crossing in ruling.crossings:
        for road in new:
            point = meeting_mm(road, roads[crossing.road]) if crossing.road in roads else None
            if point is not None:
                x, y = Lens(camera).project(np.array([point]))[0]
                found.append(Badge(float(x), float(y), crossing_badge(crossing), crossing.earns))
    return tuple(found)


def evidence_box(outlines: Mapping[str, Floats], pieces: Iterable[str], camera: Camera) -> tuple[int, int, int, int]:
    """The part (left, top, width, height) of a picture that shows these pieces; all of it where none is in it."""
    points = [outlines[name] for name in pieces if name in outlines]
    if not points:
        return 0, 0, camera.width, camera.height
    every = np.concatenate(points)
    low, high = every.min(0), every.max(0)
    middle, half = (low + high) / 2, float(max(high - low)) / 2 * (1 + CROP_MARGIN) + 12
    left, top = (int(max(0, value)) for value in middle - half)
    right, bottom = min(camera.width, int(middle[0] + half)), min(camera.height, int(middle[1] + half))
    return left, top, max(right - left, 1), max(bottom - top, 1)
