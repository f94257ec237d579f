"""Cars held against what the net takes their pixels for: paint that it takes for none in any view is a shadow's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout
from referee.pieces import Kit
from vision.car_doubt import SHADE
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.half_hidden import HALF_HIDDEN
from vision.odds import CAR
from vision.solids import solid_of

MAY_CARRY = "a car may stand on it, half hidden"
LEAST_CAR, LEAST_HALF_HIDDEN, LEAST_PX = 0.31, 0.07, 30
"""What share of its pixels in one view, where it shows so many, must be taken for a car's: 0.35 and more of true ones,
0.28 at most of most other paint. The place of one that is half hidden is rough: 0.08 and more, and 0.06 at most."""


def with_told_cars(layout: Layout, views: Sequence[Evidence], kit: Kit) -> Layout:
    """The layout without cars that were asked for and are none by the net; those that were sure are asked for."""
    if not layout.cars or any(view.told is None for view in views):
        return layout
    shares = told_cars(layout, views, kit)
    kept = []
    for car in layout.cars:
        if shares[car.id] > (LEAST_HALF_HIDDEN if car.unsure == HALF_HIDDEN else LEAST_CAR):
            kept.append(car)
        elif car.unsure is None:
            kept.append(replace(car, unsure=SHADE))
    return _without_guesses(replace(layout, cars=tuple(kept)))


def _without_guesses(layout: Layout) -> Layout:
    """The layout with half-hidden cars on bare entrances and exits alone: elsewhere most are none, and it is asked."""
    carrying = {road.id for road in layout.roads if road.from_ is None or road.to is None}
    carrying -= {car.road for car in layout.cars if car.unsure != HALF_HIDDEN}
    guesses = [car for car in layout.cars if car.unsure == HALF_HIDDEN and car.road not in carrying]
    beneath = {car.road for car in guesses}
    roads = [replace(r, unsure=r.unsure or MAY_CARRY) if r.id in beneath else r for r in layout.roads]
    return replace(layout, roads=tuple(roads), cars=tuple(car for car in layout.cars if car not in guesses))


def told_cars(layout: Layout, views: Sequence[Evidence], kit: Kit) -> dict[str, float]:
    """How much of each car, in the view that takes it most for one, is taken for a car; 1 where none shows it."""
    known = {piece.id: solid_of(piece, kit) for piece in (*layout.built(), *layout.cars)}
    found: dict[str, list[float]] = {car.id: [] for car in layout.cars}
    for view in views:
        if view.told is None:
            continue
        depth = depth_map(known, view.lens)
        for name, shares in found.items():
            shown = depth.number == depth.names.index(name)
            if np.count_nonzero(shown) >= LEAST_PX:
                shares.append(float(view.told[..., CAR][shown].mean()))
    return {name: max(shares, default=1.0) for name, shares in found.items()}
