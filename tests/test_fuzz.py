"""Whatever people send, it is judged or refused: no input raises anything but the named error."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import BadGame
from referee.game import Game, play, read_json
from referee.notation import read_game
from tests.bad_games import valid_game
from tests.test_cases import CASES, Case

Json = Any

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["purple", "green", "c0", "c1", "d0", "r0", "s0", "r1", "k0", "road", "exit", "entrance", "sedan", "legal"]
    )
    | st.sampled_from([0, 1, 2, 3, 5, -1, 1e-300, 1e300, 10**30, 0.0, 95.0, "-", "", "c1.x", "\ud800"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


def judged_or_refused(game: Json) -> None:
    """Nothing but BadGame may come out."""
    with contextlib.suppress(BadGame):
        play(read_json(json.dumps(game).encode(), Game))


@given(VALUES)
def test_random_json_is_refused(value: Json) -> None:
    judged_or_refused(value)


FIELDS = ["edition", "players", "first", "mission", "options", "kit", "layouts", "turns"]


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(FIELDS, VALUES)))
def test_random_fields_are_judged_or_refused(fields: dict[str, Json]) -> None:
    judged_or_refused({**valid_game(), **fields})


def nodes(value: Json, way: tuple[Json, ...] = ()) -> list[tuple[Json, ...]]:
    """The ways to all values inside a value."""
    found = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += [(*way, key), *nodes(inner, (*way, key))]
    return found


NODES = nodes(valid_game())


@given(st.lists(st.tuples(st.sampled_from(NODES), st.just(...) | VALUES), min_size=1, max_size=4))
def test_a_mutated_game_is_judged_or_refused(mutations: list[tuple[tuple[Json, ...], Json]]) -> None:
    game = copy.deepcopy(valid_game())
    for way, value in mutations:
        node: Json = game
        try:
            for step in way[:-1]:
                node = node[step]
            if value is ...:
                del node[way[-1]]
            else:
                node[way[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier mutation took this place away
    judged_or_refused(game)


@given(st.sampled_from(NODES), st.sampled_from(NODES))
def test_a_game_with_values_swapped_is_judged_or_refused(one: tuple[Json, ...], other: tuple[Json, ...]) -> None:
    game = copy.deepcopy(valid_game())
    found = []
    for way in (one, other):
        node: Json = game
        for step in way:
            node = node[step]
        found.append(copy.deepcopy(node))
    for way, value in ((one, found[1]), (other, found[0])):
        try:
            node = game
            for step in way[:-1]:
                node = node[step]
            node[way[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue
    judged_or_refused(game)


@given(st.randoms(use_true_random=False), st.sampled_from(CASES))
def test_scrambled_notation_is_judged_or_refused(chance: random.Random, case: Case) -> None:
    words = case.text.split(" ")
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(words))
        words[at] = chance.choice(["", "-", ">", "(", ")", "{", '"', "#", "=", "1e999", "nan", chance.choice(words)])
    with contextlib.suppress(BadGame):
        play(read_game(" ".join(words)))


@given(st.text(max_size=200))
def test_random_text_is_refused(text: str) -> None:
    with pytest.raises(BadGame):
        read_game(text)
