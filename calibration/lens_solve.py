"""The least squares behind a lens: its nine numbers and a pose per view, from corners with known places on a board.

Weak beliefs stand in for what the corners do not tell: k3 and its like stay near zero until the data move them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np

from calibration.camera import Floats

ROUNDS = 50
GAIN_TO_STOP = 1e-8
HUBER = 2.5  # sigmas
FOCAL_STARTS = (0.6, 1.0, 1.8)  # of the picture's width
FOCAL, MIDDLE, DIST, BULGE = slice(0, 2), slice(2, 4), slice(4, 9), slice(9, 12)

# One sigma of what is believed before any picture: aspect, middle as a share of the width, then k1 k2 p1 p2 k3.
ASPECT_SIGMA = 0.003
MIDDLE_SIGMA = 0.03
DIST_SIGMA = (0.5, 0.3, 0.003, 0.003, 0.1)
BULGE_SIGMA = 2.0  # mm, 100 mm from the board's middle


@dataclass(frozen=True, slots=True, eq=False)
class Corners:
    """What one view gives: corners on the board (n, 2), in mm from its middle, and in the picture (n, 2)."""

    board_mm: Floats
    pixels: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The lens and the board's bulge as 12 numbers with their covariance, a pose (6) and residuals (n, 2) per view."""

    shared: Floats
    covariance: Floats
    poses: tuple[Floats, ...]
    residuals: tuple[Floats, ...]
    sigma_px: float


def solve(views: Sequence[Corners], size: tuple[int, int], near: Solved | None = None) -> Solved:
    """The most likely lens and board; no board is quite flat, and half a millimetre moves the focal length."""
    problem = _Problem(tuple(views), size, sigma_px=near.sigma_px if near else 1.0)
    starts = [near.shared] if near else [guess(share, size) for share in FOCAL_STARTS]
    tried = [problem.descended(problem.start(shared), rounds=6) for shared in starts]
    best = min(tried, key=lambda at: at.cost)
    for _ in range(4):
        best = problem.descended(problem.at(best.shared, best.poses))
        spread = np.median(np.abs(np.concatenate([rest.ravel() for rest in best.rest])))
        problem = replace(problem, sigma_px=max(1e-3, 1.4826 * float(spread)))
    best = problem.descended(problem.at(best.shared, best.poses))
    return problem.solved(best)


def project(shared: Floats, pose: Floats, board_mm: Floats) -> tuple[Floats, Floats, Floats]:
    """Pixels (n, 2), and their derivatives by the 12 shared numbers (2n, 12) and by the pose (2n, 6)."""
    shape = quadric(board_mm)
    points = np.column_stack([board_mm, shape @ shared[BULGE]])
    pixels, slopes = cv2.projectPoints(points.reshape(-1, 1, 3), pose[:3], pose[3:], _matrix(shared), shared[DIST])
    by_z = slopes[:, 3:6] @ cv2.Rodrigues(pose[:3])[0][:, 2]
    by_shared = np.column_stack([slopes[:, 6:15], by_z[:, None] * np.repeat(shape, 2, axis=0)])
    return np.asarray(pixels, np.float64).reshape(-1, 2), by_shared, np.asarray(slopes[:, :6], np.float64)


def pose_of(shared: Floats, view: Corners) -> Floats:
    """The board's pose (6) that fits one view best, the lens given."""
    matrix, dist = _matrix(shared), shared[DIST]
    flat = np.column_stack([view.board_mm, np.zeros(len(view.board_mm))])
    points = np.column_stack([view.board_mm, quadric(view.board_mm) @ shared[BULGE]])
    _, turns, shifts, _ = cv2.solvePnPGeneric(flat, view.pixels, matrix, dist, flags=cv2.SOLVEPNP_IPPE)
    poses = []
    for turn, shift in zip(turns, shifts, strict=True):
        better = cv2.solvePnPRefineLM(points, view.pixels, matrix, dist, turn, shift)
        poses.append(np.concatenate([np.ravel(part) for part in better]))
    return min(poses, key=lambda pose: float(np.sum((project(shared, pose, view.board_mm)[0] - view.pixels) ** 2)))


def quadric(board_mm: Floats) -> Floats:
    """The three ways (n, 3) to bulge, 100 mm from the board's middle by 1 mm: across, down, twisted."""
    x, y = board_mm.T / 100.0
    return np.column_stack([x * x, y * y, x * y])


def guess(focal: float, size: tuple[int, int]) -> Floats:
    """A lens with its focal length as a share of the picture's width, and nothing else about it."""
    width, height = size
    return np.array([focal * width, focal * width, (width - 1) / 2, (height - 1) / 2, *np.zeros(8)])


def _matrix(shared: Floats) -> Floats:
    fx, fy, cx, cy = shared[:4]
    return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])


@dataclass(frozen=True, slots=True, eq=False)
class _At:
    """A place on the way down: the shared numbers, a pose, residuals and slopes per view, and the cost."""

    shared: Floats
    poses: tuple[Floats, ...]
    rest: tuple[Floats, ...]
    slopes: tuple[tuple[Floats, Floats], ...]
    cost: float


class _Reduced(NamedTuple):
    """The normal matrix of the shared numbers, each view's gradient, and what finds its pose again."""

    matrix: Floats
    gradients: list[Floats]
    poses: list[tuple[Floats, Floats, Floats]]


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """Levenberg's and Marquardt's way down, with Huber's weights."""

    views: tuple[Corners, ...]
    size: tuple[int, int]
    sigma_px: float

    def start(self, shared: Floats) -> _At:
        return self.at(shared, [pose_of(shared, view) for view in self.views])

    def at(self, shared: Floats, poses: Sequence[Floats]) -> _At:
        seen = [project(shared, pose, view.board_mm) for view, pose in zip(self.views, poses, strict=True)]
        rest = tuple(view.pixels - pixels for view, (pixels, _, _) in zip(self.views, seen, strict=True))
        off = self._believed(shared) @ self._off_belief(shared)
        cost = float(off @ off) + sum(float(np.sum(self._loss(one))) for one in rest)
        return _At(shared, tuple(poses), rest, tuple((by_shared, by_pose) for _, by_shared, by_pose in seen), cost)

    def descended(self, at: _At, rounds: int = ROUNDS) -> _At:
        damping = 1e-3
        for _ in range(rounds):
            step, damping = self._step(at, damping)
            gain, at = at.cost - step.cost, step
            if gain <= GAIN_TO_STOP * at.cost:
                break
        return at

    def solved(self, at: _At) -> Solved:
        """The result, with the covariance that the residuals speak for."""
        reduced = self._reduced(at, 0.0)
        believed = self._believed(at.shared)
        belief = believed.T @ believed
        data = reduced.matrix - belief
        count = sum(rest.size for rest in at.rest) - 6 * len(self.views) - 12
        spread = sum(float(np.sum(self._weights(rest) * rest**2)) for rest in at.rest) / max(1, count)
        # Corners of one view err together (a bent board, blur): do the views disagree by more than corners do?
        together = sum((np.outer(one, one) for one in reduced.gradients), np.zeros((12, 12)))
        expected, seen = (float(np.trace(np.linalg.solve(reduced.matrix, part))) for part in (data, together))
        excess = seen / expected / max(1.0 - 12 / (2.0 * len(self.views)), 0.5)
        covariance = np.asarray(np.linalg.inv(data / max(spread / self.sigma_px**2, excess) + belief), dtype=np.float64)
        return Solved(at.shared, covariance, at.poses, at.rest, math.sqrt(spread))

    def _weights(self, rest: Floats) -> Floats:
        weights: Floats = np.minimum(1.0, HUBER * self.sigma_px / np.maximum(np.abs(rest), 1e-12))
        return weights

    def _loss(self, rest: Floats) -> Floats:
        size = np.abs(rest) / self.sigma_px
        loss: Floats = np.where(size < HUBER, size**2, 2 * HUBER * size - HUBER**2)
        return loss

    def _believed(self, shared: Floats) -> Floats:
        """Rows (11, 12) that turn what is off the beliefs into sigmas."""
        rows = np.zeros((11, 12))
        rows[0, FOCAL] = np.array([1.0, -1.0]) / (ASPECT_SIGMA * shared[0])
        rows[1:3, MIDDLE] = np.eye(2) / (MIDDLE_SIGMA * self.size[0])
        rows[3:8, DIST] = np.diag(1.0 / np.array(DIST_SIGMA))
        rows[8:, BULGE] = np.eye(3) / BULGE_SIGMA
        return rows

    def _off_belief(self, shared: Floats) -> Floats:
        off = shared.copy()
        off[MIDDLE] -= (np.array(self.size) - 1) / 2
        return off

    def _reduced(self, at: _At, damping: float) -> _Reduced:
        believed = self._believed(at.shared)
        matrix = _damped(believed.T @ believed, damping)
        gradients, poses = [], []
        for rest, (by_shared, by_pose) in zip(at.rest, at.slopes, strict=True):
            weight = self._weights(rest).ravel()[:, None] / self.sigma_px**2
            pull = weight[:, 0] * rest.ravel()
            crossed = by_shared.T @ (weight * by_pose)
            posed = _damped(by_pose.T @ (weight * by_pose), damping)
            pose_pull = by_pose.T @ pull
            matrix += _damped(by_shared.T @ (weight * by_shared), damping) - crossed @ np.linalg.solve(posed, crossed.T)
            gradients.append(by_shared.T @ pull - crossed @ np.linalg.solve(posed, pose_pull))
            poses.append((posed, crossed, pose_pull))
        return _Reduced(matrix, gradients, poses)

    def _step(self, at: _At, damping: float) -> tuple[_At, float]:
        """The next place, and the damping to go on with; the same place if there is no way down."""
        believed = self._believed(at.shared)
        held = believed.T @ (believed @ self._off_belief(at.shared))
        for _ in range(12):
            reduced = self._reduced(at, damping)
            step = np.linalg.solve(reduced.matrix, sum(reduced.gradients, -held))
            shared = at.shared + step
            if (shared[FOCAL] > 0).all():
                moved = [
                    pose + np.linalg.solve(posed, pull - crossed.T @ step)
                    for pose, (posed, crossed, pull) in zip(at.poses, reduced.poses, strict=True)
                ]
                there = self.at(shared, moved)
                if there.cost <= at.cost:
                    return there, max(1e-9, damping / 5)
            damping *= 8
        return at, damping


def _damped(matrix: Floats, damping: float) -> Floats:
    damped: Floats = matrix + damping * np.diag(np.diag(matrix))
    return damped
