"""Camera pairs as people rig them: one above the table, one at its side."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from calibration.camera import Camera, Rig, Row

SIZES = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))
MOST_TILT_DEG = 15.0
HEIGHT_MM = (500.0, 1_200.0)
ELEVATION_DEG = (10.0, 40.0)
PIECES_MM = 60.0
"""As high as most games are built."""
FILLED = (0.72, 0.93)
"""How much of the picture the play area takes."""


def looking_at(eye: np.ndarray, target: np.ndarray, roll_rad: float) -> tuple[tuple[Row, Row, Row], Row]:
    """R and t of a camera at `eye` whose axis meets `target`, upright but for `roll_rad`."""
    forward = (target - eye) / np.linalg.norm(target - eye)
    up = np.array([0.0, 0.0, 1.0]) if abs(forward[2]) < 0.95 else np.array([0.0, 1.0, 0.0])
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    c, s = math.cos(roll_rad), math.sin(roll_rad)
    rotation = np.stack([c * right + s * down, c * down - s * right, forward])
    return _rows(rotation), _row(-rotation @ eye)


def moved(camera: Camera, turn: np.ndarray) -> Camera:
    """The camera turned where it stands."""
    rotation = turn @ np.array(camera.R)
    translation = -rotation @ camera.centre_in_table()
    return msgspec.structs.replace(camera, R=_rows(rotation), t=_row(translation))


def _rows(matrix: np.ndarray) -> tuple[Row, Row, Row]:
    return _row(matrix[0]), _row(matrix[1]), _row(matrix[2])


def _row(values: np.ndarray) -> Row:
    x, y, z = (float(v) for v in values)
    return x, y, z


def random_rig(rng: np.random.Generator, centre_in_table: np.ndarray, span_mm: float, size: tuple[int, int]) -> Rig:
    """An overhead and a side camera that both see a play area of about `span_mm` round `centre_in_table`."""
    return Rig(
        cameras={
            "overhead": _overhead(rng, centre_in_table, span_mm, size),
            "side": _side(rng, centre_in_table, span_mm, size),
        }
    )


def _overhead(rng: np.random.Generator, centre: np.ndarray, span_mm: float, size: tuple[int, int]) -> Camera:
    height_mm = float(rng.uniform(max(HEIGHT_MM[0], min(0.9 * span_mm, HEIGHT_MM[1])), HEIGHT_MM[1]))
    tilt_rad = math.radians(float(rng.uniform(0.0, MOST_TILT_DEG)))
    aside = float(rng.uniform(0.0, 2 * math.pi))
    eye = centre + np.array([math.cos(aside), math.sin(aside), 0.0]) * height_mm * math.tan(tilt_rad)
    eye[2] = height_mm
    target = centre + np.array([*rng.uniform(-15.0, 15.0, 2), 15.0])
    return _camera(rng, eye, target, float(rng.uniform(-math.pi, math.pi)), (centre, span_mm), size)


def _side(rng: np.random.Generator, centre: np.ndarray, span_mm: float, size: tuple[int, int]) -> Camera:
    elevation = math.radians(float(rng.uniform(*ELEVATION_DEG)))
    azimuth = float(rng.uniform(0.0, 2 * math.pi))
    distance_mm = span_mm * float(rng.uniform(1.1, 1.8))
    level = math.cos(elevation)
    away = np.array([math.cos(azimuth) * level, math.sin(azimuth) * level, math.sin(elevation)])
    target = centre + np.array([*rng.uniform(-20.0, 20.0, 2), 20.0])
    roll_rad = math.radians(float(rng.normal(0.0, 1.5)))
    return _camera(rng, target + away * distance_mm, target, roll_rad, (centre, span_mm), size)


def _camera(
    rng: np.random.Generator,
    eye: np.ndarray,
    target: np.ndarray,
    roll_rad: float,
    play: tuple[np.ndarray, float],
    size: tuple[int, int],
) -> Camera:
    """A camera whose lens just takes in the play area (its centre and span), or somewhat more."""
    width, height = size
    rotation, translation = looking_at(eye, target, roll_rad)
    around = np.linspace(0.0, 2 * math.pi, 48)
    rim = np.column_stack([np.cos(around), np.sin(around)]) * play[1] / 2 + play[0][:2]
    points = np.concatenate([np.column_stack([rim, np.full(48, z_mm)]) for z_mm in (0.0, PIECES_MM)])
    seen = points @ np.array(rotation).T + np.array(translation)
    reach = np.abs(seen[:, :2] / seen[:, 2:]).max(axis=0)
    focal_px = float(min(width / 2 / reach[0], height / 2 / reach[1]) * rng.uniform(*FILLED))
    cx = (width - 1) / 2 + float(rng.normal(0.0, 0.006)) * width
    cy = (height - 1) / 2 + float(rng.normal(0.0, 0.006)) * height
    # Strong barrel on wide lenses, nearly none on long ones.
    wide = min(1.0, width / focal_px)
    k1, k2 = float(rng.normal(-0.05, 0.05)) * wide, float(rng.normal(0.02, 0.02)) * wide
    p1, p2 = (float(v) for v in rng.normal(0.0, 0.0005, 2))
    matrix = ((focal_px, 0.0, cx), (0.0, focal_px * float(rng.normal(1.0, 0.001)), cy), (0.0, 0.0, 1.0))
    return Camera(width, height, matrix, (k1, k2, p1, p2, 0.0), rotation, translation)
