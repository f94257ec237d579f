"""Cars as one view from aside shows them: on new roads, where known cars do not hide them, and what became of those."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, Road
from referee.pieces import Kit
from vision.car_places import COST
from vision.car_search import found_cars
from vision.cars import car_of, known_paints
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.half_hidden import VIVID, largest
from vision.kept import touched, was_there
from vision.names import next_id
from vision.paint import owner_odds
from vision.seen_cars import stripe_of_car
from vision.solids import solid_of
from vision.stripes import Stripe, stripes
from vision.told import MARGIN_MM, told_of
from vision.unverified import LESS
from vision.view import Floats, Lens, cut_to
from vision.views import scenes_of

LEAST_SIGMA_MM = 2.0
"""How far off cars are at least: from aside their own height hides what lies behind them."""
EDGE_PX = 2.0
"""How far off the near end of a car seems to lie in the picture."""
SHOWN, MOST_LEAN = 0.5, 6.0
"""How high above its road a car is looked for in the middle, of the lowest one's height; and how many times its height
one hides at most behind it."""


def with_cars_aside(view: Evidence, layout: Layout, accepted: Layout, players: Sequence[str], kit: Kit) -> Layout:
    """The layout without cars whose road is gone, with others asked for that are not seen as before, and with those on
    new roads."""
    layout = _with_old(view, layout, kit)
    old = {road.id for road in accepted.roads}
    new = [road for road in layout.roads if road.id not in old]
    if not new:
        return layout
    # A car of a type that is not known may be as large as any: what it may hide is no other one.
    known = {p.id: solid_of(p, kit) for p in (*layout.built(), *(largest(car, kit) for car in layout.cars))}
    paints = _paints(view, layout, kit)
    by_id = {road.id: road for road in new}
    for found in found_cars([_about(view, new, kit)], known, new, players, kit):
        seen = stripe_of_car(found)
        if found.place.gain < COST or math.dist(seen.seen, seen.plain) < VIVID:
            continue
        owners = owner_odds(np.array(seen.seen), np.array(seen.plain), players, kit, paints)
        stood, sigma_mm = stood_on(seen, found.sigma_mm, by_id[seen.road], view.lens, kit)
        car = car_of(stood, by_id[seen.road], next_id("k", layout), owners, kit)
        candidates = tuple(one for one in car.candidates if one.type is None)
        along_mm = sigma_mm * np.abs([math.cos(car.yaw), math.sin(car.yaw)])
        sigma = math.hypot(LEAST_SIGMA_MM, along_mm[0]), math.hypot(LEAST_SIGMA_MM, along_mm[1])
        car = replace(car, type=None, candidates=candidates, sigma=sigma)
        layout = replace(layout, cars=(*layout.cars, car))
    return layout


def _with_old(view: Evidence, layout: Layout, kit: Kit) -> Layout:
    """The layout without cars whose road is gone, and with those asked for of which less is seen than before."""
    roads = {road.id for road in layout.roads}
    layout = replace(layout, cars=tuple(car for car in layout.cars if car.road is None or car.road in roads))
    (scene,) = scenes_of([view], layout, kit)
    near = [car for car in layout.cars if touched([view], solid_of(car, kit))]
    others = {car.id: dataclasses.replace(scene, depth=scene.depth.without(car.id)) for car in near}
    faded = {car.id for car in near if not was_there([others[car.id]], solid_of(car, kit))}
    cars = (replace(car, unsure=car.unsure or LESS) if car.id in faded else car for car in layout.cars)
    return replace(layout, cars=tuple(cars))


def _about(view: Evidence, roads: Sequence[Road], kit: Kit) -> Evidence:
    """The part of a view in which some roads and what stands on them are, with what the net takes its pixels for."""
    points = np.array([tip for road in roads for tip in (road.a, road.b)])
    part = cut_to(view.view, points, round(MARGIN_MM * view.lens.px_per_mm(points.mean(axis=0))))
    return told_of(Evidence(part), points.mean(axis=0), kit)


def stood_on(seen: Stripe, sigma_mm: float, road: Road, lens: Lens, kit: Kit) -> tuple[Stripe, float]:
    """The stretch of a road that a car stands on, of that which it covers in a view with the sigma of its middle: a car
    that the road leads away from the camera under hides as much more behind it as it is high."""
    a, b = np.array(road.a), np.array(road.b)
    ahead = (b - a) / np.linalg.norm(b - a)
    ray = a + ahead * seen.middle_mm - lens.eye
    flat = ahead[:2] / np.hypot(*ahead[:2])
    along, across = float(ray[:2] @ flat), abs(float(ray[0] * flat[1] - ray[1] * flat[0]))
    # How much farther along the road the ray through the top of something meets it, for each mm of its height; as far
    # as it stays over the road.
    fall = float(ahead[2]) / float(np.hypot(*ahead[:2])) * along - float(ray[2])
    lean = along / max(fall, abs(along) / MOST_LEAN, 1e-9)
    most_mm = kit.road_width_mm / 2 * abs(along) / max(across, 1e-9)
    lengths_mm, _, heights_mm = np.array(list(kit.cars.values())).T
    behind_mm = np.minimum(abs(lean) * (heights_mm - SHOWN * heights_mm.min()), most_mm)
    length_mm = float(np.clip(seen.length_mm - behind_mm.mean(), lengths_mm.min(), lengths_mm.max()))
    start_mm = seen.start_mm if lean > 0 else seen.end_mm - length_mm
    stood = dataclasses.replace(seen, start_mm=start_mm, end_mm=start_mm + length_mm)
    spot = ray + lens.eye
    px_per_mm = float(np.hypot(*(lens.project(spot + ahead) - lens.project(spot))))
    return stood, math.hypot(sigma_mm, float(behind_mm.std()), EDGE_PX / max(px_per_mm, 1e-6))


def _paints(view: Evidence, layout: Layout, kit: Kit) -> Mapping[str, Floats]:
    """What each player's cars that are known look like in this view."""
    depth = depth_map({piece.id: solid_of(piece, kit) for piece in layout.built()}, view.lens)
    carrying = {car.road for car in layout.cars}
    marks = stripes(view.view, depth, layout, [road for road in layout.roads if road.id in carrying], kit)
    return known_paints(layout, {road.id: marks.get(road.id, []) for road in layout.roads}, kit)
