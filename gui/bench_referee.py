"""How fast the referee rules: one turn with 300 joint samples, beside the plain all-pairs reference, and its growth."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee import measure
from referee.edition import Rules, rules_for
from referee.judge import judge_turn
from referee.measure import Places
from referee.position import Position

ROADS = 60
GROWTH = (15, 60, 240)
ROUNDS = 2
REPEATS = 3
TURNS = 5
"""Random turns on each size of table; the plain reference takes the first of those with `ROADS` roads."""
EDITION = "two-player-2024"
TESTS = Path(__file__).parents[1] / "tests"


def run(_arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure. Where the tests folder is not there, or lacks the reference, the result says so in `missing`."""
    result: dict[str, Any] = {"roads": ROADS, "samples": measure.SAMPLES, "rounds": [], "missing": []}
    turns = _from_tests("random_turns", result)
    if turns is None:
        return result
    tables = {roads: [_ruling(turns, turn) for turn in _measured_turns(turns, roads)] for roads in GROWTH}
    plain = _plain(result, _measured_turns(turns, ROADS)[0])
    for _ in range(ROUNDS):
        fast = {str(roads): _median_ms(calls) for roads, calls in tables.items()}
        one_ms = _median_ms(tables[ROADS][:1])
        found = {"ruling_ms": fast, "exponent": _exponent(fast), "one_turn_ms": one_ms}
        if plain is not None:
            plain_ms = _median_ms([plain], repeats=1)
            found |= {"plain_one_turn_ms": plain_ms, "times_faster": plain_ms / one_ms}
        result["rounds"].append(found)
    return result


def table(result: dict[str, Any]) -> str:
    """The result as plain text."""
    lines = [f"Referee: one ruling, {result['samples']} joint samples, {result['roads']} roads and as many columns"]
    if result["rounds"]:
        lines.append(_row("", [f"round {number}" for number in range(1, len(result["rounds"]) + 1)]))
        spent = {roads: [f"{r['ruling_ms'][str(roads)]:.1f} ms" for r in result["rounds"]] for roads in GROWTH}
        lines += [_row(f"ruling, {roads} roads", cells) for roads, cells in spent.items()]
    rows = (
        ("growth exponent", "exponent", "{:.2f}"),
        ("one turn, referee", "one_turn_ms", "{:.1f} ms"),
        ("one turn, plain all pairs", "plain_one_turn_ms", "{:.0f} ms"),
        ("times faster", "times_faster", "{:.0f}"),
    )
    for label, key, form in rows:
        cells = [form.format(r[key]) for r in result["rounds"] if key in r]
        if cells:
            lines.append(_row(label, cells))
    return "\n".join([*lines, *result["missing"]])


def _row(label: str, cells: list[str]) -> str:
    return f"{label:<28}" + "".join(f"{cell:>14}" for cell in cells)


def _from_tests(name: str, result: dict[str, Any]) -> Any:
    """A module of the tests folder beside this package, which an installed app does not have."""
    package = "highway_bench_tests"
    init = TESTS / "__init__.py"
    if not (TESTS / f"{name}.py").is_file() or not init.is_file():
        result["missing"].append(f"not measured: {name}.py lies in the tests folder of the source, which is not here")
        return None
    if package not in sys.modules:
        spec = importlib.util.spec_from_file_location(package, init, submodule_search_locations=[str(TESTS)])
        if spec is None or spec.loader is None:
            raise ImportError(f"{init} cannot be loaded")
        module = importlib.util.module_from_spec(spec)
        sys.modules[package] = module
        spec.loader.exec_module(module)
    return importlib.import_module(f"{package}.{name}")


def _measured_turns(turns: Any, roads: int) -> list[Any]:
    """The first few random turns whose table carries sigmas and shared errors."""
    found: list[Any] = []
    seed = 0
    while len(found) < TURNS:
        turn = turns.random_turn(seed, roads, measured=True)
        if turn.after.joint is not None:
            found.append(turn)
        seed += 1
    return found


def _ruling(turns: Any, turn: Any) -> Callable[[], object]:
    """One ruling on a turn, to be timed."""
    before = turn.before
    rules: Rules = rules_for(EDITION, len(turns.PLAYERS), options=turn.options)
    position = Position(
        players=turns.PLAYERS,
        first=turns.PLAYERS[0],
        turn=1,
        to_move=turn.player,
        layout=before,
        owners={p.id: p.owner for p in before.pieces() if p.owner},
        seen=frozenset(p.id for p in before.pieces()),
    )
    return lambda: judge_turn(rules, turn.kit, position, turn.after)


def _plain(result: dict[str, Any], turn: Any) -> Callable[[], object] | None:
    """The plain reference on one turn, to be timed."""
    reference = _from_tests("reference", result)
    if reference is None:
        return None

    def judge() -> object:
        places = Places(turn.after)
        new = turn.new_columns, turn.new_roads
        return reference.judge(reference.Table(places, turn.kit, turn.player, *new, **turn.options))

    return judge


def _median_ms(calls: list[Callable[[], object]], repeats: int = REPEATS) -> float:
    """Median time of the calls, each made several times."""
    spent = []
    for _ in range(repeats):
        for call in calls:
            begun = time.perf_counter()
            call()
            spent.append(1000 * (time.perf_counter() - begun))
    return statistics.median(spent)


def _exponent(spent_ms: dict[str, float]) -> float:
    """The power of the number of roads that the time grows with, fitted on a log-log scale."""
    return statistics.linear_regression(
        [math.log(int(n)) for n in spent_ms], [math.log(ms) for ms in spent_ms.values()]
    ).slope
