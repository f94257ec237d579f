"""How well a rig is known: errors of points on the table, in millimetres and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import msgspec
import numpy as np
import shapely

from calibration.camera import Camera, Floats, Rig, Row
from calibration.strips import laid

CAMERA = 15
GOOD_MM, FAIR_MM = 0.5, 1.0
REACH_95 = 1.96
GRID = 7
HEIGHTS_MM = (0.0, 35.0, 70.0)

Corners = tuple[Row, Row, Row, Row]


class Quality(msgspec.Struct, frozen=True):
    """What a rig promises: errors that 19 of 20 points stay under."""

    grade: Literal["good", "fair", "poor"]
    words: str
    middle_mm: float
    corners_mm: tuple[float, ...]
    """At the corners of the play area, in its order."""
    height_mm: float
    """In z, at the middle."""


class SolvedRig(Rig, frozen=True, omit_defaults=True, kw_only=True):
    """A rig with what is known of its error, as calibration writes it into rig.json."""

    tags: dict[int, Corners] = msgspec.field(default_factory=dict)
    """Corners of each tag in the table frame, clockwise from its top left."""
    covariance: tuple[tuple[float, ...], ...] = ()
    """Per camera, overhead then side: turn (3, left of R), t (3), then the lens in the order of PARAMETERS."""
    reprojection_px: float = 0.0
    quality: Quality | None = None

    def samples(self, count: int, rng: np.random.Generator) -> list[Rig]:
        """Rigs as they may be in truth, both cameras of each drawn together."""
        values, vectors = np.linalg.eigh(np.array(self.covariance))
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        draws = rng.standard_normal((count, len(values))) @ root.T
        return [
            Rig(
                {
                    "overhead": _changed(self.overhead, draw[:CAMERA]),
                    "side": _changed(self.side, draw[CAMERA:]),
                },
                self.play_area,
            )
            for draw in draws
        ]

    def point_covariance_mm2(self, points_in_table: Floats) -> Floats:
        """(3 n, 3 n) of points (n, 3) that both cameras see, from the calibration alone."""
        slopes = self._slopes(points_in_table)
        covariance: Floats = slopes @ np.array(self.covariance) @ slopes.T
        return covariance

    def point_sigma_mm(self, points_in_table: Floats) -> Floats:
        """Standard deviations (n, 3) in x, y and z."""
        slopes = self._slopes(points_in_table)
        variance = np.einsum("ij,jk,ik->i", slopes, np.array(self.covariance), slopes)
        sigma: Floats = np.sqrt(np.maximum(variance, 0.0)).reshape(-1, 3)
        return sigma

    def _slopes(self, points: Floats) -> Floats:
        """(3 n, 30): how triangulated points move with the cameras' numbers while their pixels stay."""
        by_point, by_camera = [], []
        for camera in (self.overhead, self.side):
            _, slopes = project(camera, points)
            by_camera.append(slopes.reshape(len(points), 2, CAMERA))
            by_point.append((slopes[:, 3:6] @ np.array(camera.R)).reshape(len(points), 2, 3))
        stacked = np.concatenate(by_point, axis=1)
        both = np.zeros((len(points), 4, 2 * CAMERA))
        both[:, :2, :CAMERA], both[:, 2:, CAMERA:] = by_camera
        moved: Floats = -(np.linalg.pinv(stacked) @ both).reshape(-1, 2 * CAMERA)
        return moved


def project(camera: Camera, points: Floats) -> tuple[Floats, Floats]:
    """Pixels (n, 2), and how they change (2 n, 15) with the camera's numbers."""
    turned = np.ascontiguousarray(points @ np.array(camera.R).T)
    pixels, slopes = cv2.projectPoints(
        turned, np.zeros(3), np.array(camera.t), np.array(camera.K), np.array(camera.dist)
    )
    return np.asarray(pixels, dtype=np.float64).reshape(-1, 2), np.asarray(slopes, dtype=np.float64)[:, :CAMERA]


def _changed(camera: Camera, change: Floats) -> Camera:
    return camera_of(
        (camera.width, camera.height),
        lens_numbers(camera) + change[6:],
        cv2.Rodrigues(change[:3])[0] @ np.array(camera.R),
        np.array(camera.t) + change[3:6],
    )


def lens_numbers(camera: Camera) -> Floats:
    """A camera's lens in the order of PARAMETERS."""
    (fx, _, cx), (_, fy, cy), _ = camera.K
    return np.array([fx, fy, cx, cy, *camera.dist])


def camera_of(size: tuple[int, int], lens: Floats, R: Floats, t: Floats) -> Camera:
    """A camera from its numbers, the lens in the order of PARAMETERS."""
    fx, fy, cx, cy, k1, k2, p1, p2, k3 = (float(value) for value in lens)
    rows = [(float(a), float(b), float(c)) for a, b, c in R]
    matrix = ((fx, 0.0, cx), (0.0, fy, cy), (0.0, 0.0, 1.0))
    x, y, z = (float(value) for value in t)
    return Camera(*size, matrix, (k1, k2, p1, p2, k3), (rows[0], rows[1], rows[2]), (x, y, z))


def triangulate(rig: Rig, overhead_px: Floats, side_px: Floats, rounds: int = 4) -> Floats:
    """Points (n, 3) that land nearest to pixels (n, 2) in both pictures."""
    lines = [(camera.centre_in_table(), camera.rays_in_table(px)) for camera, px in _with(rig, overhead_px, side_px)]
    # Where the rays pass each other; then pixels count, not millimetres.
    off = [np.eye(3) - rays[:, :, None] * rays[:, None, :] for _, rays in lines]
    against = sum(o @ centre[:, None] for o, (centre, _) in zip(off, lines, strict=True))
    points = np.asarray(np.linalg.solve(sum(off), against)[..., 0], dtype=np.float64)
    for _ in range(rounds):
        slopes, misses = [], []
        for camera, px in _with(rig, overhead_px, side_px):
            pixels, by_camera = project(camera, points)
            slopes.append((by_camera[:, 3:6] @ np.array(camera.R)).reshape(-1, 2, 3))
            misses.append(px - pixels)
        step = np.linalg.pinv(np.concatenate(slopes, axis=1)) @ np.concatenate(misses, axis=1)[..., None]
        points = np.asarray(points + step[..., 0], dtype=np.float64)
    return points


def _with(rig: Rig, overhead_px: Floats, side_px: Floats) -> Sequence[tuple[Camera, Floats]]:
    return ((rig.overhead, overhead_px), (rig.side, side_px))


def radius_95(covariance_mm2: Floats) -> float:
    """The circle that holds 95 % of a two-dimensional normal error."""
    least, most = np.sqrt(np.maximum(np.linalg.eigvalsh(covariance_mm2), 0.0))
    share = least / most if most > 0 else 0.0
    return float(most * (1.960787 + 0.004121 * share + 0.114276 * share**2 + 0.371625 * share**3))


def quality_of(rig: SolvedRig, area: Sequence[tuple[float, float]]) -> Quality:
    """The errors at the middle and the corners of an area on the table, in words."""
    middle = shapely.Polygon(area).centroid
    plan = np.array([(middle.x, middle.y), *area])
    points = np.column_stack([plan, np.zeros(len(plan))])
    covariance = rig.point_covariance_mm2(points)
    blocks = [covariance[3 * n : 3 * n + 3, 3 * n : 3 * n + 3] for n in range(len(points))]
    errors = [radius_95(block[:2, :2]) for block in blocks]
    worst = max(errors)
    grade: Literal["good", "fair", "poor"] = "good" if worst <= GOOD_MM else "fair" if worst <= FAIR_MM else "poor"
    words = f"{_mm(errors[0])} at the middle, {_mm(worst)} at the far corner; {grade}"
    return Quality(grade, words, errors[0], tuple(errors[1:]), REACH_95 * float(np.sqrt(blocks[0][2, 2])))


def _mm(value: float) -> str:
    return f"{max(value, 0.05):.1f} mm" if value < 10 else f"{value:.0f} mm"


@dataclass(frozen=True, slots=True, eq=False)
class RigErrors:
    """What a solved rig gets wrong on points whose truth is known, the table frames laid over each other."""

    errors_mm: Floats
    """(n, 3)."""
    sigma_mm: Floats | None
    """(n, 3): what the rig states of them; None for a rig that states nothing."""

    @property
    def xy_mm(self) -> Floats:
        return np.hypot(self.errors_mm[:, 0], self.errors_mm[:, 1])

    @property
    def z_mm(self) -> Floats:
        return np.abs(self.errors_mm[:, 2])

    @property
    def in_sigmas(self) -> Floats | None:
        """(n, 3): errors as multiples of what is stated."""
        return None if self.sigma_mm is None else np.abs(self.errors_mm) / np.maximum(self.sigma_mm, 1e-9)


def points_over(area: Sequence[tuple[float, float]]) -> Floats:
    """Points (n, 3) all over an area, at several heights."""
    outline = shapely.Polygon(area)
    left, low, right, high = outline.bounds
    x, y = np.meshgrid(np.linspace(left, right, GRID), np.linspace(low, high, GRID))
    plan = np.column_stack([x.ravel(), y.ravel()])
    plan = plan[shapely.contains_xy(outline.buffer(1e-6), plan)]
    return np.concatenate([np.column_stack([plan, np.full(len(plan), z)]) for z in HEIGHTS_MM])


def rig_errors(true: Rig, solved: Rig, points_in_true: Floats) -> RigErrors:
    """Triangulate noise-free pixels of true points with the solved rig; only x, y and yaw are made to agree."""
    found = triangulate(solved, true.overhead.project(points_in_true), true.side.project(points_in_true))
    # In the solved frame, so that errors and sigmas have the same axes.
    back = laid(points_in_true[:, :2], found[:, :2])
    errors = np.column_stack([found[:, :2] - back.in_table(points_in_true[:, :2]), found[:, 2] - points_in_true[:, 2]])
    if not isinstance(solved, SolvedRig) or not solved.covariance:
        return RigErrors(errors, None)
    keep = _without_gauge(found)
    covariance = keep @ solved.point_covariance_mm2(found) @ keep.T
    sigma = np.sqrt(np.maximum(np.diag(covariance), 0.0)).reshape(-1, 3)
    return RigErrors(errors, sigma)


def _without_gauge(points: Floats) -> Floats:
    """(3 n, 3 n) that takes the common shift and turn in plan out of changes of points."""
    about = points[:, :2] - points[:, :2].mean(axis=0)
    gauge = np.zeros((len(points), 3, 3))
    gauge[:, 0, 0] = gauge[:, 1, 1] = 1.0
    gauge[:, 0, 2], gauge[:, 1, 2] = -about[:, 1], about[:, 0]
    basis, _ = np.linalg.qr(gauge.reshape(-1, 3))
    kept: Floats = np.eye(3 * len(points)) - basis @ basis.T
    return kept
