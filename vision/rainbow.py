"""The rainbow proposed from a pair: an arch with bands from red outside to violet inside, and the card under it."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
import shapely

from referee.layout import Area
from referee.pieces import Kit
from vision.climb import climbed
from vision.ground import Ground
from vision.view import Floats, Singles, is_within, sampled

X, Y, YAW, HALF, RISE, THICK = range(6)
"""An arch is a row of these: the middle between its feet, how it is turned, half its length, its height, its bands."""
BANDS = np.array([(68, 48), (45, 65), (-5, 75), (-50, 40), (10, -50), (40, -45)], np.float32)
"""What makes a rainbow one: red, orange, yellow, green, blue, violet, as a and b of Lab."""
PATTERN = (BANDS - BANDS.mean(axis=0)) / np.linalg.norm(BANDS - BANDS.mean(axis=0))
HALVES = (1.5, 1.9, 2.4, 3.0, 3.8)
"""Half lengths that are tried, in disc diameters: roads on columns pass through."""
RISES, THICKS = (0.7, 0.85, 1.0), (0.18, 0.27, 0.4)
"""Heights and bands that are tried, in half lengths."""
LEAST_HALF, MOST_HALF, LEAST_RISE, MOST_RISE, LEAST_THICK, MOST_THICK = 1.2, 4.5, 0.5, 1.3, 0.1, 0.6
YAWS_RAD = np.arange(12) * np.pi / 12
ANGLES = np.linspace(0.09, 0.91, 13) * np.pi
ALONG = np.linspace(-0.75, 0.75, 9)
CROWNS_PX, CROWNS, APART_PX = (6, 9, 13, 19, 28, 40), 40, 4
"""How thick a crown may look in the side view, and how many are followed, so far apart."""
FAINT = 12.0
"""Colourfulness under which bands are none."""
CREST, RED, BESIDE = 0.3, 30.0, 0.45
"""What the crest counts from above, how much redder it is than what lies beside it, and how many diameters that is."""
KEPT, ROUNDS, TRIES = 16, 9, 120
WIDE = np.array([8.0, 8.0, 0.2, 4.0, 4.0, 2.0])
"""By how much an arch is moved, turned and stretched at first."""
LEAST_FREE, BANDED, LEAST_BANDED, LEAST_CREST = 0.4, 0.6, 0.6, 0.3
"""What an arch must show: angles that no piece hides, how many of them banded like a rainbow, a crest from above."""
HALF_WIDTHS, LEAST_STEP = np.arange(0.2, 1.3, 0.05), 5.0
"""Where the card's sides are sought, in disc diameters from its middle, and the least step in Lab there."""


def rainbow_in(ground: Ground, region: shapely.Geometry, kit: Kit) -> Area | None:
    """The rainbow in a region of the table, if both views show one clearly."""
    lab = {name: view.lab for name, view in ground.views.items()}
    arches = _starts(ground, lab["side"], region, kit)
    if not len(arches):
        return None
    parts = np.array_split(arches, max(1, len(arches) // 4_000))
    scores = np.concatenate([_scores(part, ground, lab, kit) for part in parts])
    rng = np.random.default_rng(1)
    kept = _distinct(arches[np.argsort(-scores)])
    climbs = [climbed(arch, lambda a: _scores(a, ground, lab, kit), WIDE, ROUNDS, TRIES, rng) for arch in kept]
    best, _ = max(climbs, key=lambda one: one[1])
    if not _is_rainbow(best, ground, lab, kit) or not shapely.contains_xy(region, *best[:2]):
        return None
    return Area("a0", "rainbow", _outline(best, _width_mm(best, ground, lab["overhead"], kit)))


def _distinct(arches: Floats) -> list[Floats]:
    """The first of arches, and the first of those that are elsewhere, turned or of another size."""
    kept: list[Floats] = []
    for arch in arches:
        if len(kept) == KEPT:
            break
        if all((np.abs(arch - other) > 2 * WIDE)[[X, Y, YAW, HALF]].any() for other in kept):
            kept.append(arch)
    return kept


def _starts(ground: Ground, lab: Singles, region: shapely.Geometry, kit: Kit) -> Floats:
    """Arches (n, 6) under whatever looks like a rainbow's crown in the side view: banded from top to bottom."""
    likeness = np.max([_crowned(lab, thick_px) for thick_px in CROWNS_PX], axis=0)
    crowns: list[tuple[int, int]] = []
    for _ in range(CROWNS):
        _, most, _, (u, v) = cv2.minMaxLoc(likeness)
        if most < BANDED:
            break
        crowns.append((u, v))
        cv2.circle(likeness, (u, v), APART_PX, 0.0, cv2.FILLED)
    if not crowns:
        return np.empty((0, 6))
    lens = ground.views["side"].lens
    arches = []
    for half, rise, thick in product(HALVES, RISES, THICKS):
        half_mm = half * kit.disc_diameter_mm
        rise_mm, thick_mm = rise * half_mm, thick * half_mm
        tops = lens.on_plane(np.array(crowns, float), rise_mm - thick_mm / 2)[:, :2]
        tops = tops[shapely.contains_xy(region, *tops.T)]
        arches += [(x, y, yaw, half_mm, rise_mm, thick_mm) for x, y in tops for yaw in YAWS_RAD]
    return np.array(arches).reshape(-1, 6)


def _crowned(lab: Singles, thick_px: int) -> Singles:
    """How like a rainbow's the colours above and below each pixel are, from -1 to 1."""
    bands = np.repeat(PATTERN, max(1, round(thick_px / len(PATTERN))), axis=0)
    bands = (bands / np.linalg.norm(bands)).astype(np.float32)
    ones = np.full((len(bands), 1), 1 / len(bands), np.float32)
    both = np.zeros(lab.shape[:2], np.float32)
    spread = np.zeros(lab.shape[:2], np.float32)
    for n in range(2):
        channel = np.ascontiguousarray(lab[..., n + 1])
        both += cv2.filter2D(channel, cv2.CV_32F, bands[:, n : n + 1])
        mean = cv2.filter2D(channel, cv2.CV_32F, ones)
        spread += cv2.filter2D(channel * channel, cv2.CV_32F, ones) - mean * mean
    size = np.sqrt(np.maximum(spread * len(bands), 0.0))
    return np.asarray(both / np.maximum(size, FAINT * np.sqrt(len(bands))), np.float32)


def _likeness(arches: Floats, ground: Ground, lab: Singles) -> tuple[Floats, Floats]:
    """How like a rainbow's the bands of arches are at each angle (n, angles) in the side view, and where it is seen."""
    deep = (np.arange(len(BANDS)) + 0.5) / len(BANDS)
    inward = deep * arches[:, THICK, None, None]
    along = np.cos(ANGLES)[:, None] * (arches[:, HALF, None, None] - inward)
    z = np.sin(ANGLES)[:, None] * (arches[:, RISE, None, None] - inward)
    cos, sin = np.cos(arches[:, YAW])[:, None, None], np.sin(arches[:, YAW])[:, None, None]
    x, y = arches[:, X, None, None] + along * cos, arches[:, Y, None, None] + along * sin
    pixels = ground.views["side"].lens.project(np.stack([x, y, z], axis=-1))
    colours = sampled(lab, pixels)[..., 1:]
    colours = colours - colours.mean(axis=2, keepdims=True)
    size = np.sqrt((colours**2).sum(axis=(2, 3)))
    like: Floats = (colours * PATTERN).sum(axis=(2, 3)) / np.maximum(size, FAINT * np.sqrt(len(BANDS)))
    free = is_within(pixels, lab.shape, 2) & (sampled(ground.hidden["side"], pixels) < 0.5)
    return like, np.asarray(free.all(axis=2), np.float64)


def _crest(arches: Floats, ground: Ground, lab: Singles, kit: Kit) -> Floats:
    """How much redder the crest (n) of each arch is from above than what lies on both sides of it, from 0 to 1."""
    cos, sin = np.cos(arches[:, YAW])[:, None], np.sin(arches[:, YAW])[:, None]
    along = ALONG * arches[:, HALF, None]
    z = np.sqrt(1 - ALONG**2) * arches[:, RISE, None]
    middle = np.stack([arches[:, X, None] + along * cos, arches[:, Y, None] + along * sin, z], axis=-1)
    aside = np.stack([-sin, cos, np.zeros_like(sin)], axis=-1) * BESIDE * kit.disc_diameter_mm
    lens = ground.views["overhead"].lens
    pixels = [lens.project(middle + aside * side) for side in (0.0, -1.0, 1.0)]
    red, *beside = (sampled(lab, one)[..., 1] for one in pixels)
    free = sampled(ground.hidden["overhead"], pixels[0]) < 0.5
    redder = np.clip((red - np.maximum(*beside)) / RED, -1.0, 1.0) * free
    crest: Floats = redder.sum(axis=1) / np.maximum(free.sum(axis=1), 1)
    return crest


def _scores(arches: Floats, ground: Ground, lab: dict[str, Singles], kit: Kit) -> Floats:
    like, free = _likeness(arches, ground, lab["side"])
    score = (np.maximum(like, 0.0) * free).sum(axis=1) / np.maximum(free.sum(axis=1), LEAST_FREE * len(ANGLES))
    score += CREST * _crest(arches, ground, lab["overhead"], kit)
    half, rise, thick = arches[:, HALF], arches[:, RISE], arches[:, THICK]
    sane = (half > LEAST_HALF * kit.disc_diameter_mm) & (half < MOST_HALF * kit.disc_diameter_mm)
    sane &= (rise > LEAST_RISE * half) & (rise < MOST_RISE * half)
    sane &= (thick > LEAST_THICK * half) & (thick < MOST_THICK * half)
    return np.where(sane, score, -1.0)


def _is_rainbow(arch: Floats, ground: Ground, lab: dict[str, Singles], kit: Kit) -> bool:
    like, free = (values[0] for values in _likeness(arch[None], ground, lab["side"]))
    seen = free > 0
    if seen.mean() < LEAST_FREE or (like[seen] > BANDED).mean() < LEAST_BANDED:
        return False
    return float(_crest(arch[None], ground, lab["overhead"], kit)[0]) > LEAST_CREST


def _width_mm(arch: Floats, ground: Ground, lab: Singles, kit: Kit) -> float:
    """How wide the card under an arch is, by where its colour ends beside it; half a disc where that is not seen."""
    cos, sin = np.cos(arch[YAW]), np.sin(arch[YAW])
    along = ALONG[:, None] * arch[HALF]
    found = []
    for side in (-1.0, 1.0):
        away = side * HALF_WIDTHS * kit.disc_diameter_mm
        spots = np.stack([arch[X] + along * cos - away * sin, arch[Y] + along * sin + away * cos], axis=-1)
        pixels = ground.views["overhead"].lens.project(np.pad(spots, ((0, 0), (0, 0), (0, 1))))
        steps = np.abs(np.median(np.diff(sampled(lab, pixels), axis=1), axis=0)).sum(axis=1)
        if steps.max() > LEAST_STEP:
            found.append(float(np.abs(away[:-1] + away[1:])[int(steps.argmax())]))
    return min(found, default=kit.disc_diameter_mm / 2)


def _outline(arch: Floats, width_mm: float) -> tuple[tuple[float, float], ...]:
    cos, sin = np.cos(arch[YAW]), np.sin(arch[YAW])
    corners = [(-arch[HALF], -width_mm / 2), (arch[HALF], -width_mm / 2), (arch[HALF], width_mm / 2)]
    corners.append((-arch[HALF], width_mm / 2))
    return tuple((float(arch[X] + u * cos - v * sin), float(arch[Y] + u * sin + v * cos)) for u, v in corners)
