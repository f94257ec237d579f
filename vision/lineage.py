"""Which way roads run and whose they are, when only the finished table is seen: told from the entrances on."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from msgspec.structs import replace

from referee.layout import Layout, Road

UNTOLD = "which way it runs"


def directed(layout: Layout, players: Sequence[str]) -> Layout:
    """The layout with roads running away from the entrances, owned as the cars there say."""
    entrances = _entrances(layout, players)
    roads = {road.id: road for road in layout.roads}
    owners: dict[str, str | None] = {}
    queue: deque[str] = deque()
    done: set[str] = set()
    for road in entrances:
        owner = next((car.owner for car in layout.cars if car.road == road.id), None)
        started = road if road.from_ is None else _turned(road)
        roads[road.id] = replace(started, kind="entrance", owner=owner)
        done.add(road.id)
        if started.to is not None:
            owners[started.to] = owner
            queue.append(started.to)
    while queue:
        column = queue.popleft()
        for road in layout.roads:
            if road.id in done or column not in road.columns():
                continue
            done.add(road.id)
            run = road if road.from_ == column else _turned(road)
            roads[road.id] = replace(run, kind="exit" if run.to is None else "road", owner=owners[column])
            if run.to is not None and run.to not in owners:
                owners[run.to] = owners[column]
                queue.append(run.to)
    for road in layout.roads:
        if road.id not in done:
            roads[road.id] = replace(road, unsure=road.unsure or UNTOLD)
    columns = tuple(replace(column, owner=owners.get(column.id)) for column in layout.columns)
    return replace(layout, columns=columns, roads=tuple(roads[road.id] for road in layout.roads))


def run_on(layout: Layout, accepted: Layout) -> Layout:
    """The layout with new roads running away from the columns that stood before."""
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
    return replace(layout, roads=tuple(roads.values()))


def _entrances(layout: Layout, players: Sequence[str]) -> list[Road]:
    """Roads that come up from the table; where there are more than players, those with a car first."""
    rising = [road for road in layout.roads if (road.from_ is None) != (road.to is None)]
    carrying = {car.road for car in layout.cars}
    rising.sort(key=lambda road: road.id not in carrying)
    return rising[: len(players)] if players else rising


def _turned(road: Road) -> Road:
    sigma = None if road.sigma is None else replace(road.sigma, a=road.sigma.b, b=road.sigma.a)
    return replace(road, a=road.b, b=road.a, from_=road.to, to=road.from_, sigma=sigma)
