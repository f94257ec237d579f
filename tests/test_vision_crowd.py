"""Which of many pieces would stand in each other: what comparing every two of them says."""

from __future__ import annotations

import itertools
import math

import numpy as np

from referee.pieces import Kit
from vision.bits import bits_of, members
from vision.bodies import stick_tips
from vision.bridges import GROUND
from vision.clashes import columns_clash, stick_through_column, sticks_clash
from vision.crowd import Crowd
from vision.view import Floats

KIT = Kit()
Piece = tuple[bool, tuple[int, int], Floats]


def pieces(count: int) -> list[Piece]:
    """Columns and sticks in a small place, in any order; sticks lie on two columns beside them, or on one."""
    rng = np.random.default_rng(2)
    found: list[Piece] = []
    for x, y, yaw in rng.uniform((-90, -90, 0), (90, 90, 6.28), (count, 3)):
        columns = [(math.dist(tips[0, :2], (x, y)), rings[0]) for is_stick, rings, tips in found if not is_stick]
        if rng.random() < 0.4 or len(columns) < 2:
            top = (x, y, KIT.column_top_mm(int(rng.integers(1, 6))))
            found.append((False, (len(found), len(found)), np.array([top, top])))
        else:
            (_, first), (_, second), *_ = sorted(columns)
            tips = stick_tips(np.array([x, y, yaw, *rng.uniform(2, 50, 2)]), KIT.road_length_mm)
            found.append((True, (first, second if rng.random() < 0.7 else GROUND), np.array(tips)))
    return found


def clash(one: Piece, other: Piece) -> bool:
    """Whether two pieces would stand in each other, by themselves."""
    (is_stick, rings, tips), (other_is_stick, other_rings, other_tips) = one, other
    if is_stick and other_is_stick:
        return bool(sticks_clash(tips[None], other_tips[None], np.array([rings]), np.array([other_rings]), KIT)[0])
    if is_stick:
        return clash(other, one)
    if not other_is_stick:
        return bool(columns_clash(tips[:1, :2], other_tips[:1, :2], KIT)[0])
    through = stick_through_column(other_tips[None], tips[:1, :2], tips[:1, 2], KIT)[0]
    return bool(through) and rings[0] not in other_rings


def crowd_of(some: list[Piece]) -> Crowd:
    crowd = Crowd(KIT)
    for group, (is_stick, rings, tips) in enumerate(some):
        crowd.add_stick(group, rings, (tips[0], tips[1])) if is_stick else crowd.add_column(rings[0], tips[0].tolist())
    return crowd


def test_a_crowd_tells_what_comparing_every_two_pieces_tells() -> None:
    some = pieces(300)
    wanted = {(i, j) for i, j in itertools.combinations(range(len(some)), 2) if clash(some[i], some[j])}
    assert len(wanted) > 100
    assert set(crowd_of(some).clashes(range(len(some)))) == wanted


def test_only_pieces_that_are_there_stand_in_each_other() -> None:
    some, rng = pieces(120), np.random.default_rng(4)
    crowd = crowd_of(some)
    for _ in range(20):
        there = sorted(rng.permutation(len(some))[:40].tolist())
        wanted = {(i, j) for i, j in itertools.combinations(there, 2) if clash(some[i], some[j])}
        assert set(crowd.clashes(there)) == wanted
        against = set(members(crowd.against(there[0], bits_of(there))))
        assert against == {j for i, j in wanted if i == there[0]}


def test_ways_of_one_stick_and_heights_of_one_column_are_never_there_together() -> None:
    crowd = Crowd(KIT)
    tips = stick_tips(np.array([0.0, 0.0, 0.0, 30.0, 30.0]), KIT.road_length_mm)
    sticks = [crowd.add_stick(group, (GROUND, GROUND), tips) for group in (0, 0, 1)]
    columns = [crowd.add_column(ring, (200.0, 0.0, 20.0)) for ring in (0, 0, 1)]
    assert set(crowd.clashes(sticks)) == {(sticks[0], sticks[2]), (sticks[1], sticks[2])}
    assert set(crowd.clashes(columns)) == {(columns[0], columns[2]), (columns[1], columns[2])}


def test_a_set_of_numbers_gives_them_back_in_order() -> None:
    assert list(members(bits_of([70, 3, 1000, 3]))) == [3, 70, 1000]
