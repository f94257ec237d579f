"""Sticks that are found, measured once more: along themselves by where their colour ends, else by their sides."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.along import Place, place_along
from vision.bodies import Body, stick_body, stick_tips
from vision.contours import Prisms
from vision.fit import Fit, Scene, fits
from vision.solids import Prism
from vision.told_ends import Ends
from vision.view import Floats

TIMES, SETTLED_MM = 3, 0.3
"""Heights and the place along a stick lean on each other: so often both are measured, until they stay."""


@dataclass(frozen=True, eq=False)
class Lying:
    """A stick as it was fitted, in scenes without it, with the new columns under it and what else is known of it."""

    scenes: Sequence[Scene]
    stick: Fit
    columns: Mapping[str, Prism]
    prior: tuple[Floats, Floats]
    """Its tips' heights (2,) and their sigmas."""
    told: Sequence[Ends | None]
    """What the net takes for ends in each view."""


def placed(sticks: Sequence[Lying], kit: Kit, even_mm: float = math.inf) -> list[tuple[Fit, Place | None]]:
    """Fits with their places along themselves measured apart, and those; as they were where no end is seen.

    Each is measured without regard to the others, whose views are the same; `even_mm` is how far sticks between two
    columns lie as a rule from where both ends reach as far.
    """
    found: list[tuple[Fit, Place | None]] = [(one.stick, None) for one in sticks]
    todo: Sequence[int] = range(len(sticks))
    for _ in range(TIMES):
        ways = [(i, _place(sticks[i], found[i][0], even_mm)) for i in todo]
        seen = [(i, place) for i, place in ways if place is not None]
        again = held([(sticks[i], found[i][0], place) for i, place in seen], kit)
        for (i, place), stick in zip(seen, again, strict=True):
            found[i] = stick, place
        todo = [i for i, place in seen if abs(place.shift_mm) >= SETTLED_MM]
    return found


def _place(one: Lying, stick: Fit, even_mm: float) -> Place | None:
    """How far along itself a stick lies from where it was fitted last."""
    is_usual = len(one.columns) == 2 and even_mm < math.inf
    usual = Place(to_even_mm(stick.prism, one.columns), even_mm, even_mm) if is_usual else None
    return place_along(one.scenes, stick.prism, one.columns, usual, one.told)


def to_even_mm(stick: Prism, columns: Mapping[str, Prism]) -> float:
    """How far a stick would have to slide for both ends to reach as far past the middles of its two columns."""
    between = np.mean([column.origin for column in columns.values()], axis=0) - stick.origin
    ahead = stick.axes[0][:2]
    return float(between[:2] @ ahead / (ahead @ ahead))


def held(sticks: Sequence[tuple[Lying, Fit, Place]], kit: Kit) -> list[Fit]:
    """Sticks fitted again with their places along themselves held; their covariances are those of the rest."""
    if not sticks:
        return []
    poses = np.array([stick.pose for _, stick, _ in sticks])
    ahead = np.array([(math.cos(yaw), math.sin(yaw)) for yaw in poses[:, 2].tolist()])
    runs = np.array([np.subtract(*stick_tips(pose, kit.road_length_mm)[::-1]) for pose in poses])
    flat = [float(np.hypot(*run[:2])) / float(np.linalg.norm(run)) for run in runs]
    slides = np.array([place.shift_mm * share for (_, _, place), share in zip(sticks, flat, strict=True)])
    middles = poses[:, :2] + slides[:, None] * ahead
    starts = np.column_stack([np.zeros(len(poses)), poses[:, 2:]])
    means = np.array([(0.0, 0.0, *one.prior[0]) for one, _, _ in sticks])
    sigmas = np.array([(math.inf, math.inf, *one.prior[1]) for one, _, _ in sticks])
    depths = list(zip(*([scene.depth for scene in one.scenes] for one, _, _ in sticks), strict=True))
    body = _held_body(middles, ahead, kit)
    again = fits(sticks[0][0].scenes, body, starts, (means, sigmas), depths=depths)
    whole = _whole(np.array([one.pose for one in again]), middles, ahead)
    return [
        dataclasses.replace(one, pose=pose, covariance=spread @ one.covariance @ spread.T)
        for one, pose, spread in zip(again, whole, map(_spread, ahead), strict=True)
    ]


def _spread(u: Floats) -> Floats:
    """How a stick's pose moves with that of a held one (5, 4)."""
    spread = np.zeros((5, 4))
    spread[:2, 0] = -u[1], u[0]
    spread[2:, 1:] = np.eye(3)
    return spread


def _whole(poses: Floats, middles: Floats, ahead: Floats) -> Floats:
    """Stick poses (m, 5) of held ones (m, 4)."""
    aside = np.column_stack([-ahead[:, 1], ahead[:, 0]])
    return np.column_stack([middles + poses[:, :1] * aside, poses[:, 1:]])


def _held_body(middles: Floats, ahead: Floats, kit: Kit) -> Body:
    """Pose: how far aside of its middle (m, 2) each stick lies, yaw, z of tip a, z of tip b; it pointed `ahead`."""
    stick = stick_body(kit)

    def prisms(poses: Floats) -> Prisms:
        return stick.prisms(_whole(poses, middles, ahead))

    def motion(poses: Floats, owners: NDArray[np.intp], points: Floats) -> Floats:
        every = stick.motion(_whole(poses, middles, ahead), owners, points)
        sideways = ahead[owners, 0, None] * every[:, 1] - ahead[owners, 1, None] * every[:, 0]
        return np.concatenate([sideways[:, None], every[:, 2:]], axis=1)

    return Body(prisms, motion)
