"""Players who build towards crossings, as people do: whole legal games for samples, tests and the studio."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from referee.edition import rules_for
from referee.judge import judge_turn
from referee.layout import Car, Column, Layout, Road
from referee.match import Match, Setup, fold
from referee.network import base_points
from referee.pieces import CAR_TYPES, SEDAN, Kit
from referee.position import stock, types_left
from referee.ruling import Ruling

from .city import City, buildings_for, city_about
from .faults import faults
from .resting import Lay, lie
from .turns import Plan, car_on, laid, letter_of, possible, random_plan

COLOURS = ("purple", "green", "orange", "blue", "pink", "white")
ASKED = 6
"""How many of the best plans the referee is asked about before a player has seen enough legal ones."""


def entrances(
    kit: Kit, players: tuple[str, ...], bare: bool = False, typed: bool = True, rng: np.random.Generator | None = None
) -> Layout:
    """A set-up: start columns on a ring one road apart, each with its entrance from outside and its first car.

    With `rng` they stand as people put them, a few mm and degrees off.
    """
    count = len(players)
    radius_mm = kit.road_length_mm / (2 * math.sin(math.pi / max(count, 2)))
    columns, roads, cars = [], [], []
    for index, player in enumerate(players):
        angle = 2 * math.pi * index / count
        off_mm, turn_deg = (0.0, 0.0) if rng is None else (rng.normal(0, 1.0, 2), float(rng.uniform(-15, 15)))
        letter = player[0] if len({p[0] for p in players}) == count else f"{player}-"
        x, y = np.array([math.cos(angle), math.sin(angle)]) * radius_mm + np.clip(off_mm, -2.5, 2.5)
        column = Column(f"{letter}c0", float(x), float(y), 1, False, player)
        columns.append(column)
        if not bare:
            # Side on to the others, so that the first roads have room.
            rest = lie(kit, Layout((), (), ()), column, Lay(math.degrees(angle) - 90.0 + turn_deg, 2.0))
            if rest is None:
                raise AssertionError("a stick on a column and the table stays up")
            road = Road(f"{letter}r0", rest[1], rest[0], "entrance", None, column.id, player)
            roads.append(road)
            cars.append(car_on(f"{letter}k0", kit, road, 0.5, player, SEDAN if typed else None))
    return Layout(tuple(columns), tuple(roads), tuple(cars))


def city_for(kit: Kit, players: tuple[str, ...], rng: np.random.Generator) -> City:
    """A Rainbow City round the entrances of these players (S6): buildings and areas."""
    return city_about(kit, entrances(kit, players), rng)


def deal(
    edition: str, players: tuple[str, ...], kit: Kit, rng: np.random.Generator, mission: bool = False, **options: Any
) -> Setup:
    """A whole set-up of any edition, with its buildings or city, put down as people would."""
    rules = rules_for(edition, len(players), mission, options)
    if rules.typed and rules.car_types() is None:
        others = rng.permutation([t for t in CAR_TYPES if t != SEDAN])[: rules.dealt.cars - 1]
        rules = rules_for(edition, len(players), mission, {**options, "types": [SEDAN, *map(str, others)]})
    layout = entrances(kit, players, rules.options.start == "column", rules.typed, rng)
    if rules.options.city:
        buildings, areas = city_about(kit, layout, rng)
        layout = msgspec.structs.replace(layout, buildings=buildings, areas=areas)
    elif rules.options.buildings and len(players) > 2:
        layout = msgspec.structs.replace(layout, buildings=buildings_for(kit, layout, len(players), rng))
    return Setup(rules, kit, players, players[int(rng.integers(len(players)))], layout)


def judged(match: Match, layout: Layout) -> Ruling:
    """What the referee says of a layout as the next turn."""
    return judge_turn(match.setup.rules, match.setup.kit, match.position, layout)[0]


def proposals(match: Match, rng: np.random.Generator, tries: int) -> Iterator[tuple[Layout, Ruling]]:
    """Next layouts, legal or not, with what the referee says of them; earned cars are placed on what is else legal."""
    for _ in range(tries):
        plan = random_plan(match, rng)
        if plan is None:
            return
        layout = laid(match, plan)
        if layout is not None:
            yield with_earned(match, layout, rng)


def with_earned(
    match: Match, layout: Layout, rng: np.random.Generator, but: str | None = None
) -> tuple[Layout, Ruling]:
    """The layout with the cars that it earns, where it is else legal (`but` for one rule), and the ruling on it."""
    ruling = judged(match, layout)
    if ruling.earned and all(v.rule in ("C6", but) for v in ruling.violations):
        layout = with_cars(match, layout, ruling.earned, rng)
        ruling = judged(match, layout)
    return layout, ruling


def with_cars(match: Match, layout: Layout, count: int, rng: np.random.Generator, road: Road | None = None) -> Layout:
    """The earned cars along the new road (or another one), each where nothing is in its way; fewer without room."""
    kit, rules = match.setup.kit, match.setup.rules
    road = road or layout.roads[-1]
    player = match.position.to_move or ""
    left = list(types_left(match.position, rules, player) or CAR_TYPES)
    letter, turn = letter_of(layout, player), match.position.turn + 1
    for index in range(min(count, stock(match.position, rules, player).cars)):
        for attempt in range(16):
            car_type = left[int(rng.integers(len(left)))] if rules.typed else None
            size_mm = kit.cars[car_type or SEDAN][0]
            edge = (size_mm / 2 + 1.0) / kit.road_length_mm
            # First as people do, about the middle; then anywhere.
            spread = 0.3 if attempt < 4 else 1.0
            fraction = 0.5 + spread * float(rng.uniform(edge - 0.5, 0.5 - edge))
            askew = float(rng.uniform(-1, 1)) if attempt < 12 else 0.0
            car = car_on(f"{letter}k{turn}.{index}", kit, road, fraction, player, car_type, askew)
            placed = msgspec.structs.replace(layout, cars=(*layout.cars, car))
            if not faults(placed, kit, {car.id}) and _off_columns(match, placed, car, road):
                layout = placed
                left = [t for t in left if t != car_type] or left
                break
    return layout


def _off_columns(match: Match, layout: Layout, car: Car, road: Road) -> bool:
    """C4: where cars may not stand over columns, this one does not."""
    apart = [math.hypot(c.x - car.x, c.y - car.y) for c in layout.columns if c.id in road.columns()]
    return match.setup.rules.options.cars_on_columns or min(apart) > match.setup.kit.disc_radius_mm + 0.5


def legal_turns(
    match: Match, rng: np.random.Generator, tries: int, enough: int = 3
) -> Iterator[tuple[Plan, Layout, Ruling]]:
    """Legal turns that can stand so: of `tries` random plans those with room, the likeliest to earn cars first."""
    plans = [p for p in (random_plan(match, rng) for _ in range(tries)) if p is not None]
    if not plans:
        return
    fine, cars = possible(match, plans)
    heights = np.array([p.lay.height or 0 for p in plans])
    order = np.argsort(-(cars - 0.1 * heights + rng.uniform(0, 0.5, len(plans))))
    order = order[fine[order]]
    found = 0
    for asked, index in enumerate(order):
        if found >= enough or (found and asked >= ASKED):
            return
        layout = laid(match, plans[index])
        if layout is None or faults(layout, match.setup.kit, new_ids(match, layout)):
            continue
        layout, ruling = with_earned(match, layout, rng)
        if ruling.verdict == "legal":
            found += 1
            yield plans[index], layout, ruling


def new_ids(match: Match, layout: Layout) -> set[str]:
    return {p.id for p in layout.pieces()} - {p.id for p in match.position.layout.pieces()}


def play_turn(match: Match, rng: np.random.Generator, tries: int = 200) -> Match | None:
    """The match after the best legal turn that was found, or a forced pass; None where neither could be had."""
    turns = list(legal_turns(match, rng, tries)) or list(legal_turns(match, rng, tries * 8, enough=1))
    if turns:
        _, layout, _ = max(turns, key=lambda turn: _worth(match, turn[1], turn[2]))
        return match.play(layout)
    passed = match.play(match.position.layout)
    return passed if passed.rulings[-1].verdict == "legal" else None


def play_game(setup: Setup, seed: int, tries: int = 200, most_turns: int = 200) -> Match:
    """A whole legal game: each player takes the best of some random legal turns, or passes if none can be had."""
    rng = np.random.default_rng(seed)
    match = Match.begin(setup)
    while not match.position.over and match.position.turn < most_turns:
        after = play_turn(match, rng, tries)
        if after is None:
            break
        match = after
    return match


def at_turn(match: Match, turn: int) -> Match:
    """A played game as it stood after a turn, without what came later."""
    return Match.begin(match.setup) if turn == 0 else fold(match.setup, match.log[:turn])


def _worth(match: Match, layout: Layout, ruling: Ruling) -> float:
    """Cars first; then mission points; standing where roads can still be crossed; low; no branch closed early."""
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
    points = ruling.state.players[player].points or 0
    return 10.0 * ruling.placed + 4.0 * points + min(open_roads, 6) - 0.5 * height - (100.0 if closes else 0.0)


def _within_reach(road: Road, other: Road) -> bool:
    """Whether a road from the end of `road` could cross the middle of `other`."""
    x, y = (other.a[0] + other.b[0]) / 2, (other.a[1] + other.b[1]) / 2
    return 20.0 < math.hypot(x - road.b[0], y - road.b[1]) < 75.0
