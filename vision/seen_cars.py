"""Cars of a table without history: where both views bear them out, whose they are, of which type, and how sure."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Car, Layout, Road
from referee.pieces import Kit
from vision.car_doubt import NO_CAR, SHADE, doubtful_stripes
from vision.car_places import COST
from vision.car_rows import STEP_MM
from vision.car_search import Found, found_cars
from vision.car_types import WHOLE
from vision.cars import SIGMA_MM, asked_on_doubtful_roads, car_of, looks_mm, typed
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.half_hidden import HALF_HIDDEN
from vision.lineage import directed
from vision.names import next_id
from vision.paint import owners_together
from vision.solids import solid_of
from vision.stripes import Stripe, stripes

CLEAR_SHOWN, CLEAR_ODDS = 0.5, 1.6
"""Share of a car that one view must show, and log-odds that it must have there on average, or it is asked for."""
ABOVE_SHOWN, ABOVE_ODDS = 0.3, 1.2
"""The same for the overhead view: from the side alone it is not clear on which road a car stands."""
BARE_SHOWN, BARE_ODDS = 0.8, -0.6
"""Share that a view must show, and log-odds on average below which the road is bare there, whatever another tells."""
AGAINST_SHOWN, AGAINST_ODDS = 0.3, 0.0
"""Share that a view must show to speak against a car, and the log-odds on average below which it does."""
MAY_CARRY, POSSIBLE = "a car may stand on it, half hidden", 2.5
"""A doubt about a road, and what a car there must be worth for it."""
HIDDEN_MM, VIVID_FROM, LEAST_VIVID, SPEAKS = 4.0, 0.4, 1.0, -1.0
"""How far off a car may be of which slivers show, and where they are one anywhere: how far their paint must be from the
road's, what they must be worth, and what no view may tell less than."""
PALE, FAINT, OPEN = 0.38, 15.0, 0.6
"""Chroma distance from the road below which paint may be a tinted shadow's (0.40 and more of most true cars), what a
car is worth of which that is all, and the share of it that must show from above for its edges to tell: where less does,
such paint is asked about."""
OVERLAP = 0.5
"""Share of the shorter one that a car and a coloured stretch have in common which are the same."""
TWO_MM = 5.0
"""How much longer than any car a stretch is that is no single one: in a soft picture one looks up to 3.5 mm longer."""
APART_MM = 1.5
"""How far apart the place of a car and the middle of its stretch may lie; more than that it may be off."""
VIVID = 50
"""Per cent of the pixels that count for a car and are less coloured than its paint."""


def with_cars(views: Sequence[Evidence], layout: Layout, players: Sequence[str], kit: Kit) -> Layout:
    """The layout with the cars on its roads; overhead is the first view."""
    roads = {road.id: road for road in layout.roads}
    built = {piece.id: solid_of(piece, kit) for piece in layout.built()}
    found = found_cars(views, built, layout.roads, players, kit)
    clear = [one for one in found if one.place.gain >= COST and not is_bare(one)]
    pairs = _with_stripes(clear, views[0], layout, kit)
    pale = {stripe for _, stripe in pairs if math.dist(stripe.seen, stripe.plain) < PALE}
    faint = {stripe for one, stripe in pairs if stripe in pale and one.place.gain < FAINT}
    hidden = {stripe for stripe in faint if stripe.shown <= OPEN}
    doubts = doubtful_stripes(views, layout, list(faint - hidden), (), set(roads), kit)
    shades = hidden | {stripe for stripe, why in doubts.items() if why == NO_CAR}
    seen: dict[str, Stripe] = {}
    pairs = [(one, stripe) for one, stripe in pairs if stripe not in shades]
    tints, plains = [np.array(s.seen) for _, s in pairs], [np.array(s.plain) for _, s in pairs]
    for (one, stripe), owners in zip(pairs, owners_together(tints, plains, players, kit), strict=True):
        car = car_of(stripe, roads[stripe.road], next_id("k", layout), owners, kit)
        car = placed_car(car, one, stripe, roads[stripe.road], kit)
        doubt = car.unsure or doubt_of(one) or (SHADE if stripe in pale else None)
        layout = replace(layout, cars=(*layout.cars, replace(car, unsure=doubt)))
        seen[car.id] = stripe
    layout = asked_on_doubtful_roads(typed(views, layout, seen, kit), set(roads), set())
    may_carry = {one.place.road for one in found if one not in clear and one.place.gain >= POSSIBLE}
    may_carry |= {stripe.road for stripe in hidden}
    may_carry |= {r.id for r in layout.roads if None in (r.from_, r.to)} - {car.road for car in layout.cars}
    layout = _with_slivers(found, views, layout, players, kit)
    asked = [replace(r, unsure=r.unsure or MAY_CARRY) if r.id in may_carry else r for r in layout.roads]
    return replace(layout, roads=tuple(asked))


def _with_slivers(
    found: Sequence[Found], views: Sequence[Evidence], layout: Layout, players: Sequence[str], kit: Kit
) -> Layout:
    """The layout with cars, asked for, of which no more than slivers are seen: vivid ones, and those that a highway
    starts with."""
    carrying = {car.road for car in layout.cars}
    starts = {road.id for road in directed(layout, kit).roads if road.kind == "entrance"}
    best: dict[str, Found] = {}
    for one in sorted(found, key=lambda one: one.place.gain):
        is_start = one.place.road in starts - carrying
        if not is_bare(one) and (is_start or (one.place.road not in starts and _is_vivid(one))):
            best[one.place.road] = one
    roads = {road.id: road for road in layout.roads}
    for one, stripe in _with_stripes(list(best.values()), views[0], layout, kit):
        (odds,) = owners_together([np.array(stripe.seen)], [np.array(stripe.plain)], players, kit)
        car = car_of(stripe_of_car(one), roads[stripe.road], next_id("k", layout), odds, kit)
        car = replace(car, type=None, sigma=(HIDDEN_MM, HIDDEN_MM), unsure=HALF_HIDDEN)
        layout = replace(layout, cars=(*layout.cars, car))
    return layout


def _is_vivid(found: Found) -> bool:
    """Whether no more than slivers show, of paint far from the road's, and no view speaks against a car there."""
    place, stripe, part = found.place, stripe_of_car(found), found.place.rows()
    if not LEAST_VIVID <= place.gain < COST or math.dist(stripe.seen, stripe.plain) < VIVID_FROM:
        return False
    shown = max(float(rows.shown[part].mean()) for rows in found.rows)
    told = min(float(rows.gain[part].sum()) for rows in found.rows)
    return shown < CLEAR_SHOWN and told > SPEAKS


def _with_stripes(found: Sequence[Found], overhead: Evidence, layout: Layout, kit: Kit) -> list[tuple[Found, Stripe]]:
    """Each car with the coloured stretch that it makes: of the overhead view if that shows one there, else as found."""
    depth = depth_map({piece.id: solid_of(piece, kit) for piece in layout.built()}, overhead.lens)
    wanted = [road for road in layout.roads if any(one.place.road == road.id for one in found)]
    painted = stripes(overhead.view, depth, layout, wanted, kit)
    pairs = []
    for one in found:
        own = max(painted[one.place.road], key=lambda stripe: _common_mm(stripe, one), default=None)
        if own is None or _common_mm(own, one) < OVERLAP * min(own.length_mm, one.place.length_mm):
            pairs.append((one, stripe_of_car(one)))
            continue
        sharing = [other for other in found if other is not one and _common_mm(own, other) > 0]
        if sharing:
            pairs.append((one, _cut(own, one, sharing)))
        else:
            # Where more is painted than any car, something else is: both views together tell what the car is.
            pairs.append((one, own if own.length_mm < looks_mm(own, kit) + TWO_MM else stripe_of_car(one)))
    return pairs


def _common_mm(stripe: Stripe, found: Found) -> float:
    place = found.place
    if stripe.road != place.road:
        return 0.0
    return min(stripe.end_mm, place.end_mm) - max(stripe.start_mm, place.start_mm)


def _cut(stripe: Stripe, found: Found, others: Sequence[Found]) -> Stripe:
    """What a car makes of a stretch that it shares with others."""
    at = found.place.middle_mm
    borders = [(at + other.place.middle_mm) / 2 for other in others]
    start = max([stripe.start_mm, *(one for one in borders if one < at)])
    end = min([stripe.end_mm, *(one for one in borders if one > at)])
    return Stripe(stripe.road, start, end, stripe.seen, stripe.plain, 0.5, stripe.lean)


def stripe_of_car(found: Found) -> Stripe:
    """A car as a stretch, with the paint of the view that tells most of it."""
    place = found.place
    rows = max(found.rows, key=lambda one: float(one.gain[place.rows()].sum()))
    part = place.rows()
    own = rows.tints[part][rows.free[part] & (rows.odds[part] > 0)]
    if not len(own):
        own = rows.tints[part].reshape(-1, 2)
    apart = np.hypot(*(own - rows.plain).T)
    seen = np.median(own[apart >= np.percentile(apart, VIVID)], axis=0)
    shown = float(rows.shown[part].mean())
    return Stripe(place.road, place.start_mm, place.end_mm, tuple(seen), tuple(rows.plain), min(shown, 0.5))


def placed_car(car: Car, found: Found, stripe: Stripe, road: Road, kit: Kit) -> Car:
    """The car where it was found, unless the overhead view shows all of its stretch: then that tells its place. One
    shorter than any car is a part of it, such as a truck's cab."""
    a, b = np.array(road.a), np.array(road.b)
    if stripe.shown > WHOLE and stripe.length_mm >= min(length_mm for length_mm, _, _ in kit.cars.values()):
        spread_mm = max(abs(stripe.middle_mm - found.place.middle_mm) - APART_MM, 0.0)
    else:
        x, y, _ = (float(v) for v in a + (b - a) * found.place.middle_mm / np.linalg.norm(b - a))
        car, spread_mm = replace(car, x=x, y=y), found.sigma_mm
    along = spread_mm * np.abs([math.cos(car.yaw), math.sin(car.yaw)])
    return replace(car, sigma=(math.hypot(SIGMA_MM, along[0]), math.hypot(SIGMA_MM, along[1])))


def is_bare(found: Found) -> bool:
    """Whether a view shows the whole place, and bare road there: another one sees some other car past it."""
    return any(share > BARE_SHOWN and odds < BARE_ODDS for share, odds in _told(found))


def _told(found: Found) -> list[tuple[float, float]]:
    """The share of a place that each view shows, and what that tells for a car on average."""
    part, length_mm = found.place.rows(), found.place.length_mm
    shown = [float(rows.shown[part].mean()) for rows in found.rows]
    gains = [float(rows.gain[part].sum()) for rows in found.rows]
    return [(share, gain / max(share * length_mm, STEP_MM)) for share, gain in zip(shown, gains, strict=True)]


def doubt_of(found: Found) -> str | None:
    """Why a car has to be asked for, by what the views show of it, the overhead one first; None where it is clear."""
    seen = _told(found)
    shown = [share for share, _ in seen]
    if any(share > AGAINST_SHOWN and odds < AGAINST_ODDS for share, odds in seen):
        return SHADE
    if seen[0][0] < ABOVE_SHOWN or max(shown) < CLEAR_SHOWN:
        return HALF_HIDDEN
    is_clear = seen[0][1] > ABOVE_ODDS and any(share > CLEAR_SHOWN and odds > CLEAR_ODDS for share, odds in seen)
    return None if is_clear else SHADE
