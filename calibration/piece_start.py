"""What lies on a place of the card, roughly: whether anything does, and numbers to start a fit from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, Floats
from calibration.card_pose import CardView, SeenCard

PX_PER_MM = 4.0
AROUND_MM = 4.0
DARKER, TINTED = 0.16, 0.025
"""How much darker than paper or how tinted something has to be to lie there."""
LIGHTER = 0.06
"""How much lighter than black print it has to be, as a share of the paper's light."""
LEAST_MM2 = 25.0
OUTLINE_MM = 0.6
"""Thinner things are print."""
ACROSS_MM = 0.9
TOPS, STARTS = 24, 3
ANGLES = np.arange(24) * 2 * np.pi / 24

Lights = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, eq=False)
class Blob:
    """What differs from paper on a place: a box round it in the card's frame, as the overhead view lays it flat."""

    centre_mm: Floats
    size_mm: tuple[float, float]
    """Long and short side."""
    yaw_rad: float
    area_mm2: float
    inside: bool
    """Whether it keeps clear of the outline."""


def blob_on(seen: SeenCard, name: str, lights: Lights) -> Blob | None:
    """The largest thing on a place; None where it is empty."""
    place = seen.card.places[name]
    grown = seen.corners_in_card(place.grown(AROUND_MM))
    low, high = grown.min(axis=0), grown.max(axis=0)
    size = np.ceil((high - low) * PX_PER_MM).astype(int)
    columns, rows = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
    plan = low + (np.stack([columns, rows], axis=-1) + 0.5) / PX_PER_MM
    points = np.concatenate([plan, np.zeros((*plan.shape[:2], 1))], axis=2)
    flat = _sampled(lights["overhead"], seen.views["overhead"].camera, points)
    if name in seen.card.fields:
        ink, bright = np.percentile(flat[..., 0], (20, 95))
        other = flat[..., 0] - ink > max((bright - ink) / 2, LIGHTER * seen.views["overhead"].white)
    else:
        paper = np.median(flat[flat[..., 0] >= np.percentile(flat[..., 0], 60)], axis=0)
        other = np.abs(flat[..., 0] / paper[0] - 1.0) > DARKER
        other |= np.hypot(flat[..., 1] - paper[1], flat[..., 2] - paper[2]) > TINTED
    thick = max(3, round(2 * OUTLINE_MM * PX_PER_MM))
    mask = cv2.morphologyEx(other.astype(np.uint8), cv2.MORPH_OPEN, np.ones((thick, thick), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    if count < 2:
        return None
    inner = seen.corners_in_card(place)
    best = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    if stats[best, cv2.CC_STAT_AREA] < LEAST_MM2 * PX_PER_MM**2:
        return None
    spots = np.argwhere(labels == best)[:, ::-1].astype(np.float32)
    (x, y), (wide, tall), angle = cv2.minAreaRect(spots)
    yaw = np.radians(angle if wide >= tall else angle + 90.0)
    on_card = low + (spots + 0.5) / PX_PER_MM
    clear = (on_card > inner.min(axis=0) - 0.5).all() and (on_card < inner.max(axis=0) + 0.5).all()
    centre = low + (np.array([x, y]) + 0.5) / PX_PER_MM
    sides = (max(wide, tall) / PX_PER_MM, min(wide, tall) / PX_PER_MM)
    area = float(stats[best, cv2.CC_STAT_AREA]) / PX_PER_MM**2
    return Blob(centre, sides, float((yaw + np.pi / 2) % np.pi - np.pi / 2), area, bool(clear))


def disc_starts(
    blob: Blob, views: Mapping[str, CardView], lights: Lights, alike_mm: tuple[float, float] | None = None
) -> list[Floats]:
    """x, y, diameter, height of discs that may make a blob, best first, judged by the worse of both views.

    `alike_mm` is diameter and height of a disc from the same box, if one was measured.
    """
    camera, side = views["overhead"].camera, views["side"].camera
    away = np.arctan2(*(blob.centre_mm - side.centre_in_table()[:2])[::-1])
    behind = away + np.linspace(-1.5, 1.5, 15)

    def ranked(found: Floats, count: int) -> list[Floats]:
        above = _ring_score(found, camera, lights["overhead"], ANGLES)
        beside = _ring_score(found, side, lights["side"], behind)
        return [found[n] for n in np.argsort(-np.minimum(above, beside))[:count]]

    known = []
    if alike_mm is not None:
        fine = np.arange(-8.0, 8.1, 0.5)
        x, y = np.meshgrid(blob.centre_mm[0] + fine, blob.centre_mm[1] + fine)
        known = ranked(np.column_stack([x.ravel(), y.ravel(), *(np.full(x.size, v) for v in alike_mm)]), STARTS)
    near = np.arange(-7.5, 7.6, 1.5)
    x, y, wide = np.meshgrid(blob.centre_mm[0] + near, blob.centre_mm[1] + near, np.arange(9.0, 31.0, 1.0))
    tops = np.column_stack([x.ravel(), y.ravel(), wide.ravel(), 0.55 * wide.ravel()])
    tops = tops[np.argsort(-_ring_score(tops, camera, lights["overhead"], ANGLES))[:TOPS]]
    eye = camera.centre_in_table()
    tries = []
    for height in np.arange(4.0, 18.0, 1.0):
        # The same top as seen from above, at another height.
        share = (height - tops[:, 3]) / (eye[2] - tops[:, 3])
        moved = tops[:, :2] + (eye[:2] - tops[:, :2]) * share[:, None]
        tries.append(np.column_stack([moved, tops[:, 2] * (1 - share), np.full(len(tops), height)]))
    return known + ranked(np.concatenate(tries), STARTS)


def _ring_score(discs: Floats, camera: Camera, light: NDArray[np.float32], angles: Floats) -> Floats:
    """How strong the weaker quarter of the steps is across the rims of discs (n, 4)."""
    ways = np.column_stack([np.cos(angles), np.sin(angles)])
    levels = []
    for by in (-ACROSS_MM, ACROSS_MM):
        plan = discs[:, None, :2] + ways[None] * (discs[:, None, 2:3] / 2 + by)
        points = np.concatenate([plan, np.broadcast_to(discs[:, None, 3:4], (*plan.shape[:2], 1))], axis=2)
        levels.append(_sampled(light, camera, points))
    step = np.abs(levels[1] - levels[0])
    strength = np.maximum(step[..., 0], 2 * np.hypot(step[..., 1], step[..., 2]))
    score: Floats = np.percentile(np.minimum(strength, 0.25), 25, axis=1)
    return score


def stick_starts(blob: Blob, views: Mapping[str, CardView], lights: Lights, on_black: bool = False) -> list[Floats]:
    """x, y, yaw, length, width, thickness, roundness of sticks that may make a blob, by what looks like its middle."""
    camera, light = views["overhead"].camera, lights["overhead"]
    along = np.array([np.cos(blob.yaw_rad), np.sin(blob.yaw_rad)])
    aside = np.array([-along[1], along[0]])
    long, wide = blob.size_mm
    thick = 2.5

    def look(u: Floats, v: Floats) -> Floats:
        plan = blob.centre_mm + u[..., None] * along + v[..., None] * aside
        return _sampled(light, camera, np.concatenate([plan, np.full((*plan.shape[:-1], 1), thick)], axis=-1))

    # Profiles across the whole stick, and along it: what is of its own colour is the stick, a shadow is not.
    u, v = np.linspace(-0.35, 0.35, 31) * long, np.arange(-wide / 2 - 2, wide / 2 + 2, 0.1)
    left, right = _like_the_middle(np.median(look(*np.meshgrid(u, v, indexing="ij")), axis=0), v, False, on_black)
    middle = (left + right) / 2
    u, v = np.arange(-long / 2 - 3, long / 2 + 3, 0.1), middle + np.linspace(-0.15, 0.15, 7) * (right - left)
    start, end = _like_the_middle(np.median(look(*np.meshgrid(u, v, indexing="ij")), axis=1), u, True, on_black)
    centre = blob.centre_mm + middle * aside + (start + end) / 2 * along
    numbers = (*centre, blob.yaw_rad, end - start, right - left)
    return [np.array([*numbers, thick, 0.4]) for thick in (1.8, 2.6, 3.6)]


def _like_the_middle(profile: Floats, at: Floats, broken: bool, on_black: bool) -> tuple[float, float]:
    """From where to where a profile (n, 3) looks like its middle, with breaks in between or without."""
    half = len(at) // 2
    quarter = max(3, len(at) // 8)
    own = np.median(profile[half - quarter : half + quarter], axis=0)
    from_ground = np.argsort(profile[:, 0] if on_black else -profile[:, 0])
    paper = profile[from_ground[: max(3, len(at) // 10)]].mean(axis=0)
    apart = profile - own
    unlike = np.maximum(np.abs(apart[:, 0]), 2 * np.hypot(apart[:, 1], apart[:, 2]))
    reach = 0.45 * max(abs(paper[0] - own[0]), 2 * float(np.hypot(*(paper - own)[1:])))
    if broken:
        like = np.flatnonzero(unlike <= reach)
        return float(at[like[0]]), float(at[like[-1]])
    off = np.flatnonzero(unlike > reach)
    before, after = off[off < half], off[off > half]
    first = int(before[-1]) + 1 if len(before) else 0
    last = int(after[0]) - 1 if len(after) else len(at) - 1
    return float(at[first]), float(at[last])


def _sampled(light: NDArray[np.float32], camera: Camera, points: Floats) -> Floats:
    """Light and colour (..., 3) where points (..., 3) are seen."""
    shape = points.shape[:-1]
    pixels = camera.project(points.reshape(-1, 3)).astype(np.float32)
    columns = 8_192  # remap takes no more than 32767
    rows = -(-len(pixels) // columns)
    padded = np.zeros((rows * columns, 2), np.float32)
    padded[: len(pixels)] = pixels
    u, v = padded[:, 0].reshape(rows, columns), padded[:, 1].reshape(rows, columns)
    seen = cv2.remap(light, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).reshape(-1, 3)[: len(pixels)]
    return seen.reshape(*shape, 3).astype(np.float64)
