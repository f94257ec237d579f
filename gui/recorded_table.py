"""A table whose settled pairs become recorded turns: seen, judged, and accepted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from calibration.camera import Rig
from gui.desk import Desk
from gui.session_writer import SessionWriter
from referee.layout import BARE_TABLE, Layout
from referee.match import Match, Played
from referee.notes import NO_NOTE, Note
from referee.ruling import Ruling
from vision.single import layout_of
from vision.view import Picture
from vision.watch import explain

Pair = Mapping[str, Picture]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a settled pair."""

    before: Layout
    layout: Layout
    ruling: Ruling | None
    is_accepted: bool


class RecordedTable:
    """Takes settled pairs in order. Only sure and legal turns are accepted, unless every pair is said to be a turn."""

    def __init__(self, writer: SessionWriter, accepted_on: Pair, every_pair: bool) -> None:
        self._writer = writer
        self._accepted_on = accepted_on
        self._every_pair = every_pair
        self._desk = Desk(writer.head.setup(BARE_TABLE), writer.match)

    def take(self, pair: Pair, rig: Rig, time_ns: int | None = None) -> Outcome | None:
        """See what a pair shows, and take it as a turn where it may be; None where nothing changed."""
        head, match = self._writer.head, self._writer.match
        if match is None:
            return self.take_layout(layout_of(pair, rig, head.kit, head.players), NO_NOTE, pair, rig, time_ns)
        common = [name for name in pair if name in self._accepted_on]
        before, now = {n: self._accepted_on[n] for n in common}, {n: pair[n] for n in common}
        accepted, mover = match.position.layout, match.position.to_move
        seen = explain(accepted, before, now, rig, head.kit, head.players, mover)
        if not self._every_pair and seen == accepted:
            return None
        return self.take_layout(seen, NO_NOTE, pair, rig, time_ns)

    def take_layout(
        self, layout: Layout, note: Note, pair: Pair, rig: Rig | None = None, time_ns: int | None = None
    ) -> Outcome:
        """Record a settled layout, and accept it as a turn where it may be."""
        match = self._writer.match
        before = match.position.layout if match else BARE_TABLE
        after, ruling = self._played(match, layout, note) if self._every_pair else self._judged(layout)
        player = match.position.to_move if match else None
        number = self._writer.settled(layout, player, ruling, pair, time_ns, rig)
        if after is None:
            return Outcome(before, layout, ruling, False)
        self._writer.follow(after, number, time_ns)
        self._accepted_on = pair
        return Outcome(before, layout, after.rulings[-1], True)

    def _played(self, match: Match | None, layout: Layout, note: Note) -> tuple[Match, Ruling]:
        after = Match.begin(self._writer.head.setup(layout)) if match is None else match.apply(Played(layout, note))
        return after, after.rulings[-1]

    def _judged(self, layout: Layout) -> tuple[Match | None, Ruling | None]:
        """The match with the turn where it is sure and legal, else None."""
        self._desk = self._desk.settled(layout)
        ruling = self._desk.ruling
        if not self._desk.sure:
            return None, ruling
        self._desk = self._desk.accept()
        return self._desk.match, ruling
