"""What vision makes of a film's settled pairs, read ahead of the film wherever it is known what will be accepted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from calibration.camera import Rig
from gui.desk import Desk
from gui.explaining import Accepted, Answer, Explainer, Question
from gui.feed import Picture
from referee.layout import Layout
from referee.pieces import Kit
from vision.gate import Settled

FRAMES_AHEAD = 3
"""So many frames are decoded for each one that is shown, until the next settled pair is found."""
MOST_KEPT = 8
"""Pairs: those of this turn, of the last, and of the next."""

Pair = dict[str, Picture]


@dataclass(frozen=True, slots=True, eq=False)
class _Base:
    """What a pair is compared with: the layout accepted before it, by whom it is built on, at which pair."""

    layout: Layout
    player: str
    state: int


class FilmSight:
    """Asks an explainer for one settled state after the other; nothing here waits."""

    def __init__(
        self,
        pairs: Iterator[Pair | None],
        turns: tuple[int, ...],
        rig: Rig,
        kit: Kit,
        players: tuple[str, ...],
        explainer: Explainer,
    ) -> None:
        """`pairs` gives a pair for each settled state in order, and None for each frame in between; `turns` is the
        turn that each state belongs to."""
        self._pairs, self._turns = pairs, turns
        self._rig, self._kit, self._players, self._explainer = rig, kit, players, explainer
        self._kept: dict[int, Settled] = {}
        self._decoded = 0
        self._asked: tuple[int, _Base | None] | None = None
        self._told: dict[int, tuple[_Base | None, Answer]] = {}
        self._foreseen: tuple[Desk, Desk] | None = None

    def look(self, state: int, desk: Desk) -> Answer | None:
        """What a state shows by what the desk has accepted; None as long as that is not known."""
        self.advance(state, desk)
        told = self._told.get(state)
        if told is None or not _same(told[0], self._base(state, desk)):
            return None
        return told[1]

    def advance(self, state: int, desk: Desk) -> None:
        """A little work on this state, or on the one after it once this one is known."""
        found = self._explainer.answer() if self._asked is not None else None
        if found is not None and self._asked is not None:
            number, base = self._asked
            self._told[number], self._asked = (base, found), None
        self._decode(min(state + 1, len(self._turns) - 1))
        for number in (state, state + 1):
            if self._asked is None and number in self._kept:
                self._ask(number, desk)

    def close(self) -> None:
        self._explainer.close()

    def _ask(self, state: int, desk: Desk) -> None:
        base, told = self._base(state, desk), self._told.get(state)
        if (base is None and self._turns[state] > 0) or (told is not None and _same(told[0], base)):
            return
        before = None if base is None else Accepted(base.layout, self._kept[base.state], base.player)
        self._asked = state, base
        self._explainer.ask(Question(self._kept[state], before, self._rig, self._kit, self._players))

    def _base(self, state: int, desk: Desk) -> _Base | None:
        """What was accepted before a state, or will be when the turn at the desk accepts itself."""
        turn = self._turns[state]
        if turn == desk.turn + 1 and desk.sure:
            if self._foreseen is None or self._foreseen[0] is not desk:
                self._foreseen = desk, desk.accept()
            desk = self._foreseen[1]
        if turn == 0 or turn != desk.turn:
            return None
        shown = max(i for i, t in enumerate(self._turns) if t < turn)
        return _Base(desk.accepted, desk.mover, shown)

    def _decode(self, state: int) -> None:
        for _ in range(FRAMES_AHEAD):
            if self._decoded > state:
                return
            pair = next(self._pairs, None)
            if pair is not None:
                self._kept[self._decoded] = Settled(pair, 0.0, None)
                self._kept.pop(self._decoded - MOST_KEPT, None)
                self._decoded += 1


def _same(one: _Base | None, other: _Base | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.state, one.player) == (other.state, other.player) and one.layout == other.layout
