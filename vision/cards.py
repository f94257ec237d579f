"""Flat cards as rectangles on the table: each side is one step from one colour to another, and sharp."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from vision.climb import climbed
from vision.ground import cells_of
from vision.seek import Box
from vision.tensors import across
from vision.view import Floats, Singles, View, is_within, sampled

X, Y, YAW, LENGTH, WIDTH = range(5)
"""A card is a row of these: its middle, how it is turned, and its sides in mm."""
RING = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2
SPOTS = np.linspace(0.06, 0.94, 15)
STEP_MM = 2.5
"""How far inside and outside of a side the colours are compared."""
STEP, SHARP, SHARPEST = 0.09, 5.0, 40.0
"""A step in logarithms of brightness, and grey levels per pixel, from which on a side is clear; or best where it is."""
SEEN = 0.4
"""Of a side, that must be seen to count."""
GUESSED = 0.6
"""What a side counts that is not seen."""
ROUNDS, TRIES, HOPELESS = 8, 80, 0.45
WIDE = np.array([5.0, 5.0, 0.12, 7.0, 7.0])
"""By how much a card is moved, turned and stretched at first."""


@dataclass(frozen=True, eq=False)
class Above:
    """The overhead view on the grid over a box: logarithms of light, and 1 where the table or a card is seen."""

    box: Box
    view: View
    field: Singles
    least_mm: float
    most_mm: float
    """Sides of a card."""


def corners_of(cards: Floats) -> Floats:
    """Corners (n, 4, 2) of cards (n, 5)."""
    cos, sin = np.cos(cards[:, YAW])[:, None], np.sin(cards[:, YAW])[:, None]
    u, v = RING[:, 0] * cards[:, LENGTH, None], RING[:, 1] * cards[:, WIDTH, None]
    turned: Floats = np.stack([u * cos - v * sin, u * sin + v * cos], axis=-1) + cards[:, None, [X, Y]]
    return turned


def sides_of(cards: Floats, above: Above, sharp: float = SHARP) -> tuple[Floats, Floats]:
    """How clear each side (n, 4) of each card is, from 0 to 1, and how much of it is seen."""
    spots, along = _spots(cards)
    out = np.stack([along[..., 1], -along[..., 0]], axis=-1)[:, :, None]
    inner, outer = sampled(above.field, cells_of(above.box, np.stack([spots - out * STEP_MM, spots + out * STEP_MM])))
    free = (inner[..., 3] > 0.99) & (outer[..., 3] > 0.99)
    weight = free / np.maximum(free.sum(axis=-1, keepdims=True), 1)
    step = inner[..., :3] - outer[..., :3]
    mean = (step * weight[..., None]).sum(axis=2)
    # Grain and tiles step up and down; a card's side steps one way.
    way = mean / np.maximum(np.linalg.norm(mean, axis=-1, keepdims=True), 1e-6)
    one_way = np.clip((step * way[:, :, None]).sum(axis=-1) / STEP, 0.0, 1.0)
    edge = np.minimum(_across(spots, above.view) / sharp, 1.0)
    clear: Floats = ((one_way + edge) / 2 * weight).sum(axis=-1)
    return clear, np.asarray(free.mean(axis=-1), np.float64)


def edges_of(cards: Floats, view: View, hidden: Singles) -> tuple[Floats, Floats]:
    """How sharp each side (n, 4) of each card is in a view, and how much of it no piece hides."""
    spots, _ = _spots(cards)
    pixels = view.lens.project(_flat(spots))
    free = is_within(pixels, hidden.shape, 2) & (sampled(hidden, pixels) < 0.5)
    edge = np.minimum(_across(spots, view) / SHARP, 1.0) * free
    return edge.sum(axis=-1) / np.maximum(free.sum(axis=-1), 1), np.asarray(free.mean(axis=-1), np.float64)


def scores(cards: Floats, above: Above, sharp: float = SHARP) -> Floats:
    """How clear the sides of each card are, its worst side counting more; 0 for what has no card's size."""
    sides, seen = sides_of(cards, above, sharp)
    counted = np.where(seen > SEEN, sides, GUESSED * sides.max(axis=1, keepdims=True))
    short, long = np.minimum(cards[:, LENGTH], cards[:, WIDTH]), np.maximum(cards[:, LENGTH], cards[:, WIDTH])
    fits = (short >= above.least_mm) & (long <= above.most_mm)
    return np.where(fits, 0.6 * counted.mean(axis=1) + 0.4 * counted.min(axis=1), 0.0)


def refined(card: Floats, above: Above, rng: np.random.Generator, stretch: float = 1.0) -> tuple[Floats, float]:
    """The clearest card near one, stretched by so much of what is usual, and how clear it is."""
    steps = WIDE * (1.0, 1.0, 1.0, stretch, stretch)
    best, score = climbed(card, partial(scores, above=above), steps, ROUNDS, TRIES, rng, HOPELESS)
    if score < HOPELESS:
        return best, score
    sharply = partial(scores, above=above, sharp=SHARPEST)
    placed, _ = climbed(best, sharply, steps / 8, ROUNDS // 2, TRIES, rng)
    return placed, min(score, float(scores(placed[None], above)[0]))


def _spots(cards: Floats) -> tuple[Floats, Floats]:
    """Points (n, 4, k, 2) along the sides of cards, and which way (n, 4, 2) each side runs."""
    corners = corners_of(cards)
    sides = np.roll(corners, -1, axis=1) - corners
    along = sides / np.maximum(np.linalg.norm(sides, axis=-1, keepdims=True), 1e-6)
    return corners[:, :, None] + sides[:, :, None] * SPOTS[:, None], along


def _across(spots: Floats, view: View) -> Singles:
    """How strongly colours change across the sides at points on them."""
    # A lens bends a side by far less than would matter for which way it runs.
    pixels = view.lens.project(_flat(spots))
    tangent = pixels[:, :, -1] - pixels[:, :, 0]
    normal = np.stack([-tangent[..., 1], tangent[..., 0]], axis=-1)
    normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-6)
    return across(sampled(view.edges, pixels), np.broadcast_to(normal[:, :, None], pixels.shape))


def _flat(points_mm: Floats) -> Floats:
    """Table points (..., 3) of points (..., 2) on the table."""
    return np.concatenate([points_mm, np.zeros((*points_mm.shape[:-1], 1))], axis=-1)
