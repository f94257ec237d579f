"""New cars of paint without a hue, white, grey or black: stretches of new roads lighter or darker than wood, or ones
that the net takes for a car."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout
from referee.pieces import Kit
from vision.at_once import at_once
from vision.car_places import COST
from vision.car_search import found_cars
from vision.cars import car_of
from vision.evidence import Evidence
from vision.half_hidden import stands_on
from vision.names import next_id
from vision.paint import is_neutral, paint_of
from vision.seen_cars import doubt_of, is_bare, placed_car, stripe_of_car
from vision.solids import solid_of
from vision.told import told_of


def with_neutral_cars(
    views: Sequence[Evidence], layout: Layout, accepted: Layout, players: Sequence[str], kit: Kit
) -> Layout:
    """The layout with cars on new roads that are some player's whose paint has no hue; no types are told of them."""
    neutral = [player for player in players if is_neutral(paint_of(player, kit))]
    new = {road.id: road for road in layout.roads if road not in accepted.roads}
    if not neutral or not new or len(views) < 2:
        return layout
    middle = np.mean([tip for road in new.values() for tip in (road.a, road.b)], axis=0)
    told = at_once(lambda view: told_of(view, middle, kit), views)
    known = {piece.id: solid_of(piece, kit) for piece in (*layout.built(), *layout.cars)}
    for one in found_cars(told, known, list(new.values()), neutral, kit):
        road, at_mm = new[one.place.road], np.array([one.place.middle_mm])
        taken = [car for car in layout.cars if car.road == road.id and stands_on(at_mm, road, car, kit).any()]
        if one.place.gain < COST or is_bare(one) or taken:
            continue
        stripe = stripe_of_car(one)
        car = car_of(stripe, road, next_id("k", layout), dict.fromkeys(neutral, 1 / len(neutral)), kit)
        car = placed_car(replace(car, type=None), one, stripe, road, kit)
        layout = replace(layout, cars=(*layout.cars, replace(car, unsure=car.unsure or doubt_of(one))))
    return layout
