"""Cars held against what the net takes their pixels for: paint that it takes for none in any view is a shadow's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Car, Layout
from referee.pieces import Kit
from vision.car_doubt import SHADE
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.half_hidden import HALF_HIDDEN
from vision.lineage import highways, owner_of
from vision.odds import CAR
from vision.solids import solid_of

MAY_CARRY = "a car may stand on it, half hidden"
LEAST_CAR, LEAST_HALF_HIDDEN, LEAST_PX = 0.3, 0.06, 30
"""What share of its pixels in one view, where it shows so many, must be taken for a car's: 0.31 and more of most true
ones, 0.28 at most of most other paint. The place of one that is half hidden is rough: it may have as little as 0.07."""
LEAST_CLEAR = 0.32
"""What share a half-hidden one in the highway's own colour must have to be believed on any road: others have 0.28."""


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
    return _without_guesses(replace(layout, cars=tuple(kept)), shares)


def _without_guesses(layout: Layout, shares: Mapping[str, float]) -> Layout:
    """The layout with half-hidden cars on entrances and exits, or clear ones of the highway's owner, where no other car
    stands: elsewhere most are none, and it is asked."""
    known = replace(layout, cars=tuple(car for car in layout.cars if car.unsure != HALF_HIDDEN))
    owners = {road.id: owner_of(known, {r.id for r in way})[0] for way in highways(known) for road in way}
    down = {road.id for road in layout.roads if road.from_ is None or road.to is None}
    taken = {car.road for car in known.cars}
    believed: dict[str, Car] = {}
    for car in sorted(layout.cars, key=lambda one: -shares[one.id]):
        if car.unsure != HALF_HIDDEN or car.road is None or car.road in taken or car.road in believed:
            continue
        if car.road in down or (shares[car.id] > LEAST_CLEAR and car.owner == owners[car.road]):
            believed[car.road] = car
    guesses = [car for car in layout.cars if car not in known.cars and car not in believed.values()]
    beneath = {car.road for car in guesses} - believed.keys()
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
