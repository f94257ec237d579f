"""Sticks that lead from the table up to a disc, sought about spots of paint: the cars that stand on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.pieces import Kit
from vision.bodies import column_body, stick_body, stick_tips
from vision.fit import Fit, Scene, fit
from vision.plain import plainness
from vision.scan import column_scores, stick_scores
from vision.solids import cylinder, stick
from vision.view import Floats
from vision.views import with_depth

PLAIN_WEIGHT = 60.0
"""What plainness counts against edges, of which a stick has some sixty points."""
YAW_STEP_DEG, ALONG_STEP, ASIDE_MM = 4.0, 0.05, (-2.0, 0.0, 2.0)
CAR_REACH = 0.42
"""How far from a stick's middle a car may stand, in lengths."""
LEAST_PLAIN, PLAIN_SPOT = 0.3, 0.4
"""Plainness from above of poses that are looked at, and of the best one about a spot that is."""
FIRST, WAYS = 300, 5
SAME_RAD, SAME_MM = 0.15, 8.0
LEVEL_SIGMA_MM = 1.5
CLEAR_EDGES, CLEAR_COLOUR = 0.58, 0.45
BUILT_ON, OWN_RAD = 0.5, 0.3
"""Plainness from above of a stick that leads on from a disc: 0.56 and more where there is one, mostly less else."""


@dataclass(frozen=True, eq=False)
class Entrance:
    """A stick and the disc it leads to, fitted to both views; `plain` is the stick's plainness in each."""

    stick: Fit
    column: Fit
    plain: tuple[float, ...]
    score: float

    @property
    def place(self) -> Floats:
        return self.column.pose

    def clear(self) -> bool:
        """Whether both pieces show their edges in every view, and the stick's colour is one of its own."""
        seen = min(one.seen for found in (self.stick, self.column) for one in found.support)
        return seen > CLEAR_EDGES and max(self.plain) > CLEAR_COLOUR and sum(self.plain) > CLEAR_COLOUR

    def is_over(self, other: Entrance, kit: Kit) -> bool:
        """Whether both cannot stand on the table, or are the same."""
        return math.dist(self.stick.pose[:2], other.stick.pose[:2]) < kit.road_length_mm / 4 or (
            math.dist(self.place, other.place) < kit.disc_diameter_mm
        )


def entrances_at(scenes: Sequence[Scene], spot: Floats, kit: Kit) -> list[Entrance]:
    """Ways in which an entrance may carry a car at a spot (2,), best first; the overhead view is the first scene."""
    yaws = np.arange(0, 2 * np.pi, math.radians(YAW_STEP_DEG))
    along = np.arange(-CAR_REACH, CAR_REACH + 1e-6, ALONG_STEP) * kit.road_length_mm
    coarse = _poses(spot, np.meshgrid(yaws, along, np.array(ASIDE_MM), indexing="ij"), kit)
    plain = _plain(scenes[0], coarse, kit, 10)
    if plain.max() < PLAIN_SPOT:
        return []
    coarse, plain = coarse[plain > LEAST_PLAIN], plain[plain > LEAST_PLAIN]
    score = stick_scores(scenes[0], coarse, kit, 12) + PLAIN_WEIGHT * plain
    order = np.argsort(-score)[:FIRST]
    coarse, score = coarse[order], score[order]
    for scene in scenes[1:]:
        score = score + stick_scores(scene, coarse, kit, 12) + PLAIN_WEIGHT * _plain(scene, coarse, kit, 10)
    ways = [_fitted(scenes, _finer(scenes, pose, kit), kit) for pose in _apart(coarse[np.argsort(-score)])]
    return sorted((way for way in ways if way is not None), key=lambda way: -way.score)


def is_built_on(overhead: Scene, one: Entrance, kit: Kit) -> bool:
    """Whether a stick may lead on from an entrance's disc, by colour alone: rather once too often."""
    yaws = np.arange(0, 2 * np.pi, math.radians(3.0))
    yaws = yaws[np.abs(np.remainder(yaws - one.stick.pose[2], 2 * np.pi) - np.pi) > OWN_RAD]
    along = kit.road_length_mm / 2 + np.array([-0.4, -0.2, 0.0, 0.2, 0.4]) * kit.disc_diameter_mm
    grid = np.meshgrid(yaws, along, np.array([-3.0, -1.5, 0.0, 1.5, 3.0]), np.arange(1, 6), indexing="ij")
    yaw, ahead, aside, height = (values.ravel() for values in grid)
    x = one.place[0] + ahead * np.cos(yaw) - aside * np.sin(yaw)
    y = one.place[1] + ahead * np.sin(yaw) + aside * np.cos(yaw)
    low = np.full(len(yaw), kit.lying_z_mm(1))
    poses = np.column_stack([x, y, yaw, low, low + (height - 1) * kit.disc_height_mm])
    return bool(_plain(overhead, poses, kit, 10).max() > BUILT_ON)


def _poses(spot: Floats, grid: Sequence[Floats], kit: Kit) -> Floats:
    """Sticks (m, 5) up to one disc that pass a spot: their yaws, and how far along and aside of them it lies."""
    yaw, a, s = (values.ravel() for values in grid)
    low = np.full(len(yaw), kit.road_thickness_mm / 2)
    x = spot[0] - a * np.cos(yaw) + s * np.sin(yaw)
    y = spot[1] - a * np.sin(yaw) - s * np.cos(yaw)
    return np.column_stack([x, y, yaw, low, low + kit.disc_height_mm])


def _plain(scene: Scene, poses: Floats, kit: Kit, samples: int = 20) -> Floats:
    return plainness(scene.evidence.view.light, scene.evidence.lens, poses, kit, samples)


def _apart(poses: Floats) -> list[Floats]:
    """The first poses of which none is another's neighbour."""
    kept: list[Floats] = []
    for pose in poses:
        near = (abs(math.remainder(pose[2] - one[2], 2 * math.pi)) < SAME_RAD for one in kept)
        if not any(turn and math.dist(pose[:2], one[:2]) < SAME_MM for turn, one in zip(near, kept, strict=False)):
            kept.append(pose)
        if len(kept) == WAYS:
            break
    return kept


def _finer(scenes: Sequence[Scene], pose: Floats, kit: Kit) -> Floats:
    """The best pose about a coarse one."""
    turns, along, aside = np.radians(np.arange(-3, 4)), np.arange(-5, 5.1, 1.25), np.arange(-1.5, 1.6, 0.5)
    grid = np.meshgrid(pose[2] + turns, along, aside, indexing="ij")
    near = _poses(pose[:2], grid, kit)
    score = sum(stick_scores(s, near, kit, 20) + PLAIN_WEIGHT * _plain(s, near, kit) for s in scenes)
    best: Floats = near[int(np.argmax(score))]
    return best


def _fitted(scenes: Sequence[Scene], pose: Floats, kit: Kit) -> Entrance | None:
    """A stick and its disc fitted in turn, each hidden by the other; none where the stick does not end on the disc."""
    top_mm, radius_mm = kit.column_top_mm(1), kit.disc_radius_mm
    tips = stick_tips(pose, kit.road_length_mm)
    place = _disc_under(with_depth(scenes, {"": stick(*tips, kit)}), tips[1], pose[2], kit)
    laid, sigma = pose, np.array([np.inf, np.inf, np.inf, LEVEL_SIGMA_MM, LEVEL_SIGMA_MM])
    for _ in range(2):
        disc = cylinder(float(place[0]), float(place[1]), 0.0, top_mm, radius_mm)
        road = fit(with_depth(scenes, {"": disc}), stick_body(kit), laid, (pose, sigma))
        column = fit(with_depth(scenes, {"": road.prism}), column_body(kit, 0.0, top_mm), place)
        laid, place = road.pose, column.pose
    over = place - stick_tips(laid, kit.road_length_mm)[1][:2]
    cos, sin = math.cos(laid[2]), math.sin(laid[2])
    along, aside = cos * over[0] + sin * over[1], cos * over[1] - sin * over[0]
    if not (-2 * radius_mm < along < radius_mm and abs(aside) < radius_mm):
        return None
    plain = tuple(float(_plain(scene, laid[None], kit)[0]) for scene in scenes)
    return Entrance(road, column, plain, road.score + column.score + PLAIN_WEIGHT * sum(plain))


def _disc_under(scenes: Sequence[Scene], tip: Floats, yaw_rad: float, kit: Kit) -> Floats:
    """Where the disc under a stick's upper tip is."""
    back, aside = np.arange(-0.2, 0.85, 0.08) * kit.disc_diameter_mm, np.arange(-5, 5.1, 1.25)
    ahead = np.array([math.cos(yaw_rad), math.sin(yaw_rad)])
    grid = np.stack(np.meshgrid(-back, aside), axis=-1).reshape(-1, 2)
    places = tip[:2] + grid @ np.array([ahead, (-ahead[1], ahead[0])])
    score = sum(column_scores(scene, places, 0.0, kit.column_top_mm(1), kit) for scene in scenes)
    best: Floats = places[int(np.argmax(score))]
    return best
