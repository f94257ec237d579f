"""Sets of small numbers as one whole number with a bit for each: what many of them share is found at once."""

from __future__ import annotations

from collections.abc import Iterable


def bits_of(numbers: Iterable[int]) -> int:
    """The set of some numbers."""
    found = 0
    for number in numbers:
        found |= 1 << number
    return found


def members(some: int) -> list[int]:
    """The numbers in a set, in order."""
    found = []
    # From the highest on: of a long number the lowest bit is told apart in one step more.
    while some:
        highest = some.bit_length() - 1
        found.append(highest)
        some ^= 1 << highest
    found.reverse()
    return found
