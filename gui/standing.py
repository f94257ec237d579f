"""Who leads while a game is on. Qt-free."""

from __future__ import annotations

from referee.ruling import PlayerState, State


def leaders(state: State) -> frozenset[str]:
    """Who would win if the game ended now (W1, W4); nobody where all are equal, or once there are winners."""
    if state.over:
        return frozenset()
    still = {player: has for player, has in state.players.items() if not has.out}
    best = max((_worth(has) for has in still.values()), default=(0, 0))
    ahead = frozenset(player for player, has in still.items() if _worth(has) == best)
    return ahead if len(ahead) < len(state.players) else frozenset()


def lead_words(player: str, has: PlayerState) -> str:
    """Why somebody leads."""
    return f"{player} leads: {'most points' if has.points is not None else 'fewest cars left to place'}"


def _worth(has: PlayerState) -> tuple[int, int]:
    """Points first, in mission mode; then cars on the road: the fewer are left, the better."""
    return has.points or 0, -has.cars
