"""Upright bodies held against both views: the edges a box or a spire would show, and the table it would hide."""

from __future__ import annotations

import numpy as np

from vision.ground import Ground, Mask
from vision.tensors import across
from vision.view import Floats, is_within, sampled

X, Y, YAW, LENGTH, WIDTH, HEIGHT, TOP = range(7)
"""A body is a row of these: the middle of its foot, how it is turned, its size in mm, its top's width in its foot's."""
RING = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2
CLEAR, SHARPEST = 7.0, 25.0
"""Grey levels per pixel from which on an edge is one, and of the sharpest."""
SHORT_PX = 3.0
"""Shorter edges tell nothing."""
SPOTS = np.linspace(0.08, 0.92, 7)
INSIDE = np.stack(
    np.meshgrid(np.linspace(-0.4, 0.4, 3), np.linspace(-0.4, 0.4, 3), np.linspace(0.06, 0.94, 6)), axis=-1
).reshape(-1, 3)
"""Places in a body: along, across and up, in its own sizes."""


def corners_of(bodies: Floats) -> Floats:
    """Corners (n, 8, 3) of bodies (n, 7): the foot's four, then those of the top."""
    foot = np.concatenate([RING, np.zeros((4, 1))], axis=1)
    top = np.concatenate([RING, np.ones((4, 1))], axis=1)
    return _points(bodies, np.concatenate([foot, top]))


def edges_in(bodies: Floats, ground: Ground, name: str) -> Floats:
    """The share (2, n) of each body's edges that a view shows where no piece of the layout is before or behind it.

    First of those that are clear, then of those that are as sharp as can be.
    """
    lens = ground.views[name].lens
    corners = corners_of(bodies)
    pixels = lens.project(corners)
    foot, top = pixels[:, :4], pixels[:, 4:]
    starts = np.concatenate([top, foot, foot], axis=1)
    along = np.concatenate([np.roll(top, -1, axis=1), top, np.roll(foot, -1, axis=1)], axis=1) - starts
    walls = _facing(corners, lens.eye)
    drawn = np.concatenate([np.ones_like(walls), walls | np.roll(walls, 1, axis=1), walls], axis=1)
    lengths = np.linalg.norm(along, axis=-1)
    normals = np.stack([-along[..., 1], along[..., 0]], axis=-1) / np.maximum(lengths, 1e-6)[..., None]
    spots = starts[:, :, None] + along[:, :, None] * SPOTS[:, None]
    tensor = sampled(ground.tensors[name], spots)
    strength = across(tensor[..., :3], np.broadcast_to(normals[:, :, None], spots.shape))
    free = is_within(spots, ground.hidden[name].shape, 2) & (tensor[..., 3] < 0.5)
    seen = free.sum(axis=-1)
    counts = np.where(drawn & (lengths > SHORT_PX), lengths * seen / len(SPOTS), 0.0)
    total = counts.sum(axis=1)
    shares = []
    for level in (CLEAR, SHARPEST):
        sides = (np.minimum(strength / level, 1.0) * free).sum(axis=-1) / np.maximum(seen, 1)
        mean = (sides * counts).sum(axis=1) / np.maximum(total, 1e-6)
        worst = np.where(counts > 0, sides, 1.0).min(axis=1)
        # A box with one side missing is no box.
        shares.append(np.where(total > 0, 0.7 * mean + 0.3 * worst, 0.0))
    return np.array(shares)


def hidden_by(bodies: Floats, ground: Ground, eye: Floats) -> tuple[Floats, Floats]:
    """What speaks (n) for something standing on the table that each body hides from an eye, and how much is seen."""
    points = _points(bodies, INSIDE)
    z = points[..., 2:]
    shadow = points[..., :2] + (points[..., :2] - eye[:2]) * z / (eye[2] - z)
    values = sampled(ground.evidence, ground.cells(shadow)).sum(axis=1)
    return values[:, 0] / np.maximum(values[:, 1], 1e-3), values[:, 1] / len(INSIDE)


def hidden_mm2(bodies: Floats, eye: Floats) -> Floats:
    """About how much of the table each body hides from an eye."""
    height = bodies[:, HEIGHT]
    lean = np.hypot(bodies[:, X] - eye[0], bodies[:, Y] - eye[1]) * height / (eye[2] - height)
    wide = (bodies[:, LENGTH] + bodies[:, WIDTH]) / 2 * (1 + bodies[:, TOP]) / 2
    area: Floats = bodies[:, LENGTH] * bodies[:, WIDTH] + lean * wide
    return area


def _points(bodies: Floats, places: Floats) -> Floats:
    """Table points (n, k, 3) at places (k, 3) in bodies."""
    narrow = 1 + (bodies[:, TOP, None] - 1) * places[:, 2]
    u = places[:, 0] * bodies[:, LENGTH, None] * narrow
    v = places[:, 1] * bodies[:, WIDTH, None] * narrow
    cos, sin = np.cos(bodies[:, YAW])[:, None], np.sin(bodies[:, YAW])[:, None]
    x, y = bodies[:, X, None] + u * cos - v * sin, bodies[:, Y, None] + u * sin + v * cos
    return np.stack([x, y, places[:, 2] * bodies[:, HEIGHT, None]], axis=-1)


def _facing(corners: Floats, eye: Floats) -> Mask:
    """Which walls (n, 4), from each corner of the foot to the next, face the eye."""
    foot = corners[:, :4, :2]
    side, off = np.roll(foot, -1, axis=1) - foot, eye[:2] - foot
    facing: Mask = side[..., 0] * off[..., 1] - side[..., 1] * off[..., 0] < 0
    return facing
