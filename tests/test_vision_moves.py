"""A search tries nothing twice from the same state, and takes only what is better."""

from __future__ import annotations

from typing import Any

from vision.joint import State
from vision.moves import Search


class Scores:
    """A table on which a higher column is better, up to a height."""

    def score(self, state: State, least: float) -> float:
        return float(min(state.heights[0], 3))


def search() -> Search:
    table: Any = Scores()
    return Search(table, State({0: 2}, {}), 2.0, set())


def test_what_was_refused_in_a_state_is_not_tried_in_it_again() -> None:
    one = search()
    for _ in one.tries("lift", [1, 2]):
        one.offer(State({0: 1}, {}))
    assert list(one.tries("lift", [1, 2, 3])) == [2]
    assert list(one.tries("claim", [1, 2])) == [0, 1]


def test_after_a_change_all_is_tried_again() -> None:
    one = search()
    for _ in one.tries("lift", [1]):
        one.offer(State({0: 1}, {}))
    one.offer(State({0: 3}, {}))
    assert list(one.tries("lift", [1])) == [0]


def test_a_move_that_was_taken_is_not_among_those_refused() -> None:
    one = search()
    for _ in one.tries("lift", [1]):
        one.offer(State({0: 3}, {}))
    assert one.best == 3.0
    assert list(one.tries("lift", [1])) == [0]
