"""What the box tells of a car's type: it holds one car of each type in each colour, and the sedan goes first."""

from __future__ import annotations

import math
from collections.abc import Mapping

from referee.layout import Car, Layout
from referee.pieces import SEDAN, Kit

TWICE = 0.03
"""How likely a type is that another car of the same player surely is, against one that none is: a type that was told
may be wrong, and so may a player be."""
FIRST = 10.0
"""How much likelier the sedan is on a player's first road that meets the table: it stands on the entrance (S2), few
cars on exits."""

Odds = Mapping[str, float]


def odds_by_box(seen: Mapping[str, Odds], layout: Layout, kit: Kit) -> dict[str, dict[str, float]]:
    """How likely each type is for cars of which that was seen so far, with what else is on the table."""
    down = {road.id for road in layout.roads if road.from_ is None or road.to is None}
    begun = {car.owner for car in layout.cars if car.road in down and car.id not in seen}
    own = {
        car.id: _at(seen[car.id], car.road in down and car.owner not in begun) if car.id in seen else _known(car, kit)
        for car in layout.cars
    }
    found = {}
    for car in layout.cars:
        if car.id in seen:
            others = [own[one.id] for one in layout.cars if one.id != car.id and _is_of_same_set(one, car)]
            found[car.id] = _shares({kind: p * _left(kind, others) for kind, p in own[car.id].items()})
    return found


def _at(odds: Odds, on_entrance: bool) -> dict[str, float]:
    """Odds with what the place tells."""
    return _shares({kind: p * (FIRST if on_entrance and kind == SEDAN else 1.0) for kind, p in odds.items()})


def _known(car: Car, kit: Kit) -> dict[str, float]:
    """Odds of a car that was told before; any type is as likely where nothing was."""
    if car.type is not None:
        return {car.type: 1.0}
    told = {one.type: one.p for one in car.candidates if one.type is not None and one.p is not None}
    return _shares(told or dict.fromkeys(kit.cars, 1.0))


def _is_of_same_set(one: Car, other: Car) -> bool:
    """Whether two cars are surely of one player."""
    doubtful = any(candidate.owner is not None for car in (one, other) for candidate in car.candidates)
    return one.owner is not None and one.owner == other.owner and not doubtful


def _left(kind: str, others: list[dict[str, float]]) -> float:
    """How likely none of some cars is of a type."""
    return math.prod(1 - (1 - TWICE) * odds.get(kind, 0.0) for odds in others)


def _shares(weights: Odds) -> dict[str, float]:
    total = sum(weights.values())
    return {kind: weight / total for kind, weight in weights.items()}
