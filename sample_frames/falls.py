"""Pieces knocked over: they lie on the table where they fell, or lean on what still stands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from referee.geometry import Floats
from referee.geometry.solid import separation
from referee.layout import Car, Column, Layout, Piece, Road, with_pieces
from referee.match import Match
from referee.pieces import SEDAN, Kit

from .boxes import box, car_box, column_box, pose, solids, stick_box
from .resting import Lay, axes_of, lie, lies_on

FallenKind = Literal["disc", "junction", "stick", "car"]
_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True)
class Fallen:
    """A fallen piece. Its frame: x along, z up as it stood; the origin is its middle, a car's is under its middle."""

    id: str
    kind: FallenKind
    pose: Floats
    """table_from_piece, 4x4."""
    disc: int | None = None
    """Which disc of the column, from the bottom."""
    type: str | None = None
    """A car's type."""
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Knocked:
    """A table on which pieces fell: what still stands, and what lies there."""

    layout: Layout
    fallen: tuple[Fallen, ...]


def knock(match: Match, rng: np.random.Generator, most: int = 8) -> Knocked:
    """Columns of one or two owners fall, with all that lay on them; at most so many pieces, if that can be had."""
    layout, kit = match.position.layout, match.setup.kit
    down: set[str] = set()
    for _ in range(40):
        count = 1 if rng.random() < 0.6 else 2
        first = layout.columns[int(rng.integers(len(layout.columns)))]
        near = sorted(layout.columns, key=lambda c: math.hypot(c.x - first.x, c.y - first.y))
        columns = [first, *(c for c in near if c.owner != first.owner)][:count]
        found = _brought_down(layout, kit, {c.id for c in columns})
        if not down or len(found) < len(down):
            down = found
        if len(down) <= most:
            break
    standing = with_pieces(layout, {p.id: p for p in layout.pieces() if p.id not in down})
    pieces: tuple[Piece, ...] = (*layout.roads, *layout.columns, *layout.cars)
    return Knocked(standing, drop([p for p in pieces if p.id in down], standing, kit, rng))


def drop(pieces: list[Piece], standing: Layout, kit: Kit, rng: np.random.Generator) -> tuple[Fallen, ...]:
    """Pieces as they lie beside what still stands; what falls last lies where there is room left."""
    fallen: list[Fallen] = []
    boxes = _standing_boxes(standing, kit)
    bearing = float(rng.uniform(0, 2 * math.pi))
    for piece in pieces:
        for lying, corners in _drop(piece, standing, kit, bearing, boxes, rng):
            fallen.append(lying)
            boxes.append(corners)
    return tuple(fallen)


def _brought_down(layout: Layout, kit: Kit, columns: set[str]) -> set[str]:
    """The columns, the roads that lay on them, the roads that lay on those, and the cars on all of these."""
    roads = {r.id: r for r in layout.roads if columns & set(r.columns())}
    while True:
        more = [
            r
            for r in layout.roads
            if r.id not in roads and any(r.shares_column_with(o) and lies_on(kit, r, o) for o in roads.values())
        ]
        if not more:
            break
        roads |= {r.id: r for r in more}
    return columns | set(roads) | {c.id for c in layout.cars if c.road in roads}


def _standing_boxes(layout: Layout, kit: Kit) -> list[Floats]:
    roads = {r.id: r for r in layout.roads}
    found = [stick_box(kit, r) for r in layout.roads] + [column_box(kit, c) for c in layout.columns]
    found += [car_box(kit, c, roads.get(c.road or "")) for c in layout.cars]
    for building in layout.buildings:
        outline = np.array(building.outline)
        low, high = outline.min(axis=0), outline.max(axis=0)
        placed = np.eye(4)
        placed[:3, 3] = (*((low + high) / 2), building.height_mm / 2)
        found.append(box(placed, (float(high[0] - low[0]), float(high[1] - low[1]), building.height_mm)))
    return found


def _drop(
    piece: Piece, standing: Layout, kit: Kit, bearing: float, taken: list[Floats], rng: np.random.Generator
) -> Iterator[tuple[Fallen, Floats]]:
    """A piece as it lies, with the box that it fills; a column as its discs."""
    taken = list(taken)
    match piece:
        case Column():
            for disc in range(piece.height):
                yellow = piece.junction and disc == piece.height - 1
                size = (kit.disc_diameter_mm, kit.disc_diameter_mm, kit.disc_height_mm)
                lean = "flat" if rng.random() < 0.6 else "side"
                at = (piece.x, piece.y, 4.0 + 12.0 * disc)
                placed, corners = _settle(at, size, lean, bearing, taken, rng, spread_mm=12.0)
                taken.append(corners)
                yield Fallen(piece.id, "junction" if yellow else "disc", placed, disc, owner=piece.owner), corners
        case Road():
            size = (kit.road_length_mm, kit.road_width_mm, kit.road_thickness_mm)
            found = _leaning(piece, standing, kit, taken, rng)
            if found is None:
                middle = (np.array(piece.a) + piece.b) / 2
                at = (float(middle[0]), float(middle[1]), float(middle[2]))
                found = _settle(at, size, "flat", bearing, taken, rng, spread_mm=25.0)
            yield Fallen(piece.id, "stick", found[0], owner=piece.owner), found[1]
        case Car():
            size = kit.cars[piece.type or SEDAN]
            lean = ("flat", "side", "roof")[int(rng.choice(3, p=[0.2, 0.55, 0.25]))]
            placed, corners = _settle((piece.x, piece.y, piece.z), size, lean, bearing, taken, rng, spread_mm=15.0)
            placed = placed.copy()
            placed[:3, 3] -= placed[:3, 2] * (size[2] / 2)
            yield Fallen(piece.id, "car", placed, type=piece.type, owner=piece.owner), corners


def _settle(
    at: tuple[float, float, float], size_mm: tuple[float, float, float], lean: str, bearing: float,
    taken: list[Floats], rng: np.random.Generator, spread_mm: float,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Lying on the table about as far away as it fell from high, where nothing else is; further if it must."""
    for tried in range(2_000):
        way = bearing + float(rng.normal(0, 0.5 + tried * 0.02))
        far_mm = at[2] * 0.7 + abs(float(rng.normal(0, spread_mm + tried * 0.5)))
        yaw = float(rng.uniform(0, 2 * math.pi))
        flat = np.array([math.cos(yaw), math.sin(yaw), 0.0])
        side = np.array([-flat[1], flat[0], 0.0])
        up, low_mm = {"flat": (_UP, size_mm[2] / 2), "side": (side, size_mm[1] / 2), "roof": (-_UP, size_mm[2] / 2)}[
            lean
        ]
        origin = (at[0] + math.cos(way) * far_mm, at[1] + math.sin(way) * far_mm, low_mm)
        placed = pose(origin, flat, up)
        corners = box(placed, size_mm)
        if _free(corners, taken):
            return placed, corners
    raise AssertionError("a table has no end, so there is room")


def _leaning(
    road: Road, standing: Layout, kit: Kit, taken: list[Floats], rng: np.random.Generator
) -> tuple[Floats, Floats] | None:
    """A stick that still lies on one of its columns with its other end on the table, where that can be."""
    for column in standing.columns:
        if column.id in road.columns() and column.height <= 4:
            u, _ = axes_of(road)
            sign = 1.0 if column.id == road.from_ else -1.0
            heading_deg = math.degrees(math.atan2(sign * u[1], sign * u[0]))
            for _ in range(12):
                lay = Lay(heading_deg + float(rng.normal(0, 12)), float(rng.uniform(-4, 4)))
                rest = lie(kit, standing, column, lay)
                if rest is not None:
                    corners = stick_box(kit, Road(road.id, rest[0], rest[1], "exit", column.id, None, None))
                    lifted = corners + np.array([0.0, 0.0, 0.01])
                    if _free(lifted, taken, ignore=column_box(kit, column)):
                        a, b = np.array(rest[0]), np.array(rest[1])
                        return pose((a + b) / 2, b - a, _UP), corners
    return None


def _free(corners: Floats, taken: list[Floats], ignore: Floats | None = None) -> bool:
    low, high = corners.min(axis=0), corners.max(axis=0)
    near = [
        t
        for t in taken
        if (t.min(axis=0) < high).all()
        and (low < t.max(axis=0)).all()
        and (ignore is None or not np.array_equal(t, ignore))
    ]
    if not near:
        return True
    one = solids([corners] * len(near))
    return bool((separation(one, solids(near)) > 0).all())
