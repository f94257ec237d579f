"""A small valid game, to be spoilt one field at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
Json = Any
HEAD = "edition two-player-2024\nplayers purple green\nturn 0\ncolumn c0 purple 1 (0, 0)\n"


def valid_game() -> dict[str, Json]:
    """Two entrances, one turn of purple's and one of green's that crosses it."""
    columns = [
        {"id": "c0", "x": 0.0, "y": 0.0, "height": 1, "junction": False, "owner": "purple"},
        {"id": "d0", "x": 95.0, "y": 0.0, "height": 1, "junction": False, "owner": "green"},
    ]
    ramp = {"kind": "entrance", "from": None}
    roads = [
        {"id": "r0", "owner": "purple", "a": [0, -91.5, 1.25], "b": [0, 3, 11.25], "to": "c0", **ramp},
        {"id": "s0", "owner": "green", "a": [95, -91.5, 1.25], "b": [95, 3, 11.25], "to": "d0", **ramp},
    ]
    cars = [
        {"id": "k0", "owner": "purple", "type": "sedan", "x": 0, "y": -45, "z": 7.5, "yaw": 1.57, "road": "r0"},
        {"id": "j0", "owner": "green", "type": "sedan", "x": 95, "y": -45, "z": 7.5, "yaw": 1.57, "road": "s0"},
    ]
    area = {"id": "a1", "kind": "green", "outline": [[200, 0], [260, 0], [260, 60]]}
    building = {"id": "b1", "kind": "tower", "outline": [[300, 0], [320, 0], [320, 20]], "height_mm": 50}
    city = {"buildings": [building], "areas": [area]}
    first = {"columns": columns, "roads": roads, "cars": cars, **city}
    purple = {"id": "c1", "x": 62.0, "y": 62.0, "height": 2, "junction": False, "owner": "purple", "sigma": [0.2, 0.2]}
    road = {"id": "r1", "owner": "purple", "kind": "road", "a": [-2.5, -2.5, 13.75], "b": [64.5, 64.5, 21.25]}
    sigma = {"a": [0.2, 0.2, 0.2], "b": [0.2, 0.2, 0.2]}
    second: dict[str, Json] = {
        "columns": [*columns, purple],
        "roads": [*roads, {**road, "from": "c0", "to": "c1", "sigma": sigma}],
        "cars": cars,
        **city,
        "joint": {"order": ["c1.x", "r1.b.x"], "factors": [[0.1], [0.1]]},
    }
    green = {"id": "d1", "x": 18.0, "y": 44.4, "height": 4, "junction": True, "owner": None}
    over = {"id": "s1", "owner": None, "kind": "road", "a": [98, -1.7, 13.75], "b": [15, 46.1, 41.25]}
    car = {"id": "j1", "owner": "green", "type": "limousine", "x": 50, "y": 26, "z": 31, "yaw": 2.6, "road": "s1"}
    third = {
        "columns": [*columns, purple, green],
        "roads": [*second["roads"], {**over, "from": "d0", "to": "d1", "unsure": "blurred"}],
        "cars": [*cars, car],
        **city,
    }
    note = {
        "pass": False,
        "knocked": [{"by": "purple", "owner": "green", "discs": 1, "roads": 0, "cars": 0}],
        "paid": [{"from": "purple", "to": "green", "grey": 1, "yellow": 0}],
        "rebuilt": ["d0"],
        "overruled": None,
    }
    return {
        "edition": "two-player-2024",
        "players": ["purple", "green"],
        "first": "purple",
        "mission": False,
        "options": {"push_mm": 4.0, "same_type": True},
        "kit": {"disc_diameter_mm": 18.0, "disc_height_mm": 10.0, "cars": {"sedan": [15, 7, 5.5]}},
        "layouts": [first, second, third],
        "turns": [note, None],
    }


def put(game: dict[str, Json], path: str, value: Json) -> None:
    """Set `layouts.0.columns.1.x` and the like; `...` deletes."""
    *way, last = path.split(".")
    node: Json = game
    for step in way:
        node = node[int(step)] if isinstance(node, list) else node[step]
    key: Json = int(last) if isinstance(node, list) else last
    if value is ...:
        del node[key]
    else:
        node[key] = value


def text_with(path: str, value: Json) -> str:
    game = valid_game()
    put(game, path, value)
    return json.dumps(game)
