"""A player's highway as a network: which columns it may be built on from (T2, T5)."""

from __future__ import annotations

from collections import Counter

from .layout import Column, Layout


def roads_out(layout: Layout) -> Counter[str]:
    """How many roads leave each column."""
    return Counter(r.from_ for r in layout.roads if r.from_ is not None)


def roads_in(layout: Layout) -> Counter[str]:
    """How many roads arrive at each column."""
    return Counter(r.to for r in layout.roads if r.to is not None)


def ways_out(column: Column) -> int:
    """How many roads may leave a column (T5)."""
    return 2 if column.junction else 1


def base_points(layout: Layout, player: str) -> tuple[Column, ...]:
    """Columns that the player may build on from: ends of branches, and junctions that have not branched."""
    out = roads_out(layout)
    return tuple(c for c in layout.columns if c.owner == player and out[c.id] < ways_out(c))
