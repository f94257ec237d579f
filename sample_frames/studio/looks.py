"""How one table looks: its surface, the paint of its pieces, its light. Everything that vision must not depend on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from referee.pieces import DEFAULT_CAR_SIZES_MM, Kit

from .light import Lighting, random_lighting
from .surfaces import Surface, random_surface

Colour = tuple[float, float, float]
"""Linear RGB."""

TABLE_MM = (1_500.0, 1_100.0)
PAINTS: dict[str, Colour] = {
    "purple": (0.20, 0.05, 0.36),
    "green": (0.04, 0.33, 0.10),
    "orange": (0.78, 0.20, 0.02),
    "blue": (0.03, 0.14, 0.55),
    "pink": (0.78, 0.16, 0.34),
    "white": (0.75, 0.74, 0.70),
}


@dataclass(frozen=True, slots=True)
class Look:
    """The paints of the pieces, the table top, the light."""

    surface: Surface
    lighting: Lighting
    disc: Colour
    junction: Colour
    road: Colour
    players: dict[str, Colour]
    roughness: float
    coat: float
    spread: float
    """How much one disc's or stick's paint differs from the next."""
    grain: float
    """How much of the wood shows through."""


def random_kit(rng: np.random.Generator, spread: float = 0.15) -> Kit:
    """A kit whose sizes differ from the default by up to `spread`, each in its own way."""

    def size(mm: float) -> float:
        return round(mm * float(rng.uniform(1 - spread, 1 + spread)), 2)

    plain = Kit()
    cars = {name: (size(a), size(b), size(c)) for name, (a, b, c) in DEFAULT_CAR_SIZES_MM.items()}
    return Kit(
        disc_diameter_mm=size(plain.disc_diameter_mm),
        disc_height_mm=size(plain.disc_height_mm),
        road_length_mm=size(plain.road_length_mm),
        road_width_mm=size(plain.road_width_mm),
        road_thickness_mm=size(plain.road_thickness_mm),
        cars=cars,
    )


def random_look(rng: np.random.Generator, players: tuple[str, ...]) -> Look:
    """Some table, some light, some paint: grey discs mostly, bare wood sometimes."""
    grey = float(rng.uniform(0.22, 0.62))
    disc = _near(rng, (grey, grey, grey * 0.97), 0.04)
    road = _near(rng, (grey * 1.15, grey * 1.13, grey * 1.1), 0.05)
    bare = rng.random() < 0.25
    if bare:
        wood = np.array([0.55, 0.38, 0.22]) * rng.uniform(0.8, 1.25)
        road = _near(rng, (wood[0], wood[1], wood[2]), 0.05)
        if rng.random() < 0.4:
            disc = _near(rng, (wood[0], wood[1], wood[2]), 0.06)
    return Look(
        surface=random_surface(rng, TABLE_MM),
        lighting=random_lighting(rng),
        disc=disc,
        junction=_near(rng, (0.78, 0.50, 0.03), 0.08),
        road=road,
        players={p: _near(rng, PAINTS.get(p, (0.5, 0.5, 0.5)), 0.12) for p in players},
        roughness=float(rng.uniform(0.25, 0.7)),
        coat=float(rng.choice([0.0, 0.0, 0.3])),
        spread=float(rng.uniform(0.01, 0.06)),
        grain=float(rng.uniform(0.5, 1.0)) if bare else float(rng.uniform(0.0, 0.3)),
    )


def camouflaged(look: Look, rng: np.random.Generator) -> Look:
    """Discs and sticks of nearly the table's own colour."""
    red, green, blue = (look.surface.picture.reshape(-1, 3).mean(axis=0)[::-1] / 255.0) ** 2.2
    table = (float(red), float(green), float(blue))
    return replace(look, disc=_near(rng, table, 0.12), road=_near(rng, table, 0.12))


def _near(rng: np.random.Generator, colour: tuple[float, float, float], spread: float) -> Colour:
    red, green, blue = np.clip(np.array(colour) * np.exp(rng.normal(0.0, spread, 3)), 0.01, 0.95)
    return float(red), float(green), float(blue)
