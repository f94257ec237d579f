"""The ten car types as small toys, each in its own proportions, filling its box exactly."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sample_frames.studio import trucks
from sample_frames.studio.car_parts import (
    DARK,
    GLASS,
    LIGHT,
    PAINT,
    Cabin,
    Part,
    Size,
    block,
    flank_panes,
    hull,
    lamps,
    oblong,
    of,
    wheels,
)
from sample_frames.studio.mesh import Floats, Mesh, fitted, merged
from sample_frames.studio.pieces import grain_uvs
from sample_frames.studio.solids import Solid, loft

HAND_MADE_MM = 0.03
"""How far a car's surface strays from the drawing."""


def car(type: str, size_mm: tuple[float, float, float], rng: np.random.Generator) -> dict[str, Mesh]:
    """A car's parts (paint, glass, dark, light): x forward, y left, wheels on z = 0, centred, filling its box."""
    size = Size(*size_mm)
    stray = _stray(rng)
    parts: dict[str, list[Mesh]] = {}
    for part, solid in MAKERS[type](size):
        parts.setdefault(part, []).append(solid.warped(stray).mesh())
    half = np.array([size.l_mm / 2, size.w_mm / 2, 0.0])
    whole = fitted(
        {part: merged(meshes) for part, meshes in parts.items()}, -half, half + np.array([0.0, 0.0, size.h_mm])
    )
    return {part: mesh.with_uvs(grain_uvs(mesh.vertices, rng, lean=(0.5, 0.8))) for part, mesh in whole.items()}


def _stray(rng: np.random.Generator) -> Callable[[Floats], Floats]:
    """A smooth seeded displacement, the same for all parts of one car."""
    waves = rng.normal(0, 0.25, (3, 3))
    phases = rng.uniform(0, 2 * np.pi, 3)

    def bend(points: Floats) -> Floats:
        moved: Floats = points + HAND_MADE_MM * np.sin(points @ waves + phases)
        return moved

    return bend


def _sedan(size: Size) -> list[Part]:
    """Three boxes: boot, cabin, bonnet."""
    return _three_boxes(
        size, Cabin(size, (0.17, 0.72, 0.88, 0.5), (0.29, 0.56, 0.7, 1)), [(0.1, 0.47), (0.54, 0.9)], 0.2
    )


def _limousine(size: Size) -> list[Part]:
    """The sedan drawn out, with a row of windows and a bright strip."""
    top = Cabin(size, (0.1, 0.81, 0.88, 0.5), (0.17, 0.71, 0.7, 1))
    flanks = [(0.05, 0.2), (0.235, 0.4), (0.435, 0.6), (0.635, 0.8), (0.835, 0.96)]
    strip = flank_panes(size, oblong(0.06, 0.94, 0.4, 0.45), 0.955)
    return [*_three_boxes(size, top, flanks, 0.13), *of(LIGHT, strip)]


def _three_boxes(size: Size, top: Cabin, flanks: list[tuple[float, float]], axle: float) -> list[Part]:
    front = top.base[1]
    stations = [(0, 0.84, 0.47), (0.015, 0.92, 0.53), (0.05, 0.96, 0.56), (front, 0.96, 0.56)]
    stations += [(front + 0.7 * (1 - front), 0.93, 0.51), (0.985, 0.87, 0.45), (1, 0.78, 0.38)]
    return [
        *of(PAINT, hull(size, stations, 0.16, 0.55), top.solid()),
        *of(GLASS, top.panes(flanks, (0.16, 0.84))),
        *of(DARK, block(size, (0.01, 0.99), (-0.9, 0.9), (0.12, 0.22), 0.15)),
        *wheels(size, (axle, 1 - axle), size.z(0.235)),
        *lamps(size, (0.985, 0.38), (0.012, 0.44), 0.6, 0.8),
    ]


def _sports_car(size: Size) -> list[Part]:
    """A wedge with a small cabin, a tail wing and a racing stripe."""
    stations = [(0, 0.86, 0.6), (0.02, 0.94, 0.66), (0.08, 0.97, 0.68), (0.3, 0.95, 0.66), (0.62, 0.95, 0.6)]
    stations += [(0.86, 0.95, 0.53), (0.96, 0.86, 0.37), (1, 0.7, 0.27)]
    stripe = [(1.006 * x - 0.003, 0.15, top_z + 0.02) for x, _, top_z in stations]
    top = Cabin(size, (0.2, 0.7, 0.8, 0.5), (0.35, 0.5, 0.56, 1), round_mm=0.3)
    wing = block(size, (0.0, 0.09), (-0.94, 0.94), (0.86, 0.95), 0.12)
    posts = [block(size, (0.025, 0.065), (y - 0.05, y + 0.05), (0.5, 0.9), 0.05) for y in (-0.6, 0.6)]
    return [
        *of(PAINT, hull(size, stations, 0.14, 0.4), top.solid(), wing),
        *of(GLASS, top.panes([(0.16, 0.92)], (0.3, 0.86))),
        *of(DARK, block(size, (0.015, 0.97), (-0.84, 0.84), (0.1, 0.22), 0.1), posts),
        *of(LIGHT, hull(size, stripe, 0.2, 0.05), block(size, (0.38, 0.47), (-0.15, 0.15), (0.95, 1.015), 0.03)),
        *wheels(size, (0.19, 0.79), size.z(0.255), 1.5),
        *lamps(size, (0.955, 0.33), (0.012, 0.55), 0.6, 0.6),
    ]


def _electric_car(size: Size) -> list[Part]:
    """A short round bubble: a glass dome under a painted cap."""
    stations = [(0, 0.6, 0.4), (0.02, 0.74, 0.46), (0.08, 0.88, 0.51), (0.2, 0.96, 0.54), (0.75, 0.96, 0.53)]
    stations += [(0.9, 0.88, 0.48), (0.98, 0.74, 0.41), (1, 0.6, 0.35)]
    return [
        *of(PAINT, hull(size, stations, 0.15, 0.8), _dome(size, 0.82, 1.0, 0.05)),
        *of(PAINT, block(size, (0.4, 0.46), (-0.83, 0.83), (0.4, 0.84), 0.1)),
        *of(GLASS, _dome(size, 0.42, 0.97, 0.0)),
        *of(DARK, block(size, (0.05, 0.95), (-0.8, 0.8), (0.12, 0.24), 0.2)),
        *wheels(size, (0.21, 0.79), size.z(0.235)),
        *lamps(size, (0.975, 0.38), (0.02, 0.42), 0.5, 0.95),
    ]


def _dome(size: Size, low: float, high: float, swell_mm: float) -> Solid:
    """The part of a bubble between two heights; its whole reaches from the belt to the roof."""
    rings = []
    for z in np.linspace(low, high, 8):
        up = min((z - 0.42) / (1.0 - 0.42), 0.985)
        reach = (1 - up**3.2) ** 0.5
        half_x, half_y = 0.45 * size.l_mm * reach**1.1 + swell_mm, size.y(0.84) * (0.35 + 0.65 * reach) + swell_mm
        angles = np.linspace(0, 2 * np.pi, 32, endpoint=False)
        cos, sin = np.cos(angles), np.sin(angles)
        squarish = (np.abs(cos) ** 3 + np.abs(sin) ** 3) ** (-1 / 3)
        x = size.x(0.5 - 0.06 * up) + half_x * cos * squarish
        rings.append(np.column_stack([x, half_y * sin * squarish, np.full(32, size.z(z))]))
    return loft(rings)


def _family_wagon(size: Size) -> list[Part]:
    """Two boxes: a bonnet and a long roof with rails, upright at the back."""
    stations = [(0, 0.88, 0.46), (0.015, 0.94, 0.52), (0.04, 0.96, 0.54), (0.74, 0.96, 0.54), (0.93, 0.93, 0.5)]
    stations += [(0.985, 0.86, 0.44), (1, 0.78, 0.38)]
    top = Cabin(size, (0.012, 0.79, 0.9, 0.48), (0.05, 0.63, 0.76, 0.95))
    rails = [block(size, (0.1, 0.58), (y - 0.05, y + 0.05), (0.9, 1.0), 0.12) for y in (-0.58, 0.58)]
    return [
        *of(PAINT, hull(size, stations, 0.15, 0.55), top.solid()),
        *of(GLASS, top.panes([(0.06, 0.32), (0.37, 0.64), (0.69, 0.94)], (0.18, 0.86))),
        *of(DARK, block(size, (0.01, 0.99), (-0.9, 0.9), (0.11, 0.22), 0.15), rails),
        *wheels(size, (0.19, 0.81), size.z(0.22)),
        *lamps(size, (0.985, 0.37), (0.01, 0.4), 0.62, 0.9),
    ]


MAKERS: dict[str, Callable[[Size], list[Part]]] = {
    "sedan": _sedan,
    "sports_car": _sports_car,
    "electric_car": _electric_car,
    "food_truck": trucks.food_truck,
    "family_wagon": _family_wagon,
    "limousine": _limousine,
    "delivery_van": trucks.delivery_van,
    "construction_truck": trucks.construction_truck,
    "jumbo_trailer": trucks.jumbo_trailer,
    "highway_bus": trucks.highway_bus,
}
