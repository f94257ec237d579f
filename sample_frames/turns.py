"""One turn as a plan: from which base, which way, how high; many at once looked over in plan, then laid at rest."""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec
import numpy as np

from referee.geometry import Bools, Floats
from referee.geometry.outline import inside_by, points_to_outline
from referee.geometry.plan import cross, stick_to_disc
from referee.layout import Car, Column, Layout, Road
from referee.match import Match
from referee.network import base_points
from referee.notation.lay import plan_length_mm
from referee.pieces import Kit
from referee.position import stock

from .boxes import car_pose, car_size_mm
from .resting import Lay, lie

FAR_MM = 330.0
"""Nobody builds further from the middle of the table than this."""
LIFT_MM = 2.4
"""How far a sloping stick's upper tip may be lifted by the rim it lies on: R1 wants 3 mm."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a player means to build."""

    base: Column
    lay: Lay
    junction: bool = False


def letter_of(layout: Layout, player: str) -> str:
    """What the ids of a player's pieces begin with."""
    own = next((c.id for c in layout.columns if c.owner == player and c.id.endswith("c0")), f"{player[0]}c0")
    return own.removesuffix("c0")


def laid(match: Match, plan: Plan) -> Layout | None:
    """The table with the plan built on it: new pieces come last. None where the stick would not stay up."""
    kit, layout, number = match.setup.kit, match.position.layout, match.position.turn + 1
    player = match.position.to_move or ""
    rest = lie(kit, layout, plan.base, plan.lay)
    if rest is None:
        return None
    a, b, (x, y) = rest
    letter = letter_of(layout, player)
    if plan.lay.height is None:
        road = Road(f"{letter}r{number}", a, b, "exit", plan.base.id, None, player)
        return msgspec.structs.replace(layout, roads=(*layout.roads, road))
    column = Column(f"{letter}c{number}", x, y, plan.lay.height, plan.junction, player)
    road = Road(f"{letter}r{number}", a, b, "road", plan.base.id, column.id, player)
    return msgspec.structs.replace(layout, columns=(*layout.columns, column), roads=(*layout.roads, road))


def reach_mm(kit: Kit, discs: float, rng: np.random.Generator) -> float:
    """How far past the middle of a column a tip lies; steep sticks end short of the rim, lest they lift off it."""
    steep = max(abs(discs) * kit.disc_height_mm / kit.road_length_mm, 1e-6)
    radius_mm = kit.disc_radius_mm
    most = min(radius_mm - 0.8, LIFT_MM / steep - radius_mm)
    return float(rng.uniform(min(-0.3 * radius_mm, most - 1.0), most))


def random_plan(match: Match, rng: np.random.Generator) -> Plan | None:
    """A random plan that the player can pay for, mostly across somebody else's road; None where there is nothing."""
    position, kit, rules = match.position, match.setup.kit, match.setup.rules
    player = position.to_move
    if player is None:
        return None
    bases, has = base_points(position.layout, player), stock(position, rules, player)
    if not bases or has.roads < 1:
        return None
    base = bases[int(rng.integers(len(bases)))]
    low = base.height == 1 or (rules.options.exit_any_height and base.height < 4)
    if low and (rng.random() < 0.15 or has.grey < 1):
        heading_deg = _heading(match, base, player, rng, exits=True)
        return Plan(base, Lay(heading_deg, reach_mm(kit, base.height, rng)))
    junction = rules.options.junctions and has.yellow > 0 and rng.random() < 0.2
    height = int(rng.integers(2, 5)) if junction else max(base.height + int(rng.choice([-1, 1])), 0)
    if height < 1 or height - junction > has.grey:
        height, junction = base.height + 1, False
    rise = height - base.height
    lay = Lay(_heading(match, base, player, rng), reach_mm(kit, rise, rng), reach_mm(kit, rise, rng), height)
    return Plan(base, lay, junction)


def _heading(match: Match, base: Column, player: str, rng: np.random.Generator, exits: bool = False) -> float:
    """Mostly across somebody else's road; in mission mode now and then to a city area; sometimes anywhere."""
    layout = match.position.layout
    wanted = ("airport", "green") if exits else ("development", "rainbow")
    areas = [a for a in layout.areas if a.kind in wanted]
    rivals = [r for r in layout.roads if r.owner != player]
    if match.setup.rules.mission and areas and rng.random() < (0.6 if exits else 0.25):
        corners = np.array(areas[int(rng.integers(len(areas)))].outline)
        x, y = rng.dirichlet(np.ones(len(corners))) @ corners
    elif rivals and rng.random() < 0.75:
        target = rivals[int(rng.integers(len(rivals)))]
        share = float(rng.uniform(0.15, 0.85))
        x, y = (target.a[k] + share * (target.b[k] - target.a[k]) for k in (0, 1))
    else:
        return float(rng.uniform(0, 360))
    return math.degrees(math.atan2(y - base.y, x - base.x))


def sketch(kit: Kit, plans: list[Plan]) -> tuple[Floats, Floats]:
    """Roughly where the sticks (n, 2, 3) and new columns (n, 2) of many plans come to lie."""
    tips, centres = [], []
    for plan in plans:
        height = plan.lay.height
        z_a = kit.lying_z_mm(plan.base.height)
        z_b = kit.road_thickness_mm / 2 if height is None else kit.lying_z_mm(height)
        angle = math.radians(plan.lay.heading_deg)
        ux, uy = math.cos(angle), math.sin(angle)
        ax, ay = plan.base.x - ux * plan.lay.reach_mm, plan.base.y - uy * plan.lay.reach_mm
        plan_mm = plan_length_mm(kit, z_b - z_a)
        tips.append(((ax, ay, z_a), (ax + ux * plan_mm, ay + uy * plan_mm, z_b)))
        to_mm = plan_mm - plan.lay.far_reach_mm
        centres.append((ax + ux * to_mm, ay + uy * to_mm))
    return np.array(tips), np.array(centres)


def possible(match: Match, plans: list[Plan], but: str | None = None) -> tuple[Bools, Floats]:
    """Which plans have room in plan (R3, R5 and R7 roughly, `but` one), and roughly how many cars each would earn."""
    layout, kit, rules = match.position.layout, match.setup.kit, match.setup.rules
    tips, centres = sketch(kit, plans)
    builds = np.array([p.lay.height is not None for p in plans])
    fine: Bools = np.hypot(centres[:, 0], centres[:, 1]) < FAR_MM
    for column in layout.columns:
        centre = np.broadcast_to((column.x, column.y), centres.shape)
        gap = stick_to_disc(tips, kit.road_width_mm, centre, kit.disc_radius_mm)
        fine &= (gap > 0) | (but == "R3") | np.array([p.base.id == column.id for p in plans])
        fine &= ~builds | (np.hypot(*(centres - centre).T) > kit.disc_diameter_mm + 0.3)
    # An exit has a car for sure, but whoever closes the last branch builds no more.
    last = len(base_points(layout, match.position.to_move or "")) < 2
    cars = np.where(builds, 0.0, -5.0 if last else 0.6)
    voided = np.zeros(len(plans), dtype=np.bool_)
    for road in layout.roads:
        other = np.broadcast_to(np.array([road.a, road.b]), tips.shape)
        fine &= ~builds | (stick_to_disc(other, kit.road_width_mm, centres, kit.disc_radius_mm) > 0)
        crosses, rise = cross(tips, other)
        crosses &= np.array([p.base.id not in road.columns() for p in plans])
        fine &= ~crosses | (np.abs(rise) > kit.road_thickness_mm) | (but == "R5")
        if road.owner == match.position.to_move:
            voided |= crosses & rules.options.own_crossing_voids
        elif road.kind == "road" or rules.options.targets == "any":
            lain = {side for crossed, side, _ in match.position.crossed if crossed == road.id}
            cars += crosses & np.where(rise > 0, "over" not in lain, "under" not in lain)
    for building in layout.buildings:
        fine &= ~builds | (points_to_outline(centres, building.outline) > kit.disc_radius_mm)
    for area in layout.areas if rules.options.city and but != "R7" else ():
        inside = inside_by(centres, area.outline)
        clear = np.abs(inside) if area.kind == "development" else -inside
        fine &= ~builds | (clear > kit.disc_radius_mm)
    return fine, np.where(voided & builds, 0.0, cars)


def slots_mm(kit: Kit, road: Road, fraction: float, side_mm: float = 0.0) -> tuple[float, float, float]:
    """The point on a road's upper face at a fraction of its length, `side_mm` left of its centre line."""
    x, y, z = (a + fraction * (b - a) for a, b in zip(road.a, road.b, strict=True))
    plan_mm = math.hypot(road.b[0] - road.a[0], road.b[1] - road.a[1])
    ux, uy = (road.b[0] - road.a[0]) / plan_mm, (road.b[1] - road.a[1]) / plan_mm
    over_mm = kit.road_thickness_mm / 2 * kit.road_length_mm / plan_mm
    return x - uy * side_mm, y + ux * side_mm, z + over_mm


def car_on(
    car_id: str, kit: Kit, road: Road, fraction: float, player: str, car_type: str | None, askew: float = 0.0
) -> Car:
    """A car on a road; `askew` (-1 to 1) puts it a little off the middle and out of line."""
    yaw = math.atan2(road.b[1] - road.a[1], road.b[0] - road.a[0])
    on_road = Car(car_id, *slots_mm(kit, road, fraction, 0.3 * askew), yaw + 0.012 * askew, road.id, player, car_type)
    up = car_pose(on_road, road)[:3, 2] * car_size_mm(kit, on_road)[2] / 2  # a car's place is its middle
    return msgspec.structs.replace(
        on_road, x=on_road.x + float(up[0]), y=on_road.y + float(up[1]), z=on_road.z + float(up[2])
    )
