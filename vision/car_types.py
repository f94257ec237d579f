"""Which type a car is: the silhouettes of all types held against its paint in both views."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from referee.layout import Car, Layout, Road
from referee.pieces import Kit
from vision.car_paint import Painted, overhead_paint, side_paint
from vision.car_shapes import shapes_of
from vision.evidence import Evidence
from vision.solids import Prism, solid_of
from vision.stripes import Stripe
from vision.view import Floats, Singles

BARE, HOLE = 0.2, 0.6
"""What a mm^2 of a silhouette without paint costs where a type may be painted and where it must be, against one of
paint outside it."""
OPEN, FLOOR = 0.5, 0.3
"""What a mm^2 of an open bed counts for a type that has one if it is not painted, and what share of it must not be for
that to speak for it: of true ones 0.4 to 0.7 is not, of closed roofs 0.3 at most."""
ROUNDED_MM = 0.4
"""How much shorter than its box a car looks: its ends are rounded, and bumpers are not painted."""
SPREAD_MM2 = 1.4
"""The cost that makes a type e times less likely."""
FINE_PX_PER_MM = 2.0
"""Where a view is coarser, costs spread more and it misleads more often, by the size of its pixels."""
DISAGREED = 0.1
"""Share of what the likeliest type costs in views that fit another better, by which costs spread more."""
MISLED = 0.02
"""How often a view misleads for a reason of its own: a shadow, a print, something unknown before the car."""
LONE, EASE = 0.2, 4.0
"""How often it does where it is the only one, and by how much larger costs are then."""
EXPLAINED, UNCLEAR = 0.8, 0.6
"""Shares of the paint that a car must explain, or it is sought further along the road, or nothing is clear."""
WIDE_EASE = 1.5
"""By how much larger costs are where the car was sought so: in wide steps."""
FINER = 2
WHOLE = 0.97
SHIFTS_MM = (-1.0, -0.5, 0.0, 0.5, 1.0)
WIDE_SHIFTS_MM = (-6.0, -4.5, -3.0, -1.5, 0.0, 1.5, 3.0, 4.5, 6.0)
"""Where along the road the car's middle may lie from the stretch's, as a rule and where its ends are not seen."""
FAR_OFF_MM, CUT_MM = 7.0, 2.0
"""Types that are so much longer or shorter than a whole stretch are none of it; and how much shorter than any car a
stretch is at least of which something unknown hides a part."""
_SUBPIXEL_BITS = 4
_Corners = tuple[list[Floats], ...]


@dataclass(frozen=True, eq=False)
class _Weights:
    """What each fine pixel in a silhouette adds: within `most` of a type, further within `least`, and in an open bed
    where one looks into it; in mm^2."""

    seen: Painted
    layers: tuple[Singles, ...]


def seen_type_odds(
    views: Sequence[Evidence], layout: Layout, car: Car, road: Road, stripe: Stripe, kit: Kit
) -> dict[str, float] | None:
    """How likely each type is by what the views show of a new car; None where they show too little."""
    seen = [overhead_paint(views[0].view, layout, car, road, stripe, kit)]
    seen += [side_paint(one.view, layout, car, road, stripe, kit) for one in views[1:]]
    windows = [_weights(one, one is seen[0]) for one in seen if one is not None]
    if not windows:
        return None
    paint_mm2 = sum(float(one.layers[0].clip(0).sum()) for one in windows)
    near = [kind for kind, size in kit.cars.items() if abs(size[0] - stripe.length_mm) < FAR_OFF_MM]
    is_cut = stripe.shown < WHOLE or stripe.length_mm < min(size[0] for size in kit.cars.values()) - CUT_MM
    fits = {} if is_cut else _fits(windows, road, stripe, near, SHIFTS_MM, kit)
    ease = 1.0
    if _best_mm2(fits) < EXPLAINED * paint_mm2:
        fits = _fits(windows, road, stripe, list(kit.cars), WIDE_SHIFTS_MM, kit)
        ease = EASE if _best_mm2(fits) < UNCLEAR * paint_mm2 else WIDE_EASE
    coarse = max(1.0, *(FINE_PX_PER_MM / one.seen.px_per_mm for one in windows))
    return odds_by_fits(fits, coarse, ease)


def _weights(seen: Painted, from_above: bool) -> _Weights:
    bare = (1 - seen.paint) * seen.free
    area_mm2 = 1 / (FINER * seen.px_per_mm) ** 2
    most, least = seen.paint * seen.free - BARE * bare, (BARE - HOLE) * bare
    bed = OPEN * (1 - seen.bare_paint - FLOOR) * seen.free
    layers = (most, least, bed) if from_above else (most, least)
    return _Weights(seen, tuple(_fine(one * area_mm2) for one in layers))


def _fine(values: Floats | Singles) -> Singles:
    wide, high = values.shape[1] * FINER, values.shape[0] * FINER
    return np.asarray(cv2.resize(values.astype(np.float32), (wide, high), interpolation=cv2.INTER_LINEAR), np.float32)


def _fits(
    windows: Sequence[_Weights], road: Road, stripe: Stripe, kinds: Sequence[str], shifts_mm: Sequence[float], kit: Kit
) -> dict[str, Floats]:
    """How well each type fits in each view, in mm^2, where it fits best in all of them."""
    stick = solid_of(road, kit)
    along = stripe.middle_mm - math.dist(road.a, road.b) / 2 + np.array(shifts_mm)
    found = {}
    for kind in kinds:
        tries = [one for parts in _bodies(kind, kit.cars[kind]) for one in _tried(windows, stick, parts, along)]
        found[kind] = max(tries, key=lambda one: float(one.sum()))
    return found


def _best_mm2(fits: Mapping[str, Floats]) -> float:
    return max((float(one.sum()) for one in fits.values()), default=-math.inf)


def _bodies(kind: str, size_mm: tuple[float, float, float]) -> Iterator[_Corners]:
    """Corners of what a type may fill, must fill and leaves open, for each of its shapes and both ways it may head."""
    looks_mm = (size_mm[0] - ROUNDED_MM, *size_mm[1:])
    for shape in shapes_of(kind):
        for heading in ((1.0, 1.0, 1.0), (-1.0, 1.0, 1.0)):
            every = (shape.most, shape.least, shape.bed)
            yield tuple([part.corners_mm(looks_mm) * heading for part in parts] for parts in every)


def _tried(windows: Sequence[_Weights], stick: Prism, parts: _Corners, along: Floats) -> Floats:
    """How well a body fits in each view at each place (places, views)."""
    base = stick.origin + along[:, None] * stick.axes[0] + stick.half_mm * stick.axes[2]
    fits = np.zeros((len(along), len(windows)))
    corners = [one for some in parts for one in some]
    points = base[:, None] + np.concatenate(corners) @ stick.axes
    ends = np.cumsum([len(one) for one in corners])
    for i, window in enumerate(windows):
        every = iter(np.split(_pixels(window, points), ends[:-1], axis=1))
        for values, some in zip(window.layers, parts, strict=False):
            outlines = [next(every) for _ in some]
            for k in range(len(along)):
                fits[k, i] += _sum_within(values, [one[k] for one in outlines])
    return fits


def _pixels(window: _Weights, points: Floats) -> np.ndarray:
    """Fine pixels of table points, in parts of them."""
    pixels = (window.seen.lens.project(points) + 0.5) * FINER - 0.5
    return np.rint(pixels * (1 << _SUBPIXEL_BITS)).astype(np.int32)


def _sum_within(values: Singles, outlines: Sequence[np.ndarray]) -> float:
    """The sum of what lies within any of the convex hulls of some points."""
    mask = np.zeros(values.shape, np.uint8)
    for points in outlines:
        cv2.fillConvexPoly(mask, cv2.convexHull(points), 1, cv2.LINE_8, _SUBPIXEL_BITS)
    return float(values[mask.view(bool)].sum())


def odds_by_fits(fits: Mapping[str, Floats], coarse: float, ease: float) -> dict[str, float]:
    """Odds by all views together, and with some weight by each alone; less clear where the views disagree."""
    table = np.array(list(fits.values()))
    against_mm2 = float((table.max(axis=0) - table[table.sum(axis=1).argmax()]).sum())
    table /= (SPREAD_MM2 * coarse + DISAGREED * against_mm2) * ease
    count = table.shape[1]
    if count == 1:
        odds = (1 - LONE) * _shares(table[:, 0]) + LONE * _shares(table[:, 0] / EASE)
    else:
        misled = min(MISLED * coarse, 1 / (2 * count))
        alone = sum(_shares(table[:, i]) for i in range(count))
        odds = (1 - misled * count) * _shares(table.sum(axis=1)) + misled * alone
    return {kind: float(p) for kind, p in zip(fits, odds, strict=True)}


def _shares(logs: Floats) -> Floats:
    weight = np.exp(logs - logs.max())
    shares: Floats = weight / weight.sum()
    return shares
