"""One turn as the rules see it: who moves, what stood, what stands, what changed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .change import Change
from .edition import Options, Rules
from .layout import Column, Layout, Road, with_pieces
from .measure import Places
from .notes import Note
from .pieces import Kit
from .position import Position


@dataclass(frozen=True)
class Turn:
    """Everything a rule may look at. `position` is before the turn, `places` and `change` after it."""

    rules: Rules
    kit: Kit
    position: Position
    player: str
    places: Places
    change: Change
    note: Note
    finished: bool
    """False while the players may still be building: then nothing is held against what is missing."""

    @property
    def options(self) -> Options:
        return self.rules.options

    @property
    def layout(self) -> Layout:
        return self.places.layout

    @cached_property
    def columns(self) -> dict[str, Column]:
        return {c.id: c for c in self.layout.columns}

    @cached_property
    def roads(self) -> dict[str, Road]:
        return {r.id: r for r in self.layout.roads}

    @cached_property
    def standing(self) -> Layout:
        """What the player builds on: the table before the turn, and what had fallen and was put back."""
        back = [p for p in self.layout.pieces() if p.id in self.change.back]
        return with_pieces(self.position.layout, {p.id: p for p in (*self.position.layout.pieces(), *back)})

    @cached_property
    def adjusted(self) -> frozenset[str]:
        """Pieces of the turn before that may still be moved, and were (T7)."""
        if self.options.adjust != "next_column":
            return frozenset()
        return frozenset(m.id for m in self.change.moved if m.id in self.position.fresh)

    @cached_property
    def judged_roads(self) -> tuple[Road, ...]:
        """Roads whose place is judged now: the new ones, and those just adjusted."""
        return (*self.change.roads, *(r for r in self.layout.roads if r.id in self.adjusted))

    @cached_property
    def judged_columns(self) -> tuple[Column, ...]:
        return (*self.change.columns, *(c for c in self.layout.columns if c.id in self.adjusted))
