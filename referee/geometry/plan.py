"""Geometry seen from straight above. `tips` are (n, 2, 3): samples, the two tips, xyz; centres are (n, 2)."""

from __future__ import annotations

import numpy as np

from . import Bools, Floats


def stick_to_disc(tips: Floats, width_mm: float, centre: Floats, radius_mm: float) -> Floats:
    """Least plan distance of a stick and a disc; negative where they overlap, (n,)."""
    start, axis, length = _axis(tips)
    offset = centre - start
    along = np.einsum("ni,ni->n", offset, axis)
    across = axis[:, 0] * offset[:, 1] - axis[:, 1] * offset[:, 0]
    out_along = np.abs(along - length / 2) - length / 2
    out_across = np.abs(across) - width_mm / 2
    outside = np.hypot(np.maximum(out_along, 0.0), np.maximum(out_across, 0.0))
    inside = np.minimum(np.maximum(out_along, out_across), 0.0)
    distance: Floats = outside + inside - radius_mm
    return distance


def end_part(tips: Floats, end: int, length_mm: float) -> Floats:
    """The last `length_mm` (in plan) of a stick at tip `end`, with that tip last."""
    _, axis, length = _axis(tips)
    outward = axis if end == 1 else -axis
    inner = tips[:, end].copy()
    inner[:, :2] -= outward * np.minimum(length_mm, length)[:, None]
    return np.stack([inner, tips[:, end]], axis=1)


def end_half(tips: Floats, end: int) -> Floats:
    """The half of a stick at tip `end` (0 for a, 1 for b), with that tip last."""
    middle = tips.mean(axis=1)
    return np.stack([middle, tips[:, end]], axis=1)


def overhang(tips: Floats, end: int, centre: Floats) -> Floats:
    """How far tip `end` lies past a disc's centre, measured lengthwise (R2), (n,)."""
    _, axis, _ = _axis(tips)
    outward = axis if end == 1 else -axis
    distance: Floats = np.einsum("ni,ni->n", tips[:, end, :2] - centre, outward)
    return distance


def cross(one: Floats, other: Floats) -> tuple[Bools, Floats]:
    """Where the centre lines cross in plan: (crosses (n,), z of `one` minus z of `other` there (n,))."""
    p, r = one[:, 0], one[:, 1] - one[:, 0]
    q, s = other[:, 0], other[:, 1] - other[:, 0]
    denominator = r[:, 0] * s[:, 1] - r[:, 1] * s[:, 0]
    parallel = np.abs(denominator) < 1e-12
    safe = np.where(parallel, 1.0, denominator)
    gap = q - p
    on_one = (gap[:, 0] * s[:, 1] - gap[:, 1] * s[:, 0]) / safe
    on_other = (gap[:, 0] * r[:, 1] - gap[:, 1] * r[:, 0]) / safe
    crosses = ~parallel & (on_one >= 0) & (on_one <= 1) & (on_other >= 0) & (on_other <= 1)
    rise: Floats = (p[:, 2] + on_one * r[:, 2]) - (q[:, 2] + on_other * s[:, 2])
    return crosses, rise


def cross_point(one: Floats, other: Floats) -> Floats:
    """The plan point where the two centre lines (extended) meet, (n, 2); only where `cross` says so."""
    p, r = one[:, 0, :2], one[:, 1, :2] - one[:, 0, :2]
    q, s = other[:, 0, :2], other[:, 1, :2] - other[:, 0, :2]
    denominator = r[:, 0] * s[:, 1] - r[:, 1] * s[:, 0]
    safe = np.where(np.abs(denominator) < 1e-12, 1.0, denominator)
    gap = q - p
    on_one = (gap[:, 0] * s[:, 1] - gap[:, 1] * s[:, 0]) / safe
    point: Floats = p + on_one[:, None] * r
    return point


def height_over(tips: Floats, width_mm: float, point: Floats) -> tuple[Bools, Floats]:
    """Whether a stick covers a plan point, and the z of its centre line abreast of it: ((n,), (n,))."""
    start, axis, length = _axis(tips)
    offset = point - start
    along = np.einsum("ni,ni->n", offset, axis)
    across = axis[:, 0] * offset[:, 1] - axis[:, 1] * offset[:, 0]
    covers = (along >= 0) & (along <= length) & (np.abs(across) <= width_mm / 2)
    z: Floats = tips[:, 0, 2] + along / length * (tips[:, 1, 2] - tips[:, 0, 2])
    return covers, z


def stick_corners(tips: Floats, width_mm: float) -> Floats:
    """Corners of a stick in plan, in order round it, (n, 4, 2)."""
    _, axis, _ = _axis(tips)
    side = np.stack([-axis[:, 1], axis[:, 0]], axis=1) * (width_mm / 2)
    a, b = tips[:, 0, :2], tips[:, 1, :2]
    return np.stack([a - side, b - side, b + side, a + side], axis=1)


def stick_to_stick(one: Floats, other: Floats, width_mm: float) -> Floats:
    """Least plan distance of two sticks; negative where they overlap, by the least shift that parts them, (n,)."""
    outlines = stick_corners(one, width_mm), stick_corners(other, width_mm)
    parted = np.full(len(one), -np.inf)
    nearest = np.full(len(one), np.inf)
    for outline, corners in (outlines, outlines[::-1]):
        side = np.roll(outline, -1, axis=1) - outline
        length = np.maximum(np.hypot(side[..., 0], side[..., 1]), 1e-9)
        offset = corners[:, None] - outline[:, :, None]
        along = np.einsum("nski,nsi->nsk", offset, side / length[..., None])
        beyond = (offset[..., 0] * side[..., None, 1] - offset[..., 1] * side[..., None, 0]) / length[..., None]
        parted = np.maximum(parted, beyond.min(axis=2).max(axis=1))
        past = along - np.clip(along, 0.0, length[..., None])
        nearest = np.minimum(nearest, np.hypot(past, beyond).min(axis=(1, 2)))
    return np.where(parted > 0, nearest, parted)


def _axis(tips: Floats) -> tuple[Floats, Floats, Floats]:
    """Plan start, unit direction and length of sticks."""
    along = tips[:, 1, :2] - tips[:, 0, :2]
    length = np.maximum(np.hypot(along[:, 0], along[:, 1]), 1e-9)
    return tips[:, 0, :2], along / length[:, None], length
