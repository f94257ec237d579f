"""Passing: when it is allowed and what it does (W2, W3)."""

from __future__ import annotations

from collections.abc import Iterator

from .material import building
from .position import Position, stock
from .ruling import Event, Violation, by_id, plain
from .turn import Turn


def pass_faults(turn: Turn) -> Iterator[Violation]:
    """Passing is for those who cannot build (W2)."""
    if not turn.change.nothing_new:
        yield plain("T1", by_id(turn.change.new_ids()), f"{turn.player} passed, but something was built")
    able = building(turn.position, turn.rules, turn.kit, turn.player) == "can_build"
    if able and not turn.options.free_pass and turn.finished:
        yield plain("W2", [], f"{turn.player} can build and may not pass")


def take_pass(turn: Turn, after: Position) -> tuple[Position, list[Event]]:
    """What a pass does: counts towards the end, starts the clock, or puts a road away (W2, W3)."""
    player = turn.player
    able = building(turn.position, turn.rules, turn.kit, player)
    if able == "can_build":
        passes = after.passes + 1 if turn.options.free_pass else 0
        return after.but(passes=passes, waiting=after.waiting - {player}), [Event("pass", player=player)]
    if turn.rules.mission:
        if stock(after, turn.rules, player).roads < 1:
            return after, [Event("pass", player=player)]
        put_away = {**after.put_away, player: after.put_away.get(player, 0) + 1}
        return after.but(put_away=put_away), [Event("pass", player=player), Event("road_put_away", player=player)]
    waiting = after.waiting | {player} if able == "no_material" else after.waiting
    return after.but(passes=after.passes + 1, waiting=waiting), [Event("pass", player=player)]
