"""Where cars stand on known roads, by both views at once: stretches as long as cars that account for most of them.

On each road disjoint stretches are chosen that gain most. Paint counts once: the car that gains most takes the pixels
that it covers in each view, and the others are looked for in what is left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.layout import Road
from referee.pieces import Kit
from vision.car_places import BARE, COST, MAY_BE, Place, best_places, gains_of, worth
from vision.car_rows import STEP_MM, Rows, rows_of
from vision.depth import DepthMap, depth_map, patch_of
from vision.evidence import Evidence
from vision.solids import Prism, box, solid_of

SPREAD = 3.0
"""The difference in gain that makes a place e times less likely: points side by side tell much the same."""
ABOUT_MM = 2.0
"""How much longer a type may be than the stretch that it takes the pixels of."""
RIM_PX = 3
LOOSE_MM = 2.0
"""How far off in height a road may be by which another view speaks against cars on it, all of which are higher."""


@dataclass(frozen=True, eq=False)
class Found:
    """A car: its place, how far its middle may be off, and the rows of its road as each view shows them, less what
    other cars account for."""

    place: Place
    sigma_mm: float
    rows: tuple[Rows, ...]


def found_cars(
    views: Sequence[Evidence], known: Mapping[str, Prism], on: Sequence[Road], players: Sequence[str], kit: Kit
) -> list[Found]:
    """Cars on some roads, the clearest first; those that gain less than their cost are but possible. `known` is what
    may hide them, those roads too."""
    depths = [depth_map(known, view.lens) for view in views]
    seen = [rows_of(view, depth, on, players, kit) for view, depth in zip(views, depths, strict=True)]
    roads = {road.id: road for road in on}
    whole = {name: tuple(one[name] for one in seen) for name in roads}
    places = _chosen(views, depths, whole, roads, kit)
    carrying = {place.road for place in places if place.gain >= COST}
    if loose := [name for name, road in roads.items() if name not in carrying and _is_loose(road)]:
        for name in loose:
            above, *aside = whole[name]
            whole[name] = (above, *(rows.but_against() for rows in aside))
        places = _chosen(views, depths, whole, roads, kit)
    claims = {place: _claims(views, depths, place, roads[place.road], kit) for place in places}
    found = []
    for place in places:
        rows = whole[place.road]
        clear = [one for one in places if one.gain >= COST and one is not place]
        for other in clear:
            rows = _less(rows, claims[other])
        if (again := _settled(place, [one for one in clear if one.road == place.road], rows, kit)) is not None:
            found.append(again)
    return found


def _is_loose(road: Road) -> bool:
    """Whether it is not known how high a road lies, so that from aside it may be something else that is bare there."""
    return road.sigma is not None and max(road.sigma.a[2], road.sigma.b[2]) > LOOSE_MM


def _chosen(
    views: Sequence[Evidence],
    depths: Sequence[DepthMap],
    rows: Mapping[str, tuple[Rows, ...]],
    roads: Mapping[str, Road],
    kit: Kit,
) -> list[Place]:
    """Places of cars, the one that gains most first, each in what those before it leave."""
    left, known = dict(rows), dict(rows)
    chosen: list[Place] = []
    best = {name: best_places(name, gains_of(left[name]), (), kit) for name in roads}
    while any(best.values()):
        places = max((some for some in best.values() if some), key=lambda some: max(one.gain for one in some))
        if len(places) > 1:
            name = places[0].road
            taken = [one for one in chosen if one.road == name]
            alone = best_places(name, gains_of(left[name]), taken, kit, most=1)
            seen = _Seen(views, depths, roads[name], left[name], kit)
            places = places if seen.stand_apart(places, alone[0]) else alone
        chosen += places
        for place in places:
            claims = _claims(views, depths, place, roads[place.road], kit)
            left |= {name: _less(rows, claims) for name, rows in left.items()}
        for name in roads:
            if left[name] is not known[name] or name == places[0].road:
                taken = [one for one in chosen if one.road == name]
                best[name] = best_places(name, gains_of(left[name]), taken, kit)
                known[name] = left[name]
    return chosen


@dataclass(frozen=True, eq=False)
class _Seen:
    """A road as all views show it."""

    views: Sequence[Evidence]
    depths: Sequence[DepthMap]
    road: Road
    rows: tuple[Rows, ...]
    kit: Kit

    def beside(self, place: Place, other: Place) -> float:
        """What a place is worth where another one is taken by a car: a tall one hides the road behind it, which looks
        painted so far."""
        left = gains_of(_less(self.rows, _claims(self.views, self.depths, other, self.road, self.kit)))
        return float(worth(left[:, place.rows()].sum(axis=1)))

    def stand_apart(self, pair: Sequence[Place], alone: Place) -> bool:
        """Whether two cars are worth it each beside the other, with bare road between them or more than one alone
        accounts for."""
        one, other = pair
        if min(self.beside(one, other), self.beside(other, one)) < COST:
            return False
        gap = slice(one.rows().stop, other.rows().start)
        is_bare = float(gains_of(self.rows)[:, gap].sum()) < BARE
        return is_bare or max(self.beside(place, alone) for place in pair) > COST


def _settled(place: Place, others: Sequence[Place], rows: tuple[Rows, ...], kit: Kit) -> Found | None:
    """A place with all other cars known: where its middle is on average over all stretches that it may be, and how far
    off; None where it gains too little then."""
    gains = gains_of(rows)
    low = max((one.rows().stop for one in others if one.middle_mm < place.middle_mm), default=0)
    high = min((one.rows().start for one in others if one.middle_mm > place.middle_mm), default=gains.shape[1])
    sums = np.cumsum(np.pad(gains, ((0, 0), (1, 0))), axis=1)
    near = place.rows()
    middles, told = [], []
    for size in kit.cars.values():
        length = round(size[0] / STEP_MM)
        starts = np.arange(max(low, near.start - length + 1), min(high - length, near.stop - 1) + 1)
        middles.append((starts + length / 2) * STEP_MM)
        told.append(sums[:, starts + length] - sums[:, starts])
    every, gained = np.concatenate(middles), np.concatenate(told, axis=1)
    most = float(worth(gained).max(initial=-math.inf))
    if most < MAY_BE:
        return None
    weight = np.exp((gained.sum(axis=0) - gained.sum(axis=0).max()) / SPREAD)
    weight /= weight.sum()
    middle = float(weight @ every)
    sigma = math.sqrt(float(weight @ (every - middle) ** 2))
    half = min(place.length_mm / 2, middle, gains.shape[1] * STEP_MM - middle)
    return Found(Place(place.road, middle - half, middle + half, most), sigma, rows)


def _less(rows: tuple[Rows, ...], claims: Sequence[NDArray[np.bool_] | None]) -> tuple[Rows, ...]:
    """Rows without the pixels that a car takes in each view; the same ones where it takes none of theirs."""
    less = tuple(one if claim is None else one.without(claim) for one, claim in zip(rows, claims, strict=True))
    return rows if all(one is other for one, other in zip(rows, less, strict=True)) else less


def _claims(
    views: Sequence[Evidence], depths: Sequence[DepthMap], place: Place, road: Road, kit: Kit
) -> list[NDArray[np.bool_] | None]:
    """The pixels that a car at a place takes in each view, as large as it may be."""
    body = car_body(place, road, kit)
    claims: list[NDArray[np.bool_] | None] = []
    for view, depth in zip(views, depths, strict=True):
        if (patch := patch_of(body, view.lens)) is None:
            claims.append(None)
            continue
        claim = np.zeros(depth.shape, np.uint8)
        claim[patch.window] = patch.nearer(depth.closeness)
        about = tuple(slice(max(side.start - RIM_PX, 0), side.stop + RIM_PX) for side in patch.window)
        claim[about] = cv2.dilate(claim[about], np.ones((RIM_PX, RIM_PX), np.uint8))
        claims.append(claim.view(bool))
    return claims


def car_body(place: Place, road: Road, kit: Kit) -> Prism:
    """The largest car that may take a stretch."""
    sizes = [size for size in kit.cars.values() if size[0] <= place.length_mm + ABOUT_MM]
    _, width, height = np.array(sizes or list(kit.cars.values())).max(axis=0)
    stick = solid_of(road, kit)
    u, _, up = stick.axes
    middle = stick.origin + u * (place.middle_mm - math.dist(road.a, road.b) / 2) + up * (stick.half_mm + height / 2)
    return box(middle, math.atan2(u[1], u[0]), (place.length_mm, float(width), float(height)), math.asin(u[2]))
