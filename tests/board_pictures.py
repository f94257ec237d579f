"""Pictures of ChArUco boards with exact truth: vectors seen through a lens, every pixel the mean of its area."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import BoardSpec
from calibration.camera import Camera, Floats
from calibration.page import Fill, Page
from calibration.raster import raster

Picture = NDArray[np.uint8]

RASTER_PX_PER_MM = 8.0
MARGIN_MM = 12.0
FINE = 3  # subpixels along each side of a pixel


@dataclass(frozen=True, slots=True)
class Look:
    """How a picture comes out: optics and motion blur in px, noise in grey levels, board bent by so many mm."""

    blur_px: float = 0.6
    motion_px: float = 0.0
    motion_rad: float = 0.0
    noise: float = 1.5
    bow_mm: float = 0.0
    white: float = 215.0
    black: float = 32.0


USUAL = Look()


def board_picture(camera: Camera, spec: BoardSpec, look: Look = USUAL, seed: int = 0) -> Picture:
    """What a camera sees whose table frame is the board's: x right and y down on it, z into it, no board elsewhere."""
    ground = _ground(seed, camera.height, camera.width)
    left, top, right, bottom = _extent(camera, spec)
    if left < right and top < bottom:
        part = _seen(camera, spec, look.bow_mm, (left, top, right, bottom))
        inside = part >= 0
        shade = look.black + (look.white - look.black) * part
        fine = np.repeat(np.repeat(ground[top:bottom, left:right], FINE, axis=0), FINE, axis=1)
        mixed = np.where(inside, shade, fine).astype(np.float32)
        size = (right - left, bottom - top)
        ground[top:bottom, left:right] = cv2.resize(mixed, size, interpolation=cv2.INTER_AREA)
    if look.blur_px > 0:
        ground = np.asarray(cv2.GaussianBlur(ground, (0, 0), look.blur_px), dtype=np.float32)
    if look.motion_px > 0:
        ground = np.asarray(cv2.filter2D(ground, -1, _smear(look.motion_px, look.motion_rad)), dtype=np.float32)
    noisy = ground + np.random.default_rng(seed).normal(0.0, look.noise, ground.shape)
    return np.clip(np.rint(noisy), 0, 255).astype(np.uint8)


def corners_px(camera: Camera, spec: BoardSpec, bow_mm: float = 0.0) -> Floats:
    """Where the board's inner corners (n, 2) lie in its picture, by their ids."""
    flat = spec.corners_mm()
    return camera.project(np.column_stack([flat, _bow(flat[:, 0], spec, bow_mm)]))


def camera_of(
    size: tuple[int, int], focal_px: float, dist: tuple[float, float, float, float, float], turn: Floats, at_mm: Floats
) -> Camera:
    """A camera before a board: the board's pose is (Rodrigues vector, translation)."""
    rotation, _ = cv2.Rodrigues(np.asarray(turn, dtype=np.float64))
    middle = ((size[0] - 1) / 2 + 7.3, (size[1] - 1) / 2 - 4.6)
    k = ((focal_px, 0.0, middle[0]), (0.0, focal_px * 1.002, middle[1]), (0.0, 0.0, 1.0))
    rows = [tuple(float(v) for v in row) for row in rotation]
    return Camera(*size, k, dist, tuple(rows), tuple(float(v) for v in at_mm))  # type: ignore[arg-type]


def waved(
    spec: BoardSpec,
    count: int,
    seed: int,
    size: tuple[int, int] = (640, 480),
    focal_px: float = 560.0,
    dist: tuple[float, float, float, float, float] = (-0.18, 0.06, 0.0008, -0.0005, 0.0),
    tilt_deg: tuple[float, float] = (12.0, 42.0),
    far: tuple[float, float] = (1.0, 1.9),
) -> list[Camera]:
    """One lens before a board that is waved about: every part of the picture, near and far, tilted all ways."""
    rng = np.random.default_rng(seed)
    nearest_mm = focal_px * spec.height_mm / size[1] * 1.15
    cameras = []
    for number in range(count):
        distance = nearest_mm * rng.uniform(*far)
        half = spec.height_mm * focal_px / distance / 2
        reach = np.maximum(np.array(size) / 2 - 0.75 * half, 0.0)
        aim = rng.uniform(-1.0, 1.0, 2) * reach / focal_px
        around = 2 * math.pi * (number * 0.381966 + rng.uniform(0, 0.1))
        tilt = math.radians(rng.uniform(*tilt_deg))
        axis = np.array([math.cos(around), math.sin(around), 0.0]) * tilt
        roll = np.array([0.0, 0.0, rng.uniform(-math.pi, math.pi)])
        turn = np.asarray(cv2.Rodrigues(cv2.Rodrigues(axis)[0] @ cv2.Rodrigues(roll)[0])[0], dtype=np.float64).ravel()
        centre = np.array([spec.width_mm / 2, spec.height_mm / 2, 0.0])
        at = distance * np.array([*aim, 1.0]) - cv2.Rodrigues(turn)[0] @ centre
        cameras.append(camera_of(size, focal_px, dist, turn, at))
    return cameras


def _bow(x_mm: Floats, spec: BoardSpec, bow_mm: float) -> Floats:
    """How far the board bulges away from its plane: a cylinder about its long axis."""
    bulge: Floats = bow_mm * (1.0 - (2.0 * x_mm / spec.width_mm - 1.0) ** 2)
    return bulge


def _extent(camera: Camera, spec: BoardSpec) -> tuple[int, int, int, int]:
    """The rectangle of the picture that can show the board with its margin."""
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 9), np.linspace(0, 1, 9)), axis=-1).reshape(-1, 2)
    outer = grid * (np.array([spec.width_mm, spec.height_mm]) + 2 * MARGIN_MM) - MARGIN_MM
    seen = camera.project(np.column_stack([outer, np.zeros(len(outer))]))
    low = np.maximum(np.floor(seen.min(axis=0)) - 4, 0).astype(int)
    high = np.minimum(np.ceil(seen.max(axis=0)) + 5, [camera.width, camera.height]).astype(int)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def _seen(camera: Camera, spec: BoardSpec, bow_mm: float, box: tuple[int, int, int, int]) -> NDArray[np.float32]:
    """Share of white at each subpixel of the box, -1 where the board is not."""
    left, top, right, bottom = box
    rays = _rays(camera.width, camera.height, camera.K, camera.dist)[top : bottom + 2, left : right + 2]
    fine = cv2.resize(rays, None, fx=FINE, fy=FINE, interpolation=cv2.INTER_LINEAR)[FINE:-FINE, FINE:-FINE]
    rotation, t = np.array(camera.R), np.array(camera.t)
    origin = -rotation.T @ t
    along = np.dstack([fine, np.ones(fine.shape[:2])]).astype(np.float64) @ rotation
    z: Floats | float = 0.0
    for _ in range(5 if bow_mm else 1):
        reach = (z - origin[2]) / along[..., 2]
        x, y = origin[0] + reach * along[..., 0], origin[1] + reach * along[..., 1]
        z = _bow(x, spec, bow_mm)
    sheet = _sheet(spec)
    across = ((x + MARGIN_MM) * RASTER_PX_PER_MM - 0.5).astype(np.float32)
    down = ((y + MARGIN_MM) * RASTER_PX_PER_MM - 0.5).astype(np.float32)
    part = cv2.remap(sheet, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(-1.0,))
    return np.asarray(np.where((part < 0) | (reach < 0), -1.0, part), dtype=np.float32)


@lru_cache(maxsize=4)
def _sheet(spec: BoardSpec) -> NDArray[np.float32]:
    """The board and the white around it, as share of white."""
    loops = tuple(tuple((x + MARGIN_MM, y + MARGIN_MM) for x, y in loop) for loop in spec.loops_mm())
    page = Page("board", spec.width_mm + 2 * MARGIN_MM, spec.height_mm + 2 * MARGIN_MM, 1, (Fill(loops),))
    return (raster(page, RASTER_PX_PER_MM) / 255.0).astype(np.float32)


@lru_cache(maxsize=4)
def _rays(width: int, height: int, k: object, dist: object) -> NDArray[np.float64]:
    """Straightened directions (h + 2, w + 2, 2) of every pixel centre and a border of one."""
    x, y = np.meshgrid(np.arange(-1.0, width + 1), np.arange(-1.0, height + 1))
    pixels = np.column_stack([x.ravel(), y.ravel()]).reshape(-1, 1, 2)
    criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-10)
    straight = cv2.undistortPointsIter(pixels, np.array(k), np.array(dist), np.eye(3), np.eye(3), criteria)
    return np.asarray(straight, dtype=np.float64).reshape(height + 2, width + 2, 2)


@lru_cache(maxsize=4)
def _smooth(seed: int, height: int, width: int) -> NDArray[np.float32]:
    rough = np.random.default_rng(seed).normal(0.0, 1.0, (height // 8 + 1, width // 8 + 1)).astype(np.float32)
    return np.asarray(cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def _ground(seed: int, height: int, width: int) -> NDArray[np.float32]:
    return 110.0 + 12.0 * _smooth(seed % 3, height, width)


def _smear(length_px: float, angle_rad: float) -> NDArray[np.float32]:
    """A kernel that averages along a line."""
    reach = math.ceil(length_px / 2) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), dtype=np.float32)
    steps = np.linspace(-length_px / 2, length_px / 2, 8 * reach)
    for x, y in zip(reach + steps * math.cos(angle_rad), reach + steps * math.sin(angle_rad), strict=True):
        column, row = int(x), int(y)
        u, v = x - column, y - row
        kernel[row : row + 2, column : column + 2] += np.outer([1 - v, v], [1 - u, u])
    smear: NDArray[np.float32] = kernel / kernel.sum()
    return smear
