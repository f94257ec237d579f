"""Ids carried on: a piece that is gone here and new there has moved, and one that only seemed gone stands there."""

from __future__ import annotations

import math
from typing import TypeVar

from msgspec.structs import replace

from referee.layout import Column, Layout, Road, with_pieces

MOVED_MM = 45.0
SAME_MM = 4.0
"""How far from an old piece a new one may be found that is that one: no two can be so near each other."""
_Built = TypeVar("_Built", Column, Road)


def carried(layout: Layout, accepted: Layout, gone: set[str]) -> Layout:
    """The layout with new pieces renamed to the gone ones that they must be."""
    old = {piece.id for piece in accepted.pieces()}
    names: dict[str, str] = {}
    for lost in accepted.built():
        if lost.id not in gone:
            continue
        fresh = [p for p in layout.built() if p.id not in old and p.id not in names and type(p) is type(lost)]
        near = [(gap, p) for p in fresh if (gap := _gap(lost, p)) < MOVED_MM]
        if near:
            names[min(near, key=lambda pair: pair[0])[1].id] = lost.id
    owners = {piece.id: piece.owner for piece in accepted.pieces()}
    yellow = {column.id: column.junction for column in accepted.columns}
    columns = [_renamed(c, names, owners) for c in layout.columns]
    columns = [replace(c, junction=yellow.get(c.id, c.junction)) for c in columns]
    roads = []
    for road in layout.roads:
        ends = (names.get(road.from_ or "", road.from_), names.get(road.to or "", road.to))
        moved = replace(_renamed(road, names, owners), from_=ends[0], to=ends[1])
        before = next((r for r in accepted.roads if r.id == moved.id), None)
        if before is not None and road.id in names and _runs_back(before, moved):
            turned = None if moved.sigma is None else replace(moved.sigma, a=moved.sigma.b, b=moved.sigma.a)
            moved = replace(moved, a=moved.b, b=moved.a, from_=moved.to, to=moved.from_, sigma=turned)
        roads.append(moved if before is None or road.id not in names else replace(moved, kind=before.kind))
    return replace(layout, columns=tuple(columns), roads=tuple(roads))


def put_back(layout: Layout, accepted: Layout, names: set[str]) -> Layout:
    """The layout with old pieces again that only seemed to be missing; what was found in their place are they."""
    if not names:
        return layout
    old = {piece.id for piece in accepted.pieces()}
    back = [piece for piece in accepted.pieces() if piece.id in names]
    built = [piece for piece in back if isinstance(piece, Column | Road)]
    same = {new.id: one.id for new in layout.built() if new.id not in old for one in built if _gap(one, new) < SAME_MM}
    pieces = {piece.id: piece for piece in layout.pieces() if piece.id not in same}
    pieces |= {piece.id: piece for piece in back}
    for road in layout.roads:
        if road.id in pieces:
            ends = (same.get(road.from_ or "", road.from_), same.get(road.to or "", road.to))
            pieces[road.id] = replace(road, from_=ends[0], to=ends[1])
    return with_pieces(layout, pieces)


def _renamed(piece: _Built, names: dict[str, str], owners: dict[str, str | None]) -> _Built:
    if piece.id not in names:
        return piece
    name = names[piece.id]
    return replace(piece, id=name, owner=owners[name])


def _gap(one: Column | Road, other: Column | Road) -> float:
    if isinstance(one, Column) and isinstance(other, Column):
        return math.hypot(one.x - other.x, one.y - other.y) if one.height == other.height else math.inf
    if isinstance(one, Road) and isinstance(other, Road):
        straight = max(math.dist(one.a, other.a), math.dist(one.b, other.b))
        crossed = max(math.dist(one.a, other.b), math.dist(one.b, other.a))
        return min(straight, crossed)
    return math.inf


def _runs_back(before: Road, now: Road) -> bool:
    return math.dist(before.a, now.a) > math.dist(before.a, now.b)
