"""Coloured stretches of roads that may be no cars: tinted shadows have faint colours and soft edges."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Car, Layout, Road
from referee.pieces import Kit
from vision.evidence import Evidence
from vision.fit import Scene, support
from vision.kept import present, was_there
from vision.solids import Prism, box, car_size_mm, solid_of
from vision.stripes import Stripe
from vision.view import sampled
from vision.views import scenes_of

FAINT, PALE = 0.25, 0.33
"""Chroma distance from the road below which a stretch is no car, and below which it must have a car's edges."""
EDGES, SOFT = 0.6, 0.48
"""Shares of a car's outline that must be seen where its colour is pale, and where it is not."""
SHADOWED, CLEAR_EDGES = 0.85, 0.8
"""Share of its light that an old road keeps at most in a new piece's shadow, and the edges of a car there."""
ALIKE = 0.12
NO_CAR = "no car"
SHADE = "a car or a tinted shadow"


def doubtful_stripes(
    views: Sequence[Evidence],
    layout: Layout,
    stripes: Sequence[Stripe],
    shades: Sequence[Stripe],
    fresh: set[str],
    kit: Kit,
) -> dict[Stripe, str]:
    """Stretches that are no cars or have to be asked for, and why; `shades` are known to be no cars."""
    if not stripes:
        return {}
    roads = {road.id: road for road in layout.roads}
    new = scenes_of(list(views), layout, kit)
    plain = present(new)
    found = {}
    for stripe in stripes:
        apart = math.dist(stripe.seen, stripe.plain)
        seen = _seen(plain if stripe.road in fresh else new, _body(stripe, roads[stripe.road], kit))
        like_shade = any(_gap(stripe, other) < ALIKE for other in shades)
        pale = apart < PALE or like_shade
        if apart < FAINT or (pale and seen < EDGES):
            found[stripe] = NO_CAR
        elif pale or seen < SOFT or (seen < CLEAR_EDGES and may_be_shade(views[0], stripe, roads, fresh, kit)):
            found[stripe] = SHADE
    return found


def may_be_shade(
    overhead: Evidence, stripe: Stripe, roads: Mapping[str, Road], fresh: Collection[str], kit: Kit
) -> bool:
    """Whether a stretch of an old road grew darker as a new road was laid: cars are put on the new one."""
    if stripe.road in fresh or not fresh or overhead.change is None:
        return False
    road = roads[stripe.road]
    a, b = np.array(road.a), np.array(road.b)
    along = np.linspace(stripe.start_mm, stripe.end_mm, 12)[:, None]
    points = a + (b - a) * along / np.linalg.norm(b - a) + np.array([0.0, 0.0, kit.road_thickness_mm / 2])
    pixels = overhead.lens.project(points)
    now = sampled(overhead.view.light, pixels)
    was = now - sampled(overhead.change, pixels)
    return float(np.median(now.sum(axis=1) / np.maximum(was.sum(axis=1), 1.0))) < SHADOWED


def is_still_seen(views: Sequence[Evidence], layout: Layout, car: Car, kit: Kit) -> bool:
    """Whether the outline of a known car shows as it did before."""
    others = replace(layout, cars=tuple(one for one in layout.cars if one.id != car.id))
    scenes = scenes_of(list(views), others, kit)
    return was_there(scenes, solid_of(car, kit)) and _seen(present(scenes), solid_of(car, kit)) > SOFT


def _seen(scenes: Sequence[Scene], prism: Prism) -> float:
    """How much of a car's outline the view shows that shows least of it."""
    shares = [one.seen for one in (support(scene, prism) for scene in scenes) if one.visible > 0.4]
    return min(shares, default=0.0)


def _gap(one: Stripe, other: Stripe) -> float:
    """How differently two stretches stand out from their roads."""
    leans = [np.array(s.seen) - np.array(s.plain) for s in (one, other)]
    return float(np.hypot(*(leans[0] - leans[1])))


def _body(stripe: Stripe, road: Road, kit: Kit) -> Prism:
    """A middling car over a stretch."""
    a, b = np.array(road.a), np.array(road.b)
    u = (b - a) / np.linalg.norm(b - a)
    length, width, height = car_size_mm(None, kit)
    lift = np.array([0.0, 0.0, (kit.road_thickness_mm + height) / 2])
    yaw, pitch = math.atan2(u[1], u[0]), math.asin(float(u[2]))
    return box(a + u * stripe.middle_mm + lift, yaw, (max(stripe.length_mm + 1.0, 0.7 * length), width, height), pitch)
