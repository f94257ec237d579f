"""Whose is what: all columns and roads look alike, so ownership is told, inherited or follows from the turn."""

from __future__ import annotations

import msgspec

from .layout import Column, Layout, Road
from .position import Position


def deal_owners(layout: Layout, players: tuple[str, ...]) -> Layout:
    """Owners of the first pieces: as told; an entrance is its car's, bare columns go round in order, roads hand on."""
    owners = {p.id: p.owner for p in layout.pieces() if p.owner is not None}
    for car in layout.cars:
        if car.owner is not None and car.road is not None:
            owners.setdefault(car.road, car.owner)
    for _ in range(len(layout.roads) + 1):
        before = len(owners)
        for item in layout.roads:
            chain = [i for i in (item.id, item.from_, item.to) if i is not None]
            owner = next((owners[i] for i in chain if i in owners), None)
            if owner is not None:
                for i in chain:
                    owners.setdefault(i, owner)
        if len(owners) == before:
            break
    free = [p for p in players if p not in {owners.get(c.id) for c in layout.columns}]
    for column in layout.columns:
        if column.id not in owners and free:
            owners[column.id] = free.pop(0)
    return msgspec.structs.replace(
        layout,
        columns=tuple(msgspec.structs.replace(c, owner=owners.get(c.id)) for c in layout.columns),
        roads=tuple(msgspec.structs.replace(r, owner=owners.get(r.id)) for r in layout.roads),
    )


def owned(position: Position, layout: Layout, mover: str) -> Layout:
    """The layout with the owners of columns and roads filled in: as known, else as told, else the player to move."""
    known = position.owners

    def owner(piece: Column | Road) -> str:
        return known.get(piece.id) or piece.owner or mover

    return msgspec.structs.replace(
        layout,
        columns=tuple(msgspec.structs.replace(c, owner=owner(c)) for c in layout.columns),
        roads=tuple(msgspec.structs.replace(r, owner=owner(r)) for r in layout.roads),
    )
