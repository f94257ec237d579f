"""Cars that roads above them hide from the overhead view, or all but hide: told by what the side view shows there."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Car, Layout, Road
from referee.pieces import Kit
from vision.cars import car_of
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.names import next_id
from vision.paint import owner_odds
from vision.solids import car_size_mm, solid_of
from vision.stripes import LEAST_SHOWN, LIFT_MM, STEP_MM, Band, bands, stretches, stripe_of
from vision.view import Floats

LEAST, BESIDE_MM = 0.4, 2.0
"""Share of the shortest car that must show in either view, and how far from a known car another one may begin."""
VIVID = 0.33
"""Chroma distance from the road from which paint is a car's: side views have more tinted shade."""
SIGMA_MM = 4.0
HALF_HIDDEN = "half hidden"


def with_half_hidden(
    views: Sequence[Evidence], layout: Layout, accepted: Layout, players: Sequence[str], kit: Kit
) -> Layout:
    """The layout with cars on new roads added, and asked for, that the overhead view alone cannot tell."""
    if len(views) < 2:
        return layout
    overhead, side = views[0], views[1]
    above = depth_map({piece.id: solid_of(piece, kit) for piece in layout.built()}, overhead.lens)
    # A car of a type that is not known may be as large as any: what it may hide is no other one.
    known = {piece.id: solid_of(piece, kit) for piece in (*layout.built(), *(largest(c, kit) for c in layout.cars))}
    beside = depth_map(known, side.lens)
    new = [road for road in layout.roads if road not in accepted.roads]
    if not new:
        return layout
    pasts = bands(side.view, beside, layout, new, kit, 0.0)
    overs = bands(overhead.view, above, layout, new, kit, LIFT_MM)
    for road in [road for road in new if road.id in pasts]:
        past = pasts[road.id]
        for rows in _unexplained(past, overs.get(road.id), road, layout, kit):
            vivid = past.vivid(rows[past.painted()[rows]])
            if math.dist(vivid, past.plain) < VIVID:
                continue
            seen = stripe_of(side.view, past, road, with_hidden(rows, past, kit), vivid)
            owners = owner_odds(np.array(seen.seen), np.array(seen.plain), players, kit, {})
            car = car_of(seen, road, next_id("k", layout), owners, kit)
            car = replace(car, type=None, sigma=(SIGMA_MM, SIGMA_MM), unsure=HALF_HIDDEN)
            layout = replace(layout, cars=(*layout.cars, car))
    return layout


def _unexplained(past: Band, over: Band | None, road: Road, layout: Layout, kit: Kit) -> list[np.ndarray]:
    """Runs of rows that the side view shows painted, the overhead view not plain, and no known car stands on."""
    seen_above = np.zeros(len(past.along_mm), bool) if over is None else over.shown > LEAST_SHOWN
    painted_above = np.zeros(len(past.along_mm), bool) if over is None else over.painted()
    painted = past.painted()
    may_be = painted_above | (painted & ~seen_above)
    for car in layout.cars:
        if car.road == road.id:
            may_be &= ~stands_on(past.along_mm, road, car, kit)
    least = LEAST * min(size[0] for size in kit.cars.values()) / STEP_MM
    return [
        rows
        for rows in stretches(may_be)
        if may_be[rows].sum() >= least and (painted & may_be)[rows].sum() >= least / 2
    ]


def stands_on(along_mm: Floats, road: Road, car: Car, kit: Kit, beside_mm: float = BESIDE_MM) -> np.ndarray:
    """Places along a road that a car on it may take up, and so far beside it."""
    reach_mm = car_size_mm(largest(car, kit).type, kit)[0] / 2 + beside_mm
    near: np.ndarray = np.abs(along_mm - _along_mm(road, car.x, car.y)) <= reach_mm
    return near


def largest(car: Car, kit: Kit) -> Car:
    """The car as the longest that it may be."""
    may_be = [one.type for one in car.candidates if one.type in kit.cars] or list(kit.cars)
    return car if car.type is not None else replace(car, type=max(may_be, key=lambda kind: kit.cars[kind][0]))


def with_hidden(rows: np.ndarray, past: Band, kit: Kit) -> np.ndarray:
    """A run of rows that is shorter than a car, grown to a middling one where the side view does not show more."""
    lacking = round(car_size_mm(None, kit)[0] / STEP_MM) - len(rows)
    hidden = past.shown <= LEAST_SHOWN
    before = next((k for k in range(rows[0]) if not hidden[rows[0] - 1 - k]), int(rows[0]))
    after = next(
        (k for k in range(len(hidden) - rows[-1] - 1) if not hidden[rows[-1] + 1 + k]), len(hidden) - rows[-1] - 1
    )
    if lacking <= 0 or before + after == 0:
        return rows
    grown = (
        min(before, round(lacking * before / (before + after))),
        min(after, round(lacking * after / (before + after))),
    )
    return np.arange(rows[0] - grown[0], rows[-1] + grown[1] + 1)


def _along_mm(road: Road, x: float, y: float) -> float:
    a, b = np.array(road.a[:2]), np.array(road.b[:2])
    share = float((np.array([x, y]) - a) @ (b - a) / ((b - a) @ (b - a)))
    return share * math.dist(road.a, road.b)
