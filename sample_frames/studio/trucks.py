"""The five tall types: van, food truck, tipper, trailer and bus."""

from __future__ import annotations

import numpy as np

from sample_frames.studio.car_parts import (
    DARK,
    GLASS,
    LIGHT,
    PAINT,
    Part,
    Size,
    block,
    drawn,
    flank_panes,
    lamps,
    nose_pane,
    oblong,
    of,
    tail_pane,
    wheels,
)
from sample_frames.studio.mesh import Floats
from sample_frames.studio.solids import loft, panel


def delivery_van(size: Size) -> list[Part]:
    """One tall box with a sloping nose; no windows behind the driver."""
    profile = [(0, 0.13), (1, 0.13), (1, 0.42), (0.95, 0.53), (0.75, 1), (0.0, 1)]
    door = [(0.63, 0.56), (0.86, 0.56), (0.745, 0.86), (0.63, 0.86)]
    return [
        *of(PAINT, drawn(size, profile, 0.95, 0.6, 0.4)),
        *of(GLASS, nose_pane(size, (0.93, 0.577), (0.78, 0.93), 0.8), flank_panes(size, door, 0.95)),
        *of(GLASS, tail_pane(size, (0, 0.6), (0, 0.86), 0.7)),
        *of(DARK, block(size, (-0.012, 1.01), (-0.88, 0.88), (0.1, 0.2), 0.15)),
        *of(LIGHT, flank_panes(size, oblong(0.06, 0.58, 0.4, 0.47), 0.95)),
        *wheels(size, (0.2, 0.8), size.z(0.17), 1.2),
        *lamps(size, (0.985, 0.36), (0.008, 0.4), 0.68, 0.9),
    ]


def food_truck(size: Size) -> list[Part]:
    """A tall kitchen with a hatch and a striped awning on either flank, a short nose and a roof vent."""
    kitchen = [(0, 0.12), (0.83, 0.12), (0.83, 0.9), (0, 0.9)]
    nose = [(0.78, 0.12), (1, 0.12), (1, 0.42), (0.94, 0.48), (0.86, 0.8), (0.78, 0.8)]
    awning: list[Part] = []
    for k in range(7):
        x0, x1 = 0.08 + 0.09 * k, 0.17 + 0.09 * k - 0.004
        for sign in (-1, 1):
            drop = [(x0, 0.6, 0.83), (x1, 0.6, 0.83), (x1, 1.0, 0.68), (x0, 1.0, 0.68)]
            corners = np.array([(size.x(x), sign * size.y(y), size.z(z)) for x, y, z in drop])
            awning.append((PAINT if k % 2 else LIGHT, panel(corners[::-sign], 0.2, 0.25)))
    return [
        *of(PAINT, drawn(size, kitchen, 0.74, 0.4, 0.35), drawn(size, nose, 0.7, 0.4, 0.3)),
        *of(GLASS, nose_pane(size, (0.932, 0.51), (0.872, 0.755), 0.58)),
        *of(GLASS, flank_panes(size, oblong(0.1, 0.68, 0.46, 0.78), 0.74)),
        *of(DARK, block(size, (0.01, 1.0), (-0.66, 0.66), (0.09, 0.18), 0.15)),
        *of(LIGHT, [block(size, (0.09, 0.69), (s * 0.82 - 0.1, s * 0.82 + 0.1), (0.4, 0.44), 0.08) for s in (-1, 1)]),
        *of(
            LIGHT,
            block(size, (0.15, 0.35), (-0.3, 0.3), (0.86, 1.0), 0.2),
            block(size, (0.5, 0.6), (-0.2, 0.2), (0.86, 0.96), 0.2),
        ),
        *awning,
        *wheels(Size(size.l_mm, size.w_mm * 0.86, size.h_mm), (0.2, 0.83), size.z(0.15), 1.2),
        *lamps(size, (0.985, 0.33), (0.01, 0.3), 0.45, 0.8),
    ]


def construction_truck(size: Size) -> list[Part]:
    """A short cab before an open tipper bed with a high front wall, on large wheels."""
    cab = [(0.7, 0.2), (1, 0.2), (1, 0.52), (0.96, 0.84), (0.7, 0.84)]
    rims = [
        (0.06, 0.6, 0.7, (0.36, 0.36)),
        (0.0, 0.665, 0.97, (0.8, 0.96)),
        (0.03, 0.64, 0.87, (0.8, 0.96)),
        (0.07, 0.6, 0.72, (0.5, 0.5)),
    ]
    bed = loft([_tilted(size, *rim) for rim in rims])
    floor = loft([_tilted(size, 0.06, 0.61, 0.74, (0.45, 0.45)), _tilted(size, 0.06, 0.61, 0.74, (0.54, 0.54))])
    visor = block(size, (0.62, 0.8), (-0.8, 0.8), (0.93, 1.0), 0.12)
    door = [(0.76, 0.54), (0.965, 0.54), (0.94, 0.76), (0.76, 0.76)]
    return [
        *of(PAINT, drawn(size, cab, 0.86, 0.4, 0.3), bed, visor),
        *of(GLASS, nose_pane(size, (0.994, 0.566), (0.968, 0.775), 0.72), flank_panes(size, door, 0.86)),
        *of(DARK, block(size, (0.03, 0.97), (-0.55, 0.55), (0.16, 0.34), 0.15), floor),
        *of(LIGHT, block(size, (0.97, 1.005), (-0.84, 0.84), (0.18, 0.28), 0.1)),
        *wheels(size, (0.13, 0.32, 0.84), size.z(0.19), 1.6),
        *lamps(size, (0.99, 0.38), (0.03, 0.26), 0.62, 0.8),
    ]


def _tilted(size: Size, x0: float, x1: float, wide: float, z: tuple[float, float]) -> Floats:
    """A rectangle whose front edge may lie higher than its back one."""
    level = [(x0, -wide, z[0]), (x1, -wide, z[1]), (x1, wide, z[1]), (x0, wide, z[0])]
    return np.array([(size.x(x), size.y(y), size.z(height)) for x, y, height in level])


def jumbo_trailer(size: Size) -> list[Part]:
    """A cab, a gap, and a long separate box on many wheels."""
    cab = [(0.81, 0.14), (1, 0.14), (1, 0.46), (0.975, 0.76), (0.9, 0.92), (0.81, 0.92)]
    door = [(0.87, 0.5), (0.975, 0.5), (0.955, 0.72), (0.87, 0.72)]
    trailer = block(size, (0, 0.765), (-0.96, 0.96), (0.26, 1.0), 0.25)
    return [
        *of(PAINT, trailer, drawn(size, cab, 0.9, 0.4, 0.3)),
        *of(LIGHT, flank_panes(size, oblong(0.03, 0.735, 0.5, 0.66), 0.96)),
        *of(GLASS, nose_pane(size, (0.995, 0.51), (0.978, 0.73), 0.78), flank_panes(size, door, 0.9)),
        *of(DARK, block(size, (0.01, 0.95), (-0.5, 0.5), (0.12, 0.3), 0.15)),
        *of(
            DARK,
            tail_pane(size, (0, 0.34), (0, 0.94), 0.03),
            block(size, (0.985, 1.004), (-0.8, 0.8), (0.12, 0.2), 0.1),
        ),
        *wheels(size, (0.07, 0.16, 0.25, 0.74, 0.93), size.z(0.135), 1.5),
        *lamps(size, (0.993, 0.28), (0.006, 0.22), 0.66, 0.8),
    ]


def highway_bus(size: Size) -> list[Part]:
    """A long box with a band of windows, a tall windscreen and coolers on the roof."""
    profile = [(0, 0.12), (1, 0.12), (1, 0.4), (0.975, 0.93), (0.0, 0.93)]
    panes = [flank_panes(size, oblong(0.03 + 0.15 * k, 0.17 + 0.15 * k, 0.5, 0.8), 0.95) for k in range(6)]
    return [
        *of(PAINT, drawn(size, profile, 0.95, 0.45, 0.4)),
        *of(
            GLASS,
            nose_pane(size, (0.997, 0.45), (0.978, 0.86), 0.84),
            tail_pane(size, (0, 0.55), (0, 0.82), 0.75),
            *panes,
        ),
        *of(DARK, block(size, (-0.005, 1.005), (-0.88, 0.88), (0.09, 0.18), 0.15)),
        *of(LIGHT, flank_panes(size, oblong(0.02, 0.98, 0.36, 0.42), 0.95)),
        *of(
            LIGHT,
            block(size, (0.12, 0.32), (-0.5, 0.5), (0.9, 1.0), 0.2),
            block(size, (0.6, 0.76), (-0.5, 0.5), (0.9, 1.0), 0.2),
        ),
        *wheels(size, (0.17, 0.79), size.z(0.16), 1.2),
        *lamps(size, (0.995, 0.27), (0.005, 0.3), 0.66, 0.9),
    ]
