"""What is behind the board: a table with a few flat things on it, the floor, and walls out of focus."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import Camera

from .surfaces import MM_PER_PX, cloth, laminate, noise, wood
from .take_light import Lights
from .take_warp import MIDDLE, Floats, Light, View

FLOOR_MM = -740.0
CEILING_MM = 1_700.0
WALL_PX_PER_MM = 0.2
LIT_MM = 20.0
SKIPPED = 2
"""Every how many of a pixel's samples is taken: the table may be less exact than the sheets."""


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """A table top (linear RGB, MM_PER_PX) that lies turned and shifted in the table frame, and what is round it."""

    top: Light
    gloss: float
    table_from_top: Floats
    floor: Light
    walls: tuple[Light, Light, Light, Light]
    half_mm: float
    """From the middle of the room to its walls."""
    defocus_px: float
    """How blurred the walls are in a picture 1280 px wide."""


def random_room(rng: np.random.Generator, span_mm: float) -> Room:
    """Some room."""
    size_mm = (span_mm + float(rng.uniform(350.0, 900.0)), span_mm + float(rng.uniform(250.0, 500.0)))
    shape = (round(size_mm[1] / MM_PER_PX), round(size_mm[0] / MM_PER_PX))
    surface = (wood, wood, cloth, laminate)[int(rng.integers(4))](rng, shape)
    top = _linear(surface.picture[:, :, ::-1])
    for _ in range(int(rng.integers(2, 6))):
        _lay_something(rng, top, span_mm)
    turn_rad = float(rng.uniform(0.0, 2 * np.pi))
    c, s = np.cos(turn_rad), np.sin(turn_rad)
    table_from_top = np.array([[c, -s], [s, c]])
    half_mm = float(rng.uniform(1_600.0, 2_600.0))
    wall = np.clip(rng.uniform(0.35, 0.75) + rng.normal(0.0, 0.06, 3), 0.1, 0.85)
    walls = [_wall(rng, wall, 2 * half_mm) for _ in range(4)]
    floor = _linear(wood(rng, (500, 500)).picture[:, :, ::-1]) * float(rng.uniform(0.5, 1.0))
    gloss = 0.35 * surface.specular * (1 - surface.roughness)
    return Room(
        top, gloss, table_from_top, floor, (walls[0], walls[1], walls[2], walls[3]), half_mm, rng.uniform(2.0, 5.0)
    )


def background(view: View, room: Room, lights: Lights) -> tuple[Light, Light]:
    """The room's light in a camera (h, w, 3), and how much of each pixel is table (h, w)."""
    camera = view.camera
    seen = np.zeros((camera.height, camera.width, 3), dtype=np.float32)
    covered = np.zeros((camera.height, camera.width), dtype=np.float32)
    lit, shine = _light_on_top(room, lights, camera.centre_in_table())
    for rays in view.rays[::SKIPPED]:
        u, v, mask = _table(room, camera, rays[..., 0], rays[..., 1])
        grid = [part * np.float32(MM_PER_PX / LIT_MM) for part in (u, v)]
        light = cv2.remap(room.top, u, v, cv2.INTER_LINEAR) * cv2.remap(lit, grid[0], grid[1], cv2.INTER_LINEAR)
        light += cv2.remap(shine, grid[0], grid[1], cv2.INTER_LINEAR)
        seen += light * mask[..., None]
        covered += mask
    count = len(view.rays[::SKIPPED])
    seen /= count
    covered /= count
    if covered.min() < 1:
        blur_px = room.defocus_px * camera.width / 1280
        far = cv2.GaussianBlur(_surroundings(view, room, lights), (0, 0), blur_px)
        seen += far * (1 - covered[..., None])
    return seen, covered


def _light_on_top(room: Room, lights: Lights, eye: Floats) -> tuple[Light, Light]:
    """On a grid of LIT_MM over the table top: what its colour is multiplied with, and what its gloss adds."""
    height, width = (math.ceil(n * MM_PER_PX / LIT_MM) + 2 for n in room.top.shape[:2])
    across, down = np.meshgrid(np.arange(width) * LIT_MM, np.arange(height) * LIT_MM)
    middle = np.array(room.top.shape[1::-1]) * MM_PER_PX / 2
    flat = (np.stack([across, down], axis=-1) - middle) @ room.table_from_top.T
    points = np.concatenate([flat, np.zeros((height, width, 1))], axis=-1)
    up = np.broadcast_to(np.array([0.0, 0.0, 1.0]), points.shape)
    shine = room.gloss * lights.gloss(points, up, eye, 60.0)
    return lights.on(points, up).astype(np.float32), shine.astype(np.float32)


def _table(room: Room, camera: Camera, x: Light, y: Light) -> tuple[Light, Light, Light]:
    """Where rays meet the table top, in pixels of its picture, and 1 where they do."""
    rows, eye = np.array(camera.R, dtype=np.float32), camera.centre_in_table()
    along = [rows[0, i] * x + rows[1, i] * y + rows[2, i] for i in range(3)]
    depth = np.float32(-eye[2]) / np.minimum(along[2], np.float32(-1e-6))
    points = [np.float32(eye[i]) + depth * along[i] for i in (0, 1)]
    turn = (room.table_from_top / MM_PER_PX).astype(np.float32)
    height, width = room.top.shape[:2]
    u = points[0] * turn[0, 0] + points[1] * turn[1, 0] + np.float32(width / 2 - 0.5)
    v = points[0] * turn[0, 1] + points[1] * turn[1, 1] + np.float32(height / 2 - 0.5)
    mask = (along[2] < -1e-6) & (u > 0) & (v > 0) & (u < width - 1) & (v < height - 1)
    return np.where(mask, u, 0), np.where(mask, v, 0), mask.astype(np.float32)


def _surroundings(view: View, room: Room, lights: Lights) -> Light:
    """Floor, walls and ceiling, each lit as one."""
    camera = view.camera
    eye = camera.centre_in_table()
    along = np.concatenate([view.rays[MIDDLE], np.ones_like(view.rays[0, ..., :1])], axis=-1).astype(
        np.float64
    ) @ np.array(camera.R)
    shade = (lights.around + 0.6 * lights.above + 0.4 * lights.rgb.sum(axis=0)).astype(np.float32)
    half = room.half_mm
    ends = np.where(along > 0, np.array([half, half, CEILING_MM]), np.array([-half, -half, FLOOR_MM]))
    reach = (ends - eye) / np.where(np.abs(along) < 1e-9, 1e-9, along)
    axis = reach.argmin(axis=-1)
    points = eye + reach.min(axis=-1, keepdims=True) * along
    light = np.full((*axis.shape, 3), 0.75, dtype=np.float32)
    level = (CEILING_MM - points[..., 2]) * WALL_PX_PER_MM
    for number, wall in enumerate(room.walls):
        side, sign = number // 2, 1 if number % 2 else -1
        here = (axis == side) & (along[..., side] * sign > 0)
        if here.any():
            across = (points[..., 1 - side] + half) * WALL_PX_PER_MM
            light[here] = _pick(wall, across[here], level[here])
    floor = (axis == 2) & (along[..., 2] < 0)
    if floor.any():
        size = room.floor.shape[0]
        u, v = ((points[..., i][floor] + half) * 0.25 % (size - 1) for i in (0, 1))
        under = np.clip(np.hypot(points[..., 0][floor], points[..., 1][floor]) / 900.0, 0.25, 1.0)
        light[floor] = _pick(room.floor, u, v) * under[:, None]
    light *= shade
    return light


def _pick(picture: Light, u: Floats, v: Floats) -> Light:
    """A picture's colours at points, in parts: `cv2.remap` takes no more than 32,767 rows."""
    maps = (u.astype(np.float32)[:, None], v.astype(np.float32)[:, None])
    picked = np.concatenate(
        [cv2.remap(picture, maps[0][i : i + 30_000], maps[1][i : i + 30_000], 1) for i in range(0, len(u), 30_000)]
    )
    return np.asarray(picked[:, 0], dtype=np.float32)


def _linear(picture: np.ndarray) -> Light:
    levels = ((np.arange(256) / 255.0) ** 2.2).astype(np.float32)
    return np.ascontiguousarray(levels[picture])


def _lay_something(rng: np.random.Generator, top: Light, span_mm: float) -> None:
    """A sheet of paper, a notebook, a phone or a box lid, away from the middle of the table."""
    height, width = top.shape[:2]
    sizes = ((297.0, 210.0), (210.0, 148.0), (150.0, 72.0), (230.0, 160.0))
    kind = int(rng.integers(len(sizes)))
    around = float(rng.uniform(0.0, 2 * np.pi))
    away = span_mm * float(rng.uniform(0.62, 0.9)) / MM_PER_PX
    middle = np.array([width / 2 + away * np.cos(around), height / 2 + away * np.sin(around)])
    reach = round(max(sizes[kind]) / MM_PER_PX) + 40
    left, upper = np.maximum(middle.astype(int) - reach, 0)
    place = top[upper : int(middle[1]) + reach, left : int(middle[0]) + reach]
    if not place.size:
        return
    turned = (sizes[kind][0] / MM_PER_PX, sizes[kind][1] / MM_PER_PX)
    box = cv2.boxPoints(((middle - [left, upper]).tolist(), turned, float(rng.uniform(0, 180))))
    mask = np.zeros(place.shape[:2], dtype=np.float32)
    cv2.fillConvexPoly(mask, np.rint(box).astype(np.int32), 1.0)
    place *= 1 - 0.45 * cv2.GaussianBlur(mask, (0, 0), 9.0)[..., None]
    muted = rng.uniform(0.05, 0.4) * np.exp(rng.normal(0.0, 0.35, 3))
    colour = (np.full(3, 0.72), muted, np.full(3, 0.015), muted)[kind]
    sheet = colour * (1 + 0.05 * noise(rng, place.shape[:2], (80, 80)))[..., None]
    if kind < 2:  # lines of writing
        sheet[:: int(rng.integers(12, 20))] *= 0.8
    place += cv2.GaussianBlur(mask, (0, 0), 1.0)[..., None] * (sheet.astype(np.float32) - place)


def _wall(rng: np.random.Generator, colour: Floats, width_mm: float) -> Light:
    """A wall with what stands and hangs there: a door, shelves of books, pictures, a window."""
    height, width = round((CEILING_MM - FLOOR_MM) * WALL_PX_PER_MM), round(width_mm * WALL_PX_PER_MM)
    wall = (colour * (1 + 0.04 * noise(rng, (height, width), (120, 160)))[..., None]).astype(np.float32)
    wall *= np.linspace(1.1, 0.75, height, dtype=np.float32)[:, None, None]
    left = float(rng.uniform(0.0, 60.0))
    while left < width - 90:
        across = float(rng.uniform(90.0, 200.0))
        kind = rng.choice(["window", "shelf", "picture", "door", "bare"], p=[0.15, 0.3, 0.2, 0.2, 0.15])
        if kind == "window":
            _fill(wall, (left, 100, across, 170), np.full(3, rng.uniform(1.5, 3.0)))
            _fill(wall, (left + across / 2 - 2, 100, 4, 170), colour)
        elif kind == "shelf":
            _shelf(rng, wall, left, across)
        elif kind == "picture":
            _fill(wall, (left, 150, across * 0.5, 110), rng.uniform(0.02, 0.3, 3))
            _fill(wall, (left + 5, 155, across * 0.5 - 10, 100), rng.uniform(0.05, 0.8, 3))
        elif kind == "door":
            _fill(
                wall, (left, 100, min(across, 170.0), height - 100), rng.uniform(0.1, 0.8) * np.array([1, 0.93, 0.85])
            )
        left += across + float(rng.uniform(15.0, 100.0))
    return wall


def _shelf(rng: np.random.Generator, wall: Light, left: float, across: float) -> None:
    _fill(wall, (left, 140, across, len(wall) - 140), np.array([0.3, 0.19, 0.1]) * rng.uniform(0.3, 1.6))
    for top in range(150, len(wall) - 40, 68):
        _fill(wall, (left + 5, top, across - 10, 58), np.full(3, 0.03))
        x = left + 6.0
        while x < left + across - 16:
            thick, tall = rng.uniform(4.0, 10.0), rng.uniform(36.0, 54.0)
            _fill(wall, (x, top + 58 - tall, thick, tall), rng.uniform(0.03, 0.4) * np.exp(rng.normal(0.0, 0.4, 3)))
            x += thick + 1.0 + (rng.uniform(5.0, 25.0) if rng.random() < 0.1 else 0.0)


def _fill(wall: Light, rect: tuple[float, float, float, float], colour: Floats) -> None:
    x, y, width, height = (round(v) for v in rect)
    wall[y : y + height, x : x + width] = colour
