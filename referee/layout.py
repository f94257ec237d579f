"""What stands on the table, in millimetres of the table frame; exact, or measured with sigmas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

Point2 = tuple[float, float]
Point3 = tuple[float, float, float]
RoadKind = Literal["road", "entrance", "exit"]
BuildingKind = Literal["building", "tower", "tree", "aeroplane"]
AreaKind = Literal["development", "green", "airport", "rainbow"]


class Candidate(msgspec.Struct, frozen=True):
    """One of the things an unsure piece may be, with its odds."""

    p: float | None = None
    height: int | None = None
    junction: bool | None = None
    type: str | None = None
    owner: str | None = None


class Column(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stack of discs; `height` counts them, the yellow one on top included."""

    id: str
    x: float
    y: float
    height: int
    junction: bool
    owner: str | None
    sigma: Point2 | None = None
    unsure: str | None = None
    candidates: tuple[Candidate, ...] = ()


class TipSigmas(msgspec.Struct, frozen=True):
    """One standard deviation in mm of each tip of a road."""

    a: Point3
    b: Point3


class Road(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stick; `a` and `b` are the tips of its centre line at mid thickness, `a` at the base point."""

    id: str
    a: Point3
    b: Point3
    kind: RoadKind
    from_: str | None = msgspec.field(name="from")
    to: str | None
    owner: str | None
    sigma: TipSigmas | None = None
    unsure: str | None = None
    candidates: tuple[Candidate, ...] = ()

    def columns(self) -> tuple[str, ...]:
        """Ids of the columns that this road says it rests on."""
        return tuple(c for c in (self.from_, self.to) if c is not None)

    def shares_column_with(self, other: Road) -> bool:
        return bool(set(self.columns()) & set(other.columns()))


class Car(msgspec.Struct, frozen=True, omit_defaults=True):
    """A car; its owner is the player of its colour."""

    id: str
    x: float
    y: float
    z: float
    yaw: float
    road: str | None
    owner: str | None
    type: str | None
    sigma: Point2 | None = None
    unsure: str | None = None
    candidates: tuple[Candidate, ...] = ()


class Building(msgspec.Struct, frozen=True):
    """An obstacle: an upright prism."""

    id: str
    kind: BuildingKind
    outline: tuple[Point2, ...]
    height_mm: float


class Area(msgspec.Struct, frozen=True):
    """A flat city area on the table."""

    id: str
    kind: AreaKind
    outline: tuple[Point2, ...]


class Joint(msgspec.Struct, frozen=True):
    """Errors that pieces share: each coordinate of `order` moves by its row of `factors` (mm per unit normal)."""

    order: tuple[str, ...]
    factors: tuple[tuple[float, ...], ...]

    def rows(self) -> tuple[tuple[float, ...], ...]:
        """One row per coordinate, whichever way round the factors were written."""
        if len(self.factors) == len(self.order):
            return self.factors
        return tuple(zip(*self.factors, strict=True))


Piece = Column | Road | Car
CityPart = Building | Area


class Layout(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything on the table at one moment."""

    columns: tuple[Column, ...]
    roads: tuple[Road, ...]
    cars: tuple[Car, ...]
    buildings: tuple[Building, ...] = ()
    areas: tuple[Area, ...] = ()
    joint: Joint | None = None
    unsure: str | None = None
    """Why there may be more on the table than this."""

    def pieces(self) -> Iterator[Piece]:
        """Columns, roads and cars: what players own and can knock over."""
        yield from self.columns
        yield from self.roads
        yield from self.cars

    def built(self) -> Iterator[Column | Road]:
        """Columns and roads: what looks alike whoever owns it."""
        yield from self.columns
        yield from self.roads

    def city(self) -> Iterator[CityPart]:
        """What never moves."""
        yield from self.buildings
        yield from self.areas


BARE_TABLE = Layout((), (), ())


def with_pieces(layout: Layout, pieces: dict[str, Piece]) -> Layout:
    """The layout with exactly these columns, roads and cars (by id), each kind in the order given."""
    return msgspec.structs.replace(
        layout,
        columns=tuple(p for p in pieces.values() if isinstance(p, Column)),
        roads=tuple(p for p in pieces.values() if isinstance(p, Road)),
        cars=tuple(p for p in pieces.values() if isinstance(p, Car)),
    )


def with_city(layout: Layout, parts: Iterable[CityPart]) -> Layout:
    """The layout with exactly these buildings and areas, each kind in the order given."""
    every = tuple(parts)
    return msgspec.structs.replace(
        layout,
        buildings=tuple(part for part in every if isinstance(part, Building)),
        areas=tuple(part for part in every if isinstance(part, Area)),
    )
