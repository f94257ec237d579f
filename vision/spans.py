"""What a stick seen from above may be in space: for every pair of heights under its ends the pose and how it fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.bridges import GROUND, HELD_MM, OVERHANG_MM, Bridge
from vision.evidence import Evidence
from vision.fit import Scene
from vision.floors import STICK_WEIGHT, Floors
from vision.odds import stick_odds
from vision.scan import SIDE_SAMPLES, stick_scores
from vision.tops import Plan
from vision.view import Floats, sampled

STEEPEST = 0.7
SLIDE_STEP_MM = 1.0
SLIDES = 3
LEVELS = 2
"""How many sticks on top of each other an end is tried on."""
SAMPLES = 14
TIP_WEIGHT = 4.5
RIM_MM, UNTOLD = 1.6, 0.35
EVEN_MM = 3.0
TIP_SHARES = (-0.2, 0.0, 0.2)
LEAST_TOLD = -3.2
"""Log-odds that a stick lies so, by levels, below which it is not tried."""
TOGETHER = 24
"""How many bridges are scored at once: each step is then over many poses, and its arrays still are small."""


@dataclass(frozen=True, eq=False)
class Span:
    """A stick between two supports (numbers of tops, or GROUND): scores and poses for each pair of heights."""

    ends: tuple[int, int]
    scores: Floats
    poses: Floats
    told: float
    """What both views laid on levels add to it, hidden or not, on whatever levels; it is in the scores."""

    def at(self, heights: Sequence[int] | Mapping[int, int]) -> tuple[int, int]:
        """Row and column of the pair of heights that the tops now have."""
        first, second = self.ends
        return 0 if first == GROUND else heights[first] - 1, 0 if second == GROUND else heights[second] - 1


def spans_of(
    plan: Plan,
    scenes: Sequence[Scene],
    floors: Floors | None,
    found: Sequence[Bridge],
    spots: Floats,
    may: NDArray[np.bool_],
    kit: Kit,
) -> list[Span]:
    """Bridges at every pair of heights that their lengths and `may` (k, h) allow, as all views (the overhead one first)
    bear them out."""
    spans = []
    for first in range(0, len(found), TOGETHER):
        tried = [_tried(plan, scenes[0].evidence, one, spots, may, kit) for one in found[first : first + TOGETHER]]
        poses = np.concatenate([one.poses for one in tried])
        told = np.zeros(len(poses)) if floors is None else floors.along(poses, kit)
        # Most ways to lie are out of the question by levels.
        likely = told > LEAST_TOLD * STICK_WEIGHT
        some, more = poses[likely], np.zeros(int(likely.sum()))
        for number, scene in enumerate(scenes):
            if number:
                more += stick_scores(scene, some, kit, SAMPLES)
            if scene.evidence.stick_odds is not None:
                more += stick_odds(scene.evidence.stick_odds, scene.evidence.lens, some, kit)
        total = np.full(len(poses), -np.inf)
        total[likely] = more
        parts = np.split(np.stack([total, told]), np.cumsum([len(one.poses) for one in tried])[:-1], axis=1)
        spans += [one.span(*part) for one, part in zip(tried, parts, strict=True)]
    return spans


@dataclass(frozen=True, eq=False)
class _Tried:
    """Poses (n, 5) of a bridge, each for a pair of heights (n, 2) of all that there are, and what the overhead view
    tells of their sides and tips (n,)."""

    ends: tuple[int, int]
    shape: tuple[int, ...]
    pairs: NDArray[np.intp]
    poses: Floats
    above: Floats

    def span(self, more: Floats, told: Floats) -> Span:
        """The best of them for each pair of heights, with what else speaks for each (n,), and what levels tell (n,).

        Those tell surely whether a stick lies along a line, and less surely how high: their best counts for all.
        """
        scores, best = np.full(self.shape, -np.inf), np.zeros((*self.shape, 5))
        lies = float(told.max()) if len(told) else 0.0
        totals = self.above + more + lies
        # The best comes last, and of values for one place the last one stays.
        order = np.argsort(totals)
        i, j = self.pairs[order].T
        scores[i, j], best[i, j] = totals[order], self.poses[order]
        return Span(self.ends, scores, best, lies)


def _tried(plan: Plan, overhead: Evidence, bridge: Bridge, spots: Floats, may: NDArray[np.bool_], kit: Kit) -> _Tried:
    """A bridge in all poses in which it may lie."""
    shape = tuple(1 if ring == GROUND else may.shape[1] for ring in bridge.ends)
    heights = [np.zeros(1, np.intp) if ring == GROUND else np.flatnonzero(may[ring]) for ring in bridge.ends]
    pairs = np.stack(np.meshgrid(*heights, indexing="ij"), axis=-1).reshape(-1, 2)
    rows, poses, tips = _slid(plan, overhead, bridge, spots, kit, pairs)
    # An end may lie on the ends of other sticks, where there is a column to bear them.
    lifts = [np.array([a, b]) for a in range(LEVELS) for b in range(LEVELS) if b == 0 or bridge.ends[1] != GROUND]
    tried = np.concatenate([poses + np.r_[0, 0, 0, lift * kit.road_thickness_mm] for lift in lifts])
    # From above a stick looks the same at any height, but for its tips.
    above = 2 * SIDE_SAMPLES * (bridge.sides - 0.5) + TIP_WEIGHT * (tips - 1.0)
    return _Tried(bridge.ends, shape, pairs[np.tile(rows, len(lifts))], tried, np.tile(above, len(lifts)))


def _slid(
    plan: Plan, overhead: Evidence, bridge: Bridge, spots: Floats, kit: Kit, pairs: np.ndarray
) -> tuple[np.ndarray, Floats, Floats]:
    """Poses (m, 5) along the bridge's line whose tips show best, for rows (m,) of pairs, and how well (m,) they do."""
    levels = [_level(bridge.ends[end], pairs[:, end], kit) for end in (0, 1)]
    start, goal = (plan.lifted(np.repeat(bridge.line[end][None], len(pairs), 0), levels[end]) for end in (0, 1))
    rise = levels[1] - levels[0]
    flat = np.sqrt(np.maximum(kit.road_length_mm**2 - rise**2, 1.0))
    ahead = goal[:, :2] - start[:, :2]
    gap = np.hypot(*ahead.T)
    ahead = ahead / gap[:, None]
    slides = np.arange(HELD_MM - kit.disc_radius_mm, kit.disc_radius_mm + OVERHANG_MM, SLIDE_STEP_MM)
    first = start[:, None, :2] - slides[:, None] * ahead[:, None]
    last = first + flat[:, None, None] * ahead[:, None]
    over = flat[:, None] - slides - gap[:, None]
    if bridge.ends[1] == GROUND:
        allowed = np.ones(over.shape, bool)
    else:
        allowed = (over > HELD_MM - kit.disc_radius_mm) & (over < kit.disc_radius_mm + OVERHANG_MM)
    allowed &= (np.abs(rise) < STEEPEST * kit.road_length_mm)[:, None]
    tips = np.zeros(over.shape)
    for ring, ends, z_mm in zip(bridge.ends, (first, last), levels, strict=True):
        seen = _tips(plan, overhead, ends, z_mm, ahead, kit)
        if ring != GROUND and overhead.tips is None:
            middle = plan.lifted(np.repeat(spots[ring][None], len(pairs), 0), z_mm - kit.road_thickness_mm / 2)
            away = np.hypot(*(ends - middle[:, None, :2]).transpose(2, 0, 1))
            # The rim of the disc runs there too, and stands out more than wood on wood.
            seen = np.where(np.abs(away - kit.disc_radius_mm) < RIM_MM, np.minimum(seen, UNTOLD), seen)
        tips += seen
    if bridge.ends[1] != GROUND:
        # Where tips lie on wood of their own colour the likeliest is what people do: as much over at either end.
        tips -= 0.5 * np.square(((flat - gap)[:, None] / 2 - slides) / EVEN_MM)
    tips = np.where(allowed, tips, -9.0)
    rows, poses, clear = [], [], []
    yaw = np.arctan2(ahead[:, 1], ahead[:, 0])
    for _ in range(SLIDES):
        k = tips.argmax(axis=1)
        good = np.flatnonzero(tips[np.arange(len(pairs)), k] > -9.0)
        middle = (first[good, k[good]] + last[good, k[good]]) / 2
        rows.append(good)
        clear.append(tips[good, k[good]])
        poses.append(np.column_stack([middle, yaw[good], levels[0][good], levels[1][good]]))
        tips[np.abs(np.arange(len(slides)) - k[:, None]) <= 2] = -9.0
    return np.concatenate(rows), np.concatenate(poses), np.concatenate(clear)


def _level(ring: int, heights: Floats, kit: Kit) -> Floats:
    """Mid-thickness heights of an end that lies right on what bears it."""
    if ring == GROUND:
        return np.full(len(heights), kit.road_thickness_mm / 2)
    return (heights + 1) * kit.disc_height_mm + kit.road_thickness_mm / 2


def _tips(plan: Plan, overhead: Evidence, tips: Floats, z_mm: Floats, ahead: Floats, kit: Kit) -> Floats:
    """How well the overhead view shows a stick's end at tips (m, s, 2), 0 to 1: by the net, or by edges."""
    aside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=-1) * kit.road_width_mm
    spots = tips[:, :, None] + np.array(TIP_SHARES)[:, None] * aside[:, None, None]
    points = np.concatenate([spots, np.broadcast_to(z_mm[:, None, None, None], (*spots.shape[:-1], 1))], axis=-1)
    if overhead.tips is not None:
        seen = sampled(overhead.tips, overhead.lens.project(points))
    else:
        seen = plan.seen(plan.flat(points), np.broadcast_to(ahead[:, None, None], spots.shape))
    share: Floats = seen.mean(axis=-1).astype(float)
    return share
