"""Random tables of two players, exact or as a camera measures them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import chain

import msgspec
from numpy.random import Generator

from referee.layout import Car, Column, Joint, Layout, Point2, Point3, Road, RoadKind, TipSigmas
from referee.pieces import CAR_TYPES, Kit

PLAYERS = ("purple", "green")
HIGHEST = 6
ROADS_PER_MM2 = 60 / 900**2
"""As crowded as a table of 900 x 900 mm with 60 roads, late in a game."""


@dataclass
class Builder:
    """A table while it is being built."""

    rng: Generator
    kit: Kit
    columns: list[Column] = field(default_factory=list)
    roads: list[Road] = field(default_factory=list)
    cars: list[Car] = field(default_factory=list)

    def copy(self, rng: Generator) -> Builder:
        """The same table, for other random things to happen on it."""
        return Builder(rng, self.kit, list(self.columns), list(self.roads), list(self.cars))

    def layout(self) -> Layout:
        return Layout(tuple(self.columns), tuple(self.roads), tuple(self.cars))

    def pick(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def near(self, limit_mm: float) -> float:
        """A measure just about a limit: within 1 mm, very near to it, or on it."""
        return limit_mm + float(self.rng.choice([0.0, self.pick(-1, 1), self.pick(-1, 1), self.pick(-0.01, 0.01)]))

    def column(self, x: float, y: float, height: int, owner: str) -> Column:
        junction = height > 1 and self.rng.random() < 0.15
        made = Column(f"c{len(self.columns)}", x, y, height, junction, owner)
        self.columns.append(made)
        return made

    def rest_z(self, column: Column) -> float:
        """Where a stick lies on the column: on the disc, or on top of the ends that lie there already."""
        ends = sum(column.id in r.columns() for r in self.roads)
        return self.kit.lying_z_mm(column.height, int(self.rng.integers(ends + 1)))

    def road(self, kind: RoadKind, a: Point3, b: Point3, ends: tuple[Column | None, Column | None], owner: str) -> Road:
        from_, to = (None if c is None else c.id for c in ends)
        made = Road(f"r{len(self.roads)}", a, b, kind, from_, to, owner)
        self.roads.append(made)
        return made

    def span(self, base: Column, to: Column, past_mm: tuple[float, float] | None = None) -> Road:
        """A road from one column to another; its tips lie `past_mm` beyond their centres."""
        ux, uy = unit(base, to)
        over = past_mm or (self.pick(-1, 6), self.pick(-1, 6))
        a = (base.x - ux * over[0], base.y - uy * over[0], self.rest_z(base))
        b = (to.x + ux * over[1], to.y + uy * over[1], self.rest_z(to))
        return self.road("road", a, b, (base, to), base.owner or PLAYERS[0])

    def entrance(self, x: float, y: float, owner: str) -> None:
        column, turned = self.column(x, y, 1, owner), self.pick(-math.pi, math.pi)
        ux, uy = math.cos(turned), math.sin(turned)
        length = self.kit.road_length_mm - 4
        low = (x - ux * length, y - uy * length, self.kit.road_thickness_mm / 2)
        made = self.road("entrance", low, (x + ux * 4, y + uy * 4, self.rest_z(column)), (None, column), owner)
        self.car(made, owner)

    def exit(self, base: Column, turned: float) -> Road:
        ux, uy = math.cos(turned), math.sin(turned)
        down = (base.x + ux * 90, base.y + uy * 90, self.near(3 + self.kit.road_thickness_mm / 2))
        return self.road(
            "exit", (base.x - ux * 4, base.y - uy * 4, self.rest_z(base)), down, (base, None), base.owner or ""
        )

    def car(self, road: Road, owner: str) -> None:
        at = self.pick(0.1, 0.9)
        x, y, z = (p + at * (q - p) for p, q in zip(road.a, road.b, strict=True))
        kind = CAR_TYPES[len(self.cars) % len(CAR_TYPES)]
        self.cars.append(Car(f"k{len(self.cars)}", x, y, z, self.pick(0, 3), road.id, owner, kind))

    def next_place(self, base: Column, side_mm: float) -> tuple[float, float] | None:
        """A free place for a column within reach of the base, such that the road to it hides no other."""
        reach_mm, clear_mm = self.kit.road_length_mm - 8, (self.kit.disc_diameter_mm + self.kit.road_width_mm) / 2
        for turned in self.rng.uniform(-math.pi, math.pi, 20).tolist():
            x, y = base.x + reach_mm * math.cos(turned), base.y + reach_mm * math.sin(turned)
            columns = (to_line((c.x, c.y), (base.x, base.y), (x, y)) for c in self.columns if c is not base)
            roads = (to_line((x, y), r.a[:2], r.b[:2]) for r in self.roads)
            if max(abs(x), abs(y)) < side_mm / 2 and min(chain(columns, roads)) > clear_mm:
                return x, y
        return None


def unit(one: Column, other: Column) -> Point2:
    length = math.dist((one.x, one.y), (other.x, other.y))
    return (other.x - one.x) / length, (other.y - one.y) / length


def to_line(point: Point2, a: Point2, b: Point2) -> float:
    """Distance of a point to a stretch of line."""
    way = (b[0] - a[0], b[1] - a[1])
    at = ((point[0] - a[0]) * way[0] + (point[1] - a[1]) * way[1]) / (way[0] ** 2 + way[1] ** 2)
    at = min(max(at, 0.0), 1.0)
    return math.dist(point, (a[0] + at * way[0], a[1] + at * way[1]))


def random_table(rng: Generator, kit: Kit, roads: int) -> Builder:
    """A table of two players with so many roads, entrances among them, as crowded as late in a game."""
    table, side_mm = Builder(rng, kit), math.sqrt(roads / ROADS_PER_MM2)
    for player in PLAYERS * max(1, roads // 30):
        table.entrance(table.pick(-0.4, 0.4) * side_mm, table.pick(-0.4, 0.4) * side_mm, player)
    while len(table.roads) < roads:
        base = table.columns[int(rng.integers(max(0, len(table.columns) - 12), len(table.columns)))]
        place = table.next_place(base, side_mm)
        if place is None:
            table.entrance(table.pick(-0.4, 0.4) * side_mm, table.pick(-0.4, 0.4) * side_mm, base.owner or "")
            continue
        height = base.height + (1 if base.height == 1 else -1 if base.height == HIGHEST else int(rng.choice([-1, 1])))
        made = table.span(base, table.column(*place, height, base.owner or ""))
        if rng.random() < 0.3:
            table.car(made, base.owner or "")
    return table


def blurred(rng: Generator, layout: Layout) -> Layout:
    """The layout as a camera may measure it: every place with its sigma, and sometimes with errors that they share."""
    sigma = float(rng.uniform(0.05, 0.5))

    def spread(count: int) -> tuple[float, ...]:
        return tuple((rng.uniform(0.5, 1.0, count) * sigma).tolist())

    def moved(place: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(p + sigma / 2 * n for p, n in zip(place, rng.standard_normal(len(place)).tolist(), strict=True))

    columns = []
    for c in layout.columns:
        x, y = moved((c.x, c.y))
        columns.append(msgspec.structs.replace(c, x=x, y=y, sigma=spread(2)))
    roads = [
        msgspec.structs.replace(r, a=moved(r.a), b=moved(r.b), sigma=TipSigmas(spread(3), spread(3)))  # type: ignore[arg-type]
        for r in layout.roads
    ]
    cars = [msgspec.structs.replace(k, sigma=spread(2)) for k in layout.cars]
    joint = None
    if rng.random() < 0.4:
        order = [f"{c.id}.{axis}" for c in columns for axis in "xy"]
        order += [f"{r.id}.{tip}.{axis}" for r in roads for tip in "ab" for axis in "xyz"]
        joint = Joint(tuple(order), tuple(tuple(row) for row in rng.normal(0, sigma / 2, (len(order), 2)).tolist()))
    return Layout(tuple(columns), tuple(roads), tuple(cars), joint=joint)
