"""Where a game stands between two turns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from .edition import Materials, Rules
from .layout import Layout

NOTHING = Materials(0, 0, 0, 0)


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the next turn's ruling depends on, besides the rules."""

    players: tuple[str, ...]
    first: str
    turn: int
    to_move: str | None
    """Whose turn it is; None when the game is over."""
    layout: Layout
    """What stands on the table, owners filled in."""
    gained: Mapping[str, Materials] = {}
    """Discs and roads received from others less those given."""
    put_away: Mapping[str, int] = {}
    owners: Mapping[str, str] = {}
    """Owner of every column and road that was ever seen, fallen ones included."""
    seen: frozenset[str] = frozenset()
    """Every piece that ever stood on the table, so that a fallen one is known again."""
    fresh: frozenset[str] = frozenset()
    """Pieces that the last turn placed."""
    crossed: frozenset[tuple[str, str, str]] = frozenset()
    """(road, side, by): which roads ever lay over or under which."""
    ranks: Mapping[str, int] = {}
    out: tuple[str, ...] = ()
    finished: tuple[str, ...] = ()
    waiting: frozenset[str] = frozenset()
    """Players who passed for want of material and lose when their turn comes again."""
    closing: bool = False
    """Mission mode: somebody has placed all cars, the round is played to its end."""
    passes: int = 0
    """Forced passes in a row."""
    over: bool = False
    winners: tuple[str, ...] = ()

    def active(self) -> tuple[str, ...]:
        """Players who still take turns."""
        return tuple(p for p in self.players if p not in self.out and p not in self.finished)

    def after(self, player: str) -> str | None:
        """The next active player clockwise; the player themself if nobody else is left."""
        start = self.players.index(player)
        order = self.players[start + 1 :] + self.players[: start + 1]
        return next((p for p in order if p in self.active()), None)

    def but(self, **changes: Any) -> Position:
        return msgspec.structs.replace(self, **changes)


def on_table(layout: Layout, player: str) -> Materials:
    """What a player has standing on the table."""
    columns = [c for c in layout.columns if c.owner == player]
    yellow = sum(c.junction for c in columns)
    return Materials(
        cars=sum(c.owner == player for c in layout.cars),
        grey=sum(c.height for c in columns) - yellow,
        yellow=yellow,
        roads=sum(r.owner == player for r in layout.roads),
    )


def stock(position: Position, rules: Rules, player: str) -> Materials:
    """What a player has left: dealt + gained - put away - on the table. Below zero: more placed than there was."""
    used, gained = on_table(position.layout, player), position.gained.get(player, NOTHING)
    return Materials(
        cars=rules.dealt.cars - used.cars,
        grey=rules.dealt.grey + gained.grey - used.grey,
        yellow=rules.dealt.yellow + gained.yellow - used.yellow,
        roads=rules.dealt.roads + gained.roads - used.roads - position.put_away.get(player, 0),
    )


def types_left(position: Position, rules: Rules, player: str) -> tuple[str, ...] | None:
    """Car types in a player's stock; None where cars have no types or it is not told which are in play."""
    dealt = rules.car_types()
    if dealt is None:
        return None
    placed = Counter(c.type for c in position.layout.cars if c.owner == player)
    return tuple(t for t in dealt if not placed[t])


def give(position: Position, giver: str, taker: str, grey: int, yellow: int, roads: int = 0) -> Position:
    """Discs and roads change hands."""
    gained = dict(position.gained)
    for player, sign in ((giver, -1), (taker, 1)):
        had = gained.get(player, NOTHING)
        gained[player] = Materials(0, had.grey + sign * grey, had.yellow + sign * yellow, had.roads + sign * roads)
    return position.but(gained=gained)
