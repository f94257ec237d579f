"""The light over a table: a room or a garden round it, lamps above it, warm and cold, several shadows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .assets import environments

INDOORS = ("apartment", "hall", "lab", "lobby", "studio", "warehouse", "workshop")
OUTDOORS = ("bridge", "city", "dawn", "esplanade", "forest", "park", "sky", "sunrise", "sunset", "venice", "night")


@dataclass(frozen=True, slots=True)
class Lamp:
    """A round lamp: where it hangs (mm), how large it is, and its light (linear RGB)."""

    place_mm: tuple[float, float, float]
    radius_mm: float
    rgb: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Lighting:
    """What lights one picture."""

    environment: str
    turn_rad: float
    strength: float
    lamps: tuple[Lamp, ...]


def blackbody(kelvin: float) -> np.ndarray:
    """Linear RGB of a lamp of this colour temperature, its green at 1 (a fit, good to a few percent)."""
    t = kelvin / 100.0
    red = 1.0 if t <= 66 else 1.292936 * (t - 60) ** -0.1332047592
    green = 0.390082 * np.log(t) - 0.631841 if t <= 66 else 1.129891 * (t - 60) ** -0.0755148492
    blue = 1.0 if t >= 66 else (0.0 if t <= 19 else 0.543207 * np.log(t - 10) - 1.196254)
    linear = np.clip([red, green, blue], 0.01, 1.0) ** 2.2
    return np.asarray(linear / linear[1])


def random_lighting(rng: np.random.Generator) -> Lighting:
    """Some room at some hour."""
    known = environments()
    inside = rng.random() < 0.75
    names = [name for name in (INDOORS if inside else OUTDOORS) if name in known]
    lamps = tuple(_lamp(rng) for _ in range(int(rng.choice([0, 1, 1, 2, 3]))))
    strength = float(np.exp(rng.normal(0.0, 0.5))) * (0.35 if lamps else 1.0)
    return Lighting(str(rng.choice(names)), float(rng.uniform(0, 2 * np.pi)), strength, lamps)


def changed(lighting: Lighting, rng: np.random.Generator) -> Lighting:
    """The same room a moment later: a lamp switched on or off, or a cloud before the sun."""
    lamps = list(lighting.lamps)
    how = str(rng.choice(["cloud", "switch", "both"]))
    if how != "cloud":
        lamps = lamps[1:] if lamps and rng.random() < 0.6 else [*lamps, _lamp(rng)]
    factor = float(np.exp(rng.choice([-1, 1]) * rng.uniform(0.15, 0.6))) if how != "switch" else 1.0
    return replace(lighting, strength=lighting.strength * factor, lamps=tuple(lamps))


def _lamp(rng: np.random.Generator) -> Lamp:
    away_mm, around = float(rng.uniform(150, 900)), float(rng.uniform(0, 2 * np.pi))
    height_mm = float(rng.uniform(1_250, 1_900))
    radius_mm = float(rng.uniform(25, 140))
    # As bright on the table whatever its size and distance.
    power = float(np.exp(rng.normal(1.2, 0.5))) * (height_mm**2 + away_mm**2) / (np.pi * radius_mm**2)
    rgb = blackbody(float(rng.uniform(2_500, 6_800))) * power
    place = (away_mm * float(np.cos(around)), away_mm * float(np.sin(around)), height_mm)
    return Lamp(place, radius_mm, (float(rgb[0]), float(rgb[1]), float(rgb[2])))
