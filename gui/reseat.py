"""Pieces that hang together: a column that moves or grows takes the ends of its roads and their cars along."""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec.structs import replace

from referee.correction import DropPiece, Edit, PutPiece, SetCity
from referee.layout import Candidate, Car, Column, Layout, Piece, Point3, Road, with_pieces
from referee.pieces import Kit

Grip = str
"""Where a piece is held: "a" or "b" at a tip of a road, a corner of a city's outline by its number, else nothing."""


def put_column(layout: Layout, new: Column, kit: Kit) -> Layout:
    """The layout with a column changed; road ends that rest on it, and the cars there, follow its top."""
    pieces: dict[str, Piece] = {piece.id: piece for piece in layout.pieces()}
    old = pieces.get(new.id)
    pieces[new.id] = new
    if not isinstance(old, Column):
        return with_pieces(layout, pieces)
    way = (new.x - old.x, new.y - old.y, kit.column_top_mm(new.height) - kit.column_top_mm(old.height))
    shares: dict[str, tuple[float, float]] = {}
    for road in layout.roads:
        share = (float(road.from_ == new.id), float(road.to == new.id))
        if any(share):
            pieces[road.id] = replace(road, a=_moved(road.a, way, share[0]), b=_moved(road.b, way, share[1]))
            shares[road.id] = share
    for car in layout.cars:
        if car.road in shares:
            pieces[car.id] = _carried(car, next(r for r in layout.roads if r.id == car.road), way, shares[car.road])
    return with_pieces(layout, pieces)


def drag_road(layout: Layout, name: str, grip: Grip, dx: float, dy: float, kit: Kit) -> Layout:
    """A road moved whole, or by one tip; its cars follow, and a tip that comes over another column rests there."""
    road = next(r for r in layout.roads if r.id == name)
    share, way = (float(grip != "b"), float(grip != "a")), (dx, dy, 0.0)
    laid = replace(road, a=_moved(road.a, way, share[0]), b=_moved(road.b, way, share[1]), unsure=None, candidates=())
    if grip == "a" and (column := _column_under(layout, laid.a, kit)) is not None and column.id != road.to:
        laid = replace(laid, a=_on(column, laid.a, kit), from_=column.id) if column.id != road.from_ else laid
    if grip == "b" and (column := _column_under(layout, laid.b, kit)) is not None and column.id != road.from_:
        laid = replace(laid, b=_on(column, laid.b, kit), to=column.id) if column.id != road.to else laid
    pieces: dict[str, Piece] = {piece.id: piece for piece in layout.pieces()}
    pieces |= {car.id: _carried(car, road, way, share) for car in layout.cars if car.road == name}
    return with_pieces(layout, {**pieces, name: laid})


def _column_under(layout: Layout, tip: Point3, kit: Kit) -> Column | None:
    over = [c for c in layout.columns if math.hypot(c.x - tip[0], c.y - tip[1]) <= kit.disc_radius_mm]
    return min(over, key=lambda c: math.hypot(c.x - tip[0], c.y - tip[1]), default=None)


def _on(column: Column, tip: Point3, kit: Kit) -> Point3:
    return tip[0], tip[1], kit.lying_z_mm(column.height)


def _moved(point: Point3, way: Point3, share: float) -> Point3:
    return point[0] + way[0] * share, point[1] + way[1] * share, point[2] + way[2] * share


def _carried(car: Car, road: Road, way: Point3, share: tuple[float, float]) -> Car:
    """A car goes as far as the spot of the road that it stands on."""
    along = (road.b[0] - road.a[0], road.b[1] - road.a[1])
    length2 = along[0] ** 2 + along[1] ** 2
    spot = ((car.x - road.a[0]) * along[0] + (car.y - road.a[1]) * along[1]) / length2 if length2 else 0.5
    part = share[0] + (share[1] - share[0]) * min(max(spot, 0.0), 1.0)
    x, y, z = _moved((car.x, car.y, car.z), way, part)
    return replace(car, x=x, y=y, z=z)


def settle(layout: Layout, piece_id: str, said: Candidate | None, kit: Kit) -> Layout:
    """The layout with an unsure piece made sure: as people say, or (None) as it was seen."""
    piece = next(p for p in layout.pieces() if p.id == piece_id)
    fields = ("height", "junction", "type", "owner")
    told = {f: getattr(said, f) for f in fields if said is not None and getattr(said, f) is not None}
    sure = replace(piece, unsure=None, candidates=(), **{f: v for f, v in told.items() if hasattr(piece, f)})
    if isinstance(sure, Column):
        # A road that was unsure because of its column's height is sure with it.
        roads = tuple(
            replace(r, unsure=None) if piece_id in r.columns() and not r.candidates else r for r in layout.roads
        )
        return put_column(replace(layout, roads=roads), sure, kit)
    return with_pieces(layout, {p.id: sure if p.id == piece_id else p for p in layout.pieces()})


def without(layout: Layout, name: str) -> Layout:
    """The layout without a piece and what rests on it."""
    roads = {r.id for r in layout.roads if name == r.id or name in r.columns()}
    gone = {name, *roads, *(c.id for c in layout.cars if c.road in roads)}
    return with_pieces(layout, {p.id: p for p in layout.pieces() if p.id not in gone})


def edits_between(before: Layout, after: Layout) -> tuple[Edit, ...]:
    """The edits that make one layout of a turn into another; columns come before what rests on them."""
    old: Mapping[str, Piece] = {p.id: p for p in before.pieces()}
    now: Mapping[str, Piece] = {p.id: p for p in after.pieces()}
    put = [PutPiece(p) for p in now.values() if old.get(p.id) != p]
    # What rests on a piece goes before it does: cars, then roads, then columns.
    gone = [p for p in reversed(tuple(before.pieces())) if p.id not in now]
    city = [] if tuple(before.city()) == tuple(after.city()) else [SetCity(after.buildings, after.areas)]
    return (*put, *(DropPiece(p.id) for p in gone), *city)
