"""A stick that is found, measured once more: along itself by where its colour ends, else by its sides."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np

from referee.pieces import Kit
from vision.along import Place, place_along
from vision.bodies import Body, stick_body, stick_tips
from vision.contours import Prisms
from vision.fit import Fit, Scene, fit
from vision.solids import Prism
from vision.told_ends import Ends
from vision.view import Floats

TIMES, SETTLED_MM = 3, 0.3
"""Heights and the place along a stick lean on each other: so often both are measured, until they stay."""


def placed(
    scenes: Sequence[Scene],
    found: Fit,
    columns: Mapping[str, Prism],
    kit: Kit,
    prior: tuple[Floats, Floats],
    told: Sequence[Ends | None],
    even_mm: float = math.inf,
) -> tuple[Fit, float | None]:
    """The fit with its place along itself measured apart, and that one's sigma; as it was where no end is seen.

    `prior` holds the tips' heights (2,) and their sigmas, `told` what the net takes for ends in each view; `even_mm` is
    how far sticks between two columns lie as a rule from where both ends reach as far.
    """
    sigma_mm = None
    for _ in range(TIMES):
        usual = Place(to_even_mm(found.prism, columns), even_mm) if len(columns) == 2 and even_mm < math.inf else None
        place = place_along(scenes, found.prism, columns, usual, told)
        if place is None:
            break
        found, sigma_mm = held(scenes, found, place, kit, prior), place.sigma_mm
        if abs(place.shift_mm) < SETTLED_MM:
            break
    return found, sigma_mm


def to_even_mm(stick: Prism, columns: Mapping[str, Prism]) -> float:
    """How far a stick would have to slide for both ends to reach as far past the middles of its two columns."""
    between = np.mean([column.origin for column in columns.values()], axis=0) - stick.origin
    ahead = stick.axes[0][:2]
    return float(between[:2] @ ahead / (ahead @ ahead))


def held(scenes: Sequence[Scene], found: Fit, place: Place, kit: Kit, prior: tuple[Floats, Floats]) -> Fit:
    """The stick fitted again with its place along itself held; its covariance is that of the rest."""
    yaw = float(found.pose[2])
    u = np.array([math.cos(yaw), math.sin(yaw)])
    run = stick_tips(found.pose, kit.road_length_mm)
    flat = float(np.hypot(*(run[1] - run[0])[:2])) / float(np.linalg.norm(run[1] - run[0]))
    middle = found.pose[:2] + place.shift_mm * flat * u
    free = np.array([0.0, yaw, *found.pose[3:]])
    mean, sigma = np.array([0.0, 0.0, *prior[0]]), np.array([math.inf, math.inf, *prior[1]])
    again = fit(scenes, _held_body(middle, u, kit), free, (mean, sigma))
    whole = _whole(again.pose[None], middle, u)[0]
    spread = np.zeros((5, 4))
    spread[:2, 0] = -u[1], u[0]
    spread[2:, 1:] = np.eye(3)
    return dataclasses.replace(again, pose=whole, covariance=spread @ again.covariance @ spread.T)


def _whole(poses: Floats, middle: Floats, u: Floats) -> Floats:
    """Stick poses (m, 5) of held ones (m, 4)."""
    return np.column_stack([middle + poses[:, :1] * np.array([-u[1], u[0]]), poses[:, 1:]])


def _held_body(middle: Floats, u: Floats, kit: Kit) -> Body:
    """Pose: how far aside of its middle it lies, yaw, z of tip a, z of tip b."""
    stick = stick_body(kit)
    aside = np.array([-u[1], u[0]])

    def prisms(poses: Floats) -> Prisms:
        return stick.prisms(_whole(poses, middle, u))

    def motion(poses: Floats, points: Floats) -> Floats:
        every = stick.motion(_whole(poses, middle, u), points)
        sideways: Floats = np.einsum("k,nkc->nc", aside, every[:, :2])
        return np.concatenate([sideways[:, None], every[:, 2:]], axis=1)

    return Body(prisms, motion)
