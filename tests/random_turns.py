"""Random next turns on random tables: many of them only just keep or break a limit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
import numpy as np

from referee.layout import Column, Layout, Road
from referee.pieces import Kit

from .random_tables import HIGHEST, PLAYERS, Builder, blurred, random_table

KITS = (Kit(), Kit(), Kit(disc_diameter_mm=16.0, road_width_mm=7.0), Kit(disc_diameter_mm=8.0, road_thickness_mm=3.0))
"""The last one has discs narrower than its roads."""
TURNS_PER_TABLE = 10


@dataclass(frozen=True)
class RandomTurn:
    """Two layouts, who moved from one to the other, with which pieces and by which options."""

    kit: Kit
    options: dict[str, Any]
    player: str
    before: Layout
    after: Layout

    @property
    def new_roads(self) -> frozenset[str]:
        return frozenset(r.id for r in self.after.roads) - {r.id for r in self.before.roads}

    @property
    def new_columns(self) -> frozenset[str]:
        return frozenset(c.id for c in self.after.columns) - {c.id for c in self.before.columns}


Play = Callable[[Builder, Column], None]


def _reach(table: Builder, base: Column, turned: float, length_mm: float = 87.0, **how: Any) -> Road:
    """A new column in a direction, and the road to it."""
    x, y = base.x + length_mm * math.cos(turned), base.y + length_mm * math.sin(turned)
    height = max(1, min(HIGHEST, base.height + int(table.rng.choice([-1, 1]))))
    return table.span(base, table.column(x, y, height, base.owner or ""), **how)


def _freely(table: Builder, base: Column) -> float:
    """A direction in which there is room for a road and a column, if there is any."""
    place = table.next_place(base, math.inf)
    return table.pick(-math.pi, math.pi) if place is None else math.atan2(place[1] - base.y, place[0] - base.x)


def _anywhere(table: Builder, base: Column) -> None:
    _reach(table, base, table.pick(-math.pi, math.pi))


def _overhang(table: Builder, base: Column) -> None:
    """The tips reach just to the rims of the discs, far or near."""
    radius_mm = table.kit.disc_diameter_mm / 2
    past = (table.near(radius_mm), table.near(float(table.rng.choice([-radius_mm, radius_mm]))))
    _reach(table, base, _freely(table, base), past_mm=past)


def _graze_column(table: Builder, base: Column) -> None:
    """The road passes another column at next to nothing, seen from above."""
    others = [c for c in table.columns if 20 < math.dist((c.x, c.y), (base.x, base.y)) < 85]
    if not others:
        return _anywhere(table, base)
    other = others[int(table.rng.integers(len(others)))]
    aside = table.near((table.kit.disc_diameter_mm + table.kit.road_width_mm) / 2)
    distance = math.dist((other.x, other.y), (base.x, base.y))
    turned = math.atan2(other.y - base.y, other.x - base.x)
    _reach(table, base, turned + math.asin(aside / distance) * float(table.rng.choice([-1, 1])))
    return None


def _under_road(table: Builder, base: Column) -> None:
    """The new column grazes a road that lies there: at its side, or at its very tip."""
    road = table.roads[int(table.rng.integers(len(table.roads)))]
    at, aside = table.pick(0, 1), table.near((table.kit.disc_diameter_mm + table.kit.road_width_mm) / 2)
    (ax, ay, _), (bx, by, _) = road.a, road.b
    length = math.dist((ax, ay), (bx, by))
    ux, uy = (bx - ax) / length, (by - ay) / length
    if table.rng.random() < 0.3:
        at, back = 0.0, table.near(table.kit.disc_diameter_mm / 2)
        ax, ay, aside = ax - back * ux, ay - back * uy, table.pick(-2, 2)
    x, y = ax + at * (bx - ax) - aside * uy, ay + at * (by - ay) + aside * ux
    if math.dist((x, y), (base.x, base.y)) > 1:
        table.span(base, table.column(x, y, max(1, base.height - 1), base.owner or ""))


def _pass_road(table: Builder, base: Column) -> None:
    """The road is lifted or lowered until it passes one that it crosses at next to nothing."""
    made = _reach(table, base, _freely(table, base))
    for other in table.roads[:-1]:
        met = _meet(made, other)
        if met is not None and not made.shares_column_with(other):
            lift = table.near(float(table.rng.choice([-1, 1])) * table.kit.road_thickness_mm) - met
            table.roads[-1] = msgspec.structs.replace(
                made, a=(*made.a[:2], made.a[2] + lift), b=(*made.b[:2], made.b[2] + lift)
            )
            return


def _through(table: Builder, base: Column, x: float, y: float) -> None:
    """The road runs from the nearest column that is not too near through a point, and high over it or under it."""
    away = {math.dist((c.x, c.y), (x, y)): c for c in table.columns}
    distance = min((d for d in away if d > 20), default=math.dist((base.x, base.y), (x, y)))
    base = away.get(distance, base)
    made = _reach(table, base, math.atan2(y - base.y, x - base.x), distance + table.pick(20, 40))
    lift = float(table.rng.choice([-20, 0, 20]))
    table.roads[-1] = msgspec.structs.replace(
        made, a=(*made.a[:2], made.a[2] + lift), b=(*made.b[:2], made.b[2] + lift)
    )


def _over_tip(table: Builder, base: Column) -> None:
    """The centre line runs just beside the tip of another road."""
    other = table.roads[int(table.rng.integers(len(table.roads)))]
    length = math.dist(other.a[:2], other.b[:2])
    (ax, ay), (bx, by), at = other.a[:2], other.b[:2], table.near(0.0) / length
    _through(table, base, ax + at * (bx - ax), ay + at * (by - ay))


def _over_crossing(table: Builder, base: Column) -> None:
    """The road runs over or under a place where two others cross."""
    pairs = [(r, o) for i, r in enumerate(table.roads) for o in table.roads[:i] if not r.shares_column_with(o)]
    met = [(r, o) for r, o in pairs if _meet(r, o) is not None]
    if not met:
        return _anywhere(table, base)
    one, other = met[int(table.rng.integers(len(met)))]
    if table.rng.random() < 0.5:
        one, other = other, one
    at = _share(one, other) + table.pick(-0.06, 0.06)
    _through(table, base, *(p + at * (q - p) for p, q in zip(one.a[:2], one.b[:2], strict=True)))
    return None


def _beside(table: Builder, base: Column) -> None:
    """The road leaves its base hard by another one that lies there."""
    other = next((r for r in table.roads if base.id in r.columns()), None)
    if other is None:
        return _anywhere(table, base)
    far = other.b if other.from_ == base.id else other.a
    turned = math.atan2(far[1] - base.y, far[0] - base.x)
    apart = 2 * math.asin(min(1.0, table.near(table.kit.road_width_mm) / (3 * table.kit.disc_diameter_mm)))
    made = _reach(table, base, turned + apart * float(table.rng.choice([-1, 1])))
    table.roads[-1] = msgspec.structs.replace(made, a=(*made.a[:2], far[2] + table.near(0.0)))
    return None


def _hover(table: Builder, base: Column) -> None:
    """The end lies about 3 mm over or under what it should rest on."""
    made = _reach(table, base, _freely(table, base))
    z = table.near(float(table.rng.choice([-3, 3, 5.5]))) + made.b[2]
    table.roads[-1] = msgspec.structs.replace(made, b=(*made.b[:2], z))


def _off_ramp(table: Builder, base: Column) -> None:
    table.exit(base, table.pick(-math.pi, math.pi))


def _on_nothing(table: Builder, base: Column) -> None:
    """A road that rests on one column alone, and another one in the same turn."""
    made = _reach(table, base, table.pick(-math.pi, math.pi))
    table.roads[-1] = msgspec.structs.replace(made, to=None)
    _anywhere(table, base)


PLAYS: tuple[Play, ...] = (
    _anywhere, _overhang, _graze_column, _graze_column, _under_road, _pass_road, _pass_road, _beside, _hover, _off_ramp,
    _on_nothing, _over_tip, _over_tip, _over_crossing, _over_crossing, _over_crossing,
)  # fmt: skip


def _share(one: Road, other: Road) -> float:
    """The fraction of one road at which the line of the other crosses it in plan."""
    (px, py, _), (qx, qy, _), (rx, ry), (sx, sy) = one.a, other.a, _way(one), _way(other)
    return ((qx - px) * sy - (qy - py) * sx) / (rx * sy - ry * sx)


def _way(road: Road) -> tuple[float, float]:
    return road.b[0] - road.a[0], road.b[1] - road.a[1]


def _meet(one: Road, other: Road) -> float | None:
    """How much higher the one is where the two cross in plan."""
    at, there = _share(one, other), _share(other, one)
    rise = one.a[2] + at * (one.b[2] - one.a[2]) - other.a[2] - there * (other.b[2] - other.a[2])
    return rise if 0 < at < 1 and 0 < there < 1 else None


@cache
def _table(seed: int, roads: int) -> Builder:
    rng = np.random.default_rng([seed, roads])
    return random_table(rng, KITS[int(rng.integers(len(KITS)))], roads)


def random_turn(seed: int, roads: int, measured: bool = False) -> RandomTurn:
    """The turn of a seed: on a table with so many roads, exact or measured."""
    rng = np.random.default_rng([seed, roads, measured])
    table = _table(seed // TURNS_PER_TABLE, roads).copy(rng)
    before = table.layout()
    base = table.columns[int(rng.integers(len(table.columns)))]
    PLAYS[int(rng.integers(len(PLAYS)))](table, base)
    player = str(rng.choice(PLAYERS))
    stood, lay = len(before.columns), len(before.roads)
    table.columns[stood:] = [msgspec.structs.replace(c, owner=player) for c in table.columns[stood:]]
    table.roads[lay:] = [msgspec.structs.replace(r, owner=player) for r in table.roads[lay:]]
    for _ in range(int(rng.integers(3))):
        table.car(table.roads[-1], player)
    after = table.layout()
    if measured:
        before, after = (blurred(rng, layout) for layout in (before, after))
    options = {
        "targets": str(rng.choice(["columns", "any"])),
        "first_rule": str(rng.choice(["first", "next"])),
        "own_crossing_voids": bool(rng.random() < 0.5),
    }
    return RandomTurn(table.kit, options, player, before, after)
