"""The two landmarks of the city: the lattice tower and the aeroplane."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sample_frames.studio.mesh import Floats, Mesh, fitted, merged
from sample_frames.studio.outlines import lengthwise, middle, rays
from sample_frames.studio.solids import Solid, beam, box, extruded, lathed, loft, panel

LEVELS = (0.0, 0.11, 0.22, 0.33, 0.43, 0.53, 0.62, 0.72, 0.82)
SPINE = (
    (-0.5, 0.12),
    (-0.46, 0.3),
    (-0.3, 0.75),
    (-0.15, 1.0),
    (0.3, 1.0),
    (0.4, 0.85),
    (0.46, 0.6),
    (0.49, 0.32),
    (0.5, 0.1),
)
"""The aeroplane's body: (share of its length, share of its thickness)."""


def tower(flat: Floats, height_mm: float, rng: np.random.Generator) -> dict[str, Mesh]:
    """A lattice of four legs that swing together upward, two decks and a spire, on a plate (steel, deck, base)."""
    centre = middle(flat)
    reach = rays(flat, centre, np.arange(4) * np.pi / 2 + np.pi / 4) - centre
    thick = max(0.8, 0.02 * height_mm) * rng.uniform(0.9, 1.1)
    plate = min(1.5, 0.05 * height_mm)
    spread = 0.05 + 0.8 * (1 - np.array(LEVELS) / 0.95) ** 2.2
    nodes = np.stack(
        [
            np.column_stack([centre + reach * share, np.full(4, plate / 2 + level * (height_mm - plate / 2))])
            for level, share in zip(LEVELS, spread, strict=True)
        ]
    )
    slim = max(0.5, 0.007 * height_mm)
    spire = [(2 * slim, 0.78 * height_mm), (slim, 0.87 * height_mm), (0.5 * slim, height_mm)]
    decks = []
    for level, tall, over in ((0.43, 0.055, 1.35), (0.72, 0.035, 1.9)):
        wide = over * float(np.interp(level, LEVELS, spread)) * float(np.linalg.norm(reach, axis=1).min()) / np.sqrt(2)
        low, high = (*(centre - wide), level * height_mm), (*(centre + wide), (level + tall) * height_mm)
        decks.append(box(low, high, min(0.3, 0.2 * wide)).mesh())
    steel = [*_lattice(nodes, thick), lathed(spire, 16).shifted(centre[0], centre[1], 0.0)]
    return {
        "steel": merged(solid.mesh() for solid in steel),
        "deck": merged(decks),
        "base": extruded(flat, 0.0, plate, 0.2).mesh(),
    }


def _lattice(nodes: Floats, thick_mm: float) -> list[Solid]:
    """Bars between the nodes (level, leg) of four legs."""
    bars = []
    for here, above in pairwise(nodes):
        for leg in range(4):
            beside = (leg + 1) % 4
            bars += [
                beam(here[leg], above[leg], thick_mm),
                beam(here[leg], above[beside], 0.5 * thick_mm),
                beam(here[beside], above[leg], 0.45 * thick_mm),
                beam(above[leg], above[beside], 0.6 * thick_mm),
            ]
    return bars


def aeroplane(flat: Floats, height_mm: float, rng: np.random.Generator) -> dict[str, Mesh]:
    """An airliner along the outline's length that fills its box (body, windows, trim)."""
    table_from_length, half_long, half_wide = lengthwise(flat)
    long, wide = 2 * half_long, 2 * half_wide
    thick = min(0.5 * height_mm, 0.15 * long)
    axis = 0.2 * height_mm + thick / 2
    half_turn = np.pi * rng.integers(2)
    fin = [(-0.34, axis + 0.3 * thick), (-0.47, axis + 0.3 * thick), (-0.5, height_mm), (-0.44, height_mm)]
    body = [
        _fuselage(long, thick, axis),
        _wing(long, wide, (0.14, -0.08, -0.15, -0.08), 1.0, axis - 0.25 * thick, 0.16 * thick),
        _wing(long, wide, (-0.36, -0.44, -0.49, -0.46), 0.42, axis + 0.12 * thick, 0.1 * thick),
        extruded(np.array([(x * long, z) for x, z in fin])[::-1], -0.06 * thick, 0.06 * thick, 0.03 * thick).upright(),
    ]
    trim = [_engine(0.03 * long, y, axis - 0.5 * thick, 0.14 * long, 0.17 * thick) for y in (-0.17 * wide, 0.17 * wide)]
    for x, y in ((0.34 * long, 0.0), (-0.06 * long, -0.06 * wide), (-0.06 * long, 0.06 * wide)):
        trim.append(
            box((x - 0.1 * thick, y - 0.08 * thick, 0.0), (x + 0.1 * thick, y + 0.08 * thick, axis - 0.2 * thick))
        )
    groups = {"body": body, "windows": _cabin_windows(long, thick, axis), "trim": trim}
    parts = {part: merged(solid.mesh() for solid in solids) for part, solids in groups.items()}
    filled = fitted(parts, np.array([-half_long, -half_wide, 0.0]), np.array([half_long, half_wide, height_mm]))
    turn = np.diag([np.cos(half_turn), np.cos(half_turn), 1.0, 1.0])
    return {part: mesh.transformed(table_from_length @ turn) for part, mesh in filled.items()}


def _fuselage(long_mm: float, thick_mm: float, axis_mm: float) -> Solid:
    turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rings = []
    for x, share in SPINE:
        lift = 0.35 * thick_mm * (1 - share) * (x < 0)
        y, z = np.cos(turns) * share * thick_mm / 2, axis_mm + lift + np.sin(turns) * share * thick_mm / 2
        rings.append(np.column_stack([np.full(24, x * long_mm), y, z]))
    return loft(rings)


def _wing(
    long_mm: float, wide_mm: float, sweep: tuple[float, float, float, float], span: float, z_mm: float, thick_mm: float
) -> Solid:
    """Both wings as one swept plate; `sweep` is where root and tip begin and tip and root end, along the length."""
    root, tip, tip_end, root_end = (share * long_mm for share in sweep)
    y = span * wide_mm / 2
    plan = [(root, 0.0), (tip, y), (tip_end, y), (root_end, 0.0), (tip_end, -y), (tip, -y)]
    return extruded(np.array(plan), z_mm, z_mm + thick_mm, 0.3 * thick_mm)


def _engine(x_mm: float, y_mm: float, z_mm: float, long_mm: float, radius_mm: float) -> Solid:
    profile = [(0.6 * radius_mm, -0.5 * long_mm), (radius_mm, -0.2 * long_mm), (radius_mm, 0.5 * long_mm)]
    lying = lathed(profile, 20).warped(lambda points: points[:, [2, 0, 1]])
    return lying.shifted(x_mm, y_mm, z_mm)


def _cabin_windows(long_mm: float, thick_mm: float, axis_mm: float) -> list[Solid]:
    """A dark band along each flank and the pilots' panes."""
    panes = []
    y, low, high = 0.485 * thick_mm, axis_mm + 0.06 * thick_mm, axis_mm + 0.16 * thick_mm
    for sign in (-1, 1):
        band = [(-0.14, low), (0.3, low), (0.3, high), (-0.14, high)]
        corners = np.array([(x * long_mm, sign * y, z) for x, z in band])
        panes.append(panel(corners[::-sign], 0.03 * thick_mm, 0.1 * thick_mm))
    around = np.deg2rad(np.linspace(28, 152, 9))
    arc = np.column_stack([np.zeros(len(around)), np.cos(around), np.sin(around)])
    spine = np.array(SPINE)
    rings = []
    for x in (0.415, 0.43, 0.447):
        radius = 0.52 * thick_mm * float(np.interp(x, spine[:, 0], spine[:, 1]))
        rings.append(arc * radius + np.array([x * long_mm, 0.0, axis_mm]))
    return [*panes, loft(rings)]
