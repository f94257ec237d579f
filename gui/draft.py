"""A draft: a layout that people change by hand, on the plan. Qt-free."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import msgspec

from gui import city_parts
from gui.desk import Desk
from gui.first_layout import first_layout, with_start
from gui.reseat import Grip, drag_road, put_column, without
from referee.edition import Rules
from referee.layout import (
    BARE_TABLE,
    Area,
    Building,
    Car,
    CityPart,
    Column,
    Layout,
    Piece,
    Road,
    TipSigmas,
    with_city,
    with_pieces,
)
from referee.network import base_points
from referee.notation.lay import REACH_MM, car_place, column_place, ramp_tips, road_tips
from referee.pieces import Kit

HAND_SIGMA_MM = 2.0
"""How well a place is known that people click: lengths are nominal, tight calls stay too close to call."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A layout being changed, and who builds on it."""

    layout: Layout
    kit: Kit
    player: str
    before: frozenset[str] = frozenset()
    """Ids of what stood there before the turn."""

    @staticmethod
    def of(layout: Layout, kit: Kit, player: str, before: Layout) -> Draft:
        return Draft(layout, kit, player, frozenset(piece.id for piece in before.pieces()))

    @staticmethod
    def of_turn(desk: Desk, turn: int | None, from_seen: bool) -> Draft:
        """A past turn, or (None) the one being played: anew from what was accepted, or from what was seen."""
        match, setup = desk.match, desk.setup
        if match is None:
            drawn = with_city(first_layout(setup.rules, setup.kit, setup.players), desk.layout.city())
            layout = desk.layout if from_seen and desk.seen is not None else drawn
            return Draft.of(layout, setup.kit, setup.first, BARE_TABLE)
        if turn is None:
            return Draft.of(desk.layout if from_seen else desk.accepted, setup.kit, desk.mover, desk.accepted)
        before = match.positions[turn - 1].layout if turn else BARE_TABLE
        player = match.rulings[turn].player or setup.first
        return Draft.of(match.positions[turn].layout, setup.kit, player, before)

    def piece(self, name: str) -> Piece | None:
        return next((p for p in self.layout.pieces() if p.id == name), None)

    def part(self, name: str) -> CityPart | None:
        """A card or building of the city."""
        return next((p for p in self.layout.city() if p.id == name), None)

    @property
    def new_road(self) -> Road | None:
        """The road that the draft adds."""
        return next((r for r in self.layout.roads if r.id not in self.before), None)

    def moved(self, name: str, x: float, y: float) -> Draft:
        """A column dragged elsewhere, with the ends of its roads."""
        column = self.piece(name)
        return self._put(msgspec.structs.replace(column, x=x, y=y)) if isinstance(column, Column) else self

    def dragged(self, name: str, grip: Grip, dx: float, dy: float) -> Draft:
        """A piece pulled so far over the table: a column with its roads' ends, a road by a tip or whole, a car; of the
        city a part by a corner or whole."""
        match self.piece(name) or self.part(name):
            case Column(x=x, y=y):
                return self.moved(name, x + dx, y + dy)
            case Road():
                return replace(self, layout=drag_road(self.layout, name, grip, dx, dy, self.kit))
            case Car() as car:
                moved = msgspec.structs.replace(car, x=car.x + dx, y=car.y + dy)
                return self._with({p.id: moved if p.id == name else p for p in self.layout.pieces()})
            case Building() | Area() as part if grip:
                return self._put_part(city_parts.pulled(part, int(grip), dx, dy))
            case Building() | Area() as part:
                return self._put_part(city_parts.shifted(part, dx, dy))
        return self

    def heightened(self, name: str, by: int) -> Draft:
        """A column so many discs taller, never less than one; a building by so many mm."""
        building = self.part(name)
        if isinstance(building, Building):
            return self._put_part(city_parts.heightened(building, float(by)))
        column = self.piece(name)
        if not isinstance(column, Column) or column.height + by < 1:
            return self
        return self._put(msgspec.structs.replace(column, height=column.height + by, unsure=None, candidates=()))

    def topped(self, name: str) -> Draft:
        """Grey on top for yellow, and the other way round."""
        column = self.piece(name)
        if not isinstance(column, Column):
            return self
        return self._put(msgspec.structs.replace(column, junction=not column.junction))

    def owned_by(self, name: str, owner: str) -> Draft:
        """A piece that is somebody else's; a column's own road goes with it."""
        pieces = {p.id: p for p in self.layout.pieces()}
        names = {name, *(r.id for r in self.layout.roads if r.to == name)}
        for one in names & pieces.keys():
            pieces[one] = msgspec.structs.replace(pieces[one], owner=owner)
        return self._with(pieces)

    def typed(self, name: str, car_type: str | None) -> Draft:
        """A car of another type."""
        pieces = {p.id: p for p in self.layout.pieces()}
        car = pieces.get(name)
        if isinstance(car, Car):
            pieces[name] = msgspec.structs.replace(car, type=car_type, unsure=None, candidates=())
        return self._with(pieces)

    def dropped(self, name: str) -> Draft:
        """Without a piece and what rests on it, or without a part of the city."""
        if self.part(name) is not None:
            return self._with_city(p for p in self.layout.city() if p.id != name)
        return replace(self, layout=without(self.layout, name))

    def turned(self, name: str, by_rad: float) -> Draft:
        """A part of the city turned about its middle."""
        part = self.part(name)
        return self if part is None else self._put_part(city_parts.turned(part, by_rad))

    def of_kind(self, name: str, kind: str) -> Draft:
        """A part of the city that is of another kind."""
        part = self.part(name)
        return self if part is None else self._put_part(city_parts.of_kind(part, kind))

    def with_part(self, kind: city_parts.CityKind, x: float, y: float) -> Draft:
        """One more part of the city about a spot; it is the last one of its kind."""
        part = city_parts.new_part(kind, self.layout.city(), self._free(kind[0]), x, y, self.kit)
        return self._with_city((*self.layout.city(), part))

    def with_city(self, parts: Iterable[CityPart]) -> Draft:
        """With this city and no other, under names that nothing else has."""
        draft = self._with_city(())
        for part in parts:
            named = msgspec.structs.replace(part, id=draft._free(part.kind[0]))
            draft = draft._with_city((*draft.layout.city(), named))
        return draft

    def built(self, x: float, y: float, height: int | None = None) -> Draft:
        """A column near a spot with its road, as far from the nearest base point as a road reaches."""
        fresh = self._undone()
        bases = base_points(fresh.layout, self.player)
        if not bases:
            return self
        reach_mm = self.kit.road_length_mm
        base = min(bases, key=lambda c: abs(math.hypot(x - c.x, y - c.y) - reach_mm))
        heading_deg = math.degrees(math.atan2(y - base.y, x - base.x))
        tall = height or base.height + 1
        level = sum(base.id in road.columns() for road in fresh.layout.roads)
        spot = column_place(self.kit, base, tall, heading_deg, REACH_MM, level)
        column = Column(self._free("c"), *spot, tall, False, self.player, (HAND_SIGMA_MM, HAND_SIGMA_MM))
        tips = road_tips(self.kit, base, column, (level, 0), 0.0, 0.0)
        road = Road(self._free("r"), *tips, "road", base.id, column.id, self.player, _tip_sigmas())
        return fresh._with({**{p.id: p for p in fresh.layout.pieces()}, column.id: column, road.id: road})

    def ramped(self, x: float, y: float) -> Draft:
        """An exit from the nearest base point, towards a spot."""
        fresh = self._undone()
        bases = base_points(fresh.layout, self.player)
        if not bases:
            return self
        base = min(bases, key=lambda c: math.hypot(x - c.x, y - c.y))
        heading_deg = math.degrees(math.atan2(y - base.y, x - base.x))
        level = sum(base.id in road.columns() for road in fresh.layout.roads)
        tips = ramp_tips(self.kit, base, level, heading_deg, REACH_MM, up=False)
        road = Road(self._free("r"), *tips, "exit", base.id, None, self.player, _tip_sigmas())
        return fresh._with({**{p.id: p for p in fresh.layout.pieces()}, road.id: road})

    def started(self, rules: Rules, players: tuple[str, ...], x: float, y: float) -> Draft:
        """Before the first turn: what the next player without a start column begins with, at a spot."""
        player = self.unstarted(players)
        if player is None:
            return self
        others = [(c.x, c.y) for c in self.layout.columns] or [(0.0, 0.0)]
        near = min(others, key=lambda spot: math.dist(spot, (x, y)))
        heading_deg = math.degrees(math.atan2(y - near[1], x - near[0])) + 90.0
        return replace(self, layout=with_start(self.layout, rules, self.kit, player, x, y, heading_deg))

    def unstarted(self, players: tuple[str, ...]) -> str | None:
        """The first player whose start column is not there yet."""
        there = {column.owner for column in self.layout.columns}
        return next((player for player in players if player not in there), None)

    def with_car(self, car_type: str | None, on: str = "") -> Draft:
        """One more car on the new road, or on the one that is named."""
        road = next((r for r in self.layout.roads if r.id == on), self.new_road)
        if road is None:
            return self
        number = sum(car.road == road.id for car in self.layout.cars)
        place = car_place(self.kit, road, 0.5 + 0.18 * ((number + 1) // 2) * (-1) ** number, car_type)
        car = Car(self._free("k"), *place, road.id, road.owner or self.player, car_type, (HAND_SIGMA_MM, HAND_SIGMA_MM))
        return self._with({**{p.id: p for p in self.layout.pieces()}, car.id: car})

    def _undone(self) -> Draft:
        """Without what the draft built itself."""
        return self._with({p.id: p for p in self.layout.pieces() if p.id in self.before})

    def _put(self, column: Column) -> Draft:
        return replace(self, layout=put_column(self.layout, column, self.kit))

    def _put_part(self, part: CityPart) -> Draft:
        return self._with_city(part if p.id == part.id else p for p in self.layout.city())

    def _with_city(self, parts: Iterable[CityPart]) -> Draft:
        return replace(self, layout=with_city(self.layout, parts))

    def _with(self, pieces: dict[str, Piece]) -> Draft:
        return replace(self, layout=with_pieces(self.layout, pieces))

    def _free(self, prefix: str) -> str:
        used = {p.id for p in (*self.layout.pieces(), *self.layout.city())} | self.before
        return next(name for n in range(1, 10_000) if (name := f"h{prefix}{n}") not in used)


def _tip_sigmas() -> TipSigmas:
    sigma = (HAND_SIGMA_MM, HAND_SIGMA_MM, 0.5)
    return TipSigmas(sigma, sigma)
