"""From a seed in the overhead view to a stick in space with what it rests on, new columns included."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from referee.layout import Layout
from referee.pieces import Kit
from vision.bodies import stick_tips
from vision.fit import Scene
from vision.found import Found, Way, borne_by, is_apt, laid, with_columns
from vision.rests import Rest, known_rests, levels, not_through
from vision.scan import stick_scores
from vision.seek import Seed
from vision.slide import HERE_MM, end_scores, slides_mm
from vision.view import Floats

LEAST_SCANNED, LEAST_LAID = 0.0, 10.0
"""Scores below which no way to explain a stick is followed up, by a scan and by a fit: true ones had 8 and 28."""
FLAT = -12.0
"""Log-odds per end of a stick that lies flat on the table: its shadow does, and looks like it."""
SCANNED, ALIKE = 12, 4
"""How many ways are fitted after a scan, and how many of them on the same things."""
FITTED, MORE = 4, 2
"""How many ways to explain a stick are fitted, and how many of these and of more on new columns get their columns."""
HOMED, HOME_SCORE = 2, 1.5
"""How many more are fitted for their ends' sake, and by how much those must be better seen away from where it is."""


def proposals(
    scenes: Sequence[Scene],
    seeds: Sequence[Seed],
    layout: Layout,
    kit: Kit,
    highest: int,
) -> list[Found]:
    """Ways to explain one of the seeds, best first."""
    rows, scores = ways_of(scenes, seeds, layout, kit, highest)
    if not rows or scores.max() < LEAST_SCANNED:
        return []
    found = laid(scenes, [rows[i] for i in _spread(rows, scores)], kit)
    if all(max(one.stick.score, one.stick.support[0].score) < LEAST_LAID for one in found):
        return []
    found = _foremost(found, FITTED, kit)
    found += laid(scenes, [way for one in found for way in _homed(scenes, one)], kit)
    found = _foremost(found, FITTED + HOMED, kit)
    found += laid(scenes, [way for one in found for way in _settled(one, layout, kit)], kit)
    found = [one for one in found if not is_through(one, layout, kit)]
    found = _foremost(found, FITTED, kit)
    apt = [one for one in with_columns(scenes, found, kit) if is_apt(one, layout, kit)]
    return sorted(apt, key=lambda one: -one.score)


def ways_of(
    scenes: Sequence[Scene], seeds: Sequence[Seed], layout: Layout, kit: Kit, highest: int
) -> tuple[list[Way], Floats]:
    """Ways to explain one of the seeds, and how well a scan bears each of them out."""
    rows = [row for seed in seeds for row in _poses(scenes[0], seed, layout, kit, highest)]
    if not rows:
        return [], np.empty(0)
    poses = np.array([pose for pose, _ in rows])
    scores = sum((stick_scores(scene, poses, kit) for scene in scenes), np.zeros(len(rows)))
    return rows, scores + np.array([sum(rest.log_odds for rest in rests) for _, rests in rows])


def _homed(scenes: Sequence[Scene], found: Found) -> list[Way]:
    """Where the two ends of a fit are seen much better some way along it: there."""
    scores = end_scores(scenes, found.stick.prism)
    slides = slides_mm()
    best = int(np.argmax(scores))
    here = scores[np.abs(slides) < HERE_MM].max()
    if scores[best] < here + HOME_SCORE:
        return []
    moved = found.stick.pose.copy()
    moved[:2] += slides[best] * np.array([math.cos(moved[2]), math.sin(moved[2])])
    return [(moved, found.rests)]


def _settled(found: Found, layout: Layout, kit: Kit) -> list[Way]:
    """Where at its final place a stick meets other things than at its first: on those."""
    tips = stick_tips(found.stick.pose, kit.road_length_mm)
    inward = (tips[1] - tips[0])[:2] / np.hypot(*(tips[1] - tips[0])[:2])
    options: list[list[Rest]] = []
    for tip, way, rest in zip(tips, (inward, -inward), found.rests, strict=True):
        met = known_rests(tip[:2], way, layout, kit, slack_mm=1.0)
        # A stick that slid onto a column while it was fitted lies on that one, not on another in its place.
        free = not_through(tip[:2], [rest], layout, kit)
        options.append([one for one in met if one.column == rest.column or not free] or [rest])
    pairs = [(a, b) for a in options[0] for b in options[1] if (a, b) != found.rests]
    return [(found.stick.pose, pair) for pair in pairs[:2]]


def _foremost(found: list[Found], most: int, kit: Kit) -> list[Found]:
    """The best fits, without those that came to the same place, and besides the best on new columns that none of them
    wants: what these columns add is not known yet."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: -one.score):
        is_new = any(rest.is_new for rest in one.rests) and all(borne_by(one) != borne_by(other) for other in kept)
        if len(kept) >= most and not is_new:
            continue
        tips = np.array(stick_tips(one.stick.pose, kit.road_length_mm))
        others = [np.array(stick_tips(other.stick.pose, kit.road_length_mm)) for other in kept]
        if all(min(np.abs(tips - o).max(), np.abs(tips[::-1] - o).max()) > 0.5 for o in others):
            kept.append(one)
    return kept[: most + MORE]


def _poses(overhead: Scene, seed: Seed, layout: Layout, kit: Kit, highest: int) -> list[Way]:
    """Poses that look like the seed from above, for every pair of things that its tips may rest on."""
    lens = overhead.evidence.lens
    u = np.array([math.cos(seed.yaw_rad), math.sin(seed.yaw_rad), 0.0])
    middle = np.array([seed.x, seed.y, seed.z_mm])
    ends = []
    for side in (-1.0, 1.0):
        tip = middle + side * u * kit.road_length_mm / 2
        known = known_rests(tip[:2], -side * u[:2], layout, kit, slack_mm=6.0)
        rests = [*not_through(tip[:2], levels(kit, highest), layout, kit), *known]
        pixel = lens.project(tip[None])
        points = lens.on_plane(np.repeat(pixel, len(rests), 0), np.array([rest.z_mm for rest in rests]))
        ends.append(list(zip(rests, points.tolist(), strict=True)))
    rows = []
    for rest_a, a in ends[0]:
        for rest_b, b in ends[1]:
            if abs(rest_a.z_mm - rest_b.z_mm) > 0.7 * kit.road_length_mm:
                continue
            yaw = math.atan2(b[1] - a[1], b[0] - a[0])
            pose = np.array([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, yaw, rest_a.z_mm, rest_b.z_mm])
            is_flat = rest_a.is_ground and rest_b.is_ground
            one, other = (dataclasses.replace(r, log_odds=FLAT) if is_flat else r for r in (rest_a, rest_b))
            rows.append((pose, (one, other)))
    return rows


def is_through(found: Found, layout: Layout, kit: Kit) -> bool:
    """Whether a stick that slid while it was fitted is said to lie on a new column where an old one stands."""
    tips = stick_tips(found.stick.pose, kit.road_length_mm)
    ends = zip(tips, found.rests, strict=True)
    return any(not not_through(tip[:2], [rest], layout, kit) for tip, rest in ends)


def _spread(rows: Sequence[Way], scores: Floats) -> list[int]:
    """The best ways, of near twins only one, and few on the same things: where one view hides it all look alike."""
    poses = np.array([pose for pose, _ in rows])
    kept: list[int] = []
    on = Counter[tuple[Hashable, ...]]()
    for i in np.argsort(-scores):
        things = tuple((rest.column, rest.height) for rest in rows[i][1])
        gap = [np.abs(poses[i] - poses[j]) / (2.0, 2.0, 0.05, 1.0, 1.0) for j in kept]
        if on[things] < ALIKE and not any((g < 1).all() for g in gap):
            kept.append(int(i))
            on[things] += 1
        if len(kept) == SCANNED:
            break
    return kept
