"""Trees held against both views: crowns, round or pointed, of one colour, with an edge all around."""

from __future__ import annotations

import numpy as np

from referee.pieces import Kit
from vision.ground import Ground
from vision.silhouettes import edged_in, mean_of, shown_in
from vision.uprights import hidden_by
from vision.view import Floats

X, Y, RADIUS, HEIGHT, ROUND = range(5)
"""A tree is a row of these: its foot, its crown's radius and top in mm, and 1 for a round one, 0 for a pointed one."""
TURNS_RAD = np.arange(16) * np.pi / 8
RIM = np.column_stack([np.cos(TURNS_RAD), np.sin(TURNS_RAD)])
LOW, MIDDLE, CORE = 0.22, 0.61, 0.45
"""Where a crown begins, a round one is widest and a pointed one has its middle, in heights of its tree."""
BALL = RIM * (1.0, 1 - MIDDLE) + (0.0, MIDDLE)
UP = np.linspace(0.06, 0.9, 6)[:, None]
FIR = np.concatenate(
    [
        (1 - UP) * (1, LOW) + UP * (0, 1),
        (1 - UP[::-1]) * (-1, LOW) + UP[::-1] * (0, 1),
        np.column_stack([np.linspace(-0.75, 0.75, 4), np.full(4, LOW)]),
    ]
)
"""Crowns from the side: points about them one after the other, in radii from the stem and in heights of the tree."""
INNER, OUTER, STEM = 0.55, 1.45, 0.45
"""What is inside a crown and around it, in its own size; under it the stem takes so many radii."""
CLEARLY = 10.0
"""Distance in Lab from which on a crown is clearly apart from what is around it."""
EDGES, STANDS = 0.4, 0.2
"""What edges count, and what says that something stands there, against colours."""
LEAST, MOST = (0.15, 0.4), (0.5, 2.0)
"""Radius and height in disc diameters: a tree is no wider than a column, and no higher than two discs are wide."""


def rim_from_above(trees: Floats) -> tuple[Floats, Floats]:
    """Points (n, 16, 3) about crowns where they are widest, and their middles (n, 1, 3)."""
    z = trees[:, HEIGHT] * np.where(trees[:, ROUND] > 0.5, MIDDLE, LOW)
    rim = trees[:, None, :2] + RIM * trees[:, RADIUS, None, None]
    points = np.concatenate([rim, np.broadcast_to(z[:, None, None], (*rim.shape[:2], 1))], axis=2)
    return points, np.concatenate([trees[:, None, :2], z[:, None, None]], axis=2)


def rim_from_aside(trees: Floats, eye: Floats) -> tuple[Floats, Floats]:
    """Points (n, 16, 3) about crowns as an eye sees them that looks from the side, and their middles (n, 1, 3)."""
    away = trees[:, :2] - eye[:2]
    away = away / np.linalg.norm(away, axis=1, keepdims=True)
    across = np.column_stack([-away[:, 1], away[:, 0]])
    shape = _shapes(trees)
    plan = trees[:, None, :2] + across[:, None] * (shape[..., :1] * trees[:, RADIUS, None, None])
    points = np.concatenate([plan, shape[..., 1:] * trees[:, HEIGHT, None, None]], axis=2)
    z = trees[:, HEIGHT] * np.where(trees[:, ROUND] > 0.5, MIDDLE, CORE)
    return points, np.concatenate([trees[:, None, :2], z[:, None, None]], axis=2)


def apart_in(trees: Floats, ground: Ground, name: str) -> tuple[Floats, Floats]:
    """How far crowns (n) are from what a view shows around them, from 0 to 1, and their colours (n, 3) in Lab."""
    rim, middle = _rim(trees, ground, name)
    inside = np.concatenate([middle, middle + INNER * (rim - middle)], axis=1)
    shown = shown_in(inside, middle + OUTER * (rim - middle), ground, name, CLEARLY)
    free = shown.free
    if name == "side":
        shape = _shapes(trees)
        free = free & ~((np.abs(shape[..., 0]) < STEM) & (shape[..., 1] < CORE))
    return mean_of(shown.apart, free), shown.own


def scores(trees: Floats, ground: Ground, kit: Kit, clear: float) -> Floats:
    """How well trees (n) explain both views; -1 for what has no tree's size."""
    apart = np.array([apart_in(trees, ground, name)[0] for name in ground.views])
    edges = np.array([edged_in(_rim(trees, ground, name)[0], ground, name, clear) for name in ground.views])
    score = (apart.min(axis=0) + apart.mean(axis=0)) / 2 + EDGES * edges.min(axis=0) + STANDS * _stands(trees, ground)
    sizes = trees[:, [RADIUS, HEIGHT]] / kit.disc_diameter_mm
    sane = ((sizes > LEAST) & (sizes < MOST)).all(axis=1) & (trees[:, HEIGHT] > 2 * trees[:, RADIUS])
    return np.where(sane, score, -1.0)


def _rim(trees: Floats, ground: Ground, name: str) -> tuple[Floats, Floats]:
    return rim_from_above(trees) if name == "overhead" else rim_from_aside(trees, ground.views[name].lens.eye)


def _shapes(trees: Floats) -> Floats:
    return np.where(trees[:, ROUND, None, None] > 0.5, BALL, FIR)


def _stands(trees: Floats, ground: Ground) -> Floats:
    """What speaks (n) for something that stands where the trees do, from -1 to 1."""
    wide, narrow = 1.5 * trees[:, RADIUS], np.where(trees[:, ROUND] > 0.5, 1.0, 0.2)
    bodies = np.column_stack([trees[:, :2], np.zeros(len(trees)), wide, wide, trees[:, HEIGHT], narrow])
    stands: Floats = np.mean([hidden_by(bodies, ground, view.lens.eye)[0] for view in ground.views.values()], axis=0)
    return stands
