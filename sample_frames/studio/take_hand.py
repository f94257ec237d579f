"""The hand that holds the board, and the arm behind it: plain shapes that melt into each other, as quads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .mesh import Ints
from .take_warp import Floats

CELL_MM = 5.0
MELT_MM = 5.0
RINGS, AROUND = 15, 26
FOREARM_MM, UPPER_ARM_MM = 255.0, 290.0
WRIST = np.array([6.0, 112.0, -8.0])
SHOULDER_MM = 330.0
"""How high above the table a shoulder is."""

# Round bones (from, to, radius at each) in the grip's frame: x along the held edge, y out of the card, z to the viewer.
_Bone = tuple[tuple[float, float, float], tuple[float, float, float], float, float]
_THUMB: tuple[_Bone, ...] = (
    ((18.0, 76.0, 0.0), (14.0, 36.0, 16.0), 15.0, 12.0),
    ((14.0, 36.0, 16.0), (6.0, 8.0, 15.5), 11.0, 9.5),
    ((6.0, 8.0, 15.5), (1.0, -16.0, 8.5), 9.5, 7.0),
)
_PALM: tuple[_Bone, ...] = (
    ((-26.0, 44.0, -18.0), (-14.0, 96.0, -12.0), 15.0, 18.0),
    ((-4.0, 42.0, -20.0), (0.0, 98.0, -10.0), 15.0, 20.0),
    ((18.0, 44.0, -18.0), (12.0, 98.0, -8.0), 15.0, 19.0),
    ((0.0, 96.0, -10.0), (6.0, 122.0, -8.0), 22.0, 23.0),
)


@dataclass(frozen=True, slots=True, eq=False)
class Quads:
    """A surface of four-cornered faces with an outward normal and a colour (linear RGB) each."""

    points: Floats
    faces: Ints
    normals: Floats
    colours: Floats


def random_hand(rng: np.random.Generator, skin: Floats) -> Quads:
    """A hand about the edge of a card, in the grip's frame."""
    bones = [*_THUMB, *_PALM]
    for number, x in enumerate((-34.0, -14.0, 7.0, 27.0)):
        long = (0.8, 0.95, 1.0, 0.92)[number] * float(rng.uniform(0.92, 1.08))
        knuckle, bend = (x * 0.85, 44.0, -20.0), (x, 12.0, -27.0)
        tip = (x + float(rng.normal(0.0, 2.0)), 12.0 - 46.0 * long, -13.0)
        bones += [(knuckle, bend, 11.0, 9.0), (bend, tip, 9.0, 7.0)]
    low, high = np.array([-62.0, -64.0, -58.0]), np.array([62.0, 146.0, 44.0])
    axes = [np.arange(a, b, CELL_MM) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    melted = np.zeros(grid.shape[:3])
    for bone in bones:
        melted += np.exp(-_off_bone(grid, bone) / MELT_MM)
    points, faces = _surface(-np.log(np.maximum(melted, 1e-30)) * MELT_MM)
    points = points * CELL_MM + low
    points += rng.normal(0.0, 0.12, points.shape)
    normals = face_normals(points, faces)
    middles = points[faces].mean(axis=1)
    # Knuckles and tips are redder, the rest is mottled.
    red = np.exp(-(((middles[:, 1] + 22.0) / 16.0) ** 2)) + 0.5 * np.exp(-(((middles[:, 1] - 44.0) / 9.0) ** 2))
    mottled = 1 + 0.05 * np.sin(middles @ rng.normal(0.0, 0.12, 3))[:, None] + rng.normal(0.0, 0.015, (len(faces), 1))
    colours = skin * mottled * (1 - red[:, None] * np.array([0.02, 0.13, 0.13]))
    return Quads(points, faces, normals, colours)


def arm(wrist: Floats, hand_way: Floats, shoulder: Floats, skin: Floats, sleeve: Floats, sleeve_share: float) -> Quads:
    """Forearm and upper arm from a wrist to the shoulder; the forearm leaves the hand along `hand_way`."""
    towards = (shoulder - wrist) / np.linalg.norm(shoulder - wrist)
    way = 0.55 * hand_way + 0.9 * towards
    elbow = wrist + FOREARM_MM * way / np.linalg.norm(way)
    last = shoulder - elbow
    upper = elbow + last / np.linalg.norm(last) * max(UPPER_ARM_MM, float(np.linalg.norm(last)))
    share = np.linspace(0.0, 1.0, RINGS)[:, None]
    spine = np.concatenate([wrist + share * (elbow - wrist), (elbow + share * (upper - elbow))[1:]])
    along = np.gradient(spine, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    worn = np.arange(len(spine)) / (RINGS - 1) > sleeve_share
    bare_mm = 24.0 + 15.0 * np.sin(np.clip(np.arange(len(spine)) / (RINGS - 1), 0.0, 1.0) * 2.1)
    radius_mm = np.where(worn, bare_mm + 11.0, bare_mm)
    side = np.cross(along, np.array([0.31, 0.17, 0.93]))
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    over = np.cross(along, side)
    turn = np.linspace(0.0, 2 * np.pi, AROUND, endpoint=False)
    ring = np.cos(turn)[:, None] * side[:, None] + np.sin(turn)[:, None] * over[:, None]
    # Cloth falls in folds that run round the arm at a slant.
    folds = np.sin(3 * turn + 1.7 * np.arange(len(spine))[:, None]) + np.sin(2.3 * np.arange(len(spine)))[:, None]
    thick_mm = radius_mm[:, None] + np.where(worn[:, None], 1.6 * folds, 0.0)
    points = (spine[:, None] + ring * thick_mm[..., None]).reshape(-1, 3)
    first = (np.arange(len(spine) - 1)[:, None] * AROUND + np.arange(AROUND)).ravel()
    after = (np.arange(len(spine) - 1)[:, None] * AROUND + (np.arange(AROUND) + 1) % AROUND).ravel()
    faces = np.stack([first, after, after + AROUND, first + AROUND], axis=1)
    normals = face_normals(points, faces)
    colours = np.where(np.repeat(worn[:-1], AROUND)[:, None], sleeve, skin)
    return Quads(points, faces, normals, colours)


def face_normals(points: Floats, faces: Ints) -> Floats:
    """Outward unit normals of faces, smoothed over their neighbours."""
    a, b, c, d = (points[faces[:, i]] for i in range(4))
    across = np.cross(c - a, d - b)
    at_points = np.zeros_like(points)
    for corner in range(4):
        np.add.at(at_points, faces[:, corner], across)
    smooth = at_points[faces].sum(axis=1)
    normals: Floats = smooth / np.linalg.norm(smooth, axis=1, keepdims=True)
    return normals


def _off_bone(points: Floats, bone: _Bone) -> Floats:
    """How far points are outside a rounded cone."""
    start, end = np.array(bone[0]), np.array(bone[1])
    along = end - start
    share = np.clip(((points - start) @ along) / (along @ along), 0.0, 1.0)
    off: Floats = np.linalg.norm(points - start - share[..., None] * along, axis=-1)
    off -= bone[2] + share * (bone[3] - bone[2])
    return off


def _surface(field: Floats) -> tuple[Floats, Ints]:
    """Where a field on a grid is zero, as quads seen anticlockwise from where it is positive (surface nets)."""
    inside = field < 0
    cells = tuple(n - 1 for n in field.shape)
    total, crossings = np.zeros((*cells, 3)), np.zeros(cells)
    faces = []
    for axis in range(3):
        near, far = np.moveaxis(field, axis, 0)[:-1], np.moveaxis(field, axis, 0)[1:]
        cut = (near < 0) != (far < 0)
        share = np.where(cut, near / np.where(cut, near - far, 1.0), 0.0)
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            part = (slice(None), slice(i, i + cells[(axis + 1) % 3]), slice(j, j + cells[(axis + 2) % 3]))
            order = _cyclic(axis)
            here = np.transpose(np.moveaxis(cut, 0, axis), order)[part]
            at = np.transpose(np.moveaxis(share, 0, axis), order)[part]
            back = np.argsort(order)
            offsets = np.stack([at, np.full_like(at, i), np.full_like(at, j)], axis=-1)[..., back]
            crossings += np.transpose(here, back)
            total += np.transpose(offsets * here[..., None], (*back, 3))
    index = np.full(cells, -1)
    index[crossings > 0] = np.arange(int((crossings > 0).sum()))
    points = np.argwhere(crossings > 0) + total[crossings > 0] / crossings[crossings > 0][:, None]
    for axis in range(3):
        order = _cyclic(axis)
        turned, numbers = np.transpose(inside, order), np.transpose(index, order)
        cut = turned[:-1, 1:-1, 1:-1] != turned[1:, 1:-1, 1:-1]
        x, y, z = np.nonzero(cut)
        around = np.stack([numbers[x, y, z], numbers[x, y + 1, z], numbers[x, y + 1, z + 1], numbers[x, y, z + 1]], 1)
        faces.append(np.where(turned[x, y + 1, z + 1][:, None], around, around[:, ::-1]))
    return points, np.concatenate(faces).astype(np.int64)


def _cyclic(axis: int) -> tuple[int, int, int]:
    return axis, (axis + 1) % 3, (axis + 2) % 3
