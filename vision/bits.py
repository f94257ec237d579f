"""Sets of small numbers as one whole number with a bit for each: what many of them share is found at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def bits_of(numbers: Iterable[int]) -> int:
    """The set of some numbers."""
    found = 0
    for number in numbers:
        found |= 1 << number
    return found


def members(some: int) -> Iterator[int]:
    """The numbers in a set, in order."""
    while some:
        lowest = some & -some
        yield lowest.bit_length() - 1
        some ^= lowest
