"""A game watched on the layouts seen before, not on true ones: errors must not build up, ids must be carried on."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace

from referee.layout import Column, Layout
from referee.pieces import Kit
from tests.vision_drawing import RIG, car_on, drawn, road_between
from vision.scoring import score
from vision.watch import explain

KIT = Kit()
PLAYERS = ("purple", "green")
STEPS = [("purple", 0.2, 2), ("green", 2.7, 3), ("purple", 1.9, 3), ("green", 4.0, 2), ("purple", 3.4, 1)]
"""Who builds, in which direction from their last column, and how high."""


def played() -> list[tuple[str, Layout]]:
    """Whose turn it was and the table after it, turn by turn."""
    last = {
        "purple": Column("p0", -55.0, -25.0, 1, False, "purple"),
        "green": Column("g0", 60.0, 5.0, 1, False, "green"),
    }
    table = Layout(tuple(last.values()), (), ())
    games = [("", table)]
    for turn, (player, heading, height) in enumerate(STEPS, start=1):
        start = last[player]
        reach = math.sqrt((KIT.road_length_mm - 4.0) ** 2 - (KIT.disc_height_mm * (height - start.height)) ** 2)
        x, y = start.x + reach * math.cos(heading), start.y + reach * math.sin(heading)
        end = Column(f"{player[0]}{turn}", x, y, height, False, player)
        lying = sum(start.id in road.columns() for road in table.roads)
        road = replace(road_between(f"r{turn}", start, end, KIT, levels=(lying, 0)), owner=player)
        car = car_on(f"k{turn}", road, player, KIT)
        table = Layout((*table.columns, end), (*table.roads, road), (*table.cars, car))
        last[player] = end
        games.append((player, table))
    return games


def test_a_game_watched_on_what_was_seen_before_stays_right_to_the_end() -> None:
    games = played()
    accepted, names, pictures = games[0][1], dict[str, str](), drawn(games[0][1], seed=0)
    for turn, (player, truth) in enumerate(games[1:], start=1):
        now = drawn(truth, seed=turn)
        accepted = explain(accepted, pictures, now, RIG, KIT, PLAYERS, player)
        marks = score(accepted, truth)
        assert marks.faults == [], f"turn {turn}"
        assert marks.doubts == 0, f"turn {turn}"
        assert {true: name for true, name in marks.names.items() if true in names} == names
        names, pictures = marks.names, now
    errors_mm = np.abs(np.array(score(accepted, games[-1][1]).tip_errors_mm))
    assert errors_mm.max() < 1.0
