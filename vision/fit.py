"""Piece poses from contour lines in both views: Gauss-Newton on offsets across the lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from referee.pieces import Kit
from vision.depth import DepthMap
from vision.evidence import Evidence
from vision.solids import Contour, Prism, contour, cylinder, stick
from vision.view import Floats, Lens, Picture

REACHES_PX = (4.0, 3.0, 2.0, 2.0)
SCORE_REACH_PX = 1.5
SCORE_SIGMA_PX = 0.8
NEXT_MM = 0.5
CREASE_PX = 2.2


@dataclass(frozen=True, eq=False)
class Scene:
    """What one view shows, what is known to hide things in it, and the edge strength that counts half."""

    evidence: Evidence
    depth: DepthMap
    knee: float
    claimed: Picture | None = None
    """Where lines are that other pieces account for."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Visible contour points of a piece in one view."""

    points: Floats
    pixels: Floats
    normals: Floats
    seen_share: float


@dataclass(frozen=True, eq=False)
class Support:
    """How well a view bears a piece out: the log-odds score, the share of its outline visible, and of that seen."""

    score: float
    visible: float
    seen: float
    count: int


@dataclass(frozen=True, eq=False)
class Fit:
    """A pose, its covariance, and how well each view bears it out."""

    pose: Floats
    covariance: Floats
    chi2: float
    support: tuple[Support, ...]
    prism: Prism

    @property
    def score(self) -> float:
        return sum(one.score for one in self.support)


@dataclass(frozen=True, slots=True)
class Body:
    """A kind of piece: its prism at a pose, and how its points move with each parameter of the pose."""

    prism: Callable[[Floats], Prism]
    motion: Callable[[Floats, Floats], Floats]


def stick_body(kit: Kit) -> Body:
    """Pose: x, y of the middle, yaw, z of tip a, z of tip b."""

    def prism(pose: Floats) -> Prism:
        return stick(*stick_tips(pose, kit.road_length_mm), kit)

    def motion(pose: Floats, points: Floats) -> Floats:
        arm = points[:, :2] - pose[:2]
        along = arm @ (math.cos(pose[2]), math.sin(pose[2])) / kit.road_length_mm
        moved = np.zeros((len(points), 5, 3))
        moved[:, 0, 0] = moved[:, 1, 1] = 1.0
        moved[:, 2, 0], moved[:, 2, 1] = -arm[:, 1], arm[:, 0]
        moved[:, 3, 2], moved[:, 4, 2] = 0.5 - along, 0.5 + along
        return moved

    return Body(prism, motion)


def column_body(kit: Kit, bottom_mm: float, top_mm: float) -> Body:
    """Pose: x, y."""

    def prism(pose: Floats) -> Prism:
        return cylinder(float(pose[0]), float(pose[1]), bottom_mm, top_mm, kit.disc_radius_mm)

    def motion(pose: Floats, points: Floats) -> Floats:
        moved = np.zeros((len(points), 2, 3))
        moved[:, 0, 0] = moved[:, 1, 1] = 1.0
        return moved

    return Body(prism, motion)


def stick_tips(pose: Floats, length_mm: float) -> tuple[Floats, Floats]:
    """Tips a and b of a stick pose."""
    x, y, yaw, za, zb = pose
    flat = math.sqrt(max(length_mm**2 - (zb - za) ** 2, 1.0)) / 2
    u = np.array([math.cos(yaw), math.sin(yaw)]) * flat
    return np.array([x - u[0], y - u[1], za]), np.array([x + u[0], y + u[1], zb])


def stick_pose(a: Floats, b: Floats) -> Floats:
    """The pose of a stick from its tips."""
    middle = (a + b) / 2
    return np.array([middle[0], middle[1], math.atan2(b[1] - a[1], b[0] - a[0]), a[2], b[2]])


def lines_of(scene: Scene, prism: Prism) -> Lines:
    """The bounding contour points of a piece that nothing known hides."""
    lens = scene.evidence.lens
    whole: Contour = contour(prism, lens.eye)
    shown = whole.bounds | (_side_px(prism, lens) > CREASE_PX)
    points, tangents = whole.points[shown], whole.tangents[shown]
    pixels = lens.project(points)
    along = lens.project(points + NEXT_MM * tangents) - pixels
    normals = np.column_stack([along[:, 1], -along[:, 0]])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    middle = lens.project(prism.origin)
    normals *= np.sign(np.einsum("ij,ij->i", normals, pixels - middle) + 1e-9)[:, None]
    height, width = scene.depth.depth_mm.shape
    inside = ((pixels > 2) & (pixels < (width - 3, height - 3))).all(axis=1)
    # Just outside the outline, so that what merely carries the piece does not hide it.
    free = inside & ~scene.depth.hides(pixels + 0.7 * normals, lens.depth_mm(points))
    if scene.claimed is not None:
        spots = np.rint(np.clip(pixels, 0, (width - 1, height - 1))).astype(int)
        free = free & (scene.claimed[spots[:, 1], spots[:, 0]] == 0)
    return Lines(points[free], pixels[free], normals[free], float(free.mean()))


def _side_px(prism: Prism, lens: Lens) -> float:
    """How wide a prism's sides look: creases nearer to the outline than this say nothing of their own."""
    ends = lens.project(prism.origin + np.array([[-1.0], [1.0]]) * prism.half_mm * prism.axes[2])
    return float(np.hypot(*(ends[1] - ends[0])))


def support(scene: Scene, prism: Prism) -> Support:
    """How well a view bears out a piece at its place."""
    lines = lines_of(scene, prism)
    if not len(lines.points):
        return Support(0.0, 0.0, 0.0, 0)
    offsets, strength = scene.evidence.profiles(lines.pixels, lines.normals, SCORE_REACH_PX)
    peak = (strength * np.exp(-0.5 * np.square(offsets / SCORE_SIGMA_PX))).max(axis=1)
    seen = peak / (peak + scene.knee)
    return Support(float((seen - 0.5).sum()), lines.seen_share, float(seen.mean()), len(seen))


def fit(scenes: Sequence[Scene], body: Body, start: Floats, prior: tuple[Floats, Floats] | None = None) -> Fit:
    """The pose near `start` whose contours lie on edges; `prior` is a mean and a sigma per parameter (inf: none)."""
    pose = start.astype(float).copy()
    size = len(pose)
    normal_matrix, residual_sum, total = np.eye(size), 0.0, 0
    for reach_px in REACHES_PX:
        normal_matrix, right = np.zeros((size, size)), np.zeros(size)
        residual_sum, total = 0.0, 0
        prism = body.prism(pose)
        for scene in scenes:
            lines = lines_of(scene, prism)
            if len(lines.points) < 4:
                continue
            offset, weight = offsets_of(scene, lines, reach_px)
            jacobian = jacobian_of(scene, lines, body.motion(pose, lines.points))
            scale = max(1.4826 * float(np.median(np.abs(offset))), 0.3)
            robust = weight / np.maximum(1.0, np.abs(offset) / (1.5 * scale))
            normal_matrix += (jacobian * robust[:, None]).T @ jacobian
            right += (jacobian * robust[:, None]).T @ offset
            residual_sum += float((robust * offset**2).sum())
            total += len(offset)
        if prior is not None:
            weight_of = 1 / np.square(prior[1])
            normal_matrix += np.diag(weight_of)
            right += weight_of * (prior[0] - pose)
        step = np.linalg.lstsq(normal_matrix + 1e-6 * np.eye(size), right, rcond=None)[0]
        pose += np.clip(step, -6.0, 6.0)
    chi2 = residual_sum / max(total - size, 1)
    covariance: Floats = np.asarray(np.linalg.pinv(normal_matrix), np.float64) * max(chi2, 0.05)
    prism = body.prism(pose)
    return Fit(pose, covariance, chi2, tuple(support(scene, prism) for scene in scenes), prism)


def offsets_of(scene: Scene, lines: Lines, reach_px: float) -> tuple[Floats, Floats]:
    """Where along each normal the likeliest edge lies, to a fraction of a pixel, and how much it counts."""
    offsets, strength = scene.evidence.profiles(lines.pixels, lines.normals, reach_px)
    near = strength * np.exp(-0.5 * np.square(offsets / (0.6 * reach_px)))
    best = np.clip(near.argmax(axis=1), 1, len(offsets) - 2)
    rows = np.arange(len(best))
    left, top, right = (strength[rows, best + i].astype(float) for i in (-1, 0, 1))
    bend = left - 2 * top + right
    shift = np.where(bend < -1e-6, np.clip(0.5 * (left - right) / np.minimum(bend, -1e-6), -1, 1), 0.0)
    step = offsets[1] - offsets[0]
    weight = np.square(top / (top + scene.knee))
    return offsets[best] + shift * step, weight


def jacobian_of(scene: Scene, lines: Lines, motion: Floats) -> Floats:
    """How far each pixel moves along its normal per unit of each parameter."""
    nudge = 0.1
    moved = scene.evidence.lens.project(lines.points[:, None] + nudge * motion) - lines.pixels[:, None]
    jacobian: Floats = np.einsum("nkc,nc->nk", moved, lines.normals) / nudge
    return jacobian
