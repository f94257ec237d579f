"""Players who build towards crossings, as people do: whole legal games for samples, tests and the studio."""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec
import numpy as np

from referee.geometry.plan import end_half, stick_corners
from referee.layout import Car, Column, Layout, Road
from referee.match import Match, Setup
from referee.network import base_points
from referee.notation.lay import car_place, plan_length_mm, ramp_tips
from referee.pieces import CAR_TYPES, SEDAN, Kit
from referee.position import stock, types_left
from referee.ruling import Ruling


def entrances(kit: Kit, players: tuple[str, ...], bare: bool = False, typed: bool = True) -> Layout:
    """A set-up: start columns on a ring one road apart, each with its entrance from outside and its first car."""
    count = len(players)
    radius_mm = kit.road_length_mm / (2 * math.sin(math.pi / max(count, 2)))
    columns, roads, cars = [], [], []
    for index, player in enumerate(players):
        angle = 2 * math.pi * index / count
        letter = player[0] if len({p[0] for p in players}) == count else f"{player}-"
        column = Column(f"{letter}c0", radius_mm * math.cos(angle), radius_mm * math.sin(angle), 1, False, player)
        columns.append(column)
        if not bare:
            # Side on to the others, so that the first roads have room.
            a, b = ramp_tips(kit, column, 0, math.degrees(angle) + 90.0, 2.0, up=True)
            road = Road(f"{letter}r0", a, b, "entrance", None, column.id, player)
            roads.append(road)
            cars.append(_car(f"{letter}k0", kit, road, 0.5, player, SEDAN if typed else None))
    return Layout(tuple(columns), tuple(roads), tuple(cars))


def _car(car_id: str, kit: Kit, road: Road, fraction: float, player: str, car_type: str | None) -> Car:
    x, y, z, yaw = car_place(kit, road, fraction)
    return Car(car_id, x, y, z, yaw, road.id, player, car_type)


def proposals(match: Match, rng: np.random.Generator, tries: int) -> Iterator[tuple[Layout, Ruling]]:
    """Next layouts, legal or not, with what the referee says of them; earned cars are placed on what is else legal."""
    for _ in range(tries):
        bare = _propose(match, rng)
        if bare is None:
            return
        ruling = match.play(bare).rulings[-1]
        if ruling.earned and all(v.rule == "C6" for v in ruling.violations):
            bare = _with_cars(match, bare, ruling, rng)
            ruling = match.play(bare).rulings[-1]
        yield bare, ruling


def _propose(match: Match, rng: np.random.Generator) -> Layout | None:
    """The table with one more random column and road, or exit; None where the player has nothing to build with."""
    position, kit = match.position, match.setup.kit
    player = position.to_move
    if player is None:
        return None
    bases = base_points(position.layout, player)
    has = stock(position, match.setup.rules, player)
    if not bases or has.roads < 1:
        return None
    base = bases[int(rng.integers(len(bases)))]
    letter = base.id.split("c")[0] if "c" in base.id else player[0]
    number = position.turn + 1
    heading_deg = _heading(position.layout, base, player, rng)
    reach_mm = float(rng.uniform(1.0, kit.disc_radius_mm - 1.0))
    road_id = f"{letter}r{number}"
    if base.height == 1 and rng.random() < 0.15:
        road = _exit(kit, position.layout, base, road_id, heading_deg, reach_mm, player)
        return msgspec.structs.replace(position.layout, roads=(*position.layout.roads, road))
    junction = match.setup.rules.options.junctions and has.yellow > 0 and rng.random() < 0.2
    height = int(rng.integers(2, 5)) if junction else max(base.height + int(rng.choice([-1, 1])), 0)
    if height < 1 or height - junction > has.grey:
        height = base.height + 1
        junction = False
    column, road = _build(
        kit, position.layout, base, (f"{letter}c{number}", road_id), height, junction, heading_deg, reach_mm, player
    )
    return msgspec.structs.replace(
        position.layout, columns=(*position.layout.columns, column), roads=(*position.layout.roads, road)
    )


def _heading(layout: Layout, base: Column, player: str, rng: np.random.Generator) -> float:
    """Mostly across somebody else's road, sometimes anywhere."""
    rivals = [r for r in layout.roads if r.owner != player]
    if not rivals or rng.random() < 0.3:
        return float(rng.uniform(0, 360))
    target = rivals[int(rng.integers(len(rivals)))]
    x, y, _, _ = car_place(Kit(), target, float(rng.uniform(0.15, 0.85)))
    return math.degrees(math.atan2(y - base.y, x - base.x))


def _exit(
    kit: Kit, layout: Layout, base: Column, road_id: str, heading_deg: float, reach_mm: float, player: str
) -> Road:
    for level in range(4):
        a, b = ramp_tips(kit, base, level, heading_deg, reach_mm, up=False)
        road = Road(road_id, a, b, "exit", base.id, None, player)
        if level >= _level(kit, layout, road, base):
            break
    return road


def _build(
    kit: Kit, layout: Layout, base: Column, ids: tuple[str, str], height: int, junction: bool, heading_deg: float,
    reach_mm: float, player: str,
) -> tuple[Column, Road]:  # fmt: skip
    """A column and the road to it, lying on what lies on the base already."""
    angle = math.radians(heading_deg)
    ux, uy = math.cos(angle), math.sin(angle)
    z_b = kit.lying_z_mm(height)
    for level in range(4):
        z_a = kit.lying_z_mm(base.height, level)
        length_mm = plan_length_mm(kit, z_b - z_a)
        a = (base.x - ux * reach_mm, base.y - uy * reach_mm, z_a)
        b = (a[0] + ux * length_mm, a[1] + uy * length_mm, z_b)
        road = Road(ids[1], a, b, "road", base.id, ids[0], player)
        if level >= _level(kit, layout, road, base):
            break
    column = Column(ids[0], b[0] - ux * reach_mm, b[1] - uy * reach_mm, height, junction, player)
    return column, road


def _level(kit: Kit, layout: Layout, road: Road, base: Column) -> int:
    """On how many road ends the start of a road lies: those on its base that it covers in plan."""
    own = stick_corners(end_half(np.array([[road.a, road.b]]), 0), kit.road_width_mm)[0]
    level = 0
    for other in layout.roads:
        if base.id in other.columns():
            end = 0 if other.from_ == base.id else 1
            theirs = stick_corners(end_half(np.array([[other.a, other.b]]), end), kit.road_width_mm)[0]
            if _overlap(own, theirs):
                top_mm = (other.a if end == 0 else other.b)[2] - kit.column_top_mm(base.height)
                level = max(level, round(top_mm / kit.road_thickness_mm + 0.5))
    return level


def _overlap(one: np.ndarray, other: np.ndarray) -> bool:
    for corners in (one, other):
        for k in (0, 1):
            axis = corners[k + 1] - corners[k]
            first, second = one @ axis, other @ axis
            if first.min() > second.max() or second.min() > first.max():
                return False
    return True


def _with_cars(match: Match, layout: Layout, ruling: Ruling, rng: np.random.Generator) -> Layout:
    """The earned cars, side by side along the new road."""
    player = ruling.player or ""
    rules, kit = match.setup.rules, match.setup.kit
    road = layout.roads[-1]
    count = min(ruling.earned, stock(match.position, rules, player).cars)
    left = types_left(match.position, rules, player) or CAR_TYPES
    letter = road.id.split("r")[0]
    cars = []
    for index in range(count):
        fraction = 0.5 + (index - (count - 1) / 2) * 0.25
        car_type = left[int(rng.integers(len(left)))] if rules.typed else None
        left = tuple(t for t in left if t != car_type)
        cars.append(_car(f"{letter}k{ruling.turn}.{index}", kit, road, fraction, player, car_type))
    return msgspec.structs.replace(layout, cars=(*layout.cars, *cars))


def play_game(setup: Setup, seed: int, tries: int = 60, most_turns: int = 120) -> Match:
    """A whole legal game: each player takes the best of some random legal turns, or passes if none can be found."""
    rng = np.random.default_rng(seed)
    match = Match.begin(setup)
    while not match.position.over and match.position.turn < most_turns:
        legal = [(layout, r) for layout, r in proposals(match, rng, tries) if r.verdict == "legal"]
        if not legal:
            if match.play(match.position.layout).rulings[-1].verdict != "legal":
                break
            match = match.play(match.position.layout)
            continue
        layout, _ = max(legal, key=lambda turn: _worth(match, *turn))
        match = match.play(layout)
    return match


def _worth(match: Match, layout: Layout, ruling: Ruling) -> float:
    """Cars first; then standing where more of the others' roads can still be crossed; low; no branch closed early."""
    player = ruling.player or ""
    road = layout.roads[-1]
    taken = {(crossed, side) for crossed, side, _ in match.position.crossed}
    open_roads = sum(
        _within_reach(road, other) * sum((other.id, side) not in taken for side in ("over", "under"))
        for other in layout.roads
        if other.owner != player and other.kind == "road"
    )
    closes = not base_points(layout, player) and not ruling.state.over
    height = layout.columns[-1].height if road.kind == "road" else 1
    return 10.0 * ruling.placed + min(open_roads, 6) - 0.5 * height - (100.0 if closes else 0.0)


def _within_reach(road: Road, other: Road) -> bool:
    """Whether a road from the end of `road` could cross the middle of `other`."""
    x, y = (other.a[0] + other.b[0]) / 2, (other.a[1] + other.b[1]) / 2
    return 20.0 < math.hypot(x - road.b[0], y - road.b[1]) < 75.0
