"""Buildings, trees, area cards and the rainbow, each over the outline the layout gives it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from sample_frames.studio.landmarks import aeroplane, tower
from sample_frames.studio.mesh import Floats, Mesh, fitted, merged
from sample_frames.studio.outlines import anticlockwise, lengthwise, middle, rays
from sample_frames.studio.solids import Outline, Solid, extruded, inset, lathed, loft, panel

CARD_MM = 0.8
BANDS = 7
PANE_MM = 4.0
LEAST_WALL_MM = 1.5
"""Narrower walls have no windows."""


def building(kind: str, outline: Outline, height_mm: float, rng: np.random.Generator) -> dict[str, Mesh]:
    """A building, tower, tree or aeroplane standing on z = 0 over its outline, exactly as high as told."""
    return MAKERS[kind](anticlockwise(outline), height_mm, rng)


def area(outline: Outline, thickness_mm: float = CARD_MM) -> Mesh:
    """A printed card on the table; its uvs run from 0 to 1 over the outline's bounds."""
    flat = anticlockwise(outline)
    mesh = extruded(flat, 0.0, thickness_mm).mesh()
    low, high = flat.min(axis=0), flat.max(axis=0)
    return mesh.with_uvs((mesh.vertices[:, :2] - low) / (high - low))


def rainbow(
    outline: Outline, height_mm: float | None = None, band_mm: float = 1.6, depth_mm: float = 5.0
) -> dict[str, Mesh]:
    """An arch over the outline's length, band0 outermost; half as high as long unless told, open below for roads."""
    table_from_length, half_long, half_wide = lengthwise(anticlockwise(outline))
    high = height_mm or half_long
    half_depth = min(depth_mm / 2, half_wide)
    band = min(band_mm, 0.5 * min(half_long, high) / BANDS)
    angles = np.linspace(0, np.pi, 49)
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    parts = {}
    for k in range(BANDS):
        # A hair of air between the bands keeps their surfaces apart.
        outer = around * (half_long - k * band, high - k * band)
        inner = around * (half_long - (k + 1) * band + 0.04, high - (k + 1) * band + 0.04)
        arch = _bar(outer, inner, half_depth)
        parts[f"band{k}"] = arch.mesh(crease_deg=30.0).transformed(table_from_length)
    return parts


def _bar(outer: Floats, inner: Floats, half_depth_mm: float) -> Solid:
    """A bent bar with bevelled edges between two curves in (x, z) that run from the right foot to the left one."""
    bevel = 0.15
    rings = []
    for out, back in zip(outer, inner, strict=True):
        inward = (back - out) / np.linalg.norm(back - out) * bevel
        a, b = half_depth_mm - bevel, half_depth_mm
        corners = [(out, -a), (out + inward, -b), (back - inward, -b), (back, -a)]
        corners += [(back, a), (back - inward, b), (out + inward, b), (out, a)]
        rings.append(np.array([(point[0], y, point[1]) for point, y in reversed(corners)]))
    return loft(rings)


def _house(flat: Floats, height_mm: float, rng: np.random.Generator) -> dict[str, Mesh]:
    """A block with a grid of windows between a plinth and a cornice (body, windows, trim)."""
    parapet = min(2.0, 0.08 * height_mm)
    wall = inset(flat, 0.4)
    storeys = max(1, round((height_mm - 2 * parapet) / rng.uniform(4.5, 6.5)))
    levels = np.linspace(parapet, height_mm - parapet, storeys + 1)
    panes = [
        pane
        for start, end in zip(wall, np.roll(wall, -1, axis=0), strict=True)
        for pane in _wall_panes(start, end, levels)
    ]
    parts = {
        "body": extruded(wall, 0.1, height_mm - 0.9 * parapet).mesh(),
        "trim": merged([extruded(flat, 0.0, parapet, 0.15).mesh(), _cornice(flat, height_mm, parapet).mesh()]),
    }
    if panes:
        parts["windows"] = merged(pane.mesh() for pane in panes)
    return parts


def _wall_panes(start: Floats, end: Floats, levels: Floats) -> list[Solid]:
    """Windows in rows and columns on the wall between two corners."""
    length = float(np.linalg.norm(end - start))
    margin = min(1.2, 0.2 * length)
    columns = max(1, int((length - margin) // PANE_MM)) if length > LEAST_WALL_MM else 0
    panes = []
    for column in range(columns):
        shares = [(margin / 2 + (column + share) / columns * (length - margin)) / length for share in (0.17, 0.83)]
        left, right = (start + (end - start) * share for share in shares)
        for low, high in pairwise(levels):
            z0, z1 = low + 0.2 * (high - low), low + 0.78 * (high - low)
            corners = [(*left, z0), (*right, z0), (*right, z1), (*left, z1)]
            panes.append(panel(np.array(corners), 0.08, 0.2))
    return panes


def _cornice(flat: Floats, height_mm: float, tall_mm: float) -> Solid:
    """The roof: a slab over the outline with a sunken terrace."""
    inner = inset(flat, 1.0)
    rings = [(flat, height_mm - tall_mm), (flat, height_mm), (inner, height_mm), (inner, height_mm - 0.6 * tall_mm)]
    return loft([np.column_stack([ring, np.full(len(ring), z)]) for ring, z in rings])


def _tree(flat: Floats, height_mm: float, rng: np.random.Generator) -> dict[str, Mesh]:
    """A trunk under a lumpy crown, round or pointed, as wide as the outline (trunk, crown)."""
    centre = middle(flat)
    rim = rays(flat, centre, np.linspace(0, 2 * np.pi, 48, endpoint=False)) - centre
    shape = _fir if rng.random() < 0.4 else _ball
    low = 0.22 * height_mm
    rings = []
    for up in np.linspace(0, 1, 16):
        around = np.linspace(0, 2 * np.pi, len(rim), endpoint=False)
        lumps = np.mean([np.sin(order * around + rng.uniform(0, 7)) for order in (3, 4, 7)], axis=0)
        ring = centre + rim * (shape(float(up)) * (0.95 + 0.05 * lumps))[:, None]
        rings.append(np.column_stack([ring, np.full(len(rim), low + up * (height_mm - low))]))
    bounds = np.array([*flat.min(axis=0), low]), np.array([*flat.max(axis=0), height_mm])
    slim = 0.1 * float((flat.max(axis=0) - flat.min(axis=0)).min())
    trunk = lathed([(1.3 * slim, 0.0), (slim, 0.1 * height_mm), (slim, 0.4 * height_mm)], 24)
    return {
        "trunk": trunk.shifted(centre[0], centre[1], 0.0).mesh(),
        **fitted({"crown": loft(rings).mesh(crease_deg=70.0)}, *bounds),
    }


def _ball(up: float) -> float:
    return max(0.15, float(np.sqrt(max(0.0, 1 - ((up - 0.45) / 0.56) ** 2))))


def _fir(up: float) -> float:
    return max(0.05, (1 - up) * (1 - 0.3 * (up * 3 % 1.0)))


MAKERS: dict[str, Callable[[Floats, float, np.random.Generator], dict[str, Mesh]]] = {
    "building": _house,
    "tower": tower,
    "tree": _tree,
    "aeroplane": aeroplane,
}
