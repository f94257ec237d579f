"""Colours as light changes them least: ratios of channels, and which player's paint is nearest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from referee.pieces import Kit
from vision.view import Floats, Singles

DARK = 10.0
"""Added to every channel, so that dark pixels have no colour rather than any."""
WORDS = {
    "purple": "#7d2e9b", "green": "#2f9e4f", "orange": "#f07820", "blue": "#2456c8", "pink": "#f06fae",
    "red": "#cc2229", "yellow": "#f2c81e", "white": "#f2f2f2", "black": "#202020", "grey": "#8c8c8c",
}  # fmt: skip


def chroma(colours: Floats | Singles) -> Floats:
    """Log ratios (..., 2) of red and blue to green, of BGR colours (..., 3)."""
    logs = np.log(np.asarray(colours, float) + DARK)
    return np.stack([logs[..., 2] - logs[..., 1], logs[..., 0] - logs[..., 1]], axis=-1)


def paint_of(word: str, kit: Kit) -> Floats:
    """The chroma (2,) of a player's cars in white light, from the kit or from the word."""
    code = kit.colours.get(word, WORDS.get(word, "#808080")).lstrip("#")
    red, green, blue = (int(code[i : i + 2], 16) for i in (0, 2, 4))
    return chroma(np.array([blue, green, red], float))


def owner_odds(
    seen: Floats, plain: Floats, players: Sequence[str], kit: Kit, known: Mapping[str, Floats]
) -> dict[str, float]:
    """How likely a car's chroma (2,) beside a road's is each player's: by cars known in this light, else by words."""
    cost = {}
    for player in players:
        if player in known:
            apart = math.dist(seen, known[player]) / 0.25
        else:
            # Half of the road's tint is the lamp's, half its own.
            wanted = paint_of(player, kit)
            apart = hue_apart(seen - plain / 2, wanted) / 0.45
        cost[player] = 0.5 * apart**2
    least = min(cost.values())
    weight = {player: math.exp(least - c) for player, c in cost.items()}
    return {player: w / sum(weight.values()) for player, w in weight.items()}


def hue_apart(one: Floats, other: Floats) -> float:
    """The angle between two chromas, as hues differ."""
    return abs((math.atan2(one[1], one[0]) - math.atan2(other[1], other[0]) + math.pi) % (2 * math.pi) - math.pi)
