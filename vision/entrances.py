"""Sticks that lead from the table up to a disc, sought about spots of paint: the cars that stand on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.pieces import Kit
from vision.bodies import column_body, stick_body, stick_tips
from vision.depth import Patch, patch_of
from vision.fit import Fit, Scene, fits
from vision.plain import plainness
from vision.scan import column_scores, stick_scores
from vision.solids import Prism, cylinder, stick
from vision.view import Floats

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


def entrances_at(scenes: Sequence[Scene], spots: Floats, kit: Kit) -> list[list[Entrance]]:
    """Ways in which an entrance may carry a car at spots (k, 2), best first; the overhead view is the first scene."""
    poses = [[_finer(scenes, pose, kit) for pose in _likely(scenes, spot, kit)] for spot in spots]
    fitted = iter(_fitted(scenes, np.array([pose for some in poses for pose in some]).reshape(-1, 5), kit))
    ways = [[next(fitted) for _ in some] for some in poses]
    return [sorted((way for way in some if way is not None), key=lambda way: -way.score) for some in ways]


def _likely(scenes: Sequence[Scene], spot: Floats, kit: Kit) -> list[Floats]:
    """Poses of sticks to look at about a spot, best first."""
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
    return _apart(coarse[np.argsort(-score)])


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


def _fitted(scenes: Sequence[Scene], poses: Floats, kit: Kit) -> list[Entrance | None]:
    """Sticks and their discs fitted in turn, each hidden by the other; none where a stick does not end on its disc."""
    if not len(poses):
        return []
    top_mm, radius_mm, lenses = kit.column_top_mm(1), kit.disc_radius_mm, [scene.evidence.lens for scene in scenes]

    def painted(prisms: Sequence[Prism]) -> list[list[Patch | None]]:
        return [[patch_of(prism, lens) for prism in prisms] for lens in lenses]

    tips = [stick_tips(pose, kit.road_length_mm) for pose in poses]
    over = zip(*painted([stick(*ends, kit) for ends in tips]), strict=True)
    laid, sigma = poses, np.array([np.inf, np.inf, np.inf, LEVEL_SIGMA_MM, LEVEL_SIGMA_MM])
    places = np.array(
        [_disc_under(scenes, a[1], float(p[2]), kit, hiding) for a, p, hiding in zip(tips, poses, over, strict=True)]
    )
    prior = poses, np.broadcast_to(sigma, poses.shape)
    for _ in range(2):
        discs = [cylinder(float(x), float(y), 0.0, top_mm, radius_mm) for x, y in places]
        roads = fits(scenes, stick_body(kit), laid, prior, painted(discs))
        columns = fits(scenes, column_body(kit, 0.0, top_mm), places, over=painted([road.prism for road in roads]))
        laid, places = np.array([road.pose for road in roads]), np.array([column.pose for column in columns])
    return [_entrance(scenes, *both, kit) for both in zip(roads, columns, strict=True)]


def _entrance(scenes: Sequence[Scene], road: Fit, column: Fit, kit: Kit) -> Entrance | None:
    """A stick with its disc; none where it does not end on that."""
    over = column.pose - stick_tips(road.pose, kit.road_length_mm)[1][:2]
    cos, sin = math.cos(road.pose[2]), math.sin(road.pose[2])
    along, aside = cos * over[0] + sin * over[1], cos * over[1] - sin * over[0]
    if not (-2 * kit.disc_radius_mm < along < kit.disc_radius_mm and abs(aside) < kit.disc_radius_mm):
        return None
    plain = tuple(float(_plain(scene, road.pose[None], kit)[0]) for scene in scenes)
    return Entrance(road, column, plain, road.score + column.score + PLAIN_WEIGHT * sum(plain))


def _disc_under(
    scenes: Sequence[Scene], tip: Floats, yaw_rad: float, kit: Kit, hiding: Sequence[Patch | None]
) -> Floats:
    """Where the disc under a stick's upper tip is; the stick hides some of it in each view."""
    back, aside = np.arange(-0.2, 0.85, 0.08) * kit.disc_diameter_mm, np.arange(-5, 5.1, 1.25)
    ahead = np.array([math.cos(yaw_rad), math.sin(yaw_rad)])
    grid = np.stack(np.meshgrid(-back, aside), axis=-1).reshape(-1, 2)
    places = tip[:2] + grid @ np.array([ahead, (-ahead[1], ahead[0])])
    top_mm = kit.column_top_mm(1)
    views = zip(scenes, hiding, strict=True)
    score = sum(column_scores(scene, places, 0.0, top_mm, kit, over) for scene, over in views)
    best: Floats = places[int(np.argmax(score))]
    return best
