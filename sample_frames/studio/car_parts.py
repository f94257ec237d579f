"""What toy cars are put together from: hulls, cabins, boxes drawn from the side, windows, wheels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sample_frames.studio.mesh import Floats
from sample_frames.studio.solids import Solid, box, extruded, loft, panel, rectangle, rounded

Part = tuple[str, Solid]
PAINT, GLASS, DARK, LIGHT = "paint", "glass", "dark", "light"
PROUD_MM = 0.06
"""How far a window or a lamp stands out of the body that bears it."""


@dataclass(frozen=True, slots=True)
class Size:
    """A car's box; x runs from 0 at the tail to 1 at the nose, y from -1 to 1, z from 0 to 1."""

    l_mm: float
    w_mm: float
    h_mm: float

    def x(self, share: float) -> float:
        return (share - 0.5) * self.l_mm

    def y(self, share: float) -> float:
        return share * self.w_mm / 2

    def z(self, share: float) -> float:
        return share * self.h_mm


def hull(size: Size, stations: Iterable[tuple[float, float, float]], bottom: float, round_mm: float) -> Solid:
    """A lower body through stations (x, half width, top) from tail to nose."""
    rings = []
    for x, wide, top in stations:
        flat = rectangle(-size.y(wide), size.y(wide), size.z(bottom), size.z(top), round_mm)
        rings.append(np.column_stack([np.full(len(flat), size.x(x)), flat]))
    return loft(rings)


@dataclass(frozen=True, slots=True)
class Cabin:
    """An upper body between two levels, each (x tail, x nose, half width, z) in shares of the car."""

    size: Size
    base: tuple[float, float, float, float]
    roof: tuple[float, float, float, float]
    corner_mm: float = 0.5
    round_mm: float = 0.4

    def solid(self) -> Solid:
        """The body, with a rounded roof edge."""
        base, roof = self._ring(self.base), self._ring(self.roof)
        round_share = self.round_mm / (roof[0, 2] - base[0, 2])
        middle = (roof.max(axis=0) + roof.min(axis=0))[:2] / 2
        reach = (roof.max(axis=0) - roof.min(axis=0))[:2] / 2
        rings = [base]
        for turn in np.linspace(0, np.pi / 2, 4):
            ring = base + (roof - base) * (1 - round_share * (1 - np.sin(turn)))
            shrink = 1 - self.round_mm * (1 - np.cos(turn)) / reach
            ring[:, :2] = middle + (ring[:, :2] - middle) * shrink
            rings.append(ring)
        return loft(rings)

    def panes(
        self, flanks: Sequence[tuple[float, float]], up: tuple[float, float], ends: tuple[float, float] = (0.1, 0.1)
    ) -> list[Solid]:
        """Windows: on both flanks between shares of its length, before and behind; `up` are shares of its height."""
        (x0, x1, wide, z), (top_x0, top_x1, top_wide, top_z) = self.base, self.roof
        panes = []
        for sign in (-1, 1):
            flank = np.array(
                [
                    (x0, sign * wide, z),
                    (x1, sign * wide, z),
                    (top_x1, sign * top_wide, top_z),
                    (top_x0, sign * top_wide, top_z),
                ]
            )
            panes += [_pane(self.size, _patch(flank, share, up)[::-sign]) for share in flanks]
        for sign, end, top_end, margin in ((1, x1, top_x1, ends[0]), (-1, x0, top_x0, ends[1])):
            if margin < 0.5:
                face = np.array(
                    [
                        (end, -sign * wide, z),
                        (end, sign * wide, z),
                        (top_end, sign * top_wide, top_z),
                        (top_end, -sign * top_wide, top_z),
                    ]
                )
                panes.append(_pane(self.size, _patch(face, (margin, 1 - margin), up)))
        return panes

    def _ring(self, level: tuple[float, float, float, float]) -> Floats:
        x0, x1, wide, z = level
        size = self.size
        flat = rectangle(size.x(x0), size.x(x1), -size.y(wide), size.y(wide), self.corner_mm)
        return np.column_stack([flat, np.full(len(flat), size.z(z))])


def drawn(size: Size, profile: Sequence[tuple[float, float]], wide: float, round_mm: float, bevel_mm: float) -> Solid:
    """A body extruded over its width from an outline (x, z) in shares, anticlockwise with the nose to the right."""
    flat = rounded([(size.x(x), size.z(z)) for x, z in profile], round_mm)
    return extruded(flat, -size.y(wide), size.y(wide), bevel_mm).upright()


def block(size: Size, x: tuple[float, float], y: tuple[float, float], z: tuple[float, float], bevel_mm: float) -> Solid:
    """A box in shares of the car."""
    return box((size.x(x[0]), size.y(y[0]), size.z(z[0])), (size.x(x[1]), size.y(y[1]), size.z(z[1])), bevel_mm)


def nose_pane(size: Size, low: tuple[float, float], high: tuple[float, float], wide: float) -> Solid:
    """A pane over the front between two (x, z) of the profile, such as a windscreen."""
    corners = [(*low, -wide), (*low, wide), (*high, wide), (*high, -wide)]
    return _pane(size, np.array([(x, y, z) for x, z, y in corners]))


def tail_pane(size: Size, low: tuple[float, float], high: tuple[float, float], wide: float) -> Solid:
    """A pane over the back between two (x, z) of the profile."""
    return nose_pane(size, low, high, -wide)


def flank_panes(size: Size, shape: Sequence[tuple[float, float]], wide: float) -> list[Solid]:
    """A pane on both flanks: an anticlockwise (x, z) shape seen from the right."""
    return [_pane(size, np.array([(x, sign * wide, z) for x, z in shape])[::-sign]) for sign in (-1, 1)]


def oblong(x0: float, x1: float, z0: float, z1: float) -> list[tuple[float, float]]:
    """A rectangle for `flank_panes`."""
    return [(x0, z0), (x1, z0), (x1, z1), (x0, z1)]


def wheels(size: Size, axles: Sequence[float], radius_mm: float, tyre_mm: float = 1.3) -> list[Part]:
    """A pair of tyres on each axle with lighter hubs, flush with the car's box."""
    circle = np.linspace(0, 2 * np.pi, 28, endpoint=False)
    rim = np.column_stack([np.cos(circle), np.sin(circle)])
    parts = []
    for x in axles:
        for y in (-size.w_mm / 2, size.w_mm / 2 - tyre_mm):
            tyre = extruded(rim * radius_mm, 0.04, tyre_mm - 0.04, 0.18).upright()
            hub = extruded(rim * radius_mm * 0.5, 0.0, tyre_mm).upright()
            for part, solid in ((DARK, tyre), (LIGHT, hub)):
                parts.append((part, solid.shifted(size.x(x), y + tyre_mm, radius_mm)))
    return parts


def lamps(size: Size, front: tuple[float, float], rear: tuple[float, float], wide: float, size_mm: float) -> list[Part]:
    """Two head lamps and two dark tail lamps around (x, z), as far apart as `wide`."""
    parts = []
    for part, (x, z) in ((LIGHT, front), (DARK, rear)):
        for y in (-wide, wide):
            centre = np.array([size.x(x), size.y(y), size.z(z)])
            half = np.array([0.35, size_mm * 0.75, size_mm / 2])
            parts.append((part, box(centre - half, centre + half, 0.12)))
    return parts


def of(part: str, *solids: Solid | list[Solid]) -> list[Part]:
    """Solids of one part."""
    return [(part, solid) for group in solids for solid in (group if isinstance(group, list) else [group])]


def _pane(size: Size, corners: Floats) -> Solid:
    """A thin plate with round corners on a flat patch given in shares of the car."""
    scaled = (corners - np.array([0.5, 0.0, 0.0])) * np.array([size.l_mm, size.w_mm / 2, size.h_mm])
    return panel(scaled, PROUD_MM, 0.25, 0.25)


def _patch(face: Floats, right: tuple[float, float], up: tuple[float, float]) -> Floats:
    """The part of a four-cornered face between shares of its breadth and height."""
    low = [face[0] + (face[1] - face[0]) * share for share in right]
    high = [face[3] + (face[2] - face[3]) * share for share in right]
    feet = [a + (b - a) * up[0] for a, b in zip(low, high, strict=True)]
    heads = [a + (b - a) * up[1] for a, b in zip(low, high, strict=True)]
    return np.array([feet[0], feet[1], heads[1], heads[0]])
