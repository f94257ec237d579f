"""A table whose settled pairs become recorded turns: seen, judged, and accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gui.desk import Desk
from gui.explaining import Accepted, Question, answered
from gui.session import Recorded
from gui.session_writer import SessionWriter
from gui.table_keys import said
from referee.layout import BARE_TABLE, Layout
from referee.match import Match, Played
from referee.notes import NO_NOTE, Note
from referee.ruling import Ruling
from vision.errors import VisionError
from vision.gate import Settled
from vision.playback import still_pair
from vision.session_scan import Entries

Accept = Literal["sure", "complete", "every"]
"""Which settled states count as turns: those sure and legal, those that lack nothing, or every one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a settled state."""

    before: Layout
    layout: Layout
    ruling: Ruling | None
    is_accepted: bool


class RecordedTable:
    """Takes what settled in order, and records it with what became of it."""

    def __init__(
        self,
        writer: SessionWriter,
        accept: Accept,
        accepted_on: Settled | None = None,
        said: Layout | None = None,
    ) -> None:
        """`said` is the set-up as people say it stands, where vision need not find it by itself."""
        self.writer = writer
        self.said = said
        self._accept = accept
        self._accepted_on = accepted_on
        self._waiting: tuple[int, Settled | None] | None = None
        self._desk = Desk(writer.head.setup(BARE_TABLE), writer.match)

    @property
    def desk(self) -> Desk:
        """The turn that waits for the players, where only sure ones are accepted by themselves."""
        return self._desk

    @property
    def accepted(self) -> Accepted | None:
        """What the next settled pair is explained against."""
        match = self.writer.match
        if match is None or self._accepted_on is None:
            return None
        return Accepted(match.position.layout, self._accepted_on, match.position.to_move)

    def look(self, settled: Settled, time_ns: int | None = None) -> Outcome:
        """See what a pair shows, and take it as a turn where it may be."""
        head = self.writer.head
        if head.rig is None:
            raise VisionError("this session was recorded without cameras; go on with --game, or record a new one")
        known = self.accepted
        if known is None and self.said is not None and self.writer.match is None:
            known = Accepted(self.said, settled, None)
        answer = answered(Question(settled, known, head.rig, head.kit, head.players))
        if answer.layout is None:
            raise VisionError(answer.trouble or "nothing can be told from these pictures")
        return self.take(answer.layout, NO_NOTE, settled, time_ns)

    def take(self, layout: Layout, note: Note, settled: Settled | None, time_ns: int | None = None) -> Outcome:
        """Record a settled layout, and accept it as a turn where it may be."""
        match = self.writer.match
        before = match.position.layout if match else BARE_TABLE
        after, ruling = self._judged(match, layout, note)
        player = match.position.to_move if match else None
        told = match is None and self.said is not None
        number = self.writer.settled(layout, player, ruling, settled, time_ns, told)
        self._waiting = number, settled
        if after is None:
            return Outcome(before, layout, ruling, False)
        self.writer.follow(after, number, time_ns)
        self._accepted_on = settled
        return Outcome(before, layout, after.rulings[-1], True)

    def say(self, line: str, time_ns: int | None = None) -> Outcome | None:
        """Take what people typed; None where it means nothing now."""
        before, desk = self._desk, said(self._desk, line)
        if desk is before or self._waiting is None:
            return None
        self._desk = desk = desk.accept() if desk.sure else desk
        number, settled = self._waiting
        if desk.match is None or desk.match is before.match:
            return Outcome(before.accepted, desk.layout, desk.ruling, False)
        self.writer.follow(desk.match, number, time_ns)
        self._accepted_on = settled if desk.turn > before.turn else None
        return Outcome(before.accepted, desk.accepted, desk.match.rulings[-1], True)

    def _judged(self, match: Match | None, layout: Layout, note: Note) -> tuple[Match | None, Ruling | None]:
        """The match with the turn where it counts as one, else None; and what the referee says of it."""
        if match is None and self.said is not None:
            begun = Match.begin(self.writer.head.setup(layout))
            self._desk = Desk(begun.setup, begun)
            return begun, begun.rulings[0]
        if self._accept == "sure":
            self._desk = self._desk.settled(layout)
            ruling = self._desk.ruling
            if not self._desk.sure:
                return None, ruling
            self._desk = self._desk.accept()
            return self._desk.match, ruling
        if self._accept == "complete":
            # Of the set-up the desk says whether it is placed (S2); more or less than that is still being built.
            ruling = match.observe(layout, note) if match is not None else self._desk.settled(layout).ruling
            if ruling is None or not ruling.complete:
                return None, ruling
        after = Match.begin(self.writer.head.setup(layout)) if match is None else match.apply(Played(layout, note))
        return after, after.rulings[-1]


def accepted_in(found: Entries, recorded: Recorded, match: Match | None) -> Accepted | None:
    """What stood on the table when a session was left, on the stills that it was accepted on; None without those."""
    turns = recorded.turns
    number = turns[-1].settled if turns else None
    for time_ns, settled in reversed(recorded.settled):
        if settled.number == number and match is not None:
            pictures = still_pair(found, settled.number, time_ns)
            seen = Settled(pictures, time_ns / 1e9, settled.rig)
            return Accepted(match.position.layout, seen, match.position.to_move) if pictures else None
    return None
