"""Search by ever smaller random steps, the same for cards, houses, trees and whatever else has a score."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vision.view import Floats

Scores = Callable[[Floats], Floats]
Climb = Callable[[Floats], tuple[Floats, float]]

SMALLER = 0.65
"""How large the steps of a round are in those of the one before."""


def climbed(
    start: Floats,
    scores: Scores,
    steps: Floats,
    rounds: int,
    tries: int,
    rng: np.random.Generator,
    half_way: float = -np.inf,
) -> tuple[Floats, float]:
    """The best row that is found about a start, and its score; given up where that is too low half way."""
    best, best_score = start, float(scores(start[None])[0])
    for n in range(rounds):
        if 2 * n >= rounds and best_score < half_way:
            break
        tried = best + rng.normal(size=(tries, len(start))) * steps * SMALLER**n
        found = scores(tried)
        if found.max() > best_score:
            best, best_score = tried[int(found.argmax())], float(found.max())
    return best, best_score


def climbed_apart(pool: Floats, climb: Climb, apart_mm: float, most: int) -> list[tuple[Floats, float]]:
    """What climbing from a pool's first rows leads to, each so far from those before and from where they began."""
    found: list[tuple[Floats, float]] = []
    while len(pool) and len(found) < most:
        found.append(climb(pool[0]))
        far = np.hypot(*(pool[:, :2] - found[-1][0][:2]).T) > apart_mm
        far &= np.hypot(*(pool[:, :2] - pool[0, :2]).T) > apart_mm / 2
        pool = pool[far]
    return found
