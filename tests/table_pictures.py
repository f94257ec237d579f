"""Pictures of strips and cards on a table: exact inverse mapping of the printed pages, with light, blur and noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, Floats
from calibration.lens import Lens
from calibration.page import Page, Rect
from calibration.raster import raster
from calibration.sheets import A4, QUIET_MM, STRIP_HEIGHT_MM, STRIP_WIDTH_MM, TAGS_PER_STRIP, tag_strips

PX_PER_MM = 8.0
PAPER_MM = 0.1
SUBPIXELS = 4
PAPER_GREY, INK_GREY, TABLE_GREY = 0.72, 0.03, 0.28


@dataclass(frozen=True)
class Laid:
    """A piece cut out of a page, its middle at (x, y) on the table and its right side turned by yaw."""

    page: Page
    cut: Rect
    x_mm: float
    y_mm: float
    yaw_rad: float
    scale: float = 1.0
    height_mm: float = PAPER_MM
    white: float = PAPER_GREY

    def in_table(self, on_page_mm: Floats) -> Floats:
        """Table points (n, 3) of points (n, 2) of the page; a page's y points down."""
        cos, sin = math.cos(self.yaw_rad), math.sin(self.yaw_rad)
        flat = (on_page_mm - np.array(self.cut.centre_mm)) * [self.scale, -self.scale]
        plan = flat @ np.array([[cos, sin], [-sin, cos]]) + np.array([self.x_mm, self.y_mm])
        return np.column_stack([plan, np.full(len(flat), self.height_mm)])

    def on_page(self, in_table_mm: Floats) -> Floats:
        """The way back, of plan points (..., 2)."""
        cos, sin = math.cos(self.yaw_rad), math.sin(self.yaw_rad)
        flat = (in_table_mm - [self.x_mm, self.y_mm]) @ np.array([[cos, -sin], [sin, cos]])
        back: Floats = flat * [1 / self.scale, -1 / self.scale] + np.array(self.cut.centre_mm)
        return back

    def tags_in_table(self) -> dict[int, Floats]:
        """The corners (4, 3) of each tag on the piece."""
        return {
            tag.id: self.in_table(np.array(tag.rect.corners_mm))
            for tag in self.page.tags
            if self.cut.overlaps(tag.rect)
        }


@dataclass(frozen=True)
class Shot:
    """How a picture is taken."""

    blur_px: float = 0.6
    noise: float = 0.004
    light: float = 1.0
    falloff: float = 0.4
    """How much darker the picture's left end is than its right one."""
    jpeg: int | None = 92
    hidden: frozenset[int] = field(default_factory=frozenset)
    """Tags with something dark on top of them."""


@cache
def _printed(page: Page) -> np.ndarray:
    return raster(page, PX_PER_MM).astype(np.float32) / 255.0


def strip(number: int, x_mm: float, y_mm: float, yaw_rad: float, scale: float = 1.0) -> Laid:
    """One of the A4 strips, by its number from 0."""
    pages = tag_strips(A4)
    page = pages[number * TAGS_PER_STRIP // len(pages[0].tags)]
    first = page.tags[number * TAGS_PER_STRIP % len(page.tags)].rect
    cut = Rect(first.x_mm - QUIET_MM, first.y_mm - QUIET_MM, STRIP_WIDTH_MM, STRIP_HEIGHT_MM)
    return Laid(page, cut, x_mm, y_mm, yaw_rad, scale)


def strips_round(rng: np.random.Generator, clear_mm: float, count: int | None = None) -> tuple[Laid, ...]:
    """Strips about a play area of radius `clear_mm`, a little crooked, in any order."""
    count = count or int(rng.integers(4, 7))
    start = float(rng.uniform(0, 2 * math.pi))
    nearest = STRIP_WIDTH_MM / (2 * math.tan(math.pi / count))
    laid = []
    for n, number in enumerate(rng.permutation(12)[:count]):
        angle = start + n * 2 * math.pi / count + float(rng.normal(0.0, 0.03))
        away = max(clear_mm, nearest) + STRIP_HEIGHT_MM / 2 + float(rng.uniform(8.0, 24.0))
        yaw = angle - math.pi / 2 + float(rng.normal(0.0, 0.05)) + (math.pi if rng.random() < 0.3 else 0.0)
        laid.append(strip(int(number), away * math.cos(angle), away * math.sin(angle), yaw))
    return tuple(laid)


def true_tags(camera: Camera, laid: tuple[Laid, ...]) -> dict[int, Floats]:
    """Where in the picture the corners (4, 2) of every tag lie that is wholly in it."""
    seen = {tag: camera.project(corners) for piece in laid for tag, corners in piece.tags_in_table().items()}
    edge = np.array([camera.width - 4, camera.height - 4])
    return {tag: pixels for tag, pixels in seen.items() if (pixels > 3).all() and (pixels < edge).all()}


LENS_SIGMA = np.array([0.8, 0.8, 0.8, 0.8, 0.003, 0.006, 2e-4, 2e-4, 0.0])


def lens_near(camera: Camera, rng: np.random.Generator, spread: float = 1.0) -> Lens:
    """A lens as a calibration may have found it, off by what it says of itself."""
    (fx, _, cx), (_, fy, cy), _ = camera.K
    sigma = spread * LENS_SIGMA
    covariance = np.diag(sigma**2)
    covariance[0, 1] = covariance[1, 0] = 0.9 * sigma[0] * sigma[1]
    off = rng.multivariate_normal(np.zeros(9), covariance)
    fx, fy, cx, cy, *dist = (float(v) for v in np.array([fx, fy, cx, cy, *camera.dist]) + off)
    k1, k2, p1, p2, k3 = dist
    matrix = ((fx, 0.0, cx), (0.0, fy, cy), (0.0, 0.0, 1.0))
    rows = tuple(tuple(float(v) for v in row) for row in covariance)
    return Lens(camera.width, camera.height, matrix, (k1, k2, p1, p2, k3), rows, 0.1, 0.1, 20)


def photograph(camera: Camera, laid: tuple[Laid, ...], shot: Shot, rng: np.random.Generator) -> NDArray[np.uint8]:
    """What the camera sees, in grey."""
    linear = np.full((camera.height, camera.width), TABLE_GREY, dtype=np.float32)
    for piece in laid:
        _lay(linear, camera, piece, shot.hidden)
    linear *= shot.light * np.linspace(1.0 - shot.falloff, 1.0, camera.width, dtype=np.float32)
    blurred = np.asarray(cv2.GaussianBlur(linear, (0, 0), shot.blur_px))
    light = np.clip(blurred + shot.noise * rng.standard_normal(linear.shape, dtype=np.float32), 0.0, 1.0)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.power(light, 1 / 2.4) - 0.055)
    picture: NDArray[np.uint8] = np.rint(255 * encoded).astype(np.uint8)
    if shot.jpeg is None:
        return picture
    _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, shot.jpeg])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE), dtype=np.uint8)


def _lay(linear: np.ndarray, camera: Camera, piece: Laid, hidden: frozenset[int]) -> None:
    """Draw one piece of paper, every pixel being the mean of SUBPIXELS^2 looks at the page."""
    outline = piece.in_table(np.array(piece.cut.corners_mm))
    dense = np.concatenate([np.linspace(a, b, 20) for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True)])
    if (camera.depth_mm(dense) < 50.0).any():
        return
    seen = camera.project(dense)
    left, top = np.maximum(np.floor(seen.min(axis=0)).astype(int) - 2, 0)
    right, bottom = np.minimum(np.ceil(seen.max(axis=0)).astype(int) + 3, [camera.width, camera.height])
    if right - left < 2 or bottom - top < 2:
        return
    # Rays at the pixels' corners; within a pixel the page's coordinates are as good as linear.
    x, y = np.meshgrid(np.arange(left, right + 1) - 0.5, np.arange(top, bottom + 1) - 0.5)
    rays = camera.rays_in_table(np.column_stack([x.ravel(), y.ravel()]))
    centre = camera.centre_in_table()
    plan = centre[:2] + rays[:, :2] * ((piece.height_mm - centre[2]) / rays[:, 2])[:, None]
    page = piece.on_page(plan).reshape(*x.shape, 2)
    steps = (np.arange(SUBPIXELS) + 0.5) / SUBPIXELS
    total = np.zeros((bottom - top, right - left), dtype=np.float32)
    cover = np.zeros_like(total)
    printed = _printed(piece.page)
    tags = [tag.rect for tag in piece.page.tags if tag.id in hidden and piece.cut.overlaps(tag.rect)]
    covers = [(np.array(rect.centre_mm), rect.width_mm / 2 + 3.0) for rect in tags]
    cut = piece.cut
    for v in steps:
        rows = page[:-1] * (1 - v) + page[1:] * v
        for u in steps:
            at = rows[:, :-1] * (1 - u) + rows[:, 1:] * u
            inside = (
                (at[..., 0] > cut.x_mm)
                & (at[..., 0] < cut.right_mm)
                & (at[..., 1] > cut.y_mm)
                & (at[..., 1] < cut.bottom_mm)
            )
            pixel = (at * PX_PER_MM - 0.5).astype(np.float32)
            white = cv2.remap(printed, pixel[..., 0], pixel[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            grey = INK_GREY + (piece.white - INK_GREY) * white
            for middle, half_mm in covers:
                grey[np.abs(at - middle).max(axis=-1) < half_mm] = 0.1
            total += np.where(inside, grey, 0.0)
            cover += inside
    share = cover / SUBPIXELS**2
    box = linear[top:bottom, left:right]
    box *= 1 - share
    box += total / SUBPIXELS**2
