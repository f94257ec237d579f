"""The referee agrees with the plain all-pairs reference on 2,000 random turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import pytest

from referee import measure, ruling
from referee.edition import rules_for
from referee.judge import judge_setup, judge_turn
from referee.layout import Column, Layout, Road
from referee.measure import Places
from referee.pieces import Kit
from referee.position import Position

from . import reference_table
from .random_tables import PLAYERS, random_table
from .random_turns import KITS, RandomTurn, random_turn
from .reference import judge
from .reference_table import Findings, Table

JUDGED = ("R1", "R2", "R3", "R5")
TOLERANCE_MM = 1e-5
EDITION = "two-player-2024"

Key = tuple[str, tuple[str, ...], str]
Chunk = tuple[int, int, range]


def chunks(roads: int, samples: int, count: int, size: int) -> list[Chunk]:
    """For each test: roads on the table, samples of the measured layout (0: exact), seeds."""
    return [(roads, samples, range(first, first + size)) for first in range(0, count, size)]


# The plain way takes nearly 1 ms for each road on an exact table, and as much for every sample of a measured one.
CHUNKS = [
    *chunks(15, 0, 1300, 50),
    *chunks(60, 0, 380, 20),
    *chunks(240, 0, 20, 10),
    *chunks(15, 20, 290, 10),
    *chunks(6, measure.SAMPLES, 10, 2),
]


def name(chunk: Chunk) -> str:
    roads, samples, seeds = chunk
    return f"{roads} roads, {samples} samples, seeds {seeds.start} to {seeds.stop - 1}"


def rule_on(turn: RandomTurn) -> ruling.Ruling:
    """What the referee says of a turn."""
    before = turn.before
    position = Position(
        players=PLAYERS,
        first=PLAYERS[0],
        turn=1,
        to_move=turn.player,
        layout=before,
        owners={p.id: p.owner for p in before.pieces() if p.owner},
        seen=frozenset(p.id for p in before.pieces()),
    )
    return judge_turn(rules_for(EDITION, len(PLAYERS), options=turn.options), turn.kit, position, turn.after)[0]


def refer(turn: RandomTurn) -> Findings:
    """What the plain reference says of it."""
    return judge(Table(Places(turn.after), turn.kit, turn.player, turn.new_columns, turn.new_roads, **turn.options))


def told(violations: Iterable[ruling.Violation | reference_table.Violation]) -> dict[Key, list[float]]:
    """What was measured, by rule, pieces and verdict; a violation without a measure counts as measured at infinity."""
    found: dict[Key, list[float]] = defaultdict(list)
    for v in violations:
        if v.rule in JUDGED:
            found[v.rule, tuple(sorted(v.pieces)), v.verdict].append(
                float("inf") if v.measured_mm is None else v.measured_mm
            )
    return {key: sorted(values) for key, values in sorted(found.items())}


def assert_same(said: dict[Key, list[float]], expected: dict[Key, list[float]], where: str) -> None:
    assert list(said) == list(expected), where
    for key, values in said.items():
        assert values == pytest.approx(expected[key], abs=TOLERANCE_MM, rel=0), (where, key)


@pytest.mark.parametrize("chunk", CHUNKS, ids=name)
def test_the_referee_and_the_plain_reference_say_the_same(chunk: Chunk, monkeypatch: pytest.MonkeyPatch) -> None:
    roads, samples, seeds = chunk
    if samples:
        monkeypatch.setattr(measure, "SAMPLES", samples)
    for seed in seeds:
        turn = random_turn(seed, roads, measured=bool(samples))
        said, expected, where = rule_on(turn), refer(turn), f"random_turn({seed}, {roads}, {bool(samples)})"
        assert_same(told(said.violations), told(expected.violations), where)
        crossings = {(c.road, c.side, c.earns, c.sure) for c in said.crossings}
        assert crossings == {(c.road, c.side, c.earns, c.sure) for c in expected.crossings}, where
        assert said.earned == expected.earned, where


def test_2_000_turns_are_compared() -> None:
    assert sum(len(seeds) for _, _, seeds in CHUNKS) == 2000


@pytest.mark.parametrize("seed", range(12))
def test_a_set_up_is_judged_alike_all_pieces_being_new(seed: int) -> None:
    kit = KITS[seed % len(KITS)]
    layout = random_table(np.random.default_rng(seed), kit, 15).layout()
    said, _ = judge_setup(rules_for(EDITION, len(PLAYERS)), kit, PLAYERS, PLAYERS[0], layout)
    columns, roads = frozenset(c.id for c in layout.columns), frozenset(r.id for r in layout.roads)
    expected = judge(Table(Places(layout), kit, PLAYERS[0], columns, roads, "any", "first", False))
    assert_same(told(said.violations), told(expected.violations), f"set-up {seed}")


def test_the_random_turns_reach_every_verdict_and_every_kind_of_crossing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "SAMPLES", 20)
    rulings = [rule_on(random_turn(seed, 15, measured)) for measured in (False, True) for seed in range(120)]
    verdicts = {(v.rule, v.verdict) for said in rulings for v in said.violations if v.rule in JUDGED}
    assert verdicts == {(rule, verdict) for rule in JUDGED for verdict in ("illegal", "too_close")}
    crossings = [c for said in rulings for c in said.crossings]
    assert {(c.side, c.earns, c.sure) for c in crossings} == {
        (side, earns, sure) for side in ("over", "under") for earns in (True, False) for sure in (True, False)
    }
    assert {c.why for c in crossings} == {
        "first",
        "not first",
        "next",
        "not the next road",
        "own road",
        "not between two columns",
        "crosses an own road too",
    }
    legal = sum(not {v.rule for v in said.violations} & {*JUDGED} for said in rulings)
    assert legal > len(rulings) / 10, "plenty of turns break none of these rules"


def test_the_end_face_of_a_sloping_road_touches_a_column_that_its_plan_just_misses() -> None:
    """At its foot an exit leans out over its tip by 0.14 mm: so it touches a column 0.05 mm past that tip."""
    base, beyond = Column("c0", 4.0, 0.0, 1, False, PLAYERS[0]), Column("c1", 99.05, 0.0, 2, False, PLAYERS[1])
    exit_ = Road("r0", (0.0, 0.0, 11.25), (90.0, 0.0, 1.25), "exit", "c0", None, PLAYERS[0])
    options = {"targets": "any", "first_rule": "first", "own_crossing_voids": False}
    turn = RandomTurn(Kit(), options, PLAYERS[0], Layout((base, beyond), (), ()), Layout((base, beyond), (exit_,), ()))
    said = told(rule_on(turn).violations)
    assert list(said) == [("R5", ("c1", "r0"), "illegal")]
    assert_same(said, told(refer(turn).violations), "a sloping exit")
