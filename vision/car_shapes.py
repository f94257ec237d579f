"""Rough shapes of the car types: what of its box a toy car of each type fills at most, and what it fills at least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.view import Floats

UNDER = 0.2
"""Share of the height below which wheels and shade may be all that shows."""
LEAST_WIDTH, NARROW = 0.75, 0.65
"""Shares of the width that a body fills at least, and a cabin or what stands between awnings."""


@dataclass(frozen=True, eq=False)
class Part:
    """A convex outline (k, 2) of shares of the length from the tail and of the height, and its share of the width."""

    outline: Floats
    width: float

    def corners_mm(self, size_mm: tuple[float, float, float]) -> Floats:
        """Both flanks (2 k, 3) of a car of this size: forward, left and up from the middle of what it stands on."""
        length, width, height = size_mm
        x, z = (self.outline[:, 0] - 0.5) * length, self.outline[:, 1] * height
        y = np.full(len(x), self.width * width / 2)
        return np.concatenate([np.column_stack([x, y, z]), np.column_stack([x, -y, z])])


@dataclass(frozen=True, eq=False)
class Shape:
    """A car within its box: paint lies in `most`, and `least` is painted but for windows and lamps."""

    most: tuple[Part, ...]
    least: tuple[Part, ...]
    bed: tuple[Part, ...] = ()
    """What lies open from above: its floor is not painted, or lies in the shade of its walls."""


def _block(start: float, end: float, low: float, top: float, width: float = LEAST_WIDTH) -> Part:
    return Part(np.array([(start, low), (end, low), (end, top), (start, top)]), width)


def _cabin(belt: float, wide: tuple[float, float], top: float, roof: tuple[float, float], width: float) -> Part:
    """What stands on a lower body: longer at the belt than at the roof."""
    return Part(np.array([(wide[0], belt), (wide[1], belt), (roof[1], top), (roof[0], top)]), width)


def _low(belt: float, cabin: tuple[float, float, float, float], core: tuple[float, float, float, float]) -> Shape:
    """A lower body with a cabin: where it begins and ends at the belt and at the roof, at most and at least."""
    most = (_block(0.0, 1.0, 0.0, belt + 0.06, 1.0), _cabin(belt, cabin[:2], 1.0, cabin[2:], 0.95))
    least = (_block(0.08, 0.92, UNDER, belt - 0.08), _cabin(belt - 0.08, core[:2], 0.95, core[2:], NARROW))
    return Shape(most, least)


def _tall(*least: Part, bed: tuple[Part, ...] = ()) -> Shape:
    return Shape((_block(0.0, 1.0, 0.0, 1.0, 1.0),), least, bed)


BED = (Part(np.array([(0.1, 0.9), (0.58, 0.9)]), 0.6),)
BOX = _tall(_block(0.06, 0.94, UNDER, 0.88))
SLOPED = Part(np.array([(0.06, UNDER), (0.92, UNDER), (0.92, 0.38), (0.72, 0.88), (0.06, 0.88)]), LEAST_WIDTH)
NOSED = Shape(
    (_block(-0.12, 0.88, 0.0, 1.0, 1.0), _block(0.88, 1.13, 0.0, 0.7, 1.0)),
    (_block(-0.06, 0.85, UNDER, 0.88), _block(0.85, 1.03, UNDER, 0.35)),
)
"""A van whose length is that of its box, with a bonnet before it."""
FLATBED = Shape(
    (_block(0.0, 0.75, 0.0, 0.72, 1.0), _block(0.65, 1.0, 0.0, 1.0, 1.0)),
    (_block(0.08, 0.65, UNDER, 0.5), _block(0.73, 0.92, UNDER, 0.8)),
)
"""A low bed behind a cab, which may be painted or loaded."""
SHAPES = {
    "sedan": (_low(0.54, (0.1, 0.8, 0.2, 0.68), (0.2, 0.7, 0.32, 0.55)),),
    "sports_car": (_low(0.62, (0.1, 0.78, 0.26, 0.6), (0.25, 0.65, 0.38, 0.5)),),
    "electric_car": (_low(0.52, (0.0, 1.0, 0.1, 0.85), (0.15, 0.85, 0.25, 0.65)),),
    "family_wagon": (_low(0.53, (0.0, 0.86, 0.0, 0.7), (0.05, 0.75, 0.08, 0.6)),),
    "limousine": (_low(0.54, (0.05, 0.88, 0.1, 0.8), (0.15, 0.78, 0.2, 0.7)),),
    "delivery_van": (_tall(SLOPED), NOSED),
    "food_truck": (_tall(_block(0.06, 0.8, UNDER, 0.86, NARROW), _block(0.8, 0.92, UNDER, 0.4, NARROW)),),
    "construction_truck": (FLATBED, _tall(_block(0.08, 0.6, UNDER, 0.78), _block(0.73, 0.92, UNDER, 0.8), bed=BED)),
    "jumbo_trailer": (_tall(_block(0.04, 0.74, 0.28, 0.88), _block(0.84, 0.95, UNDER, 0.8)),),
    "highway_bus": (BOX,),
}
"""What each type may look like, from the tail on; cars of other names are taken for boxes."""


def shapes_of(kind: str) -> tuple[Shape, ...]:
    """What a type may look like."""
    return SHAPES.get(kind, (BOX,))
