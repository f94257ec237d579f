"""Cars that the net sees in both views and whose paint does not tell them: a white roof, a glaring lamp."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, Road
from referee.pieces import Kit
from vision.cars import car_of
from vision.depth import DepthMap, depth_map
from vision.evidence import Evidence
from vision.half_hidden import stands_on
from vision.names import next_id
from vision.odds import CAR
from vision.solids import solid_of
from vision.stripes import LEAST_SHOWN, LIFT_MM, STEP_MM, band, stretches, stripe_of, upper_side
from vision.told_cars import told_cars
from vision.view import Floats, sampled

ROW, SIDE = 0.6, 0.5
"""Share of a row across a road from above, and of the whole car from the side, that must be taken for a car's."""
SHORTEST = 0.7
"""Share of the shortest car that must be."""
BESIDE_MM = 8.0
"""How far from a known car another one may begin: what the net takes for a car has soft ends."""
SIGMA_MM = 2.0
BY_SHAPE = "its colour does not tell it from the road"


def with_net_cars(layout: Layout, views: Sequence[Evidence], players: Sequence[str], kit: Kit) -> Layout:
    """The layout with cars added, and asked for, that the net sees on roads where none is known."""
    if len(views) < 2 or any(view.told is None for view in views):
        return layout
    overhead, side = views[0], views[1]
    above = depth_map({piece.id: solid_of(piece, kit) for piece in layout.built()}, overhead.lens)
    beside = depth_map({piece.id: solid_of(piece, kit) for piece in (*layout.built(), *layout.cars)}, side.lens)
    least = SHORTEST * min(size[0] for size in kit.cars.values()) / STEP_MM
    for road in layout.roads:
        seen = band(overhead.view, above, road, kit, LIFT_MM)
        if seen is None:
            continue
        taken = _taken(overhead, above, road, kit) > ROW
        for car in layout.cars:
            if car.road == road.id:
                taken &= ~stands_on(seen.along_mm, road, car, kit, BESIDE_MM)
        for rows in (rows for rows in stretches(taken) if len(rows) >= least):
            past = band(side.view, beside, road, kit, LIFT_MM)
            painted = None if past is None else rows[past.far[rows].any(axis=1)]
            if past is None or painted is None or not len(painted):
                continue
            stripe = stripe_of(side.view, past, road, rows, past.vivid(painted))
            car = car_of(stripe, road, next_id("k", layout), players, kit, {})
            car = replace(car, type=None, sigma=(SIGMA_MM, SIGMA_MM), unsure=BY_SHAPE)
            more = replace(layout, cars=(*layout.cars, car))
            if told_cars(more, [side], kit)[car.id] > SIDE:
                layout = more
    return layout


def _taken(view: Evidence, depth: DepthMap, road: Road, kit: Kit) -> Floats:
    """How much of each row across a road is taken for a car, as far as nothing hides it."""
    assert view.told is not None
    _, pixels, free = upper_side(view.lens, depth, road, kit, LIFT_MM)
    shares = sampled(np.ascontiguousarray(view.told[..., CAR]), pixels) * free
    rows: Floats = shares.sum(axis=1) / np.maximum(free.sum(axis=1), 1)
    return np.where(free.mean(axis=1) > LEAST_SHOWN, rows, 0.0)
