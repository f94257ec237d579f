"""Pieces pushed a little, together with what rests on them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np

from referee.layout import Car, Column, Layout, Piece, Point2, Point3, Road, with_pieces
from referee.match import Match
from referee.pieces import Kit

from .faults import faults
from .resting import Lay, axes_of, lie, lies_on
from .turns import slots_mm


@dataclass(frozen=True, slots=True)
class Nudge:
    """A table on which pieces were pushed, and which."""

    layout: Layout
    pieces: tuple[str, ...]


def nudge(match: Match, rng: np.random.Generator, mm: float, tries: int = 60) -> Nudge | None:
    """Some standing pieces moved by `mm` with what rests on them; None where nothing can give way by that much."""
    layout, kit = match.position.layout, match.setup.kit
    out = {r.from_ for r in layout.roads}
    ends: list[Column | Car] = [c for c in layout.columns if c.id not in out]
    for _ in range(tries if ends or layout.cars else 0):
        chosen = [*ends, *layout.cars][int(rng.integers(len(ends) + len(layout.cars)))]
        moved: dict[str, Piece] | None
        if isinstance(chosen, Car):
            moved = _slide_car(layout, kit, chosen, mm * float(rng.choice([-1, 1])))
        else:
            moved = _push_end(layout, kit, chosen, mm, float(rng.uniform(0, 2 * math.pi)))
        if moved:
            after = with_pieces(layout, {p.id: moved.get(p.id, p) for p in layout.pieces()})
            if not faults(after, kit, set(moved)):
                return Nudge(after, tuple(moved))
    return None


def _slide_car(layout: Layout, kit: Kit, car: Car, mm: float) -> dict[str, Piece] | None:
    road = next((r for r in layout.roads if r.id == car.road), None)
    if road is None:
        return None
    step = np.array(road.b) - np.array(road.a)
    x, y, z = np.array([car.x, car.y, car.z]) + step / np.linalg.norm(step) * mm
    return {car.id: msgspec.structs.replace(car, x=float(x), y=float(y), z=float(z))}


def _push_end(layout: Layout, kit: Kit, column: Column, mm: float, bearing: float) -> dict[str, Piece] | None:
    """The last column of a branch goes, its road slides along on the base."""
    way = np.array([math.cos(bearing), math.sin(bearing)])
    road = next((r for r in layout.roads if r.to == column.id), None)
    base = next((c for c in layout.columns if road is not None and c.id == road.from_), None)
    far_mm = mm
    if road is None:
        x, y = np.array([column.x, column.y]) + way * mm
        return {column.id: msgspec.structs.replace(column, x=float(x), y=float(y))}
    for _ in range(8):
        dx, dy = (float(d) for d in way * far_mm)
        if base is None:
            a, b = ((t[0] + dx, t[1] + dy, t[2]) for t in (road.a, road.b))
            x, y = column.x + dx, column.y + dy
        else:
            rest = _slid(layout, kit, base, road, column, (dx, dy))
            if rest is None:
                return None
            a, b, (x, y) = rest
        gone_mm = math.hypot(x - column.x, y - column.y)
        if gone_mm < 1e-6 or abs(gone_mm - mm) < 1e-7:
            break
        far_mm *= mm / gone_mm
    after = msgspec.structs.replace(road, a=a, b=b)
    moved: dict[str, Piece] = {column.id: msgspec.structs.replace(column, x=x, y=y), road.id: after}
    for car in layout.cars:
        if car.road == road.id:
            moved[car.id] = _carried(kit, car, road, after)
    return moved


def _slid(
    layout: Layout, kit: Kit, base: Column, road: Road, column: Column, by: Point2
) -> tuple[Point3, Point3, Point2] | None:
    u, n = axes_of(road)
    start = np.array(road.a[:2]) + by - (base.x, base.y)
    far_mm = float((np.array(road.b[:2]) - (column.x, column.y)) @ u)
    heading_deg = math.degrees(math.atan2(u[1], u[0]))
    lay = Lay(heading_deg, -float(start @ u), far_mm, column.height, float(start @ n))
    below = msgspec.structs.replace(layout, roads=tuple(_under(layout, kit, road)))
    rest = lie(kit, below, base, lay)
    if rest is None:
        return None
    # The column need not have stood under the middle of its road.
    side_mm = float((np.array([column.x, column.y]) - road.a[:2]) @ n)
    return rest[0], rest[1], (rest[2][0] + n[0] * side_mm, rest[2][1] + n[1] * side_mm)


def _carried(kit: Kit, car: Car, before: Road, after: Road) -> Car:
    """A car on a road that moved."""
    u, n = axes_of(before)
    offset = np.array([car.x, car.y]) - before.a[:2]
    share = float(offset @ u) / float(np.hypot(before.b[0] - before.a[0], before.b[1] - before.a[1]))
    x, y, z = slots_mm(kit, after, share, float(offset @ n))
    return msgspec.structs.replace(car, x=x, y=y, z=z)


def _under(layout: Layout, kit: Kit, road: Road) -> Iterator[Road]:
    """Other roads, less those that lie on this one."""
    for other in layout.roads:
        if other.id != road.id and not (other.shares_column_with(road) and lies_on(kit, other, road)):
            yield other
