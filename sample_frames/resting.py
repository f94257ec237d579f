"""How a stick comes to rest: its underside falls onto the highest points of what lies under its two ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.geometry import Floats
from referee.layout import Column, Layout, Point3, Road
from referee.pieces import Kit
from referee.resting import Surface, disc_top, overlap_points, stick_top, stick_under, tilted_onto, tip_heights_mm

_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Lay:
    """What is asked for: a stick from a base along a heading, its tips `reach` past the middle of its columns."""

    heading_deg: float
    reach_mm: float
    far_reach_mm: float = 0.0
    height: int | None = None
    """Discs of the new column at the far end; None: the far end goes down to the table."""
    side_mm: float = 0.0
    """How far left of the middle of the base the stick lies."""


def at_column(kit: Kit, layout: Layout, column: Column) -> list[Surface]:
    """What a stick may lie on at a column: its top, and the sticks whose ends lie there."""
    return [disc_top(kit, column), *(stick_top(kit, r) for r in layout.roads if column.id in r.columns())]


def lie(
    kit: Kit, layout: Layout, base: Column, lay: Lay, also: Sequence[Surface] = ()
) -> tuple[Point3, Point3, tuple[float, float]] | None:
    """Tips a (at the base) and b of a stick at rest, and the middle of its new column; None where it would fall."""
    angle = math.radians(lay.heading_deg)
    u = np.array([math.cos(angle), math.sin(angle)])
    start = np.array([base.x, base.y]) - u * lay.reach_mm + np.array([-u[1], u[0]]) * lay.side_mm
    near = [*at_column(kit, layout, base), *also]
    far_mm = 0.0 if lay.height is None else kit.column_top_mm(lay.height)
    rise = (far_mm - kit.column_top_mm(base.height)) / kit.road_length_mm
    level_mm = 0.0
    for _ in range(_ROUNDS):
        surfaces = near
        if lay.height is not None:
            end = start + u * (kit.road_length_mm * (1.0 / math.hypot(1.0, rise)))
            x, y = end - u * lay.far_reach_mm
            surfaces = [*near, disc_top(kit, Column("", float(x), float(y), lay.height, False, None))]
        tilted = tilted_onto(kit, start, u, rise, surfaces, (False, lay.height is None))
        if tilted is None or abs(tilted[0]) > 1.0:
            return None
        rise, level_mm = tilted
    z_a, z_b = tip_heights_mm(kit, rise, level_mm)
    plan_mm = kit.road_length_mm / math.hypot(1.0, rise)
    end = start + u * plan_mm
    centre = end - u * lay.far_reach_mm
    a = (float(start[0]), float(start[1]), z_a)
    b = (float(end[0]), float(end[1]), z_b)
    return a, b, (float(centre[0]), float(centre[1]))


def axes_of(road: Road) -> tuple[Floats, Floats]:
    """Unit directions in plan along a road, and to the left of it."""
    along = np.array(road.b[:2]) - road.a[:2]
    u = along / np.hypot(*along)
    return u, np.array([-u[1], u[0]])


def lies_on(kit: Kit, upper: Road, lower: Road) -> bool:
    """Whether a road's underside touches the upper face of another one."""
    under, top = stick_under(kit, upper), stick_top(kit, lower)
    corners = overlap_points(under, top)
    gaps = under.heights_mm(corners) - top.heights_mm(corners)
    return bool(len(gaps)) and -kit.road_thickness_mm / 2 < float(gaps.min()) < 0.1
