"""What the box tells of a car's type: it holds one car of each type in each colour.

Where a car stands tells nothing: that the sedan goes first is a rule, and rules do not say what is seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from referee.layout import Car, Layout
from referee.pieces import Kit

TWICE = 0.03
"""How likely a type is that another car of the same player surely is, against one that none is: a type that was told
may be wrong, and so may a player be."""

Odds = Mapping[str, float]


def odds_by_box(seen: Mapping[str, Odds], layout: Layout, kit: Kit) -> dict[str, dict[str, float]]:
    """How likely each type is for cars of which that was seen so far, with what else is on the table."""
    own = {car.id: dict(seen[car.id]) if car.id in seen else _known(car, kit) for car in layout.cars}
    found = {}
    for car in layout.cars:
        if car.id in seen:
            others = [own[one.id] for one in layout.cars if one.id != car.id and _is_of_same_set(one, car)]
            found[car.id] = _shares({kind: p * _left(kind, others) for kind, p in own[car.id].items()})
    return found


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
