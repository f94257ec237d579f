"""C4 to C8, E1 and E3: which cars may be placed where, and exits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..crossings import Earned
from ..geometry.plan import stick_to_disc
from ..layout import Car
from ..measure import below, decide
from ..pieces import CAR_TYPES
from ..position import stock
from ..ruling import Violation, by_id, measured, plain
from ..turn import Turn
from .build import readings


def c4_new_road_only(turn: Turn) -> Iterator[Violation]:
    """Cars go on the road of this turn (by option, not over its columns)."""
    new = {r.id: r for r in turn.change.roads}
    for car in turn.change.cars:
        road = new.get(car.road or "")
        if road is None:
            where = f"on {car.road}, which was not built this turn" if car.road else "on no road"
            yield plain("C4", [car.id, *([car.road] if car.road else [])], f"car {car.id} stands {where}")
        elif not turn.options.cars_on_columns:
            for column_id in road.columns():
                centre = turn.places.column(turn.columns[column_id])
                gap = np.linalg.norm(turn.places.car(car)[:, :2] - centre, axis=1)
                limit_mm = turn.kit.disc_radius_mm
                text = f"car {car.id} stands over column {column_id}, {{mm}} from its centre"
                yield from measured("C4", [car.id, column_id], gap, below(gap, limit_mm), limit_mm, text)


def c6_must_place(turn: Turn, earned: Earned) -> Iterator[Violation]:
    """Earned cars must be placed, where the edition says so."""
    if not turn.finished:
        return
    fault = fewer_than_owed(turn, earned)
    verdict = decide(fault)
    if verdict != "legal" and not earned.unsure:
        ids = by_id(r.id for r in turn.change.roads)
        missing = f"{earned.total} earned, {len(turn.change.cars)} placed: earned cars must be placed"
        yield plain("C6", ids, _hedged(missing, verdict == "too_close"), verdict)


def fewer_than_owed(turn: Turn, earned: Earned, every: bool = False) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Per sample: fewer cars were placed than must be (`every`: than could be)."""
    options = turn.options
    must_bonus = options.must_place if options.must_place_bonus is None else options.must_place_bonus
    owed = np.zeros_like(earned.by_crossing)
    if options.must_place or every:
        owed = owed + earned.by_crossing
    if must_bonus or every:
        owed = owed + earned.bonus
    had = stock(turn.position, turn.rules, turn.player).cars
    fewer: np.ndarray[tuple[int], np.dtype[np.bool_]] = len(turn.change.cars) < np.minimum(owed, had)
    return fewer


def c7_own_colour(turn: Turn) -> Iterator[Violation]:
    """A car is its owner's colour and of a type still in their stock."""
    for car in turn.change.cars:
        owners = {c.owner or car.owner for c in car.candidates} or {car.owner}
        if None in owners or (car.unsure is not None and not car.candidates) or len(owners) > 1:
            why = car.unsure or "its colour cannot be told"
            yield plain("C7", [car.id], f"too close to call: car {car.id} is not sure ({why})", "too_close")
        elif owners != {turn.player}:
            yield plain("C7", [car.id], f"car {car.id} is {car.owner}'s, but it is {turn.player}'s turn")
        elif turn.rules.typed:
            yield from _type_in_stock(turn, car)
    if turn.rules.typed and turn.options.types_alike:
        yield from _same_types(turn)


def _type_in_stock(turn: Turn, car: Car) -> Iterator[Violation]:
    in_play = turn.rules.car_types() or CAR_TYPES
    placed = {c.type for c in turn.layout.cars if c.owner == car.owner and c.id != car.id}
    types = {c.type or car.type for c in car.candidates} or {car.type}
    left = {t is None or (t in in_play and t not in placed) for t in types}
    if left == {True, False}:
        yield plain("C7", [car.id], f"too close to call: car {car.id} may be of a type used up", "too_close")
    elif left == {False}:
        why = "has placed theirs already" if types & placed else "has none in play"
        yield plain("C7", [car.id], f"car {car.id} is a {car.type}, but {car.owner} {why}")


def _same_types(turn: Turn) -> Iterator[Violation]:
    """S7: where it is not told which types are in play, there are no more of them than cars each."""
    in_play = {c.type for c in turn.layout.cars if c.type is not None}
    before = {c.type for c in turn.position.layout.cars if c.type is not None}
    most = turn.rules.dealt.cars
    if len(in_play) > most and in_play > before:
        ids = by_id(c.id for c in turn.change.cars)
        yield plain("S7", ids, f"{len(in_play)} types are in play; everybody plays the same {most}")


def c8_not_more(turn: Turn, earned: Earned) -> Iterator[Violation]:
    """Cars that were not earned go back."""
    placed = len(turn.change.cars)
    verdict = decide(placed > earned.by_crossing + earned.bonus)
    ids = by_id(c.id for c in turn.change.cars)
    if earned.unsure:
        verdict = "too_close"
    if verdict != "legal":
        text = f"{placed} placed, {earned.total} earned: cars that were not earned go back"
        if earned.unsure:
            text = f"cars hang on {', '.join(earned.unsure)}, which vision is not sure of"
        yield plain("C8", ids or by_id(r.id for r in turn.change.roads), _hedged(text, verdict == "too_close"), verdict)


def e1_exit(turn: Turn) -> Iterator[Violation]:
    """An exit starts at height 1, or (by option) wherever it reaches the table."""
    for road in turn.change.roads:
        base = turn.columns.get(road.from_ or "")
        if road.kind != "exit" or base is None or turn.options.exit_any_height:
            continue
        low = {height == 1 for height, _ in readings(base)}
        if len(low) == 2 or (base.unsure is not None and not base.candidates):
            text = f"too close to call: the height of {base.id} is not sure ({base.unsure})"
            yield plain("E1", [road.id, base.id], text, "too_close")
        elif low == {False}:
            text = f"exit {road.id} starts at {base.id}, which is {base.height} high; an exit starts at height 1"
            yield plain("E1", [road.id, base.id], text)


def e3_closed(turn: Turn) -> Iterator[Violation]:
    """Nothing continues from an exit."""
    exits = [r for r in turn.position.layout.roads if r.kind == "exit"]
    for road in turn.change.roads:
        if road.from_ is None:
            start = turn.places.road(road)[:1, 0, :2]
            for closed in exits:
                tips = np.array([[closed.a, closed.b]])
                if stick_to_disc(tips, turn.kit.road_width_mm, start, turn.kit.disc_radius_mm)[0] <= 0:
                    yield plain("E3", [road.id, closed.id], f"road {road.id} continues from exit {closed.id}")


def _hedged(text: str, too_close: bool) -> str:
    return f"too close to call: {text}" if too_close else text
