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
    step = np.concatenate([outline[1:], outline[:1]]) - outline
    # In the frame of each prism its sides stand upright, and whether they face the eye is a matter of two coordinates.
    eyes = np.einsum("mij,mj->mi", axes, eye - prisms.origins)
    x, y = outline.T
    front = step[:, 1] * (eyes[:, :1] - x) > step[:, 0] * (eyes[:, 1:2] - y)
    middles = prisms.origins[:, None] + (outline + step / 2) @ axes[:, :2]
    tangents = (step / np.hypot(*step.T)[:, None]) @ axes[:, :2]
    lifts = halves[:, None] * axes[:, 2]
    rows = []
    for side, face_seen in ((1.0, eyes[:, 2] > halves), (-1.0, eyes[:, 2] < -halves)):
        shown = front | face_seen[:, None]
        owners, which = np.nonzero(shown)
        points = middles[owners, which] + side * lifts[owners]
        rows.append((points, tangents[owners, which], (front != face_seen[:, None])[shown], owners))
    rows.append(_upright(prisms, front, lifts))
    joined = [np.concatenate(part) for part in zip(*rows, strict=True)]
    if len(prisms) > 1:
        order = np.argsort(joined[3], kind="stable")
        joined = [part[order] for part in joined]
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
