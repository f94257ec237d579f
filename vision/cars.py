"""Cars on roads: place and colour from the coloured stretches that the overhead view shows, type from all views."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Candidate, Car, Layout, Road
from referee.pieces import Kit
from vision.car_doubt import NO_CAR, doubtful_stripes, is_still_seen
from vision.car_types import WHOLE, seen_type_odds
from vision.depth import DepthMap, depth_map, with_solids
from vision.evidence import Evidence
from vision.names import next_id
from vision.one_each import odds_by_box
from vision.paint import owner_odds
from vision.solids import car_size_mm, solid_of
from vision.stripes import Stripe, stripes
from vision.view import Floats

LENGTH_MM, LEAN_SHARE = 0.1, 0.6
"""What a stretch is longer than its car, and the share of the car's height that leans out of it, seen aslant."""
LENGTH_SIGMA_MM, ODD_SIGMA_MM, ODD = 1.2, 3.5, 0.05
"""How far lengths are off as a rule; and how far, and how often, where a window or a shade cuts or adds a part."""
SURE_TYPE = 0.75
"""Odds from which a type is given: most are far surer, so that 95 in 100 of all that are given are right."""
SURE_OWNER = 0.9
SIGMA_MM = 0.5
ITS_ROAD, TINTED = "its road", 2
"""Why cars are asked for that stand on a doubtful road, and how many doubtful ones on one make the others so."""
CHANGED = 6.0
BEYOND_MM = 3.0
"""How much longer than any car a stretch is that is two."""

Marks = Mapping[str, Sequence[Stripe]]


def watched_cars(
    views: Sequence[Evidence],
    layout: Layout,
    accepted: Layout,
    players: Sequence[str],
    kit: Kit,
    is_dimmed: bool = False,
) -> Layout:
    """The layout with new cars added and cars left out that are not there any more, or asked for where a lamp went out;
    overhead is the first view."""
    overhead = views[0]
    depth = depth_map({piece.id: solid_of(piece, kit) for piece in layout.built()}, overhead.lens)
    old = {road.id: road for road in accepted.roads}
    fresh = {road.id for road in layout.roads if old.get(road.id) != road}
    now = stripes(overhead.view, depth, layout, layout.roads, kit)
    layout = _without_gone(views, depth, layout, now, kit, is_dimmed)
    # Before what is new other cars may stand: tall ones lean over it, and have a car's colour there too.
    standing = {car.id: solid_of(car, kit) for car in layout.cars if car.road not in fresh}
    beside = with_solids(depth, standing, overhead.lens)
    now |= stripes(overhead.view, beside, layout, [road for road in layout.roads if road.id in fresh], kit)
    hidden = depth_map({piece.id: solid_of(piece, kit) for piece in accepted.built()}, overhead.lens)
    free = {r.id: [s for s in now[r.id] if not is_claimed(s, r, layout, kit)] for r in layout.roads}
    shades: list[Stripe] = []
    if overhead.before is not None:
        # What was painted before and was no car is none now: a print, a stain, a tinted shadow.
        painted = [road for road in layout.roads if road.id not in fresh and free[road.id]]
        was = stripes(overhead.before, hidden, accepted, painted, kit)
        shades = [s for name, paints in was.items() for s in free[name] if _overlaps(s, paints)]
        free = {name: [s for s in some if s not in shades] for name, some in free.items()}
    doubts = doubtful_stripes(views, layout, [s for some in free.values() for s in some], shades, fresh, kit)
    kept = {name: [s for s in now[name] if s not in free[name] or doubts.get(s, "") != NO_CAR] for name in now}
    kept = {name: [s for s in some if s not in shades] for name, some in kept.items()}
    before = {car.id for car in layout.cars}
    layout = find_cars(views, layout, kept, players, kit, fresh)
    layout = _asked_at(layout, before, {s: why for s, why in doubts.items() if why != NO_CAR})
    return asked_on_doubtful_roads(layout, fresh, before)


def _asked_at(layout: Layout, before: set[str], doubts: Mapping[Stripe, str]) -> Layout:
    """The layout with new cars asked for that doubtful stretches made."""
    roads = {road.id: road for road in layout.roads}
    cars = []
    for car in layout.cars:
        road, reasons = roads.get(car.road or ""), [car.unsure]
        if car.id not in before and road is not None and car.unsure is None:
            at_mm = _along_mm(road, car)
            reasons += [why for s, why in doubts.items() if s.road == road.id and s.start_mm <= at_mm <= s.end_mm]
        cars.append(replace(car, unsure=next((why for why in reasons if why is not None), None)))
    return replace(layout, cars=tuple(cars))


def is_claimed(stripe: Stripe, road: Road, layout: Layout, kit: Kit) -> bool:
    """Whether a known car accounts for a coloured stretch."""
    return any(_covers(stripe, road, car, kit) for car in layout.cars if car.road == road.id)


def _overlaps(stripe: Stripe, others: Sequence[Stripe]) -> bool:
    return any(min(stripe.end_mm, one.end_mm) > max(stripe.start_mm, one.start_mm) for one in others)


def asked_on_doubtful_roads(layout: Layout, fresh: set[str], before: set[str]) -> Layout:
    """The layout with cars asked for on doubtful new roads, and new ones where more are: a lamp may tint the road."""
    doubtful = {road.id for road in layout.roads if road.id in fresh and road.unsure is not None}
    may_be = Counter(car.road for car in layout.cars if car.id not in before and car.unsure is not None)
    tinted = {road for road, count in may_be.items() if count >= TINTED}
    cars = [
        replace(car, unsure=car.unsure or ITS_ROAD)
        if car.road in doubtful or (car.road in tinted and car.id not in before)
        else car
        for car in layout.cars
    ]
    return replace(layout, cars=tuple(cars))


def find_cars(
    views: Sequence[Evidence], layout: Layout, marks: Marks, players: Sequence[str], kit: Kit, fresh: set[str]
) -> Layout:
    """The layout with cars added where roads are painted and none is known; `fresh` are roads that are new."""
    paints = known_paints(layout, marks, kit)
    found: dict[str, Stripe] = {}
    for road in layout.roads:
        for stripe in marks[road.id]:
            if is_claimed(stripe, road, layout, kit):
                continue
            if road.id not in fresh and not _changed(views[0], stripe, road, kit):
                continue
            for part in _parted(stripe, kit):
                owners = owner_odds(np.array(part.seen), np.array(part.plain), players, kit, paints)
                car = car_of(part, road, next_id("k", layout), owners, kit)
                layout = replace(layout, cars=(*layout.cars, car))
                found[car.id] = part
    return typed(views, layout, found, kit)


def typed(views: Sequence[Evidence], layout: Layout, found: Mapping[str, Stripe], kit: Kit) -> Layout:
    """The layout with the types of new cars told by what all views show of them, and by the cars that stand already."""
    roads = {road.id: road for road in layout.roads}
    new = {car: roads[car.road] for car in layout.cars if car.id in found and car.road is not None}
    told = [seen_type_odds(views, layout, car, new[car], found[car.id], kit) for car in new]
    seen = {car.id: odds or type_odds(found[car.id], kit) for car, odds in zip(new, told, strict=True)}
    odds = odds_by_box(seen, layout, kit)
    cars = [_with_type(car, odds[car.id], new[car], kit) if car in new else car for car in layout.cars]
    return replace(layout, cars=tuple(cars))


def _without_gone(
    views: Sequence[Evidence], depth: DepthMap, layout: Layout, marks: Marks, kit: Kit, is_dimmed: bool
) -> Layout:
    """The layout without cars whose road is gone, or whose paint and edges were seen before and are not any more."""
    overhead = views[0]
    if overhead.before is None:
        return layout
    roads = {road.id: road for road in layout.roads}
    on_roads = [(car, roads[car.road]) for car in layout.cars if car.road in roads]
    unseen = [not any(_covers(one, road, car, kit) for one in marks[road.id]) for car, road in on_roads]
    bare = {road.id: road for (_, road), is_bare in zip(on_roads, unseen, strict=True) if is_bare}
    was = stripes(overhead.before, depth, layout, list(bare.values()), kit)
    kept = []
    for (car, road), is_unseen in zip(on_roads, unseen, strict=True):
        why = car.unsure
        if is_unseen and any(_covers(one, road, car, kit) for one in was[road.id]):
            if road.unsure is None and not is_dimmed and not is_still_seen(views, layout, car, kit):
                continue
            why = why or "its colour is not seen any more"
        kept.append(replace(car, unsure=why))
    return replace(layout, cars=tuple(kept))


def known_paints(layout: Layout, marks: Marks, kit: Kit) -> dict[str, Floats]:
    """The chroma of each player's cars in this light, from cars that are known."""
    seen: dict[str, list[tuple[float, float]]] = {}
    roads = {road.id: road for road in layout.roads}
    for car in layout.cars:
        if car.owner is None or car.unsure is not None or car.road not in roads:
            continue
        for stripe in marks[car.road]:
            if stripe.shown > WHOLE and _covers(stripe, roads[car.road], car, kit):
                seen.setdefault(car.owner, []).append(stripe.seen)
    return {owner: np.median(np.array(values), axis=0) for owner, values in seen.items()}


def car_of(stripe: Stripe, road: Road, name: str, owners: Mapping[str, float], kit: Kit) -> Car:
    """The car that makes a coloured stretch of a road, with the odds of whose it is."""
    owner = max(owners, key=lambda player: owners[player])
    a, b = np.array(road.a), np.array(road.b)
    x, y, z = (float(v) for v in a + (b - a) * stripe.middle_mm / np.linalg.norm(b - a))
    yaw = math.atan2(b[1] - a[1], b[0] - a[0])
    doubt = None if owners[owner] >= SURE_OWNER else "colour"
    candidates = [Candidate(p=round(p, 3), owner=player) for player, p in owners.items() if doubt and p > 0.02]
    sigma = (SIGMA_MM, SIGMA_MM)
    car = Car(name, x, y, z, yaw, road.id, owner, None, sigma, doubt, tuple(candidates))
    return _with_type(car, type_odds(stripe, kit), road, kit)


def _with_type(car: Car, odds: Mapping[str, float], road: Road, kit: Kit) -> Car:
    """A car with its type where the odds are clear, else with those that it may be, at the height that goes with it."""
    kind = max(odds, key=lambda one: odds[one])
    sure = odds[kind] >= SURE_TYPE
    candidates = [one for one in car.candidates if one.type is None]
    if not sure:
        ranked = sorted(odds.items(), key=lambda item: -item[1])
        candidates += [Candidate(p=round(p, 3), type=one) for one, p in ranked if p > 0.05]
    under = road.a[2] + (road.b[2] - road.a[2]) * _along_mm(road, car) / math.dist(road.a, road.b)
    z = under + (kit.road_thickness_mm + car_size_mm(kind if sure else None, kit)[2]) / 2
    return replace(car, z=z, type=kind if sure else None, candidates=tuple(candidates))


def type_odds(stripe: Stripe, kit: Kit) -> dict[str, float]:
    """How likely each type is, by the length it looks alone; a car that is partly hidden may be any longer one too."""
    weight = {}
    for kind, (length, _, height) in kit.cars.items():
        over = stripe.length_mm - (length + LENGTH_MM + LEAN_SHARE * height * stripe.lean)
        if stripe.shown < WHOLE:
            over = max(over, 0.0)
        usual, odd = (math.exp(-0.5 * (over / mm) ** 2) / mm for mm in (LENGTH_SIGMA_MM, ODD_SIGMA_MM))
        weight[kind] = max((1 - ODD) * usual + ODD * odd, 1e-12)
    return {kind: w / sum(weight.values()) for kind, w in weight.items()}


def _along_mm(road: Road, car: Car) -> float:
    a, b = np.array(road.a[:2]), np.array(road.b[:2])
    share = float((np.array([car.x, car.y]) - a) @ (b - a) / ((b - a) @ (b - a)))
    return share * math.dist(road.a, road.b)


def _covers(stripe: Stripe, road: Road, car: Car, kit: Kit) -> bool:
    """Whether a known car accounts for a coloured stretch."""
    half_mm = car_size_mm(car.type, kit)[0] / 2
    return abs(_along_mm(road, car) - stripe.middle_mm) < half_mm + 2.0


def _changed(overhead: Evidence, stripe: Stripe, road: Road, kit: Kit) -> bool:
    """Whether a coloured stretch of an old road looks other than before."""
    if overhead.change is None:
        return True
    a, b = np.array(road.a), np.array(road.b)
    along = np.linspace(stripe.start_mm, stripe.end_mm, 12)[:, None]
    points = a + (b - a) * along / np.linalg.norm(b - a) + np.array([0, 0, kit.road_thickness_mm / 2 + 3.0])
    pixels = np.rint(overhead.lens.project(points)).astype(int)
    height, width = overhead.change.shape[:2]
    x, y = np.clip(pixels[:, 0], 0, width - 1), np.clip(pixels[:, 1], 0, height - 1)
    return float(np.median(np.abs(overhead.change[y, x]).max(axis=1))) > CHANGED


def looks_mm(stripe: Stripe, kit: Kit) -> float:
    """How long the longest car looks where a stretch is."""
    return max(length + LEAN_SHARE * height * stripe.lean for length, _, height in kit.cars.values())


def _parted(stripe: Stripe, kit: Kit) -> list[Stripe]:
    """A stretch longer than any car looks is two cars nose to tail."""
    if stripe.length_mm < looks_mm(stripe, kit) + BEYOND_MM:
        return [stripe]
    middle = stripe.middle_mm
    return [
        Stripe(stripe.road, stripe.start_mm, middle, stripe.seen, stripe.plain, 0.5),
        Stripe(stripe.road, middle, stripe.end_mm, stripe.seen, stripe.plain, 0.5),
    ]
