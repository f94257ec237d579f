"""Trees proposed on a green area: what stands out from the lawn in both views, and in the same way."""

from __future__ import annotations

from functools import partial

import numpy as np
import shapely

from referee.layout import Area, Building
from referee.pieces import Kit
from vision.climb import climbed, climbed_apart
from vision.crowns import (
    HEIGHT,
    LOW,
    MIDDLE,
    RADIUS,
    RIM,
    ROUND,
    X,
    Y,
    apart_in,
    rim_from_above,
    rim_from_aside,
    scores,
)
from vision.ground import Ground
from vision.silhouettes import edged_in
from vision.uprights import CLEAR, SHARPEST
from vision.view import Floats, is_within, sampled

PLACES_MM = 1.5
RADII, HEIGHTS = (0.2, 0.26, 0.34, 0.44), (0.55, 0.7, 0.9, 1.1, 1.35, 1.7)
"""Sizes that are tried, in disc diameters."""
CROWNS, KEPT, APART = 300, 6, 0.5
"""Crowns from above that are looked at from the side, and how many are fitted, so many diameters apart."""
ROUNDS, TRIES = 7, 120
WIDE = np.array([1.2, 1.2, 0.7, 1.5, 0.0])
LARGER = 0.2
"""How much a crown that is e times as large counts more where two explain the same thing."""
LEAST_SCORE, LEAST_APART = 1.25, 0.75
GREEN = -10.0
"""What a tree's green is in Lab at least, in both views."""
UNLIKE, ALIKE = 5.0, 0.8
"""How far in Lab a crown is from its lawn, and the cosine between how it is so in one view and in the other."""
SHARED = 0.3
"""Of the smaller of two crowns in the side view: they are one."""
LAWN = np.stack(np.meshgrid(np.linspace(0.1, 0.9, 9), np.linspace(0.1, 0.9, 9)), axis=-1).reshape(-1, 2)
OUTLINE = RIM[[0, 3, 5, 8, 11, 13]]


def trees_on(area: Area, ground: Ground, kit: Kit) -> list[Building]:
    """Trees on a green area, the largest and clearest first, for people to correct."""
    card = shapely.Polygon(area.outline)
    starts = _starts(card, ground, kit)
    pool = starts[np.argsort(-scores(starts, ground, kit, CLEAR))]
    climb = partial(_refined, ground=ground, kit=kit, rng=np.random.default_rng(1))
    fitted = climbed_apart(pool, climb, APART * kit.disc_diameter_mm, KEPT)
    found: list[Floats] = []
    for tree, score in sorted(fitted, key=lambda one: -one[1] - LARGER * np.log(one[0][RADIUS] * one[0][HEIGHT])):
        if score > LEAST_SCORE and _is_tree(tree, area, ground) and not any(_is_one(tree, o, ground) for o in found):
            found.append(tree)
    return [_building(tree, f"t{n}") for n, tree in enumerate(found, start=1)]


def _starts(card: shapely.Polygon, ground: Ground, kit: Kit) -> Floats:
    """Trees (n, 5) under round spots that the overhead view shows on a card."""
    disc_mm = kit.disc_diameter_mm
    left, bottom, right, top = card.bounds
    xs, ys = np.meshgrid(np.arange(left, right, PLACES_MM), np.arange(bottom, top, PLACES_MM))
    flat = np.array([(x, y, r * disc_mm, 0.0, 1.0) for x, y in zip(xs.flat, ys.flat, strict=True) for r in RADII])
    clear = edged_in(rim_from_above(flat)[0], ground, "overhead", CLEAR)
    flat = flat[np.argsort(-clear)[:CROWNS]]
    eye = ground.views["overhead"].lens.eye
    found = []
    for height_mm in np.array(HEIGHTS) * disc_mm:
        for is_round, wide in ((0.0, LOW), (1.0, MIDDLE)):
            trees = flat.copy()
            nearer = 1 - wide * height_mm / eye[2]
            trees[:, [X, Y]] = eye[:2] + (trees[:, [X, Y]] - eye[:2]) * nearer
            trees[:, RADIUS] *= nearer
            trees[:, HEIGHT], trees[:, ROUND] = height_mm, is_round
            found.append(trees)
    every: Floats = np.concatenate(found)
    return every[shapely.contains_xy(card, *every[:, :2].T)]


def _refined(tree: Floats, ground: Ground, kit: Kit, rng: np.random.Generator) -> tuple[Floats, float]:
    """The best tree near one, placed where its edges are sharpest."""
    near, _ = climbed(tree, lambda trees: scores(trees, ground, kit, CLEAR), WIDE, ROUNDS, TRIES, rng)
    best, _ = climbed(near, lambda trees: scores(trees, ground, kit, SHARPEST), WIDE / 2, ROUNDS, TRIES, rng)
    return best, float(scores(best[None], ground, kit, CLEAR)[0])


def _is_tree(tree: Floats, area: Area, ground: Ground) -> bool:
    """Whether a crown is apart from what is around it, green, and unlike the lawn in the same way in both views."""
    off = []
    for name in ground.views:
        apart, own = (values[0] for values in apart_in(tree[None], ground, name))
        if apart < LEAST_APART or own[1] > GREEN:
            return False
        off.append(own - _lawn(area, ground, name))
    sizes = np.linalg.norm(off, axis=1)
    return bool(sizes.min() > UNLIKE and np.dot(*off) > ALIKE * sizes.prod())


def _lawn(area: Area, ground: Ground, name: str) -> Floats:
    """The colour in Lab that most of a card has in a view."""
    corners, view = np.array(area.outline), ground.views[name]
    spots = corners[0] + LAWN[:, :1] * (corners[1] - corners[0]) + LAWN[:, 1:] * (corners[3] - corners[0])
    pixels = view.lens.project(np.pad(spots, ((0, 0), (0, 1))))
    free = is_within(pixels, view.picture.shape, 2) & (sampled(ground.hidden[name], pixels) < 0.5)
    colours = sampled(view.lab, pixels)
    return np.asarray(np.median(colours[free] if free.any() else colours, axis=0), np.float64)


def _is_one(tree: Floats, other: Floats, ground: Ground) -> bool:
    """Whether two trees take the same crown in the side view for theirs."""
    lens = ground.views["side"].lens
    one, two = (
        shapely.Polygon(lens.project(rim_from_aside(t[None], lens.eye)[0][0])).convex_hull for t in (tree, other)
    )
    return bool(one.intersection(two).area > SHARED * min(one.area, two.area))


def _building(tree: Floats, name: str) -> Building:
    corners = tree[[X, Y]] + tree[RADIUS] * OUTLINE
    return Building(name, "tree", tuple((float(x), float(y)) for x, y in corners), float(tree[HEIGHT]))
