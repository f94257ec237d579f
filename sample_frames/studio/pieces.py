"""Discs and sticks as the workshop made them: exact at their widest, bevelled, and a hair irregular."""

from __future__ import annotations

import numpy as np

from referee.pieces import Kit
from sample_frames.studio.mesh import Floats, Mesh
from sample_frames.studio.solids import Solid, loft, rounded

DISC_SEGMENTS = 96
STICK_STATIONS = 24
DISC_BEVEL_MM = (0.5, 0.8)
STICK_BEVEL_MM = 0.35
DENT_MM = 0.03
"""The most that a surface lies below its ideal one; nothing ever stands above it."""


def disc(kit: Kit, rng: np.random.Generator) -> Mesh:
    """A disc standing on z = 0 about the z axis; uvs in mm with a seeded start, as a plank's grain runs."""
    radius, height = kit.disc_radius_mm, kit.disc_height_mm
    angles = np.arange(DISC_SEGMENTS, dtype=np.float64) * (2 * np.pi / DISC_SEGMENTS)
    around = np.column_stack([np.cos(angles), np.sin(angles)])
    rings = []
    for sign in (-1.0, 1.0):
        bevel = rng.uniform(*DISC_BEVEL_MM)
        ragged = bevel * (1 + 0.02 * _wobble(angles, rng))
        half = [
            _ring(around, radius - DENT_MM * along * _dents(angles, rng), sign * along * (height / 2 - bevel))
            for along in (0.45, 0.8)
        ]
        for turn in np.linspace(0, np.pi / 2, 5):
            drop = bevel * (1 - np.sin(turn)) + 0.02 * (1 - np.sin(turn)) * _dents(angles, rng)
            inward = DENT_MM / 2 + ragged * (1 - np.cos(turn))
            half.append(_ring(around, radius - inward, sign * (height / 2 - drop)))
        dish = rng.uniform(0.2, 1.0) * DENT_MM
        half += [
            _ring(around, np.full(DISC_SEGMENTS, share * radius), sign * (height / 2 - dish * (1 - share**2)))
            for share in (0.8, 0.55, 0.3, 0.08)
        ]
        rings.append(half)
    middle = _ring(around, np.full(DISC_SEGMENTS, radius), 0.0)
    mesh = loft([*reversed(rings[0]), middle, *rings[1]]).shifted(0.0, 0.0, height / 2).mesh(crease_deg=60.0)
    return mesh.with_uvs(grain_uvs(mesh.vertices, rng, lean=(0.35, 0.6)))


def stick(
    kit: Kit,
    length_mm: float,
    rng: np.random.Generator,
    bow_mm: float = 0.0,
    width_spread_mm: float = 0.0,
    end_roundness: float = 0.4,
) -> Mesh:
    """A stick along x about the origin, its ends at z = 0; a roundness of 0.5 of its width makes half circles."""
    width, thickness = kit.road_width_mm + width_spread_mm, kit.road_thickness_mm
    outline = _stick_outline(length_mm, width, min(end_roundness, 0.499) * width)
    bevel = min(STICK_BEVEL_MM, 0.3 * thickness)
    turns = np.linspace(0, np.pi / 2, 4)
    upper = [(bevel * (1 - np.cos(turn)), thickness / 2 - bevel * (1 - np.sin(turn))) for turn in turns]
    rings = [(inward, -z) for inward, z in reversed(upper)] + upper
    shrink = np.array([length_mm, width]) / 2
    solid = loft([_ring(outline * (1 - inward / shrink), np.ones(len(outline)), z) for inward, z in rings])
    mesh = _bowed(solid, length_mm, bow_mm).mesh(crease_deg=50.0)
    return mesh.with_uvs(grain_uvs(mesh.vertices, rng, lean=(0.0, 1.0)))


def grain_uvs(vertices: Floats, rng: np.random.Generator, lean: tuple[float, float]) -> Floats:
    """Texture coordinates in mm: x and y, sheared by height so that upright sides are not smeared; a seeded start."""
    uvs: Floats = vertices[:, :2] + vertices[:, 2:] * np.array(lean) + rng.uniform(0, 1000, 2)
    return uvs


def _stick_outline(length_mm: float, width_mm: float, radius_mm: float) -> Floats:
    """The plan, from the right tip on, with stations along the sides so that it can bend."""
    half_l, half_w = length_mm / 2, width_mm / 2
    corner = rounded([(0, -half_w), (half_l, -half_w), (half_l, half_w), (0, half_w)], radius_mm, steps=8)[18:27]
    along = np.linspace(corner[-1, 0], 0, STICK_STATIONS // 2 + 1)[1:]
    quarter = np.concatenate([corner, np.column_stack([along, np.full(len(along), half_w)])])
    upper = np.concatenate([quarter, quarter[-2::-1] * (-1, 1)])
    return np.concatenate([upper, upper[::-1] * (1, -1)])


def _bowed(solid: Solid, length_mm: float, bow_mm: float) -> Solid:
    def bend(points: Floats) -> Floats:
        lift = bow_mm * (1 - (2 * points[:, 0] / length_mm) ** 2)
        return points + np.column_stack([np.zeros((len(points), 2)), lift])

    return solid.warped(bend)


def _ring(around: Floats, radius_mm: Floats, z_mm: float | Floats) -> Floats:
    return np.column_stack([around * radius_mm[:, None], np.broadcast_to(z_mm, len(around))])


def _wobble(angles: Floats, rng: np.random.Generator) -> Floats:
    """A smooth closed wave within -1 to 1."""
    wave = np.zeros_like(angles)
    for order in (2, 3, 5):
        wave += np.sin(order * angles + rng.uniform(0, 2 * np.pi)) / 3
    return wave


def _dents(angles: Floats, rng: np.random.Generator) -> Floats:
    """A smooth closed wave within 0 to 1."""
    wave: Floats = (1 + _wobble(angles, rng)) / 2
    return wave
