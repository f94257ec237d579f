"""Cars under other roads that peep out: paint from above where a road goes under something, and nothing aside."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, Road
from referee.pieces import Kit
from vision.cars import car_of
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.half_hidden import HALF_HIDDEN, SIGMA_MM, stands_on, with_hidden
from vision.names import next_id
from vision.solids import solid_of
from vision.stripes import LEAST_SHOWN, LIFT_MM, STEP_MM, Band, band, stretches, stripe_of

PEEPS_MM, BESIDE_ROWS = 1.0, 3
"""How much paint must show, and so many rows at most from what something hides."""
VIVID = 0.38
"""Chroma distance from the road from which it is a car's: 0.40 and more of true ones, 0.37 at most of most others."""


def with_peeping(views: Sequence[Evidence], layout: Layout, players: Sequence[str], kit: Kit) -> Layout:
    """The layout with cars added, and asked for, of which only ends show, and those from above only."""
    above = depth_map({piece.id: solid_of(piece, kit) for piece in layout.built()}, views[0].lens)
    for road in layout.roads:
        over = band(views[0].view, above, road, kit, LIFT_MM)
        if over is None:
            continue
        for rows in _ends(over, road, layout, kit)[:1]:
            seen = stripe_of(views[0].view, over, road, with_hidden(rows, over, kit), over.vivid(rows))
            car = car_of(seen, road, next_id("k", layout), players, kit, {})
            car = replace(car, type=None, sigma=(SIGMA_MM, SIGMA_MM), unsure=HALF_HIDDEN)
            layout = replace(layout, cars=(*layout.cars, car))
    return layout


def _ends(over: Band, road: Road, layout: Layout, kit: Kit) -> list[np.ndarray]:
    """Painted rows beside hidden ones on which no known car stands, most of them first."""
    free = ~np.any([stands_on(over.along_mm, road, car, kit) for car in layout.cars if car.road == road.id], axis=0)
    hidden = np.convolve(over.shown <= LEAST_SHOWN, np.ones(2 * BESIDE_ROWS + 1), "same") > 0
    found = [
        rows
        for rows in stretches(over.painted() & free)
        if len(rows) * STEP_MM >= PEEPS_MM and hidden[rows].any() and math.dist(over.vivid(rows), over.plain) >= VIVID
    ]
    return sorted(found, key=len, reverse=True)
