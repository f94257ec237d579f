"""Heights of all columns at once: each stick says which pairs of heights fit it, and all must agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.pieces import Kit
from vision.columns import Anchors
from vision.fit import Scene
from vision.scan import stick_scores
from vision.seek import Seed
from vision.view import Floats

REACH_MM = 4.0
GROUND = -1
LEAST_STICK = 20.0
SWEEPS = 6


@dataclass(frozen=True, eq=False)
class Span:
    """A stick between two supports (numbers of rings, or GROUND): scores and poses for each pair of heights."""

    ends: tuple[int, int]
    scores: Floats
    poses: Floats

    def at(self, heights: Sequence[int]) -> tuple[int, int]:
        """Row and column of the pair of heights that the rings now have."""
        one, other = (0 if ring == GROUND else heights[ring] - 1 for ring in self.ends)
        return one, other


def spans_of(scenes: Sequence[Scene], seeds: Sequence[Seed], tops: Anchors, kit: Kit) -> list[Span]:
    """Every way in which one stick, given at several slides, may lie between rings or on the table."""
    tables: dict[tuple[int, int], tuple[Floats, Floats]] = {}
    rows: list[tuple[tuple[int, int], tuple[int, int], Floats]] = []
    for seed in seeds:
        ends = [_ends(scenes[0], seed, side, tops, kit) for side in (-1.0, 1.0)]
        for ring_a, n_a, a in ends[0]:
            for ring_b, n_b, b in ends[1]:
                if ring_a == ring_b or abs(a[2] - b[2]) > 0.7 * kit.road_length_mm:
                    continue
                yaw = math.atan2(b[1] - a[1], b[0] - a[0])
                pose = np.array([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, yaw, a[2], b[2]])
                rows.append(((ring_a, ring_b), (n_a, n_b), pose))
    if not rows:
        return []
    poses = np.array([pose for _, _, pose in rows])
    totals = np.sum([stick_scores(scene, poses, kit) for scene in scenes], axis=0)
    highest = tops.scores.shape[1]
    for (rings, (i, j), pose), total in zip(rows, totals, strict=True):
        if rings not in tables:
            shape = tuple(1 if ring == GROUND else highest for ring in rings)
            tables[rings] = np.full(shape, -np.inf), np.zeros((*shape, 5))
        scores, best = tables[rings]
        if total > scores[i, j]:
            scores[i, j], best[i, j] = total, pose
    return [Span(rings, scores, best) for rings, (scores, best) in tables.items()]


def _ends(overhead: Scene, seed: Seed, side: float, tops: Anchors, kit: Kit) -> list[tuple[int, int, Floats]]:
    """Rings (or the table), heights less one, and tip places (3,) for one end of a seed."""
    lens = overhead.evidence.lens
    u = np.array([math.cos(seed.yaw_rad), math.sin(seed.yaw_rad), 0.0])
    tip = np.array([seed.x, seed.y, seed.z_mm]) + side * u * kit.road_length_mm / 2
    heights = np.arange(1, tops.scores.shape[1] + 1)
    levels = np.array([kit.road_thickness_mm / 2, *(kit.lying_z_mm(int(n)) for n in heights)])
    points = lens.on_plane(np.repeat(lens.project(tip[None]), len(levels), 0), levels)
    found = [(GROUND, 0, points[0])]
    for n in heights:
        away = np.hypot(*(tops.places[:, n - 1] - points[n, :2]).T)
        found += [(int(ring), int(n) - 1, points[n]) for ring in np.flatnonzero(away < kit.disc_radius_mm + REACH_MM)]
    return found


def settled_heights(sticks: Sequence[Sequence[Span]], tops: Anchors) -> list[int]:
    """The heights of all rings on which sticks and columns agree best, from two starts."""
    own = tops.scores
    starts = [own.argmax(axis=1) + 1, _votes(sticks, own).argmax(axis=1) + 1]
    best: tuple[float, list[int]] = (-math.inf, [])
    for start in starts:
        heights = [int(n) for n in start]
        for _ in range(SWEEPS):
            before = list(heights)
            for ring in range(len(heights)):
                touching = [spans for spans in sticks if any(ring in span.ends for span in spans)]
                heights[ring] = _best_height(ring, heights, touching, own)
            if heights == before:
                break
        total = sum(stick_value(spans, heights) for spans in sticks) + sum(own[r, n - 1] for r, n in enumerate(heights))
        best = max(best, (float(total), heights), key=lambda one: one[0])
    return best[1]


def _best_height(ring: int, heights: list[int], touching: Sequence[Sequence[Span]], own: Floats) -> int:
    values = []
    for n in range(1, own.shape[1] + 1):
        tried = [*heights[:ring], n, *heights[ring + 1 :]]
        values.append(own[ring, n - 1] + sum(stick_value(spans, tried) for spans in touching))
    return int(np.argmax(values)) + 1


def stick_value(spans: Sequence[Span], heights: Sequence[int]) -> float:
    """What a stick adds where it lies best for these heights; nothing where it is not borne out."""
    found = best_span(spans, heights)
    return 0.0 if found is None else max(found[0] - LEAST_STICK, 0.0)


def best_span(spans: Sequence[Span], heights: Sequence[int]) -> tuple[float, Span] | None:
    """The best way for a stick to lie, given the heights of all rings."""
    found = [(float(span.scores[span.at(heights)]), span) for span in spans]
    return max(found, key=lambda one: one[0], default=None)


def _votes(sticks: Sequence[Sequence[Span]], own: Floats) -> Floats:
    """Each ring's heights by the sticks alone."""
    votes = np.zeros_like(own)
    for spans in sticks:
        for span in spans:
            for axis, ring in enumerate(span.ends):
                if ring != GROUND:
                    votes[ring] += np.maximum(span.scores.max(axis=1 - axis) - LEAST_STICK, 0.0)
    return votes
