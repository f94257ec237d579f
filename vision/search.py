"""A search for what stands on a table: the best that was found so far, and what was tried in vain."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from vision.joint import State, Table

LEAST_GAIN = 0.01
LEAST_WORTH = 6.0
"""What a stick must be worth by itself to be tried."""


@dataclass(slots=True)
class Search:
    """The best state of a table so far."""

    table: Table
    state: State
    best: float
    refused: set[Hashable]
    """Moves, and the states in which none of them was better."""

    def tries(self, kind: Hashable, items: Iterable[Hashable]) -> Iterator[int]:
        """The places of those items that were not yet moved in vain in the state that is best at their turn."""
        for place, item in enumerate(items):
            state = self.state
            if not self.is_refused(kind, item):
                yield place
                if self.state is state:
                    self.refused.add((kind, item, state.key))

    def is_refused(self, kind: Hashable, item: Hashable) -> bool:
        return (kind, item, self.state.key) in self.refused

    def offer(self, state: State) -> None:
        """Take a state where it is better."""
        least = self.best + LEAST_GAIN
        value = self.table.score(state, least)
        if value > least:
            self.state, self.best = state, value
