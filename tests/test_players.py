"""Games, mistakes and accidents that the studio shows: labelled truly, and nothing floats or is inside anything."""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
import pytest

from referee.geometry.cylinder import stick_to_column
from referee.geometry.solid import separation
from referee.layout import Layout
from referee.match import Match
from referee.pieces import DEFAULT_CAR_SIZES_MM, SEDAN, Kit
from sample_frames.boxes import box, car_box, column_box, solids, stick_box
from sample_frames.falls import Fallen, knock
from sample_frames.faults import faults
from sample_frames.mistakes import BREAKABLE, MEASURED, UNAVOIDABLE, CannotBreak, Mistake, mistake, near_miss, somewhere
from sample_frames.nudges import nudge
from sample_frames.players import COLOURS, at_turn, city_for, deal, entrances, judged, play_game

SMALL = Kit(
    disc_diameter_mm=15.6, disc_height_mm=9.0, road_length_mm=84.0, road_width_mm=8.2, road_thickness_mm=2.2,
    cars={name: (0.9 * x, 0.9 * y, 0.9 * z) for name, (x, y, z) in DEFAULT_CAR_SIZES_MM.items()},
)  # fmt: skip
LARGE = Kit(
    disc_diameter_mm=20.5, disc_height_mm=11.3, road_length_mm=108.0, road_width_mm=10.2, road_thickness_mm=2.8,
    cars={name: (1.1 * x, 1.1 * y, 1.1 * z) for name, (x, y, z) in DEFAULT_CAR_SIZES_MM.items()},
)  # fmt: skip
GAMES = [
    ("two-player-2024", 2, False, Kit(), 12),
    ("second-edition", 2, False, SMALL, 8),
    ("summary-2019", 4, False, Kit(), 8),
    ("four-player", 3, False, LARGE, 9),
    ("rainbow-city", 3, True, Kit(), 15),
    ("rainbow-city", 2, False, SMALL, 6),
    ("rainbow-city-6", 6, True, Kit(), 12),
]


@cache
def game(edition: str, count: int, mission: bool, large: float, turns: int, seed: int = 7) -> Match:
    kit = next(k for k in (Kit(), SMALL, LARGE) if k.road_length_mm == large)
    setup = deal(edition, COLOURS[:count], kit, np.random.default_rng(seed), mission)
    return play_game(setup, seed, tries=40, most_turns=turns)


def plain_game() -> Match:
    return game("two-player-2024", 2, False, 95.0, 12)


def city_game() -> Match:
    return game("rainbow-city", 3, True, 95.0, 15)


@pytest.mark.parametrize(("edition", "count", "mission", "kit", "turns"), GAMES)
def test_every_turn_of_a_game_is_legal_and_can_stand_so(
    edition: str, count: int, mission: bool, kit: Kit, turns: int
) -> None:
    match = game(edition, count, mission, kit.road_length_mm, turns)
    assert match.position.turn == turns
    assert [v for r in match.rulings for v in r.violations] == []
    assert all(faults(record.layout, kit) == [] for record in match.timeline)
    assert sum(r.placed for r in match.rulings) > 0


@pytest.mark.parametrize("count", [2, 4, 6])
def test_a_city_has_its_box_and_no_fault(count: int) -> None:
    edition = "rainbow-city-6" if count > 4 else "rainbow-city"
    for seed in range(3):
        rng = np.random.default_rng(seed)
        buildings, areas = city_for(Kit(), COLOURS[:count], rng)
        layout = msgspec.structs.replace(entrances(Kit(), COLOURS[:count]), buildings=buildings, areas=areas)
        setup = msgspec.structs.replace(deal(edition, COLOURS[:count], Kit(), rng), layout=layout)
        assert Match.begin(setup).rulings[0].violations == ()
        assert [a.kind for a in areas].count("development") == 5
        assert [b.kind for b in buildings].count("building") == 3


def test_the_same_seed_plays_the_same_game() -> None:
    first, second = (
        play_game(deal("four-player", COLOURS[:3], Kit(), np.random.default_rng(3)), 4, 20, 4) for _ in range(2)
    )
    assert first.timeline == second.timeline
    one, other = (knock(first, np.random.default_rng(1)) for _ in range(2))
    assert one.layout == other.layout
    assert all(np.array_equal(a.pose, b.pose) for a, b in zip(one.fallen, other.fallen, strict=True))
    assert mistake(first, "T3", np.random.default_rng(2)) == mistake(first, "T3", np.random.default_rng(2))


def positions(rule: str) -> list[Match]:
    plain, city = plain_game(), city_game()
    if rule in ("R6", "R7"):
        return [city, *(at_turn(city, turn) for turn in (9, 12, 6))]
    return [plain, city, *(at_turn(plain, turn) for turn in (11, 9, 7))]


def first_that_can(rule: str, near_mm: float | None = None) -> tuple[Match, Mistake]:
    why = ""
    for match in positions(rule):
        rng = np.random.default_rng(11)
        try:
            return match, mistake(match, rule, rng) if near_mm is None else near_miss(match, rule, near_mm, rng)
        except CannotBreak as refused:
            why = str(refused)
    pytest.fail(why)


@pytest.mark.parametrize("rule", BREAKABLE)
def test_the_referee_names_the_rule_that_a_mistake_is_labelled_with(rule: str) -> None:
    match, made = first_that_can(rule)
    ruling = judged(match, made.layout)
    named = [v for v in ruling.violations if v.rule == rule]
    assert ruling.verdict == "illegal"
    assert named
    assert len({v.rule for v in ruling.violations} - UNAVOIDABLE.get(rule, set())) <= 2
    assert (made.by_mm is not None) == (rule in MEASURED)
    if made.by_mm is not None:
        over = [abs(v.measured_mm or 0.0) - (v.limit_mm or 0.0) for v in named]
        assert any(o == pytest.approx(made.by_mm, abs=1e-3) for o in over)
    floating = [f for f in faults(made.layout, match.setup.kit) if rule != "R1" or "floats" not in f]
    assert floating == []


@pytest.mark.parametrize("rule", MEASURED)
def test_a_near_miss_is_legal(rule: str) -> None:
    match, made = first_that_can(rule, near_mm=0.4)
    assert judged(match, made.layout).verdict == "legal"
    assert faults(made.layout, match.setup.kit) == []
    assert made.by_mm == 0.4


def test_a_mistake_is_found_somewhere_in_a_game() -> None:
    match, made = somewhere(plain_game(), "E1", np.random.default_rng(1))
    assert "E1" in {v.rule for v in judged(match, made.layout).violations}


def test_what_cannot_be_broken_says_why() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(CannotBreak, match="no buildings"):
        mistake(plain_game(), "R6", rng)
    with pytest.raises(CannotBreak, match="kept back"):
        mistake(game("second-edition", 2, False, 84.0, 8), "C6", rng)
    with pytest.raises(CannotBreak, match="one turn"):
        mistake(plain_game(), "W1", rng)


def lowest_mm(piece: Fallen, kit: Kit) -> float:
    if piece.kind in ("disc", "junction"):
        tilt = abs(float(piece.pose[2, 2]))
        reach_mm = tilt * kit.disc_height_mm / 2 + np.sqrt(max(1 - tilt**2, 0.0)) * kit.disc_radius_mm
        return float(piece.pose[2, 3] - reach_mm)
    return float(fallen_box(piece, kit)[:, 2].min())


def fallen_box(piece: Fallen, kit: Kit) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    placed = piece.pose.copy()
    if piece.kind == "stick":
        return box(placed, (kit.road_length_mm, kit.road_width_mm, kit.road_thickness_mm))
    if piece.kind == "car":
        size = kit.cars[piece.type or SEDAN]
        placed[:3, 3] += placed[:3, 2] * (size[2] / 2)
        return box(placed, size)
    return box(placed, (kit.disc_diameter_mm, kit.disc_diameter_mm, kit.disc_height_mm))


def test_fallen_pieces_lie_on_the_table_and_in_nothing_that_stands() -> None:
    for match in (plain_game(), city_game()):
        kit = match.setup.kit
        for seed in range(5):
            knocked = knock(match, np.random.default_rng(seed))
            assert knocked.fallen
            assert faults(knocked.layout, kit) == []
            gone = {p.id for p in match.position.layout.pieces()} - {p.id for p in knocked.layout.pieces()}
            assert gone == {piece.id for piece in knocked.fallen}
            for piece in knocked.fallen:
                assert lowest_mm(piece, kit) == pytest.approx(0.0, abs=0.01)
                assert np.linalg.det(piece.pose[:3, :3]) == pytest.approx(1.0)
                in_nothing(piece, knocked.layout, kit)
            assert any(e.kind == "fallen" for e in judged(match, knocked.layout).events)


def in_nothing(piece: Fallen, layout: Layout, kit: Kit) -> None:
    corners = fallen_box(piece, kit)
    roads = {r.id: r for r in layout.roads}
    others = [stick_box(kit, r) for r in layout.roads] + [car_box(kit, c, roads[c.road or ""]) for c in layout.cars]
    if others:
        assert separation(solids([corners] * len(others)), solids(others)).min() > -0.02
    for column in layout.columns:
        if piece.kind == "stick":
            ends = corners[[0, 3, 4, 7]].mean(axis=0), corners[[1, 2, 5, 6]].mean(axis=0)
            gap = stick_to_column(
                np.array([ends]), kit.road_width_mm, kit.road_thickness_mm, np.array([[column.x, column.y]]),
                kit.disc_radius_mm - 0.02, kit.column_top_mm(column.height) - 0.02,
            )  # fmt: skip
            assert gap[0] > 0
        else:
            assert separation(solids([corners]), solids([column_box(kit, column)]))[0] > 0


@pytest.mark.parametrize("mm", [1.0, 4.0])
def test_a_nudge_moves_by_what_was_asked_and_all_still_stands(mm: float) -> None:
    for seed in range(4):
        nudged = nudge(plain_game(), np.random.default_rng(seed), mm)
        assert nudged is not None
        assert faults(nudged.layout, plain_game().setup.kit) == []
        events = [e for e in judged(plain_game(), nudged.layout).events if e.kind == "nudged"]
        assert {p for e in events for p in e.pieces} == set(nudged.pieces)
        assert min(abs((e.mm or 0.0) - mm) for e in events) < 1e-3


def test_what_floats_or_is_inside_something_is_found() -> None:
    match = plain_game()
    layout, kit = match.position.layout, match.setup.kit
    road, column, car = layout.roads[-1], layout.columns[-1], layout.cars[0]

    def with_road(lift_mm: float) -> Layout:
        a, b = ((t[0], t[1], t[2] + lift_mm) for t in (road.a, road.b))
        return msgspec.structs.replace(layout, roads=(*layout.roads[:-1], msgspec.structs.replace(road, a=a, b=b)))

    assert any("floats" in f for f in faults(with_road(0.2), kit))
    assert any("inside" in f for f in faults(with_road(-0.2), kit))
    twin = msgspec.structs.replace(column, id="twin", x=column.x + kit.disc_diameter_mm - 0.1)
    doubled = msgspec.structs.replace(layout, columns=(*layout.columns, twin))
    assert any("twin" in f for f in faults(doubled, kit))
    second = msgspec.structs.replace(car, id="second")
    assert any("second" in f for f in faults(msgspec.structs.replace(layout, cars=(*layout.cars, second)), kit))
    lifted = msgspec.structs.replace(car, z=car.z + 1.0)
    assert any(car.id in f for f in faults(msgspec.structs.replace(layout, cars=(lifted, *layout.cars[1:])), kit))
    over = next(r for r in layout.roads if r.id == car.road)
    edge = msgspec.structs.replace(car, x=over.b[0], y=over.b[1], z=over.b[2] + kit.road_thickness_mm / 2)
    assert any("sticks out" in f for f in faults(msgspec.structs.replace(layout, cars=(edge, *layout.cars[1:])), kit))
