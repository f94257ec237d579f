"""Roads that lie wrong by a chosen distance, or right by it: found by turning a plan until the measure says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from referee.geometry import Bools, Floats
from referee.geometry.outline import inside_by, stick_to_outline, triangles
from referee.geometry.plan import stick_to_disc, stick_to_stick
from referee.geometry.solid import Solid, distance, separation, stick, triangle_prism
from referee.layout import Layout
from referee.match import Match
from referee.pieces import Kit

from .turns import Plan, laid, possible, random_plan, sketch

Measure = Callable[[Floats, Floats], Floats]
"""From sticks (n, 2, 3) and new columns (n, 2) to a distance in mm (n,): positive is clear, negative a fault."""
Slip = tuple[Layout, float]

_STEP_DEG = 2.0
_BY_MM = 3.0
"""Roads that are no further apart in plan are beside each other."""
TOUCH_MM = 0.005
"""Roads that touch are this far inside each other: no eye can tell it from touching."""


def dialled(match: Match, rule: str, clear_mm: float, rng: np.random.Generator, plans: int = 40) -> Iterator[Slip]:
    """Turns whose R3, R5, R6 or R7 measure comes out at `clear_mm` (below zero: a fault by as much)."""
    for _ in range(plans):
        plan = random_plan(match, rng)
        if plan is None:
            return
        headings = np.arange(0.0, 360.0, _STEP_DEG)
        turned = [_turned(plan, float(h)) for h in headings]
        tips, centres = sketch(match.setup.kit, turned)
        fine, _ = possible(match, turned, but=rule)
        if rule in ("R5", "R6"):
            fine &= _settled(match, turned, fine, tips)
        found = []
        for measure in _measures(match, plan, rule):
            off = measure(tips, centres) - clear_mm
            changes = fine[:-1] & fine[1:] & ((off[:-1] > 0) != (off[1:] > 0))
            near = (np.abs(off[:-1]) < 12) & (np.abs(off[1:]) < 12)
            found += [(measure, float(headings[i])) for i in np.flatnonzero(changes & near)]
        for pick in rng.permutation(len(found))[:4]:
            measure, heading_deg = found[int(pick)]
            layout = _dial(match, plan, measure, clear_mm, heading_deg)
            if layout is not None:
                yield layout, clear_mm


def _settled(match: Match, plans: list[Plan], fine: Bools, tips: Floats) -> Bools:
    """Puts sticks to where they exactly lie (z decides); tells which were, only those over or by something."""
    layout, kit = match.position.layout, match.setup.kit
    near = np.zeros(len(plans), dtype=np.bool_)
    for road in layout.roads:
        if plans[0].base.id not in road.columns():
            other = np.broadcast_to(np.array([road.a, road.b]), tips.shape)
            near |= stick_to_stick(tips, other, kit.road_width_mm) < _BY_MM
    for building in layout.buildings:
        near |= stick_to_outline(tips, kit.road_width_mm, building.outline) < kit.road_width_mm
    near &= fine
    for index in np.flatnonzero(near):
        exact = laid(match, plans[index])
        near[index] = exact is not None
        if exact is not None:
            tips[index] = exact.roads[-1].a, exact.roads[-1].b
    return near


def _turned(plan: Plan, heading_deg: float) -> Plan:
    return Plan(plan.base, replace(plan.lay, heading_deg=heading_deg), plan.junction)


def _dial(match: Match, plan: Plan, measure: Measure, clear_mm: float, start_deg: float) -> Layout | None:
    """The plan turned to where the measure is as wanted, by halving."""

    def off(heading_deg: float) -> tuple[Layout, float] | None:
        layout = laid(match, _turned(plan, heading_deg))
        if layout is None:
            return None
        road = layout.roads[-1]
        centre = (layout.columns[-1].x, layout.columns[-1].y)
        return layout, float(measure(np.array([[road.a, road.b]]), np.array([centre]))[0]) - clear_mm

    low, high = start_deg, start_deg + _STEP_DEG
    first, last = off(low), off(high)
    if first is None or last is None or not (first[1] > 0) ^ (last[1] > 0):
        return None
    best = first
    for _ in range(40):
        middle = (low + high) / 2
        found = off(middle)
        if found is None:
            return None
        if abs(found[1]) < abs(best[1]):
            best = found
        if abs(found[1]) < 1e-7:
            break
        if (found[1] > 0) == (first[1] > 0):
            low = middle
        else:
            high = middle
    return best[0] if abs(best[1]) < 1e-5 else None


def _measures(match: Match, plan: Plan, rule: str) -> Iterator[Measure]:
    """What a rule measures against each of the pieces that a turn could fall foul of."""
    layout, kit = match.position.layout, match.setup.kit
    match rule:
        case "R3":
            for column in layout.columns:
                if column.id != plan.base.id:
                    yield _past_column(kit, (column.x, column.y))
        case "R5":
            for road in layout.roads:
                if plan.base.id not in road.columns():
                    yield _to_road(kit, np.array([[road.a, road.b]]))
        case "R6":
            for building in layout.buildings:
                yield _to_solid(kit, [triangle_prism(t, building.height_mm, 1) for t in triangles(building.outline)])
        case "R7" if plan.lay.height is not None:
            for area in layout.areas:
                yield _off_edge(kit, area.outline, area.kind == "development")


def _past_column(kit: Kit, centre: tuple[float, float]) -> Measure:
    def measure(tips: Floats, centres: Floats) -> Floats:
        return stick_to_disc(tips, kit.road_width_mm, np.broadcast_to(centre, centres.shape), kit.disc_radius_mm)

    return measure


def _to_road(kit: Kit, other: Floats) -> Measure:
    """Distance of two roads, one over or beside the other; none (nan) where they are not."""
    exactly = _to_solid(kit, [stick(other, kit.road_width_mm, kit.road_thickness_mm)])

    def measure(tips: Floats, centres: Floats) -> Floats:
        near = stick_to_stick(tips, np.broadcast_to(other, tips.shape), kit.road_width_mm) < _BY_MM
        return np.where(near, exactly(tips, centres), np.nan) if near.any() else np.full(len(tips), np.nan)

    return measure


def _to_solid(kit: Kit, parts: list[Solid]) -> Measure:
    """Distance in 3D, or below zero how deep inside."""

    def measure(tips: Floats, centres: Floats) -> Floats:
        box = stick(tips, kit.road_width_mm, kit.road_thickness_mm)
        gaps = []
        for part in parts:
            other = Solid(np.broadcast_to(part.vertices, (len(tips), *part.vertices.shape[1:])), part.shape)
            gap = separation(box, other)
            # Of many at once the quick measure will do: where it changes sign is what matters.
            gaps.append(np.where(gap > 0, distance(box, other), gap) if len(tips) == 1 else gap)
        least: Floats = np.min(gaps, axis=0)
        return least

    return measure


def _off_edge(kit: Kit, outline: tuple[tuple[float, float], ...], development: bool) -> Measure:
    def measure(tips: Floats, centres: Floats) -> Floats:
        inside = inside_by(centres, outline)
        return (np.abs(inside) if development else -inside) - kit.disc_radius_mm

    return measure
