"""W1 to W4: whose turn is next, who is out, who has finished, who has won."""

from __future__ import annotations

from .edition import Rules
from .material import building
from .missions import score
from .pieces import Kit
from .position import Position, stock
from .ruling import Event


def advance(position: Position, rules: Rules, kit: Kit, player: str) -> tuple[Position, list[Event]]:
    """Close a player's turn: finish, end or hand on the game."""
    if rules.mission:
        return _advance_mission(position, rules, kit, player)
    events: list[Event] = []
    if player in position.active() and stock(position, rules, player).cars <= 0:
        rank = len(position.finished) + 1
        position = position.but(finished=(*position.finished, player), ranks={**position.ranks, player: rank})
        events.append(Event("finished", player=player, rank=rank))
        if not rules.options.play_on:
            return _end(position, events)
    if len(position.active()) <= 1:
        return _end(position, events)
    if position.passes >= len(position.active()):
        return _end(_rank_by_cars(position, rules), events)
    following = position.after(player)
    while following is not None and _lost(position, rules, kit, following):
        lost = following
        rank = max(set(range(1, len(position.players) + 1)) - set(position.ranks.values()))
        position = position.but(out=(*position.out, lost), ranks={**position.ranks, lost: rank})
        events.append(Event("out", player=lost, rank=rank))
        if len(position.active()) <= 1:
            return _end(position, events)
        following = position.after(lost)
    return position.but(to_move=following), events


def _lost(position: Position, rules: Rules, kit: Kit, player: str) -> bool:
    """Whether a player is out as their turn begins (W2)."""
    state = building(position, rules, kit, player)
    if state == "no_base":
        return rules.options.no_base == "loss"
    if state == "can_build":
        return False
    return rules.options.material == "at_turn" or player in position.waiting


def _end(position: Position, events: list[Event]) -> tuple[Position, list[Event]]:
    """The game is over: one player left takes the rank that is free."""
    left = position.active()
    if len(left) == 1 and left[0] not in position.ranks:
        free = min(set(range(1, len(position.players) + 1)) - set(position.ranks.values()))
        position = position.but(ranks={**position.ranks, left[0]: free})
    winners = tuple(p for p in position.players if position.ranks.get(p) == 1)
    events.append(Event("game_over", winners=winners))
    return position.but(over=True, to_move=None, winners=winners), events


def _rank_by_cars(position: Position, rules: Rules) -> Position:
    """All who were left passed in one round: most cars placed comes first, ties share."""
    cars = {p: -stock(position, rules, p).cars for p in position.active()}
    base = len(position.finished)
    ranks = {p: base + 1 + sum(other > mine for other in cars.values()) for p, mine in cars.items()}
    return position.but(ranks={**position.ranks, **ranks})


def _advance_mission(position: Position, rules: Rules, kit: Kit, player: str) -> tuple[Position, list[Event]]:
    """W3: over when all roads are laid, or at the end of the round in which somebody placed all cars."""
    events: list[Event] = []
    stocks = {p: stock(position, rules, p) for p in position.players}
    if stocks[player].cars <= 0:
        events.append(Event("finished", player=player))
        position = position.but(closing=True)
    last_of_round = position.players[position.players.index(position.first) - 1]
    all_laid = all(s.roads <= 0 for s in stocks.values())
    if not (all_laid or (position.closing and player == last_of_round)):
        return position.but(to_move=position.after(player)), events
    totals = {
        p: (sum(score(position, rules, kit, p).values()), sum(c.owner == p for c in position.layout.cars))
        for p in position.players
    }
    ranks = {p: 1 + sum(other > mine for other in totals.values()) for p, mine in totals.items()}
    return _end(position.but(ranks=ranks), events)
