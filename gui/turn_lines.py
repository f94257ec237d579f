"""The lines of `highway watch`: each settled state with its turn, its layout and what the referee says of it."""

from __future__ import annotations

from typing import Any

from referee.edition import Rules
from referee.errors import BadGame
from referee.layout import Layout
from referee.match import Match, Setup
from referee.pieces import Kit
from referee.ruling import Ruling


class TurnLines:
    """A game as far as it was seen; by the referee where there are rules, else turns round the table."""

    def __init__(self, rules: Rules | None, kit: Kit, players: tuple[str, ...], first: str) -> None:
        if first not in players:
            raise BadGame(f"--first {first}: is none of the players {', '.join(players)}")
        self._rules, self._kit, self._players, self._first = rules, kit, players, first
        self._match: Match | None = None
        self.turns = 0
        """Played so far, the set-up among them."""
        self.accepted: Layout | None = None

    @property
    def player(self) -> str | None:
        """Who moves now; nobody while the set-up is still to be seen."""
        if self._match is not None:
            return self._match.position.to_move
        if self.accepted is None:
            return None
        return self._players[(self._players.index(self._first) + self.turns - 1) % len(self._players)]

    def played(self, seen: Layout, turn: int) -> dict[str, Any]:
        """The line of a state that counts as a played turn, whatever it lacks."""
        player = self.player
        complete, ruling = True, None
        if self._match is not None:
            complete = self._match.observe(seen).complete
        if self._rules is not None:
            ruling = self._play(seen).rulings[-1]
        self.accepted = seen
        self.turns += 1
        return _line(turn, player, complete, seen, ruling)

    def shown(self, seen: Layout) -> tuple[dict[str, Any], bool]:
        """The line of a state in passing, and whether it was played: not while the turn is being built."""
        ruling = self._match.observe(seen) if self._match is not None else None
        if ruling is not None:
            complete = ruling.complete
        else:
            # Nobody judges: a turn is over when its road lies.
            old = {road.id for road in self.accepted.roads} if self.accepted is not None else set()
            complete = self.accepted is None or not {road.id for road in seen.roads} <= old
        if complete:
            return self.played(seen, self.turns), True
        return _line(self.turns, self.player, False, seen, ruling), False

    def _play(self, seen: Layout) -> Match:
        if self._match is not None:
            self._match = self._match.play(seen)
        elif self._rules is not None:
            self._match = Match.begin(Setup(self._rules, self._kit, self._players, self._first, seen))
        assert self._match is not None
        return self._match


def _line(turn: int, player: str | None, complete: bool, seen: Layout, ruling: Ruling | None) -> dict[str, Any]:
    state = ruling.state if ruling is not None else None
    return {"turn": turn, "player": player, "complete": complete, "layout": seen, "ruling": ruling, "state": state}
