"""Aeroplanes proposed on an airport: from above a body with wings, from the side not what a flat print would show."""

from __future__ import annotations

from functools import partial

import numpy as np
import shapely

from referee.layout import Area, Building
from referee.pieces import Kit
from vision.climb import climbed, climbed_apart
from vision.ground import Ground
from vision.silhouettes import shown_in
from vision.view import Floats

X, Y, YAW, LENGTH, SPAN, UP = range(6)
"""An aeroplane is a row of these: its middle, which way it flies, its size, and how high its wings are, in mm."""
WINGS = np.array([0.15, 0.24, 0.33, 0.42])
INSIDE = np.array(
    [(x, 0.0) for x in np.linspace(-0.4, 0.42, 8)]
    + [(0.02 - 0.26 * y, side * y) for y in WINGS for side in (-1, 1)]
    + [(-0.43, -0.12), (-0.43, 0.12)]
)
"""Points on its body, wings and tail, along and across, in its own size."""
FORE = np.array([(0.24, 0.18), (0.3, 0.3), (0.42, 0.18), (0.08, 0.36)])
AFT = np.array([(-0.24, 0.16), (-0.28, 0.27), (-0.32, 0.4), (-0.5, 0.36)])
MIRRORED = (1.0, -1.0)
AROUND = (FORE, FORE * MIRRORED, AFT, AFT * MIRRORED, [(-0.12, 0.64), (-0.12, -0.64)], [(0.64, 0.0), (-0.66, 0.0)])
"""Where it is not: before and behind each wing, beyond the tips, before the nose and behind the tail."""
OUTLINE = np.array([(0.5, 0.0), (-0.1, 0.5), (-0.5, 0.2), (-0.5, -0.2), (-0.1, -0.5)])
CLEARLY, WORST = 5.0, 0.75
"""Distance in Lab from which on it is apart from what is around it, and what the worst of those places counts."""
PLACES_MM, YAWS_RAD, LENGTHS, UPS_MM = 2.0, np.arange(24) * np.pi / 12, (0.8, 1.05, 1.35), (2.5, 4.0, 6.0)
"""What is tried: sizes in disc diameters."""
LEAST, MOST, LONGER, LEAST_UP_MM, MOST_UP = 0.6, 2.0, 1.4, 2.0, 0.5
"""Sizes in disc diameters, by how much it may be longer than wide or wider, and how high its wings are in lengths."""
PLANES, PART, KEPT, APART = 600, 6_000, 5, 0.4
ROUNDS, TRIES = 7, 120
WIDE = np.array([1.2, 1.2, 0.15, 1.2, 1.2, 1.0])
ASIDE, FLAT = 0.5, 0.7
"""What the side view counts that shows it as high as it is, and against it where it shows it lying flat."""
SLACK_MM = (-1.0, 0.0, 1.0)
LEAST_ABOVE, LEAST_SCORE = 0.78, 0.85
HIGH = 2.2
"""How high its tail is, in heights of its wings."""


def aeroplanes_on(area: Area, ground: Ground, kit: Kit) -> list[Building]:
    """Aeroplanes on an airport, the clearest first, for people to correct."""
    starts = _starts(shapely.Polygon(area.outline), ground, kit)
    pool = starts[np.argsort(-_scores(starts, ground, kit))]
    climb = partial(_refined, ground=ground, kit=kit, rng=np.random.default_rng(1))
    fitted = climbed_apart(pool, climb, APART * kit.disc_diameter_mm, KEPT)
    found: list[Floats] = []
    for plane, score in sorted(fitted, key=lambda one: -one[1]):
        clear = score > LEAST_SCORE and _apart(plane[None], ground, "overhead")[0] > LEAST_ABOVE
        if clear and _is_seen_aside(plane, ground) and not any(_outline(plane).intersects(_outline(o)) for o in found):
            found.append(plane)
    return [_building(plane, f"p{n}") for n, plane in enumerate(found, start=1)]


def _starts(card: shapely.Polygon, ground: Ground, kit: Kit) -> Floats:
    """Aeroplanes (n, 6) over what looks most like one from above."""
    left, bottom, right, top = card.bounds
    xs, ys = np.meshgrid(np.arange(left, right, PLACES_MM), np.arange(bottom, top, PLACES_MM))
    places = np.column_stack([xs.ravel(), ys.ravel()])
    places = places[shapely.contains_xy(card, *places.T)]
    sizes = np.array(LENGTHS) * kit.disc_diameter_mm
    flat = np.array([(0, 0, yaw, size, size, 0.0) for yaw in YAWS_RAD for size in sizes])
    planes = np.repeat(flat[None], len(places), axis=0)
    planes[..., [X, Y]] += places[:, None]
    planes = planes.reshape(-1, 6)
    parts = np.array_split(planes, max(1, len(planes) // PART))
    clear = np.concatenate([_apart(part, ground, "overhead") for part in parts])
    planes = planes[np.argsort(-clear)[:PLANES]]
    return np.concatenate([_lifted(planes, ground, up_mm) for up_mm in UPS_MM])


def _lifted(planes: Floats, ground: Ground, up_mm: float) -> Floats:
    """Aeroplanes that look from above as these do, at another height."""
    eye = ground.views["overhead"].lens.eye
    lifted = planes.copy()
    nearer = (eye[2] - up_mm) / (eye[2] - planes[:, UP, None])
    lifted[:, [X, Y]] = eye[:2] + (planes[:, [X, Y]] - eye[:2]) * nearer
    lifted[:, UP] = up_mm
    return lifted


def _apart(planes: Floats, ground: Ground, name: str) -> Floats:
    """How far aeroplanes (n) are from what a view shows around them, from 0 to 1; 0 where a piece hides some of it."""
    around = np.concatenate(AROUND)
    shown = shown_in(_points(planes, INSIDE), _points(planes, around), ground, name, CLEARLY)
    ends = np.cumsum([len(places) for places in AROUND])[:-1]
    sides = np.stack([part.mean(axis=1) for part in np.split(shown.apart, ends, axis=1)])
    return np.where(shown.free.all(axis=1), WORST * sides.min(axis=0) + (1 - WORST) * sides.mean(axis=0), 0.0)


def _lying(planes: Floats, ground: Ground) -> Floats:
    """How far they would be apart from what the side view shows around them, were they only printed on the card."""
    flat = _lifted(planes, ground, 0.0)
    away = flat[:, [X, Y]] - ground.views["side"].lens.eye[:2]
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    shifts = [np.pad(slack * away, ((0, 0), (0, 4))) for slack in SLACK_MM]
    lying: Floats = np.max([_apart(flat + shift, ground, "side") for shift in shifts], axis=0)
    return lying


def _scores(planes: Floats, ground: Ground, kit: Kit) -> Floats:
    """How well aeroplanes (n) explain both views; -1 for what has no aeroplane's size."""
    above, aside = (_apart(planes, ground, name) for name in ("overhead", "side"))
    score = above + ASIDE * aside - FLAT * _lying(planes, ground)
    sizes = planes[:, [LENGTH, SPAN]] / kit.disc_diameter_mm
    sane = (sizes > LEAST).all(axis=1) & (sizes < MOST).all(axis=1) & (sizes.max(axis=1) < LONGER * sizes.min(axis=1))
    sane &= (planes[:, UP] > LEAST_UP_MM) & (planes[:, UP] < MOST_UP * planes[:, LENGTH])
    return np.where(sane, score, -1.0)


def _refined(plane: Floats, ground: Ground, kit: Kit, rng: np.random.Generator) -> tuple[Floats, float]:
    return climbed(plane, lambda planes: _scores(planes, ground, kit), WIDE, ROUNDS, TRIES, rng)


def _is_seen_aside(plane: Floats, ground: Ground) -> bool:
    """Whether no piece hides from the side where it is or would lie flat."""
    around = np.concatenate(AROUND)
    both = np.concatenate([plane[None], _lifted(plane[None], ground, 0.0)])
    return bool(shown_in(_points(both, INSIDE), _points(both, around), ground, "side", CLEARLY).free.all())


def _points(planes: Floats, places: Floats) -> Floats:
    """Table points (n, k, 3) at places (k, 2) of aeroplanes."""
    u, v = places[:, 0] * planes[:, LENGTH, None], places[:, 1] * planes[:, SPAN, None]
    cos, sin = np.cos(planes[:, YAW])[:, None], np.sin(planes[:, YAW])[:, None]
    x, y = planes[:, X, None] + u * cos - v * sin, planes[:, Y, None] + u * sin + v * cos
    return np.stack([x, y, np.broadcast_to(planes[:, UP, None], x.shape)], axis=-1)


def _outline(plane: Floats) -> shapely.Polygon:
    return shapely.Polygon(_points(plane[None], OUTLINE)[0, :, :2])


def _building(plane: Floats, name: str) -> Building:
    corners = _points(plane[None], OUTLINE)[0, :, :2]
    return Building(name, "aeroplane", tuple((float(x), float(y)) for x, y in corners), float(HIGH * plane[UP]))
