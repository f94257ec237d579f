"""Kinds of pieces as a fit moves them: prisms at poses, and how their points move with each parameter."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.contours import Prisms
from vision.solids import Prism, disc_outline, stick_outline
from vision.view import Floats


@dataclass(frozen=True, slots=True)
class Body:
    """A kind of piece: prisms at poses (m, p), and how points (n, 3) of those that own them (n,) move with each
    parameter of their poses."""

    prisms: Callable[[Floats], Prisms]
    motion: Callable[[Floats, NDArray[np.intp], Floats], Floats]

    def prism(self, pose: Floats) -> Prism:
        return self.prisms(pose[None])[0]


def stick_body(kit: Kit) -> Body:
    """Pose: x, y of the middle, yaw, z of tip a, z of tip b."""

    def prisms(poses: Floats) -> Prisms:
        yaw, rise = poses[:, 2], (poses[:, 4] - poses[:, 3]) / kit.road_length_mm
        flat = np.sqrt(np.maximum(1 - rise**2, kit.road_length_mm**-2))
        cos, sin, level = np.cos(yaw), np.sin(yaw), np.zeros(len(poses))
        axes = np.array([(cos * flat, sin * flat, rise), (-sin, cos, level), (-cos * rise, -sin * rise, flat)])
        origins = np.column_stack([poses[:, :2], (poses[:, 3] + poses[:, 4]) / 2])
        outline = stick_outline(round(kit.road_length_mm, 2), kit.road_width_mm)
        return Prisms(outline, origins, axes.transpose(2, 0, 1), np.full(len(poses), kit.road_thickness_mm / 2))

    def motion(poses: Floats, owners: NDArray[np.intp], points: Floats) -> Floats:
        arm, yaw = points[:, :2] - poses[owners, :2], poses[:, 2]
        along = (arm[:, 0] * np.cos(yaw)[owners] + arm[:, 1] * np.sin(yaw)[owners]) / kit.road_length_mm
        moved = np.zeros((len(points), 5, 3))
        moved[:, 0, 0] = moved[:, 1, 1] = 1.0
        moved[:, 2, 0], moved[:, 2, 1] = -arm[:, 1], arm[:, 0]
        moved[:, 3, 2], moved[:, 4, 2] = 0.5 - along, 0.5 + along
        return moved

    return Body(prisms, motion)


def column_body(kit: Kit, bottom_mm: float | Floats, top_mm: float | Floats) -> Body:
    """Pose: x, y. With an array of tops (m,) each pose has its own."""

    def prisms(poses: Floats) -> Prisms:
        tops = np.broadcast_to(top_mm, len(poses))
        origins = np.column_stack([poses, (bottom_mm + tops) / 2])
        axes = np.broadcast_to(np.eye(3), (len(poses), 3, 3))
        return Prisms(disc_outline(kit.disc_radius_mm), origins, axes, (tops - bottom_mm) / 2)

    def motion(poses: Floats, owners: NDArray[np.intp], points: Floats) -> Floats:
        moved = np.zeros((len(points), 2, 3))
        moved[:, 0, 0] = moved[:, 1, 1] = 1.0
        return moved

    return Body(prisms, motion)


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
