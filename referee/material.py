"""W2: can a player build, and if not, why not."""

from __future__ import annotations

from typing import Literal

from .edition import Rules
from .network import base_points
from .pieces import Kit
from .position import Position, stock

Building = Literal["can_build", "no_material", "no_base"]


def building(position: Position, rules: Rules, kit: Kit, player: str) -> Building:
    """Whether some base point has some column or exit that the player can pay for."""
    bases = base_points(position.layout, player)
    if not bases:
        return "no_base"
    has = stock(position, rules, player)
    if has.roads < 1:
        return "no_material"
    if rules.options.junctions and has.yellow >= 1 and has.grey >= 1:
        return "can_build"
    for base in bases:
        lowest_plain = base.height - 1 if base.height > 1 else 2
        if has.grey >= lowest_plain or _can_exit(base.height, rules, kit):
            return "can_build"
    return "no_material"


def _can_exit(height: int, rules: Rules, kit: Kit) -> bool:
    if height == 1:
        return True
    return rules.options.exit_any_height and kit.column_top_mm(height) < kit.road_length_mm
