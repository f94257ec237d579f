"""Skin as a picture for the hand model: nails, redder knuckles and fingertips, a paler palm, some mottling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .gltf import Skinned
from .hand_poses import CHAINS
from .mesh import Floats

Colour = tuple[float, float, float]
Texture = NDArray[np.float32]

TONES: tuple[Colour, ...] = (
    (0.66, 0.41, 0.31), (0.58, 0.34, 0.24), (0.49, 0.27, 0.18), (0.38, 0.20, 0.12), (0.27, 0.135, 0.078),
    (0.17, 0.082, 0.047), (0.095, 0.047, 0.029), (0.055, 0.029, 0.020),
)  # fmt: skip
"""Linear RGB from light to very dark."""
PALM: Colour = (0.56, 0.33, 0.25)
SIZE_PX = 768
NAIL_MM = (5.2, 6.2)
"""Half width and half length of a finger's nail."""


def random_tone(rng: np.random.Generator) -> Colour:
    """Somebody's skin: anywhere between the tones."""
    place = float(rng.uniform(0, len(TONES) - 1))
    low = min(int(place), len(TONES) - 2)
    a, b = np.array(TONES[low]), np.array(TONES[low + 1])
    red, green, blue = (a + (place - low) * (b - a)) * np.exp(rng.normal(0.0, 0.04, 3))
    return float(red), float(green), float(blue)


def skin_picture(model: Skinned, tone: Colour, rng: np.random.Generator) -> Texture:
    """Linear RGB (h,w,3) over the model's uvs, the first row at v = 0."""
    points, normals, weights, covered = _spread(model)
    base = np.array(tone)
    wrist = np.linalg.inv(model.mesh_from_joint[model.names.index("wrist")])
    back = normals @ wrist[1, :3]
    ahead = -(points @ wrist[2, :3] + wrist[2, 3])
    palm = _step(-0.1, 0.55, -back) * _step(5.0, 40.0, ahead)
    pale = 0.45 * np.array(PALM) + 0.55 * base * 1.25
    colour = base + (0.75 * palm)[..., None] * (pale - base)
    blood = np.array([1.10, 0.86, 0.84])
    red = 0.10 + 0.5 * _near_joints(model, points, back)
    tips = sum(weights[..., model.names.index(chain[-1])] for chain in CHAINS.values())
    red = red + 0.55 * _step(0.1, 0.8, np.asarray(tips)) + 0.25 * palm
    red = red + 0.22 * _mottle(rng, 40) + 0.12 * _mottle(rng, 10)
    colour = colour * blood ** np.clip(red, 0.0, 1.4)[..., None]
    colour = colour * (1 + 0.035 * _mottle(rng, 5) + 0.045 * _mottle(rng, 60))[..., None]
    nails, rims = _nails(model, points, normals)
    shine = 0.55 * base + 0.45 * np.array([0.62, 0.38, 0.32])
    colour = colour + (0.75 * nails)[..., None] * (shine - colour)
    colour = colour * (1 - 0.28 * rims)[..., None]
    colour[~covered] = base
    picture: Texture = np.clip(colour, 0.005, 0.9).astype(np.float32)
    return picture


def _spread(model: Skinned) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """For each pixel of the picture the rest mesh's point, normal and weights there."""
    mesh = model.rest
    if mesh.uvs is None:
        raise ValueError("the model has no picture coordinates")
    values = np.concatenate([mesh.vertices, mesh.normals, model.weights], axis=1)
    picture = np.zeros((SIZE_PX, SIZE_PX, values.shape[1]))
    covered = np.zeros((SIZE_PX, SIZE_PX), dtype=bool)
    for face in mesh.faces:
        corners = mesh.uvs[face] * SIZE_PX - 0.5
        # A margin of two pixels keeps what lies outside out of the filter.
        low = np.clip(np.floor(corners.min(axis=0)).astype(int) - 2, 0, SIZE_PX)
        high = np.clip(np.ceil(corners.max(axis=0)).astype(int) + 3, 0, SIZE_PX)
        rows, columns = np.mgrid[low[1] : high[1], low[0] : high[0]]
        edge = np.stack([corners[1] - corners[0], corners[2] - corners[0]], axis=1)
        if abs(np.linalg.det(edge)) < 1e-9 or rows.size == 0:
            continue
        shares = (np.stack([columns, rows], axis=-1) - corners[0]) @ np.linalg.inv(edge).T
        three = np.concatenate([1 - shares.sum(axis=-1, keepdims=True), shares], axis=-1)
        inside = (three >= -1e-9).all(axis=-1)
        near = np.clip(three, 0.0, 1.0)
        near /= near.sum(axis=-1, keepdims=True)
        write = inside | ~covered[low[1] : high[1], low[0] : high[0]]
        target = picture[low[1] : high[1], low[0] : high[0]]
        empty = ~np.any(target[..., :3], axis=-1)
        target[write & (inside | empty)] = (near @ values[face])[write & (inside | empty)]
        covered[low[1] : high[1], low[0] : high[0]] |= inside
    normals = picture[..., 3:6]
    normals = normals / np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-9)
    return picture[..., :3], normals, picture[..., 6:], np.any(picture[..., :3], axis=-1)


def _near_joints(model: Skinned, points: Floats, back: Floats) -> Floats:
    """1 over the knuckles on the back of the hand, 0 away from them."""
    found = np.zeros(points.shape[:2])
    for finger, chain in CHAINS.items():
        for joint in chain[1:-1]:
            place = model.mesh_from_joint[model.names.index(joint)][:3, 3]
            wide_mm = 8.0 if joint.endswith("proximal") and finger != "thumb" else 6.0
            found = np.maximum(found, np.exp(-(np.linalg.norm(points - place, axis=-1) - 7.0).clip(0) / wide_mm * 2))
    return found * _step(-0.2, 0.5, back)


def _nails(model: Skinned, points: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """1 on nails, and 1 on the fold round them."""
    nails, rims = np.zeros(points.shape[:2]), np.zeros(points.shape[:2])
    for finger, chain in CHAINS.items():
        tip_from_mesh = np.linalg.inv(model.mesh_from_joint[model.names.index(chain[-1])])
        local = points @ tip_from_mesh[:3, :3].T + tip_from_mesh[:3, 3]
        up = normals @ tip_from_mesh[1, :3]
        wide, long = (1.25 if finger == "thumb" else 0.82 if finger == "pinky" else 1.0) * np.array(NAIL_MM)
        radius = (np.abs(local[..., 0] / wide) ** 3 + np.abs((local[..., 2] + 3.5) / long) ** 3) ** (1 / 3)
        above = _step(0.15, 0.4, up) * (local[..., 1] > 0)
        nails = np.maximum(nails, above * (1 - _step(0.92, 1.02, radius)))
        rims = np.maximum(rims, above * np.exp(-(((radius - 1.06) / 0.07) ** 2)))
    return nails, rims


def _mottle(rng: np.random.Generator, cell_px: int) -> Floats:
    """Smooth noise of about unit spread."""
    count = SIZE_PX // cell_px + 2
    grid = rng.normal(0.0, 1.0, (count, count))
    at = np.arange(SIZE_PX) / cell_px
    low, part = at.astype(int), _step(0.0, 1.0, at % 1.0)
    rows = grid[low] * (1 - part)[:, None] + grid[low + 1] * part[:, None]
    smooth: Floats = rows[:, low] * (1 - part) + rows[:, low + 1] * part
    return smooth


def _step(low: float, high: float, values: Floats) -> Floats:
    share = np.clip((values - low) / (high - low), 0.0, 1.0)
    smooth: Floats = share * share * (3 - 2 * share)
    return smooth
