"""What a bundle adjustment is made of: unknowns in one vector, residuals in standard deviations, a sparse Jacobian."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from scipy.sparse import coo_matrix, csr_matrix

from calibration.camera import Floats
from calibration.lens import Lens

PAPER_MM = 0.1
"""How high above the table the print on a strip lies."""
PAPER_SIGMA_MM = 0.03
"""Paper is 0.09 to 0.15 mm thick and never quite flat."""
INSET_SIGMA_PX, OWN_INSET_SIGMA_PX = 0.3, 0.03
"""How much smaller tags may look all round: a camera's tone curve, blur and ink move every edge alike, or nearly so."""
GAUGE_MM = 1e-4
CAMERA = 15
"""Numbers of a camera: turn (3, left of R), t (3), then the lens in the order of PARAMETERS."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Points in one camera's picture: which they are, where, how well, and how a pixel of inset moves them."""

    points: np.ndarray
    pixels: Floats
    sigma_px: Floats
    inward: Floats
    insets: Floats
    """(n, k) of zeros and ones: which insets count for a point, the camera's first, then its tag's own."""

    def inset_sigma_px(self) -> Floats:
        return np.array([INSET_SIGMA_PX, *[OWN_INSET_SIGMA_PX] * (self.insets.shape[1] - 1)])


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """What is to be solved; points are those of the strips first, then those of the boards."""

    lenses: Sequence[Lens]
    seen: Sequence[Seen]
    strip_points: Floats
    """(n, 2) mm on their strips."""
    strip_of_point: np.ndarray
    board_points: Floats
    """(m, 3) mm on the board."""
    board_of_point: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """One answer: camera poses and lenses, insets, strips (x, y, yaw), boards (R, t)."""

    cameras: Sequence[tuple[Floats, Floats]]
    lenses: Sequence[Floats]
    insets_px: Sequence[Floats]
    strips: Floats
    boards: Sequence[tuple[Floats, Floats]]


class Layout:
    """Where in the vector of unknowns things stand. Lenses are counted in their own standard deviations."""

    def __init__(self, bundle: Bundle, strips: int, boards: int) -> None:
        self.roots = [_root(np.array(lens.covariance)) for lens in bundle.lenses]
        self.cameras: list[int] = []
        at = 0
        for root in self.roots:
            self.cameras.append(at)
            at += 6 + root.shape[1]
        self.insets: list[slice] = []
        for seen in bundle.seen:
            self.insets.append(slice(at, at + seen.insets.shape[1]))
            at = self.insets[-1].stop
        self.strips = at
        self.boards = self.strips + 3 * strips
        self.size = self.boards + 6 * boards


def _root(covariance: Floats) -> Floats:
    """(9, r) so that root @ root.T is the covariance; numbers that are held fixed take no part."""
    scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    used = scale > 0
    unit = np.where(used, scale, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(unit, unit))
    keep = values > 1e-12
    root: Floats = unit[:, None] * vectors[:, keep] * np.sqrt(values[keep])
    return root


class Problem:
    """Residuals and their derivatives about a state, over small changes of it."""

    def __init__(self, bundle: Bundle, layout: Layout, state: State) -> None:
        self.bundle, self.layout, self.state = bundle, layout, state
        self.measurements = 2 * sum(len(seen.points) for seen in bundle.seen)
        self.plan = self._plan(np.zeros(layout.size))[0]
        self.lenses_moved = [
            np.linalg.pinv(root) @ (now - lens.parameters())
            for root, now, lens in zip(layout.roots, state.lenses, bundle.lenses, strict=True)
        ]

    def at(self, x: Floats) -> State:
        """The state that the changes lead to."""
        state, layout = self.state, self.layout
        cameras, lenses = [], []
        for number, (at, root) in enumerate(zip(layout.cameras, layout.roots, strict=True)):
            R, t = state.cameras[number]
            cameras.append((cv2.Rodrigues(x[at : at + 3])[0] @ R, t + x[at + 3 : at + 6]))
            lenses.append(state.lenses[number] + root @ x[at + 6 : at + 6 + root.shape[1]])
        boards = []
        for number, (R, t) in enumerate(state.boards):
            at = layout.boards + 6 * number
            boards.append((cv2.Rodrigues(x[at : at + 3])[0] @ R, t + x[at + 3 : at + 6]))
        insets = [inset + x[at] for inset, at in zip(state.insets_px, layout.insets, strict=True)]
        return State(cameras, lenses, insets, state.strips + x[layout.strips : layout.boards].reshape(-1, 3), boards)

    def _plan(self, x: Floats) -> tuple[Floats, Floats]:
        """Strip points on the table (n, 2), and what the yaw of their strips does to them."""
        strips = self.state.strips + x[self.layout.strips : self.layout.boards].reshape(-1, 3)
        mine = strips[self.bundle.strip_of_point]
        cos, sin = np.cos(mine[:, 2]), np.sin(mine[:, 2])
        u, v = self.bundle.strip_points.T
        turned = np.column_stack([cos * u - sin * v, sin * u + cos * v])
        return turned + mine[:, :2], np.column_stack([-turned[:, 1], turned[:, 0]])

    def _points(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """All points (n + m, 3) in the table frame, with the yaw and board-turn derivatives."""
        plan, by_yaw = self._plan(x)
        on_board = self.bundle.board_of_point
        points = np.zeros((len(plan) + len(on_board), 3))
        points[: len(plan), :2], points[: len(plan), 2] = plan, PAPER_MM
        by_turn = np.zeros((len(on_board), 3, 3))
        for number, (R, t) in enumerate(self.state.boards):
            at = self.layout.boards + 6 * number
            turned, slopes = cv2.Rodrigues(x[at : at + 3])
            here = np.flatnonzero(on_board == number)
            local = self.bundle.board_points[here] @ R.T
            points[len(plan) + here] = local @ turned.T + t + x[at + 3 : at + 6]
            by_turn[here] = np.einsum("kij,nj->nik", slopes.reshape(3, 3, 3), local)
        return points, by_yaw, by_turn

    def _project(self, number: int, x: Floats, points: Floats) -> tuple[Floats, Floats]:
        """Pixels, and their derivatives (2 n, 15) by turn, t, focal lengths, middle and distortion."""
        at, root = self.layout.cameras[number], self.layout.roots[number]
        R, t = self.state.cameras[number]
        lens = self.state.lenses[number] + root @ x[at + 6 : at + 6 + root.shape[1]]
        matrix = np.array([[lens[0], 0.0, lens[2]], [0.0, lens[1], lens[3]], [0.0, 0.0, 1.0]])
        turned = np.ascontiguousarray(points @ R.T)
        pixels, slopes = cv2.projectPoints(turned, x[at : at + 3], t + x[at + 3 : at + 6], matrix, lens[4:])
        return np.asarray(pixels, dtype=np.float64).reshape(-1, 2), np.asarray(slopes, dtype=np.float64)[:, :CAMERA]

    def off_px(self, number: int, x: Floats) -> Floats:
        """Predicted less seen pixels of a camera."""
        seen = self.bundle.seen[number]
        pixels, _ = self._project(number, x, self._points(x)[0][seen.points])
        inset = seen.insets @ (self.state.insets_px[number] + x[self.layout.insets[number]])
        off: Floats = pixels + inset[:, None] * seen.inward - seen.pixels
        return off

    def residuals(self, x: Floats) -> Floats:
        """In standard deviations: pixels, lenses, insets, and the table frame."""
        parts = []
        for number, seen in enumerate(self.bundle.seen):
            parts.append((self.off_px(number, x) / seen.sigma_px[:, None]).ravel())
        for at, moved in zip(self.layout.cameras, self.lenses_moved, strict=True):
            parts.append(moved + x[at + 6 : at + 6 + len(moved)])
        for seen, inset, span in zip(self.bundle.seen, self.state.insets_px, self.layout.insets, strict=True):
            parts.append((inset + x[span]) / seen.inset_sigma_px())
        parts.append(self._gauge_rows(x))
        return np.concatenate(parts)

    def _gauge_rows(self, x: Floats) -> Floats:
        """The strips neither wander nor turn as a whole; without strips the first board stays where it is."""
        if len(self.plan):
            moved = self._plan(x)[0] - self.plan
            about = self.plan - self.plan.mean(axis=0)
            turned = (about[:, 0] * moved[:, 1] - about[:, 1] * moved[:, 0]).mean() / np.sqrt(
                (about**2).sum(axis=1).mean()
            )
            return np.array([*moved.mean(axis=0), turned]) / GAUGE_MM
        return x[self.layout.boards : self.layout.boards + 6] / GAUGE_MM

    def jacobian(self, x: Floats) -> csr_matrix:
        """Of the residuals, sparse."""
        points, by_yaw, by_turn = self._points(x)
        blocks = _Blocks()
        row = 0
        strips = len(self.plan)
        for number, seen in enumerate(self.bundle.seen):
            _, slopes = self._project(number, x, points[seen.points])
            weight = np.repeat(1 / seen.sigma_px, 2)[:, None]
            at, root = self.layout.cameras[number], self.layout.roots[number]
            blocks.add(row, at, weight * slopes[:, :6])
            blocks.add(row, at + 6, weight * (slopes[:, 6:] @ root))
            by_inset = seen.inward.reshape(-1, 1) * np.repeat(seen.insets, 2, axis=0)
            blocks.add(row, self.layout.insets[number].start, weight * by_inset)
            by_point = (weight * slopes[:, 3:6] @ self._rotation(number, x)).reshape(-1, 2, 3)
            on_strip = np.flatnonzero(seen.points < strips)
            mine = seen.points[on_strip]
            by_strip = np.concatenate(
                [by_point[on_strip][:, :, :2], (by_point[on_strip][:, :, :2] @ by_yaw[mine][:, :, None])], axis=2
            )
            blocks.scatter(row + 2 * on_strip, self.layout.strips + 3 * self.bundle.strip_of_point[mine], by_strip)
            on_board = np.flatnonzero(seen.points >= strips)
            mine = seen.points[on_board] - strips
            by_board = np.concatenate([by_point[on_board] @ by_turn[mine], by_point[on_board]], axis=2)
            blocks.scatter(row + 2 * on_board, self.layout.boards + 6 * self.bundle.board_of_point[mine], by_board)
            row += len(slopes)
        for at, root in zip(self.layout.cameras, self.layout.roots, strict=True):
            blocks.add(row, at + 6, np.eye(root.shape[1]))
            row += root.shape[1]
        for seen, inset in zip(self.bundle.seen, self.layout.insets, strict=True):
            blocks.add(row, inset.start, np.diag(1 / seen.inset_sigma_px()))
            row += seen.insets.shape[1]
        if strips:
            about = self.plan - self.plan.mean(axis=0)
            across = np.column_stack([-about[:, 1], about[:, 0]]) / np.sqrt((about**2).sum(axis=1).mean())
            rows = np.stack([np.tile([1.0, 0.0], (strips, 1)), np.tile([0.0, 1.0], (strips, 1)), across], axis=1)
            by_strip = np.concatenate([rows, rows @ by_yaw[:, :, None]], axis=2) / strips / GAUGE_MM
            for strip in range(len(self.state.strips)):
                mine = self.bundle.strip_of_point == strip
                blocks.add(row, self.layout.strips + 3 * strip, by_strip[mine].sum(axis=0))
            row += 3
        else:
            blocks.add(row, self.layout.boards, np.eye(6) / GAUGE_MM)
            row += 6
        return blocks.matrix(row, self.layout.size)

    def _rotation(self, number: int, x: Floats) -> Floats:
        at = self.layout.cameras[number]
        rotation: Floats = cv2.Rodrigues(x[at : at + 3])[0] @ self.state.cameras[number][0]
        return rotation


class _Blocks:
    """A sparse matrix in the making."""

    def __init__(self) -> None:
        self.parts: list[tuple[np.ndarray, np.ndarray, Floats]] = []

    def add(self, row: int, column: int, block: Floats) -> None:
        """One block with its top left there."""
        rows, columns = np.indices(block.shape)
        self.parts.append(((rows + row).ravel(), (columns + column).ravel(), block.ravel()))

    def scatter(self, rows: np.ndarray, columns: np.ndarray, blocks: Floats) -> None:
        """Many blocks (k, r, c), each with its own top left."""
        _, r, c = np.indices(blocks.shape)
        self.parts.append(((r + rows[:, None, None]).ravel(), (c + columns[:, None, None]).ravel(), blocks.ravel()))

    def matrix(self, rows: int, columns: int) -> csr_matrix:
        at_rows, at_columns, values = (np.concatenate(part) for part in zip(*self.parts, strict=True))
        return coo_matrix((values, (at_rows, at_columns)), shape=(rows, columns)).tocsr()
