"""Tables drawn flat and simply, for vision to be tried on within a test's time."""

from __future__ import annotations

import math

import cv2
import numpy as np

from calibration.camera import Camera, Rig
from referee.layout import Car, Column, Layout, Road
from referee.pieces import Kit
from vision.solids import faces, solid_of
from vision.view import Floats, Lens, Picture

FINER = 2
TABLE = (96, 122, 92)
WOOD = (178, 186, 190)
PAINTS = {
    "purple": (150, 50, 120), "green": (70, 150, 50), "white": (244, 245, 246), "black": (34, 33, 32)
}  # fmt: skip
YELLOW = (40, 190, 230)
LAMP = np.array([0.35, -0.25, 0.9]) / np.linalg.norm([0.35, -0.25, 0.9])


def camera_at(eye: tuple[float, float, float], focal_px: float, size: tuple[int, int] = (1280, 720)) -> Camera:
    """A camera that looks at the table's origin, with a little distortion."""
    forward = -np.array(eye) / np.linalg.norm(eye)
    up = np.array([0.0, 0.0, 1.0]) if abs(forward[2]) < 0.95 else np.array([0.0, 1.0, 0.0])
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    rotation = np.array([right, np.cross(forward, right), forward])
    width, height = size
    k = ((focal_px, 0.0, width / 2 + 3.2), (0.0, focal_px, height / 2 - 2.4), (0.0, 0.0, 1.0))
    rows = tuple(tuple(float(v) for v in row) for row in rotation)
    t = tuple(float(v) for v in -rotation @ np.array(eye))
    return Camera(width, height, k, (-0.02, 0.01, 0.0004, -0.0003, 0.0), rows, t)  # type: ignore[arg-type]


RIG = Rig({"overhead": camera_at((25.0, -60.0, 640.0), 1250.0), "side": camera_at((-130.0, -520.0, 190.0), 1250.0)})


def drawn(layout: Layout, kit: Kit = Kit(), rig: Rig = RIG, light: float = 1.0, seed: int = 0) -> dict[str, Picture]:  # noqa: B008
    """Both cameras' pictures of a layout."""
    rng = np.random.default_rng(seed)
    return {name: _photo(layout, kit, Lens(camera), light, rng) for name, camera in rig.cameras.items()}


def _photo(layout: Layout, kit: Kit, lens: Lens, light: float, rng: np.random.Generator) -> Picture:
    camera = lens.camera
    size = (camera.height * FINER, camera.width * FINER)
    canvas = np.full((*size, 3), TABLE, np.float32)
    near = np.zeros(size, np.float32)
    for piece in layout.pieces():
        for face in faces(solid_of(piece, kit), lens.eye):
            _paint(canvas, near, face, _colour(piece, face, kit), lens)
    small = cv2.resize(canvas, (camera.width, camera.height), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), 0.6) * light + rng.normal(0, 1.2, (camera.height, camera.width, 3))
    return np.clip(np.rint(soft), 0, 255).astype(np.uint8)


def _colour(piece: Column | Road | Car, face: Floats, kit: Kit) -> Floats:
    normal = np.cross(face[1] - face[0], face[2] - face[1])
    normal /= max(float(np.linalg.norm(normal)), 1e-9)
    shade = 0.55 + 0.45 * max(float(normal @ LAMP), 0.0)
    base = WOOD
    if isinstance(piece, Car):
        base = PAINTS[piece.owner or "purple"]
    if isinstance(piece, Column) and piece.junction and face[:, 2].min() > kit.column_top_mm(piece.height) - 0.1:
        base = YELLOW
    return np.array(base, float) * shade


def _paint(canvas: np.ndarray, near: np.ndarray, face: Floats, colour: Floats, lens: Lens) -> None:
    pixels = (lens.project(face) + 0.5) * FINER - 0.5
    left, top = np.maximum(np.floor(pixels.min(0)).astype(int), 0)
    right, bottom = np.minimum(np.ceil(pixels.max(0)).astype(int) + 1, near.shape[::-1])
    if left >= right or top >= bottom:
        return
    mask = np.zeros((bottom - top, right - left), np.uint8)
    cv2.fillPoly(mask, [np.rint((pixels - (left, top)) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
    by_u, by_v, level = lens.closeness_planes(face[None, [0, len(face) // 3, 2 * len(face) // 3]])[0]
    u = (np.arange(left, right) + 0.5) / FINER - 0.5
    v = (np.arange(top, bottom) + 0.5) / FINER - 0.5
    closeness = by_u * u + (by_v * v + level)[:, None]
    patch = near[top:bottom, left:right]
    nearer = (mask > 0) & (closeness > patch)
    patch[nearer] = closeness[nearer]
    canvas[top:bottom, left:right][nearer] = colour


def road_between(name: str, one: Column, other: Column, kit: Kit, levels: tuple[int, int] = (0, 0)) -> Road:
    """A road from middle to middle of two columns."""
    middle = ((one.x + other.x) / 2, (one.y + other.y) / 2)
    za, zb = kit.lying_z_mm(one.height, levels[0]), kit.lying_z_mm(other.height, levels[1])
    yaw = math.atan2(other.y - one.y, other.x - one.x)
    half = math.sqrt(kit.road_length_mm**2 - (zb - za) ** 2) / 2
    u = (math.cos(yaw) * half, math.sin(yaw) * half)
    a, b = (middle[0] - u[0], middle[1] - u[1], za), (middle[0] + u[0], middle[1] + u[1], zb)
    return Road(name, a, b, "road", one.id, other.id, "purple")


def car_on(name: str, road: Road, owner: str, kit: Kit, kind: str = "sedan") -> Car:
    """A car in the middle of a road."""
    x, y, z = (np.array(road.a) + road.b) / 2
    yaw = math.atan2(road.b[1] - road.a[1], road.b[0] - road.a[0])
    lift = (kit.road_thickness_mm + kit.cars[kind][2]) / 2
    return Car(name, float(x), float(y), float(z + lift), yaw, road.id, owner, kind)
