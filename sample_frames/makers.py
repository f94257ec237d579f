"""Ways to spoil a turn, rule by rule: each offers layouts that ought to break its rule, with by how many mm."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec
import numpy as np

from referee.layout import Column, Layout, Piece, Road, with_pieces
from referee.match import Match
from referee.network import base_points, roads_out, ways_out
from referee.position import stock
from referee.ruling import Ruling

from .faults import faults
from .nudges import nudge
from .players import legal_turns, new_ids, with_cars, with_earned
from .resting import Lay, at_column, lie
from .slips import TOUCH_MM, dialled
from .turns import Plan, laid, letter_of, possible, random_plan, reach_mm

Made = tuple[Layout, float | None]
Maker = Callable[[Match, np.random.Generator, str, float, float], Iterator[Made]]
"""From a match, chance, the rule, a distance, and the side of the limit: -1 breaks the rule, 1 just keeps it."""
_TRIES = 60


def _legal(match: Match, rng: np.random.Generator) -> Iterator[tuple[Plan, Layout, Ruling]]:
    """Legal turns to spoil."""
    for _ in range(6):
        yield from legal_turns(match, rng, 60, enough=4)


def _earning(match: Match, rng: np.random.Generator) -> Iterator[tuple[Plan, Layout, Ruling]]:
    """Legal turns that earn cars: of many plans those that cross something or are exits."""
    for _ in range(3):
        plans = [p for p in (random_plan(match, rng) for _ in range(400)) if p is not None]
        if not plans:
            return
        fine, cars = possible(match, plans)
        for index in np.flatnonzero(fine & ((cars > 0) | np.array([p.lay.height is None for p in plans]))):
            layout = laid(match, plans[index])
            if layout is not None and not faults(layout, match.setup.kit, new_ids(match, layout)):
                after, ruling = with_earned(match, layout, rng)
                if ruling.verdict == "legal" and ruling.placed:
                    yield plans[index], after, ruling


def _planned(match: Match, plans: list[Plan], rng: np.random.Generator, rule: str) -> Iterator[Made]:
    """Plans that have room, built, with the cars that they would earn."""
    if not plans:
        return
    fine, _ = possible(match, plans)
    for index in np.flatnonzero(fine):
        layout = laid(match, plans[index])
        if layout is not None:
            yield with_earned(match, layout, rng, but=rule)[0], None


def _plan_from(match: Match, base: Column, height: int, junction: bool, rng: np.random.Generator) -> Plan:
    kit, rise = match.setup.kit, height - base.height
    lay = Lay(float(rng.uniform(0, 360)), reach_mm(kit, rise, rng), reach_mm(kit, rise, rng), height)
    return Plan(base, lay, junction)


def _t1(match: Match, rng: np.random.Generator, rule: str, by_mm: float, side: float) -> Iterator[Made]:
    """A column without a road, or with a second column."""
    lone = rng.random() < 0.5
    for plan, layout, _ in _legal(match, rng):
        if plan.lay.height is None:
            continue
        if lone:
            bare = match.position.layout
            yield msgspec.structs.replace(bare, columns=(*bare.columns, layout.columns[-1])), None
        else:
            new = layout.columns[-1]
            angle, far_mm = float(rng.uniform(0, 2 * math.pi)), float(rng.uniform(25, 60))
            x, y = new.x + far_mm * math.cos(angle), new.y + far_mm * math.sin(angle)
            second = msgspec.structs.replace(new, id=f"{new.id}x", x=x, y=y, height=1, junction=False)
            yield msgspec.structs.replace(layout, columns=(*layout.columns, second)), None


def _heights(match: Match, rng: np.random.Generator, rule: str, by_mm: float, side: float) -> Iterator[Made]:
    """T2 (somebody else's base), T3 (a wrong height), T4 (yellow on the table), T5 (a road too many)."""
    layout, player = match.position.layout, match.position.to_move or ""
    own, out = base_points(layout, player), roads_out(layout)
    bases = {
        "T2": [b for p in match.setup.players if p != player for b in base_points(layout, p)],
        "T5": [c for c in layout.columns if c.owner == player and out[c.id] >= ways_out(c)],
    }.get(rule, list(own))
    junctions = match.setup.rules.options.junctions
    plans = []
    for _ in range(240 if bases else 0):
        base = bases[int(rng.integers(len(bases)))]
        height = base.height + int(rng.choice([-1, 1]))
        if rule == "T3":
            height = base.height + int(rng.choice([-2, 0, 2]))
        elif rule == "T4":
            height = 1 if junctions else 2
        if height >= 1:
            plans.append(_plan_from(match, base, height, rule == "T4", rng))
    yield from _planned(match, plans, rng, rule)


def _t7(match: Match, rng: np.random.Generator, rule: str, by_mm: float, side: float) -> Iterator[Made]:
    """A legal turn in which something else was pushed: further than a nudge, or just not."""
    limit_mm = match.setup.rules.options.push_mm
    for _, layout, _ in _legal(match, rng):
        pushed = nudge(match, rng, limit_mm - side * by_mm)
        if pushed is not None and not match.position.fresh & set(pushed.pieces):
            moved: dict[str, Piece] = {p.id: p for p in pushed.layout.pieces() if p.id in pushed.pieces}
            yield with_pieces(layout, {p.id: moved.get(p.id, p) for p in layout.pieces()}), by_mm


def _ends(match: Match, rng: np.random.Generator, rule: str, by_mm: float, side: float) -> Iterator[Made]:
    """R1 (short of its column) and R2 (out past it)."""
    radius_mm = match.setup.kit.disc_radius_mm
    for _ in range(_TRIES):
        plan = random_plan(match, rng)
        if plan is None or plan.lay.height is None:
            continue
        if rule == "R1" and side < 0:
            layout = _short(match, plan, by_mm)
        else:
            far_mm = by_mm - radius_mm if rule == "R1" else radius_mm - side * by_mm
            layout = laid(match, Plan(plan.base, replace(plan.lay, far_reach_mm=far_mm), plan.junction))
        if layout is not None:
            yield with_earned(match, layout, rng, but=rule)[0], by_mm


def _short(match: Match, plan: Plan, by_mm: float) -> Layout | None:
    """The road slid off: it leans from its base to the table, `by_mm` short of its column."""
    ramp = laid(match, Plan(plan.base, replace(plan.lay, height=None)))
    if ramp is None or plan.lay.height is None:
        return None
    road = ramp.roads[-1]
    angle = math.radians(plan.lay.heading_deg)
    far_mm = match.setup.kit.disc_radius_mm + by_mm
    x, y = road.b[0] + math.cos(angle) * far_mm, road.b[1] + math.sin(angle) * far_mm
    player = match.position.to_move or ""
    name = f"{letter_of(ramp, player)}c{match.position.turn + 1}"
    column = Column(name, x, y, plan.lay.height, plan.junction, player)
    leaning = msgspec.structs.replace(road, kind="road", to=name)
    return msgspec.structs.replace(ramp, columns=(*ramp.columns, column), roads=(*ramp.roads[:-1], leaning))


def _dialled(match: Match, rng: np.random.Generator, rule: str, by_mm: float, side: float) -> Iterator[Made]:
    clear_mm = -TOUCH_MM if rule in ("R5", "R6") and side < 0 else side * by_mm
    for layout, _ in dialled(match, rule, clear_mm, rng):
        yield with_earned(match, layout, rng, but=rule)[0], by_mm


def _r4(match: Match, rng: np.random.Generator, rule: str, by_mm: float, side: float) -> Iterator[Made]:
    """A road to a column that stands already."""
    kit, layout, player = match.setup.kit, match.position.layout, match.position.to_move or ""
    for base in base_points(layout, player):
        for target in layout.columns:
            apart_mm = math.hypot(target.x - base.x, target.y - base.y)
            spare_mm = kit.road_length_mm - apart_mm
            if target.id == base.id or not -1.6 * kit.disc_radius_mm < spare_mm < 1.8 * kit.disc_radius_mm:
                continue
            heading_deg = math.degrees(math.atan2(target.y - base.y, target.x - base.x))
            lay = Lay(heading_deg, spare_mm / 2, spare_mm / 2, target.height)
            rest = None
            for _ in range(6):
                rest = lie(kit, layout, base, lay, at_column(kit, layout, target))
                if rest is None:
                    break
                plan_mm = math.hypot(rest[1][0] - rest[0][0], rest[1][1] - rest[0][1])
                lay = replace(lay, far_reach_mm=plan_mm - lay.reach_mm - apart_mm)
            if rest is not None:
                name = f"{letter_of(layout, player)}r{match.position.turn + 1}"
                road = Road(name, rest[0], rest[1], "road", base.id, target.id, player)
                yield msgspec.structs.replace(layout, roads=(*layout.roads, road)), None


def _cars(match: Match, rng: np.random.Generator, rule: str, by_mm: float, side: float) -> Iterator[Made]:
    """C4 (on an older road), C6 (not placed), C7 (not one's own, or used up), C8 (not earned)."""
    layout, player, rules = match.position.layout, match.position.to_move or "", match.setup.rules
    rivals = [p for p in match.setup.players if p != player]
    for _, after, ruling in (_legal if rule == "C8" else _earning)(match, rng):
        bare = msgspec.structs.replace(after, cars=layout.cars)
        match rule:
            case "C4":
                older = [r for r in layout.roads if r.owner == player] or list(layout.roads)
                if older:
                    yield with_cars(match, bare, ruling.placed, rng, older[int(rng.integers(len(older)))]), None
            case "C6":
                yield msgspec.structs.replace(after, cars=after.cars[:-1]), None
            case "C7":
                last, used = after.cars[-1], [c.type for c in layout.cars if c.owner == player and c.type]
                wrong = msgspec.structs.replace(last, owner=rivals[int(rng.integers(len(rivals)))])
                if rules.typed and used and rng.random() < 0.4:
                    wrong = msgspec.structs.replace(last, type=used[int(rng.integers(len(used)))])
                yield msgspec.structs.replace(after, cars=(*after.cars[:-1], wrong)), None
            case _:
                if stock(match.position, rules, player).cars > ruling.earned:
                    yield with_cars(match, bare, ruling.earned + 1, rng), None


def _e1(match: Match, rng: np.random.Generator, rule: str, by_mm: float, side: float) -> Iterator[Made]:
    """An exit from too high up."""
    own = [b for b in base_points(match.position.layout, match.position.to_move or "") if b.height > 1]
    kit = match.setup.kit
    plans = [Plan(b, Lay(float(rng.uniform(0, 360)), reach_mm(kit, b.height, rng))) for b in own for _ in range(120)]
    yield from _planned(match, plans, rng, rule)


MAKERS: dict[str, Maker] = {
    "T1": _t1, "T2": _heights, "T3": _heights, "T4": _heights, "T5": _heights, "T7": _t7,
    "R1": _ends, "R2": _ends, "R3": _dialled, "R4": _r4, "R5": _dialled, "R6": _dialled, "R7": _dialled,
    "C4": _cars, "C6": _cars, "C7": _cars, "C8": _cars, "E1": _e1,
}  # fmt: skip
