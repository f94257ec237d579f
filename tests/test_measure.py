"""Error bars: what they can decide, and errors that pieces share."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from referee.game import play
from referee.layout import Candidate, Joint, Layout, TipSigmas
from referee.measure import SAMPLES, Places, decide
from referee.notation import read_game
from referee.ruling import Ruling

GAME = """
edition second-edition
players purple green
turn 0
column a0 purple 1 (0, 0)
column b0 green 1 (0, 30)
entrance ra purple > a0 heading 0
entrance rb green > b0 heading 0
car ka purple sedan on ra
car kb green sedan on rb
turn 1
column a1 purple 2 from a0 heading 0
road r1 purple a0 > a1
turn 2
column b1 green 2 (86.5, 30)
road r2 green b0 > b1
"""
AXES = [f"{road}.{tip}.y" for road in ("r1", "r2") for tip in "ab"]


def last(gap_mm: float, sigma_mm: float | None, joint: Joint | None = None, unsure: str | None = None) -> Ruling:
    """The ruling on two parallel roads that pass each other at `gap_mm` in plan."""
    game = read_game(GAME)
    before, layout = game.layouts[1], game.layouts[2]
    sigma = None if sigma_mm is None else TipSigmas(a=(0.0, sigma_mm, 0.0), b=(0.0, sigma_mm, 0.0))
    shift = 30.0 - 9.0 - gap_mm
    roads = []
    for road in layout.roads:
        dy = -shift if road.id == "r2" else 0.0
        a, b = (road.a[0], road.a[1] + dy, road.a[2]), (road.b[0], road.b[1] + dy, road.b[2])
        new = road.id in ("r1", "r2")
        roads.append(msgspec.structs.replace(road, a=a, b=b, sigma=sigma if new else None))
    layout = msgspec.structs.replace(layout, roads=tuple(roads), joint=joint)
    assert isinstance(before, Layout)
    return play(msgspec.structs.replace(game, layouts=(game.layouts[0], before, layout))).rulings[-1]


def touch(ruling: Ruling) -> str:
    return next((v.verdict for v in ruling.violations if v.rule == "R5" and set(v.pieces) == {"r1", "r2"}), "legal")


@pytest.mark.parametrize(
    ("gap_mm", "verdict"), [(1e-3, "legal"), (1e-5, "legal"), (0.0, "illegal"), (-1e-3, "illegal")]
)
def test_an_exact_layout_has_no_grey_zone(gap_mm: float, verdict: str) -> None:
    assert touch(last(gap_mm, None)) == verdict


@pytest.mark.parametrize(
    ("gap_mm", "verdict"), [(2.0, "legal"), (1.5, "legal"), (0.4, "too_close"), (0.0, "too_close"), (-1.5, "illegal")]
)
def test_a_measurement_decides_when_it_is_clear_of_its_limit_by_its_own_error(gap_mm: float, verdict: str) -> None:
    assert touch(last(gap_mm, 0.3)) == verdict


def test_what_is_too_close_is_told_with_value_and_error() -> None:
    violation = next(v for v in last(0.4, 0.3).violations if set(v.pieces) == {"r1", "r2"})
    assert violation.measured_mm == pytest.approx(0.4, abs=1e-6)
    assert violation.limit_mm == 0.0
    assert violation.sigma_mm is not None
    assert 0.15 < violation.sigma_mm < 0.45
    assert violation.text.startswith("too close to call (measured 0.40 +- ")


def test_an_error_that_two_roads_share_does_not_blur_the_gap_between_them() -> None:
    shared = Joint(order=tuple(AXES), factors=((0.3,),) * 4)
    assert touch(last(0.4, 0.02, shared)) == "legal"
    opposed = Joint(order=tuple(AXES), factors=((0.3,), (0.3,), (-0.3,), (-0.3,)))
    assert touch(last(0.4, 0.02, opposed)) == "too_close"


def test_factors_are_read_either_way_round() -> None:
    rows = Joint(order=tuple(AXES), factors=((0.3,), (0.3,), (-0.3,), (-0.3,)))
    columns = Joint(order=tuple(AXES), factors=((0.3, 0.3, -0.3, -0.3),))
    assert rows.rows() == columns.rows()


def test_a_ruling_is_the_same_every_time_and_in_any_order_of_pieces() -> None:
    game = read_game(GAME)
    layout = msgspec.structs.replace(
        game.layouts[2],
        columns=tuple(msgspec.structs.replace(c, sigma=(0.4, 0.4)) for c in game.layouts[2].columns),
        joint=Joint(order=("a1.x", "b1.x"), factors=((0.5,), (0.5,))),
    )
    turned = msgspec.structs.replace(layout, columns=layout.columns[::-1], roads=layout.roads[::-1])
    first, second = Places(layout), Places(turned)
    for column in layout.columns:
        assert np.array_equal(first.column(column), second.column(column))


@pytest.mark.parametrize(("apart_mm", "told"), [(0.0, False), (0.01, True)])
def test_a_piece_told_by_the_very_same_numbers_has_not_moved_however_badly_it_is_known(
    apart_mm: float, told: bool
) -> None:
    game = read_game(GAME)
    column = game.layouts[1].columns[0]
    poor = msgspec.structs.replace(column, sigma=(3.0, 3.0))
    again = msgspec.structs.replace(poor, x=poor.x + apart_mm)
    layouts = [
        msgspec.structs.replace(layout, columns=(here, *layout.columns[1:]))
        for layout, here in zip(game.layouts[1:], (poor, again), strict=True)
    ]
    ruling = play(msgspec.structs.replace(game, layouts=(game.layouts[0], *layouts))).rulings[-1]
    assert any(v.rule == "T7" and v.verdict == "too_close" for v in ruling.violations) == told


def test_samples_have_the_spread_they_were_given() -> None:
    column = read_game(GAME).layouts[2].columns[0]
    layout = Layout((msgspec.structs.replace(column, sigma=(0.2, 0.0)),), (), ())
    layout = msgspec.structs.replace(layout, joint=Joint(order=("a0.y",), factors=((0.5, 0.5),)))
    rows = Places(layout).column(layout.columns[0])
    assert rows.shape == (SAMPLES + 1, 2)
    assert np.array_equal(rows[0], [column.x, column.y])
    assert rows[1:, 0].std() == pytest.approx(0.2, rel=0.15)
    assert rows[1:, 1].std() == pytest.approx(np.hypot(0.5, 0.5), rel=0.15)


@pytest.mark.parametrize(
    ("faults", "verdict"), [(0, "legal"), (2, "legal"), (3, "too_close"), (297, "too_close"), (298, "illegal")]
)
def test_ninety_nine_in_a_hundred_samples_decide(faults: int, verdict: str) -> None:
    rows = np.zeros(SAMPLES + 1, dtype=np.bool_)
    rows[1 : faults + 1] = True
    assert decide(rows) == verdict


def unsure_height(candidates: tuple[Candidate, ...]) -> str:
    game = read_game(GAME)
    layout = game.layouts[2]
    column = msgspec.structs.replace(layout.columns[-1], unsure="hidden from the side", candidates=candidates)
    layout = msgspec.structs.replace(layout, columns=(*layout.columns[:-1], column))
    return play(msgspec.structs.replace(game, layouts=(*game.layouts[:2], layout))).rulings[-1].verdict


def test_a_ruling_that_hangs_on_an_unsure_piece_is_too_close() -> None:
    assert unsure_height((Candidate(height=2, p=0.6), Candidate(height=3, p=0.4))) == "too_close"
    assert unsure_height(()) == "too_close"


def test_a_ruling_that_every_candidate_agrees_on_stands() -> None:
    assert unsure_height((Candidate(height=2, p=1.0),)) == "legal"


@pytest.mark.parametrize(
    ("over_mm", "words"), [(0.2, "lies on column b1 by 0.2 mm only"), (-0.2, "misses column b1 by 0.2 mm")]
)
def test_an_end_that_hardly_lies_on_its_column_is_not_said_to_miss_it(over_mm: float, words: str) -> None:
    ruling = last(21.0 - (13.5 - over_mm), 0.3)
    (told,) = [v for v in ruling.violations if v.rule == "R1" and "b1" in v.pieces]
    assert told.verdict == "too_close"
    assert words in told.text
