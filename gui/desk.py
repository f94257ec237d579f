"""The desk: what table and players tell the referee, as one immutable state that views and recordings read.

Gate and vision report (`hands_in`, `settled`, `camera_lost`), players act (`accept`, `overrule`, `answer`, `undo` ...);
each call gives the next desk. Nothing here knows windows, cameras or clocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from gui.falls import fallen, loosened
from gui.questions import answered
from gui.reseat import without
from gui.table_state import TableState
from referee.correction import Edit, Record, SetCity, corrected
from referee.errors import BadGame
from referee.layout import Candidate, Layout, with_city, with_pieces
from referee.match import Match, Setup, differences
from referee.notes import Note, Payment


@dataclass(frozen=True, slots=True)
class Desk(TableState):
    """A table that can be told things; every answer is the desk after it."""

    @staticmethod
    def begin(setup: Setup) -> Desk:
        """A table; with no pieces in its layout the set-up is still to be seen."""
        bare = not any(True for _ in setup.layout.pieces())
        return Desk(setup, None if bare else Match.begin(setup))

    # --- what the gate and vision report ---

    def hands_in(self) -> Desk:
        return self if self.hands else replace(self, hands=True, reading=False)

    def hands_out(self) -> Desk:
        return replace(self, hands=False)

    def looked_at(self) -> Desk:
        """The table is still, and vision has begun to look at it."""
        return self if self.reading else replace(self, hands=False, reading=True)

    def camera_lost(self, why: str) -> Desk:
        return replace(self, lost=why)

    def camera_found(self) -> Desk:
        return replace(self, lost=None)

    def settled(self, layout: Layout) -> Desk:
        """Hands are out and the table is still: this is what stands on it."""
        held = self.held and layout == self.seen
        desk = replace(self, hands=False, reading=False, held=held, trouble=None, by_hand=False)
        if self.match is not None and self.match.position.over:
            return desk
        layout = answered(loosened(self._with_city(layout)), self.answers, self.setup.kit, self.absent)
        if self.whole:
            layout = msgspec.structs.replace(layout, unsure=None)
        fall = fallen(self.fall, self.accepted, layout, self.mover) if self.match is not None else None
        return replace(desk, seen=layout, fall=fall)._judged()

    def puzzled(self, why: str) -> Desk:
        """The table is still, but vision cannot tell what stands on it."""
        return replace(self, hands=False, reading=False, trouble=why)

    # --- what players do ---

    def accept(self) -> Desk:
        """The turn is over (T8). What is too close to call stands by the players' word; what is illegal does not."""
        if self.seen is None or self.phase in ("asked", "fallen", "paused"):
            return self
        after = self._played(self.full_note)
        if after is None:
            return self
        verdict = after.rulings[-1].verdict
        if verdict == "legal" or self.match is None:
            return self._accepted(after)
        if verdict == "too_close":
            return self.overrule()
        return replace(self, ruling=after.rulings[-1])

    def overrule(self, verdict: Literal["legal", "illegal"] = "legal") -> Desk:
        """The players decide against the referee, or where it could not tell; the turn is accepted as they say."""
        if self.seen is None or self.match is None:
            return self
        after = self._played(msgspec.structs.replace(self.full_note, overruled=verdict))
        return self if after is None else self._accepted(after)

    def answer(self, piece_id: str, said: Candidate | None) -> Desk:
        """An unsure piece is what people say it is; None: as it was seen."""
        if self.seen is None:
            return self
        answers = {**self.answers, piece_id: said}
        return replace(self, answers=answers, seen=answered(self.seen, answers, self.setup.kit))._judged()

    def as_drawn(self) -> Desk:
        """Every piece is as it is drawn, and nothing else stands there."""
        if self.seen is None:
            return self
        sure = {p.id: msgspec.structs.replace(p, unsure=None, candidates=()) for p in self.seen.pieces()}
        seen = msgspec.structs.replace(with_pieces(self.seen, sure), unsure=None)
        answers = {**self.answers, **{p.id: None for p in self.seen.pieces() if p.unsure is not None or p.candidates}}
        return replace(self, answers=answers, seen=seen, whole=True)._judged()

    def not_there(self, piece_id: str) -> Desk:
        """An unsure piece is no piece at all: a shadow, a print. One that stood there before has fallen."""
        if self.seen is None:
            return self
        layout, absent = without(self.seen, piece_id), self.absent | {piece_id}
        fall = fallen(self.fall, self.accepted, layout, self.mover) if self.match is not None else None
        return replace(self, absent=absent, seen=layout, fall=fall)._judged()

    def entered(self, layout: Layout) -> Desk:
        """The turn as people put it down by hand; the cameras need not see it, and it waits to be accepted."""
        return replace(self.city_told(layout).settled(layout).as_drawn(), by_hand=True, held=True)

    def city_told(self, layout: Layout) -> Desk:
        """The city is as people drew it in a layout, now and in every turn before. Raises BadGame."""
        parts = tuple(layout.city())
        if parts == tuple(self.accepted.city()):
            return self
        if self.match is not None:
            return self.correct(0, SetCity(layout.buildings, layout.areas))
        setup = msgspec.structs.replace(self.setup, layout=with_city(self.setup.layout, parts))
        seen = with_city(self.seen, parts) if self.seen is not None else None
        return replace(self, setup=setup, seen=seen, held=True, trouble=None)._judged()

    def passed(self) -> Desk:
        """The player to move passes; it still has to be accepted."""
        if self.match is None or self.match.position.over:
            return self
        note = msgspec.structs.replace(self.note, pass_=True)
        return replace(self, note=note, seen=self.seen or self.accepted)._judged()

    def told(self, note: Note) -> Desk:
        """Another note for the turn being played: who really moved, what was paid."""
        return replace(self, note=note)._judged()

    def blamed(self, by: str) -> Desk:
        """Who brought the fallen pieces down."""
        if self.fall is None:
            return self
        note = msgspec.structs.replace(self.note, paid=())  # what another one would have paid
        return replace(self, note=note, fall=replace(self.fall, by=by))._judged()

    def pays_yellow(self, owner: str, yellow: int) -> Desk:
        """So many of the discs due to an owner are paid in yellow."""
        others = tuple(p for p in self.note.paid if p.to != owner)
        for penalty in self.penalties:
            if penalty.owner == owner:
                discs = penalty.grey + penalty.yellow
                payment = Payment(penalty.by, owner, max(discs - yellow, 0), min(yellow, discs), penalty.roads)
                return self.told(msgspec.structs.replace(self.note, paid=(*others, payment)))
        return self

    def go_on(self) -> Desk:
        """The players go on though not everything stands again, or nothing fell at all."""
        return self if self.fall is None else replace(self, fall=replace(self.fall, settled=True))._judged()

    def undo(self) -> Desk:
        """Take back a pass that waits to be accepted, else the last turn or correction."""
        if self.note.pass_:
            return self._clear()
        if self.match is None or len(self.match.versions) == 1:
            return replace(self, trouble="there is nothing to undo")
        before = self.match.undo()
        if len(before.timeline) >= len(self.match.timeline):
            return replace(self._clear(), match=before, held=True)
        last = self.match.timeline[-1]
        note = msgspec.structs.replace(last.note, overruled=None)
        return replace(self._clear(), match=before, seen=last.layout, note=note, held=True)._judged()

    def redo(self) -> Desk:
        if self.match is None or not self.match.undone:
            return replace(self, trouble="there is nothing to redo")
        return replace(self._clear(), match=self.match.redo())

    def correct(self, turn: int, *edits: Edit) -> Desk:
        """A past turn was otherwise; all after it, and the turn being played, are judged again. Raises BadGame."""
        if self.match is None:
            return self
        after = self.match.correct(turn, *edits)
        seen = self.seen
        if seen is not None:
            seen = corrected((*self.match.timeline, Record(seen)), turn, edits)[-1].layout
        changed = differences(self.match, after)
        return replace(self, match=after, seen=seen, differences=changed, held=True, trouble=None)._judged()

    # --- inside ---

    def _with_city(self, layout: Layout) -> Layout:
        """What was seen, with the city that is known: it never moves, and cameras that look for pieces see none."""
        known = tuple(self.accepted.city())
        return with_city(layout, known) if known else layout

    def _played(self, note: Note) -> Match | None:
        """The match with the turn accepted; None where it makes no match."""
        if self.seen is None:
            return None
        try:
            if self.match is None:
                return Match.begin(msgspec.structs.replace(self.setup, layout=self.seen))
            return self.match.play(self.seen, note)
        except BadGame:
            return None

    def _judged(self) -> Desk:
        """The desk with what the referee says of the turn being played."""
        if self.seen is None or (self.fall is not None and not self.fall.settled):
            return replace(self, ruling=None)
        try:
            if self.match is None:
                ruling = Match.begin(msgspec.structs.replace(self.setup, layout=self.seen)).rulings[0]
                placed = not any(v.rule == "S2" for v in ruling.violations)
                return replace(self, ruling=msgspec.structs.replace(ruling, complete=placed))
            if self.note.pass_:
                return replace(self, ruling=self.match.play(self.seen, self.full_note).rulings[-1])
            ruling = self.match.observe(self.seen, self.full_note)
        except BadGame as error:
            return replace(self, ruling=None, trouble=str(error))
        if not ruling.violations and self.fall is None and _same(self.accepted, self.seen):
            return replace(self, seen=None, ruling=None)
        return replace(self, ruling=ruling)

    def _accepted(self, after: Match) -> Desk:
        return replace(self._clear(), match=after, setup=after.setup)

    def _clear(self) -> Desk:
        """The desk with nothing of the turn being played left on it."""
        return Desk(self.setup, self.match, hands=self.hands, lost=self.lost)


def _same(accepted: Layout, seen: Layout) -> bool:
    """Whether the same pieces stand, however measured."""
    return [(p.id, getattr(p, "height", 0)) for p in accepted.pieces()] == [
        (p.id, getattr(p, "height", 0)) for p in seen.pieces()
    ]
