"""What a hand hangs on and holds: an arm bent at the elbow, a sleeve over it, tweezers; closed meshes in mm."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .mesh import Floats, Mesh, merged
from .solids import loft

FOREARM_MM, UPPER_ARM_MM, BODY_MM = 255.0, 300.0, 450.0
LOWEST_ELBOW_MM = 58.0
AROUND = 40
NO_CREASE_DEG = 180.0
"""Limbs are smooth all over, so that they have the same vertices however they bend."""
# Along the arm from the wrist: distance, half width, half height.
GIRTH_MM = np.array([
    (0, 26.2, 18.4), (12, 26.6, 19.0), (70, 29.5, 23.5), (150, 38, 35), (215, 43, 41), (270, 43, 43), (400, 48, 50),
    (600, 56, 60),
])  # fmt: skip
STUMP_FADE_MM = 35.0
TUCK_MM, TUCK_SHARE, RIM_SHARE = 5.0, 0.945, 1.012
TWEEZERS_BACK_MM, TWEEZERS_FRONT_MM = 68.0, 52.0
# Along a blade: share from the back end to the tip, width; and how far it stands off the middle at back, grip and tip.
BLADE_WIDTHS_MM = np.array([(0.0, 6.0), (0.12, 8.5), (0.55, 8.5), (0.85, 4.0), (1.0, 1.6)])
BLADE_THICK_MM = 1.3


@dataclass(frozen=True, slots=True, eq=False)
class Bones:
    """The middle line of an arm from the wrist outward: points (n,3), their frames (n,3,3), lengths (n,)."""

    points: Floats
    frames: Floats
    along_mm: Floats


def bones(table_from_wrist: Floats, start_mm: Floats, shoulder_in_table: Floats, aside: Floats, scale: float) -> Bones:
    """An arm that leaves the wrist straight, bends at an elbow that hangs down and `aside`, and ends at a shoulder."""
    turn, wrist = table_from_wrist[:3, :3], table_from_wrist[:3, 3]
    start = wrist + turn @ start_mm
    elbow, shoulder = _elbow(wrist, shoulder_in_table, aside, scale)
    # Beyond the shoulder it goes on level, so that no view over the table shows an end of it.
    away = (shoulder - elbow) * (1.0, 1.0, 0.0)
    body = shoulder + away / max(float(np.linalg.norm(away)), 1.0) * BODY_MM
    corners = np.stack([start, start + turn[:, 2] * 26.0 * scale, elbow, shoulder, body])
    line = _resampled(corners, 80)
    for _ in range(40):
        line[2:-1] = (line[1:-2] + 2 * line[2:-1] + line[3:]) / 4
    line = _resampled(line, 120, 1.6)
    return Bones(line, _carried(line, turn), _lengths(line))


def limb(arm: Bones, stump_mm: Floats, scale: float) -> Mesh:
    """The bare arm; its first ring is the hand's own end (AROUND,3), in the wrist frame about the arm's start."""
    width, height = (np.interp(arm.along_mm / scale, GIRTH_MM[:, 0], GIRTH_MM[:, i]) * scale for i in (1, 2))
    rings = [_ring(arm, i, width[i], height[i]) for i in range(len(arm.points))]
    odd = RIM_SHARE * stump_mm - (rings[0] - arm.points[0]) @ arm.frames[0]
    for i, along in enumerate(arm.along_mm):
        share = max(0.0, 1.0 - along / STUMP_FADE_MM)
        rings[i] = rings[i] + share * share * (3 - 2 * share) * odd @ arm.frames[i].T
    # It begins a little inside the hand, so that no light comes through the seam.
    tucked = arm.points[0] + TUCK_SHARE * (rings[0] - arm.points[0]) - arm.frames[0][:, 2] * TUCK_MM
    return loft([tucked, *rings]).mesh(NO_CREASE_DEG)


def stump(hand: Mesh) -> tuple[Mesh, Floats]:
    """The hand without the lid on its wrist, and that lid's rim (AROUND,3); the lid is its smallest patch of uvs."""
    patch = np.arange(len(hand.vertices))
    while True:
        lowest = patch.copy()
        np.minimum.at(lowest, hand.faces.ravel(), patch[hand.faces].min(axis=1).repeat(3))
        if np.array_equal(lowest, patch):
            break
        patch = lowest
    names, counts = np.unique(patch[hand.faces[:, 0]], return_counts=True)
    lid = patch == names[counts.argmin()]
    gap_mm = np.linalg.norm(hand.vertices[lid][:, None] - hand.vertices[~lid][None], axis=2).min(axis=1)
    rim = hand.vertices[lid][gap_mm < 1e-2]
    flat = rim - rim.mean(axis=0)
    order = np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))
    at = np.arctan2(flat[order, 1], flat[order, 0])
    angles = np.arange(AROUND) * (2 * np.pi / AROUND)
    ring = np.stack([np.interp(angles, at, rim[order, k], period=2 * np.pi) for k in range(3)], axis=1)
    return replace(hand, faces=hand.faces[~lid[hand.faces[:, 0]]]), ring


def sleeve(arm: Bones, from_mm: float, loose_mm: float, rng: np.random.Generator, scale: float = 1.0) -> Mesh:
    """Cloth over the arm from `from_mm` off the wrist on, with a cuff and some folds."""
    first = int(np.searchsorted(arm.along_mm, from_mm))
    waves = [(int(rng.integers(1, 4)), float(rng.uniform(0.03, 0.09)), *rng.uniform(0, 2 * np.pi, 2)) for _ in range(6)]
    angles = np.arange(AROUND) * (2 * np.pi / AROUND)
    rings = []
    for i in range(first, len(arm.points)):
        along = arm.along_mm[i]
        width, height = (float(np.interp(along / scale, GIRTH_MM[:, 0], GIRTH_MM[:, k])) * scale for k in (1, 2))
        near = min(1.0, (along - arm.along_mm[first]) / 40.0)
        folds = sum(np.sin(n * angles + f * along + a) * np.cos(f * along * 0.7 + b) for n, f, a, b in waves)
        off = loose_mm * (1.0 + near * 0.35 * np.asarray(folds) / 2)
        if i == first:
            rings += [_ring(arm, i, width - 2.0, height - 2.0), _ring(arm, i, width + off * 0.7, height + off * 0.7)]
        rings.append(_ring(arm, i, width + off, height + off, 1.2 if i == first else 0.0))
    return loft(rings).mesh(NO_CREASE_DEG)


def tweezers(table_from_wrist: Floats, grip_mm: Floats, forward: Floats, across: Floats, tip_gap_mm: float) -> Mesh:
    """Steel tweezers through a point of the wrist frame, pointing `forward`, their blades apart along `across`."""
    ahead = forward / np.linalg.norm(forward)
    apart = across - ahead * (across @ ahead)
    apart /= np.linalg.norm(apart)
    wide = np.cross(ahead, apart)
    grip_share = TWEEZERS_BACK_MM / (TWEEZERS_BACK_MM + TWEEZERS_FRONT_MM)
    blades = []
    for sign in (1.0, -1.0):
        rings = []
        for share in np.linspace(0.0, 1.0, 25):
            gap = np.interp(share, (0.0, 0.1, grip_share, 1.0), (0.7, 1.0, 3.6, tip_gap_mm / 2 + BLADE_THICK_MM / 2))
            width = np.interp(share, BLADE_WIDTHS_MM[:, 0], BLADE_WIDTHS_MM[:, 1]) / 2
            place = grip_mm + ahead * ((share - grip_share) * (TWEEZERS_BACK_MM + TWEEZERS_FRONT_MM))
            corners = ((1, 1), (-1, 1), (-1, -1), (1, -1))
            rings.append([place + apart * (sign * gap + a * BLADE_THICK_MM / 2) + wide * b * width for a, b in corners])
        blades.append(loft([np.array(ring) for ring in rings]).mesh(30.0))
    return merged(blades).transformed(table_from_wrist)


def _elbow(wrist: Floats, shoulder: Floats, aside: Floats, scale: float) -> tuple[Floats, Floats]:
    """Two bones between wrist and shoulder; a player who cannot reach leans forward."""
    fore, upper = FOREARM_MM * scale, UPPER_ARM_MM * scale
    away = shoulder - wrist
    distance = float(np.linalg.norm(away))
    along = away / distance
    distance = float(np.clip(distance, 0.4 * (fore + upper), 0.97 * (fore + upper)))
    reach = (distance**2 + fore**2 - upper**2) / (2 * distance)
    hang = 0.8 * aside - np.array([0.0, 0.0, 0.7])
    hang -= along * (hang @ along)
    hang /= np.linalg.norm(hang)
    elbow = wrist + along * reach + hang * np.sqrt(max(fore**2 - reach**2, 0.0))
    elbow[2] = max(elbow[2], LOWEST_ELBOW_MM)
    return elbow, wrist + along * distance


def _ring(arm: Bones, i: int, width_mm: float | Floats, height_mm: float | Floats, forth_mm: float = 0.0) -> Floats:
    angles = np.arange(AROUND) * (2 * np.pi / AROUND)
    right, up, on = arm.frames[i].T
    flat = np.outer(width_mm * np.cos(angles), right) + np.outer(height_mm * np.sin(angles), up)
    ring: Floats = arm.points[i] + flat + on * forth_mm
    return ring


def _resampled(line: Floats, count: int, power: float = 1.0) -> Floats:
    """The line through `count` points, closer at its start where the power is above 1."""
    lengths = _lengths(line)
    steps = lengths[-1] * np.linspace(0.0, 1.0, count) ** power
    return np.stack([np.interp(steps, lengths, line[:, k]) for k in range(3)], axis=1)


def _lengths(line: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])


def _carried(line: Floats, first: Floats) -> Floats:
    """Frames along a line whose z axes follow it, turned as little as possible from the first on."""
    right, frames = first[:, 0], []
    for tangent in np.gradient(line, axis=0):
        on = tangent / np.linalg.norm(tangent)
        right = right - on * (right @ on)
        right /= np.linalg.norm(right)
        frames.append(np.stack([right, np.cross(on, right), on], axis=1))
    return np.stack(frames)
