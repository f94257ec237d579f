"""Which way roads run and whose they are, when only the finished table is seen: told from the entrances on."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence

import shapely
from msgspec.structs import replace

from referee.layout import Car, Column, Layout, Road
from referee.pieces import SEDAN, Kit

UNTOLD = "which way it runs"
WHOSE = "whose it is"
FAINT = "not clear in both views"
NOT_ITS_HIGHWAYS = "its colour is not that of its highway"
NO_CAR, NOT_LOW, OTHER_TYPE, LATER_BELOW = -3.0, -6.0, -3.0, -1.5
"""Log-odds against an entrance: no car on it, a column of several discs, no sedan, a later road end lying lower."""
BELOW_MM = 1.2
SPACED, EYED_MM = 2.0, 10.0
"""Log-odds for an entrance a road's length from another one (S3), as far as people eye it."""
ASK_BELOW, UNLIKELY = 2.0, -2.5
"""Log-odds by which a start must be likelier than any other one, and below which it is none to be sure of."""
MOST_AGREE = 0.67


def directed(layout: Layout, kit: Kit) -> Layout:
    """The layout with roads running away from the entrances, owned as the cars on each highway say.

    A player has one entrance. Where one seems to have two highways, what joins them was not seen, and neither is sure
    to run away from its own end on the table; nor is one that has another's car on such an end, nor that other's own,
    for two may be read as one there; nor is a car sure that stands on a highway of another colour.
    """
    roads = {road.id: road for road in layout.roads}
    owners: dict[str, str | None] = {}
    asked: set[str] = set()
    every = list(highways(layout))
    votes = [owner_of(layout, {road.id for road in highway}) for highway in every]
    twice = {owner for owner, count in Counter(owner for owner, _ in votes).items() if owner and count > 1}
    down = {r.id: owner for way, (owner, _) in zip(every, votes, strict=True) for r in way if None in (r.from_, r.to)}
    strays = [car for car in layout.cars if car.road in down and car.owner not in (None, down[car.road])]
    mixed = {name for car in strays for name in (car.owner, down[car.road or ""])}
    for highway, (owner, agreed) in zip(every, votes, strict=True):
        others = [start for other in every if other is not highway for start in _starts(layout, other)]
        ways = sorted(_ways(layout, highway, others, kit), key=lambda way: -way[0])
        told = bool(ways) and ways[0][0] > UNLIKELY and (len(ways) == 1 or ways[0][0] - ways[1][0] >= ASK_BELOW)
        told = told and owner not in twice | mixed
        for road in ways[0][1] if ways else highway:
            doubt = road.unsure or (None if told else UNTOLD) or (None if agreed else WHOSE)
            roads[road.id] = replace(road, owner=owner, unsure=doubt)
            owners |= dict.fromkeys(road.columns(), owner)
            asked |= set(road.columns()) if owner is None else set()
    columns = tuple(replace(column, owner=owners.get(column.id)) for column in layout.columns)
    columns = tuple(replace(c, unsure=c.unsure or WHOSE) if c.id in asked else c for c in columns)
    cars = tuple(_asked_on_others(car, roads) for car in layout.cars)
    return replace(layout, columns=columns, roads=tuple(roads[road.id] for road in layout.roads), cars=cars)


def _asked_on_others(car: Car, roads: Mapping[str, Road]) -> Car:
    """The car, asked for where its road is another player's or nobody's for certain."""
    road = roads.get(car.road or "")
    if road is None or (road.owner == car.owner and road.unsure != WHOSE):
        return car
    return replace(car, unsure=car.unsure or NOT_ITS_HIGHWAYS)


def run_on(layout: Layout, accepted: Layout) -> Layout:
    """The layout with new roads running away from the columns that stood before; which way others run is asked."""
    old = {piece.id for piece in accepted.pieces()}
    reached = {column.id for column in accepted.columns}
    waiting = [r for r in layout.roads if r.id not in old and r.from_ is not None and r.to is not None]
    roads = {road.id: road for road in layout.roads}
    while ready := [r for r in waiting if set(r.columns()) & reached]:
        for road in ready:
            if road.from_ not in reached:
                roads[road.id] = _turned(road)
        reached |= {name for road in ready for name in road.columns()}
        waiting = [road for road in waiting if road not in ready]
    roads |= {road.id: replace(road, unsure=road.unsure or UNTOLD) for road in waiting}
    return replace(layout, roads=tuple(roads.values()))


def without_stock(layout: Layout, area: shapely.Polygon) -> Layout:
    """The layout without what lies beside the play area, or leans or lies on discs there: an entrance has a car on it,
    no road lies by itself, and where two lie together both are clear."""
    carrying = {car.road for car in layout.cars}
    gone: set[str] = set()
    for highway in highways(layout):
        down = all(road.from_ is None or road.to is None for road in highway)
        tips = shapely.points([tip[:2] for road in highway for tip in (road.a, road.b)])
        beside = not shapely.intersects(area, tips).any()
        heap = down or len(highway) == 1 or (len(highway) == 2 and any(road.unsure == FAINT for road in highway))
        if beside or (heap and not any(road.id in carrying for road in highway)):
            gone |= {road.id for road in highway}
    roads = tuple(road for road in layout.roads if road.id not in gone)
    used = {name for road in roads for name in road.columns()}
    lost = {name for road in layout.roads for name in road.columns()} - used
    cars = tuple(car for car in layout.cars if car.road not in gone)
    return replace(layout, roads=roads, columns=tuple(c for c in layout.columns if c.id not in lost), cars=cars)


def highways(layout: Layout) -> Iterator[list[Road]]:
    """Roads that hang together."""
    left = {road.id: road for road in layout.roads}
    while left:
        queue = [left.pop(next(iter(left)))]
        found = []
        while queue:
            road = queue.pop()
            found.append(road)
            near = [other for other in left.values() if other.shares_column_with(road)]
            queue += [left.pop(other.id) for other in near]
        yield found


def owner_of(layout: Layout, highway: set[str]) -> tuple[str | None, bool]:
    """Whose cars stand on a highway, and whether they agree."""
    votes = Counter(car.owner for car in layout.cars if car.road in highway and car.owner is not None)
    if not votes:
        return None, False
    owner, count = votes.most_common(1)[0]
    return owner, count >= MOST_AGREE * votes.total()


def _starts(layout: Layout, highway: Sequence[Road]) -> list[Column]:
    """Columns of a highway from which a road goes down to the table."""
    down = {road.columns()[0] for road in highway if (road.from_ is None) != (road.to is None)}
    return [column for column in layout.columns if column.id in down]


def _ways(
    layout: Layout, highway: Sequence[Road], others: Sequence[Column], kit: Kit
) -> Iterator[tuple[float, list[Road]]]:
    """The highway as it would run from each road that comes up from the table, with the log-odds of that."""
    columns = {column.id: column for column in layout.columns}
    for start in highway:
        if (start.from_ is None) == (start.to is None):
            continue
        odds = 0.0
        here = [car for car in layout.cars if car.road == start.id]
        if not here:
            odds += NO_CAR
        elif all(car.type not in (None, SEDAN) for car in here):
            odds += OTHER_TYPE
        first = columns[start.columns()[0]]
        if first.height != 1:
            odds += NOT_LOW
        gaps = [math.hypot(first.x - other.x, first.y - other.y) - kit.road_length_mm for other in others]
        if any(-EYED_MM < gap < EYED_MM + kit.disc_diameter_mm for gap in gaps):
            odds += SPACED
        run = _run_from(start, highway)
        yield odds + _stacked(run), run


def _run_from(start: Road, highway: Sequence[Road]) -> list[Road]:
    """The roads of a highway, each turned to run away from the first."""
    first = replace(start if start.from_ is None else _turned(start), kind="entrance")
    run, queue = {first.id: first}, deque([first])
    while queue:
        column = queue.popleft().to
        if column is None:
            continue
        for road in highway:
            if road.id in run or column not in road.columns():
                continue
            on = road if road.from_ == column else _turned(road)
            run[road.id] = replace(on, kind="exit" if on.to is None else "road")
            queue.append(run[road.id])
    return list(run.values())


def _stacked(run: Sequence[Road]) -> float:
    """Log-odds by the ends that lie on each other: a road is laid after the one that it goes on from."""
    into = {road.to: road.b[2] for road in run if road.to is not None}
    steps = [road.a[2] - into[road.from_] for road in run if road.from_ is not None and road.from_ in into]
    return sum(LATER_BELOW * (step < -BELOW_MM) - LATER_BELOW * (step > BELOW_MM) for step in steps)


def _turned(road: Road) -> Road:
    sigma = None if road.sigma is None else replace(road.sigma, a=road.sigma.b, b=road.sigma.a)
    return replace(road, a=road.b, b=road.a, from_=road.to, to=road.from_, sigma=sigma)
