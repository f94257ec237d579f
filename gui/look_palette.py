"""Colours and shapes, without any window system: dashboard, exports and pictures all take them from here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

Shape = Literal["circle", "triangle", "square", "diamond", "pentagon", "hexagon"]
SHAPES: tuple[Shape, ...] = ("circle", "triangle", "square", "diamond", "pentagon", "hexagon")


@dataclass(frozen=True, slots=True)
class Ink:
    """One colour for asphalt (dark) and one for paper (light), the same to the eye."""

    dark: str
    light: str

    def on(self, dark: bool) -> str:
        return self.dark if dark else self.light


@dataclass(frozen=True, slots=True)
class Sign:
    """How a verdict looks: a road sign with its icon and its word, never colour alone."""

    ground: str
    ink: str
    icon: str
    word: str


SURFACES: dict[str, Ink] = {
    "window": Ink("#15171a", "#e7e8e6"),
    "panel": Ink("#1e2125", "#f6f6f3"),
    "raised": Ink("#2a2e34", "#ffffff"),
    "line": Ink("#3b4149", "#cfd2d1"),
    "text": Ink("#f3f2ec", "#1a1d20"),
    "dim": Ink("#a9afb7", "#565c63"),
    "accent": Ink("#37c4d8", "#00708a"),
    "on_accent": Ink("#08181b", "#ffffff"),
    "wood": Ink("#c9b48c", "#b59a68"),
    "grey_disc": Ink("#9aa0a8", "#8b9199"),
    "yellow_disc": Ink("#f4c430", "#dca80a"),
}
SIGNS: dict[str, Sign] = {
    "legal": Sign("#0b7d4b", "#ffffff", "circle-check", "LEGAL"),
    "illegal": Sign("#c22f2a", "#ffffff", "octagon-x", "ILLEGAL"),
    "too_close": Sign("#f2ad1d", "#1d1600", "scale", "TOO CLOSE TO CALL"),
    "quiet": Sign("#343a42", "#f3f2ec", "info", ""),
}
# Of differing lightness, so that eyes that see two of three colours still tell any pair apart.
PLAYERS: dict[str, Ink] = {
    "purple": Ink("#d19bfb", "#7f14cf"),
    "green": Ink("#55ec86", "#056d3e"),
    "orange": Ink("#f2641a", "#b57018"),
    "blue": Ink("#2a7bfa", "#092167"),
    "pink": Ink("#f27fa6", "#ea399d"),
    "red": Ink("#ff6b5e", "#b01f18"),
    "yellow": Ink("#ffe066", "#8f7200"),
    "white": Ink("#ffffff", "#7a8087"),
    "black": Ink("#8a929c", "#202428"),
    "grey": Ink("#b9c0c8", "#5d646b"),
}
_OTHERS = ("purple", "green", "orange", "blue", "pink", "yellow", "white")
AREAS: dict[str, str] = {"development": "#8d8478", "green": "#4f8f4a", "airport": "#6f7f92", "rainbow": "#b06fb0"}


def player_colour(player: str, players: Sequence[str], dark: bool = True) -> str:
    """The colour of a player: of the word they are called by, else of their seat."""
    ink = PLAYERS.get(player.lower())
    if ink is None:
        taken = {name.lower() for name in players}
        free = [name for name in _OTHERS if name not in taken]
        nameless = [name for name in players if name.lower() not in PLAYERS]
        seat = nameless.index(player) if player in nameless else 0
        ink = PLAYERS[free[seat % len(free)]]
    return ink.on(dark)


def player_shape(player: str, players: Sequence[str]) -> Shape:
    """The shape of a player's seat, which stands wherever the colour does."""
    seat = players.index(player) if player in players else 0
    return SHAPES[seat % len(SHAPES)]


@cache
def shape_corners(shape: Shape) -> tuple[tuple[float, float], ...]:
    """Corners of a shape about the size of the unit circle, y down; none for the circle itself."""
    sides, turn_deg, size = {
        "circle": (0, 0.0, 1.0),
        "triangle": (3, -90.0, 1.2),
        "square": (4, -45.0, 1.2),
        "diamond": (4, -90.0, 1.2),
        "pentagon": (5, -90.0, 1.1),
        "hexagon": (6, 0.0, 1.1),
    }[shape]
    angles = (math.radians(turn_deg + 360 * i / sides) for i in range(sides))
    return tuple((size * math.cos(a), size * math.sin(a)) for a in angles)


def contrast(one: str, other: str) -> float:
    """WCAG's contrast of two colours, 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear(value: float) -> float:
    """An sRGB channel (0 to 1) as light."""
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)
