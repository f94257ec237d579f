"""One turn of a recorded game as exports show it: layout, ruling, and which pieces matter. Qt-free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gui.session import Recorded
from referee.layout import BARE_TABLE, Layout
from referee.pieces import Kit
from referee.ruling import Ruling
from vision.errors import BadSession


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn with what it changed and what its ruling hangs on."""

    ruling: Ruling
    before: Layout
    layout: Layout
    kit: Kit
    players: tuple[str, ...]
    time_ns: int
    begun_ns: int
    """When the turn before it was accepted."""
    settled: int | None

    @property
    def title(self) -> str:
        return f"Turn {self.ruling.turn}" if self.ruling.player else "Set-up"

    @property
    def fresh(self) -> frozenset[str]:
        """Pieces that this turn brought."""
        if self.ruling.player is None:
            return frozenset()
        return frozenset(p.id for p in self.layout.pieces()) - frozenset(p.id for p in self.before.pieces())

    @property
    def faults(self) -> frozenset[str]:
        """Pieces that broken rules name, where the players did not overrule it."""
        if any(event.kind == "overruled" for event in self.ruling.events):
            return frozenset()
        return frozenset(p for v in self.ruling.violations if v.verdict == "illegal" for p in v.pieces)

    @property
    def doubts(self) -> frozenset[str]:
        """Pieces that vision or the referee is not sure of."""
        close = frozenset(p for v in self.ruling.violations if v.verdict == "too_close" for p in v.pieces)
        return close | frozenset(p.id for p in self.layout.pieces() if p.unsure)


def shown_turns(recorded: Recorded) -> list[ShownTurn]:
    """Every turn of the game, with owners as the referee dealt them."""
    match, turns = recorded.match(), recorded.turns
    if match is None:
        raise BadSession("no turn was accepted in this session; there is nothing to export")
    shown: list[ShownTurn] = []
    before, begun_ns = BARE_TABLE, turns[0].time_ns
    for ruling, position, turn in zip(recorded.rulings, match.positions, turns, strict=True):
        head, times = recorded.head, (turn.time_ns, begun_ns)
        shown.append(ShownTurn(ruling, before, position.layout, head.kit, head.players, *times, turn.settled))
        before, begun_ns = position.layout, turn.time_ns
    return shown


def bounds_mm(turns: Sequence[ShownTurn], margin_mm: float = 25.0) -> tuple[float, float, float, float]:
    """What part of the table a game takes up: left, bottom, right, top."""
    points = [(0.0, 0.0)]
    for turn in turns:
        points += [(column.x, column.y) for column in turn.layout.columns]
        points += [tip[:2] for road in turn.layout.roads for tip in (road.a, road.b)]
        points += [point for part in turn.layout.city() for point in part.outline]
    xs, ys = zip(*points, strict=True)
    return min(xs) - margin_mm, min(ys) - margin_mm, max(xs) + margin_mm, max(ys) + margin_mm
