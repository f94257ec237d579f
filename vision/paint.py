"""Colours as light changes them least: ratios of channels, and which player's paint is nearest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from referee.pieces import Kit
from vision.view import Floats, Singles

DARK = 10.0
"""Added to every channel, so that dark pixels have no colour rather than any."""
TURNS_RAD, PALER = np.linspace(-0.9, 0.9, 46), np.linspace(-1.5, 0.5, 21)
TURN_RAD, OWN_RAD, ODD = 0.35, 0.2, 1e-3
"""How far a lamp turns the hues of all cars as a rule, how far each strays besides, and how likely one is odd."""
PALE, PALE_SPREAD, OWN_PALE, PALEST = -0.4, 0.5, 0.35, 0.05
"""The same for how vivid they are, as logarithms: what a camera makes of them as a rule, and of each besides."""
NEUTRAL, ANY_HUE = 0.12, 1.0
"""Chroma below which a paint has no hue, and what it counts that any one seen on it fits, in strays of a hue."""
LAMPS = np.linspace(0.0, 1.0, 5)
"""How much of the roads' tint may be the lamp's; the rest is their own paint's."""
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
    red, green, blue = _code(word, kit)
    return chroma(np.array([blue, green, red], float))


def _code(word: str, kit: Kit) -> list[int]:
    """Red, green and blue of a player's paint."""
    code = kit.colours.get(word, WORDS.get(word, "#808080")).lstrip("#")
    return [int(code[i : i + 2], 16) for i in (0, 2, 4)]


def is_neutral(paint: Floats) -> bool:
    """Whether paint of a chroma (2,) is white, grey or black: it has no hue to be told by."""
    return math.hypot(paint[0], paint[1]) < NEUTRAL


def lightness_of(word: str, kit: Kit) -> float:
    """How light (0 to 1) a player's cars are, from the kit or from the word."""
    return sum(_code(word, kit)) / (3 * 255)


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


def owners_together(
    seen: Sequence[Floats], plain: Sequence[Floats], players: Sequence[str], kit: Kit
) -> list[dict[str, float]]:
    """How likely each of some cars' chromas (2,) is each player's, by words: a lamp tints all of them alike, it and a
    camera turn the hues of all alike, and make all of them paler alike."""
    wanted = np.array([paint_of(player, kit) for player in players])
    tints, roads = (np.array(some, float).reshape(-1, 2) for some in (seen, plain))
    own = tints[:, None] - LAMPS[:, None] * roads[:, None]
    (hues, vivid), (paints, pure) = (
        (np.arctan2(some[..., 1], some[..., 0]), np.log(np.hypot(some[..., 0], some[..., 1]) + PALEST))
        for some in (own, wanted)
    )
    neutral = np.hypot(*wanted.T) < NEUTRAL
    # Cars, lamps, turns, players; and cars, lamps, shades of pale, players. What has no hue may seem to have any.
    turned = hues[..., None, None] - TURNS_RAD[:, None] - paints
    turned = np.where(neutral, ANY_HUE * OWN_RAD, (turned + np.pi) % (2 * np.pi) - np.pi)
    pure = np.where(neutral, math.log(NEUTRAL + PALEST), pure)
    paler = vivid[..., None, None] - PALER[:, None] - pure
    off = np.square(turned / OWN_RAD)[..., :, None, :] + np.square(paler / OWN_PALE)[..., None, :, :]
    likely = np.exp(-0.5 * off) + ODD
    usual = -0.5 * (np.square(TURNS_RAD / TURN_RAD)[:, None] + np.square((PALER - PALE) / PALE_SPREAD))
    lights = usual + np.log(likely.mean(axis=-1)).sum(axis=0)
    lights = np.exp(lights - lights.max())
    odds = np.einsum("lts,cltsp->cp", lights / lights.sum(), likely / likely.sum(axis=-1, keepdims=True))
    return [dict(zip(players, (float(p) for p in one), strict=True)) for one in odds]


def hue_apart(one: Floats, other: Floats) -> float:
    """The angle between two chromas, as hues differ."""
    return abs((math.atan2(one[1], one[0]) - math.atan2(other[1], other[0]) + math.pi) % (2 * math.pi) - math.pi)
