"""Many prisms of one outline at once, and the lines of them that a camera sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.solids import STEP_MM, Prism
from vision.view import Floats


@dataclass(frozen=True, eq=False)
class Prisms:
    """Prisms of one outline (k, 2): their origins (m, 3), axes (m, 3, 3) and half heights (m,)."""

    outline: Floats
    origins: Floats
    axes: Floats
    halves_mm: Floats

    def __len__(self) -> int:
        return len(self.origins)

    def __getitem__(self, i: int) -> Prism:
        return Prism(self.outline, self.origins[i], self.axes[i], float(self.halves_mm[i]))


@dataclass(frozen=True, eq=False)
class Contours:
    """Points (n, 3) on what a camera sees as lines of prisms, prism after prism, and which prism's each is (n,)."""

    points: Floats
    tangents: Floats
    bounds: NDArray[np.bool_]
    """Whether a point lies on the prism's outline, not on a crease within it."""
    owners: NDArray[np.intp]


def prisms_of(some: Sequence[Prism]) -> Prisms:
    """Prisms of the same outline taken together."""
    origins, axes = np.array([one.origin for one in some]), np.array([one.axes for one in some])
    return Prisms(some[0].outline, origins, axes, np.array([one.half_mm for one in some]))


def contour(prism: Prism, eye: Floats) -> Contours:
    """The lines of one prism that a camera at `eye` sees."""
    return contours(prisms_of([prism]), eye)


def contours(prisms: Prisms, eye: Floats) -> Contours:
    """The lines that a camera at `eye` sees: outlines, and creases between two seen faces."""
    outline, axes, halves = prisms.outline, prisms.axes, prisms.halves_mm
    step, size = np.concatenate([outline[1:], outline[:1]]) - outline, len(outline)
    # In the frame of each prism its sides stand upright, and whether they face the eye is a matter of two coordinates.
    eyes = np.einsum("mij,mj->mi", axes, eye - prisms.origins)
    x, y = outline.T
    front = step[:, 1] * (eyes[:, :1] - x) > step[:, 0] * (eyes[:, 1:2] - y)
    flat = np.concatenate([outline + step / 2, step / np.hypot(*step.T)[:, None]]) @ axes[:, :2]
    middles, tangents = flat[:, :size] + prisms.origins[:, None], flat[:, size:]
    lifts = halves[:, None] * axes[:, 2]
    # Of each prism the edges of the upper face, then those of the lower one.
    faces_seen = np.stack([eyes[:, 2] > halves, eyes[:, 2] < -halves], axis=1)[..., None]
    shown = np.flatnonzero(front[:, None] | faces_seen)
    faces, which = np.divmod(shown, size)
    owners = faces // 2
    edges = owners * size + which
    points = middles.reshape(-1, 3).take(edges, axis=0)
    points += np.stack([lifts, -lifts], axis=1).reshape(-1, 3).take(faces, axis=0)
    bounds = (front[:, None] != faces_seen).take(shown)
    about = points, tangents.reshape(-1, 3).take(edges, axis=0), bounds, owners
    joined = [np.concatenate(pair) for pair in zip(about, _upright(prisms, front, lifts), strict=True)]
    if len(prisms) > 1:
        order = np.argsort(joined[3], kind="stable")
        joined = [part.take(order, axis=0) for part in joined]
    return Contours(*joined)


def _upright(
    prisms: Prisms, front: NDArray[np.bool_], lifts: Floats
) -> tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.intp]]:
    """Points, tangents, bounds and owners of the edges between sides that face the eye and sides that do not."""
    who, corner = np.nonzero(front != np.concatenate([front[:, -1:], front[:, :-1]], axis=1))
    count = np.maximum((2 * prisms.halves_mm / (STEP_MM / 2)).astype(int), 1)[who]
    edge = np.repeat(np.arange(len(who)), count)
    at = np.arange(len(edge)) - np.repeat(np.cumsum(count) - count, count)
    owners = who[edge]
    foot = prisms.origins[who] + np.einsum("ei,eij->ej", prisms.outline[corner], prisms.axes[who, :2])
    share = (at + 0.5) / count[edge] * 2 - 1
    points = foot[edge] + share[:, None] * lifts[owners]
    return points, prisms.axes[owners, 2], np.ones(len(points), bool), owners
