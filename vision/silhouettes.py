"""Small things that stand on a card, held against a view: one colour inside, others all around, an edge between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.ground import Ground, Mask
from vision.tensors import across
from vision.view import Floats, is_within, sampled

MOSTLY, SPREAD = 75, 1.2
"""So many percent of what is inside a thing lie within its spread, and what is around it further than so many."""
LEAST_FREE = 0.6
"""Of what lies about a thing, that no piece may hide."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a view shows inside of things (n) and at points around them (n, m)."""

    apart: Floats
    """How far the colour at each point is from the thing's own, from 0 to 1."""
    free: Mask
    """Where no piece of the layout is."""
    own: Floats
    """The colour of each thing (n, 3) in Lab."""


def shown_in(inside: Floats, around: Floats, ground: Ground, name: str, clearly: float) -> Shown:
    """Things by points inside (n, k, 3) and around them (n, m, 3), apart from them if so far in Lab beyond a spread."""
    view = ground.views[name]
    colours = sampled(view.lab, view.lens.project(inside)).astype(np.float64)
    own = np.median(colours, axis=1)
    spread = np.percentile(np.linalg.norm(colours - own[:, None], axis=2), MOSTLY, axis=1)
    pixels = view.lens.project(around)
    away = np.linalg.norm(sampled(view.lab, pixels) - own[:, None], axis=2)
    free = is_within(pixels, view.picture.shape, 2) & (sampled(ground.hidden[name], pixels) < 0.5)
    return Shown(np.clip((away - SPREAD * spread[:, None]) / clearly, 0.0, 1.0), free, own)


def edged_in(rim: Floats, ground: Ground, name: str, clear: float) -> Floats:
    """The share (n) of the points that go about things (n, k, 3) where a view shows an edge along them."""
    lens = ground.views[name].lens
    pixels = lens.project(rim)
    along = np.roll(pixels, -1, axis=1) - np.roll(pixels, 1, axis=1)
    normals = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-6)
    tensor = sampled(ground.tensors[name], pixels)
    free = is_within(pixels, ground.hidden[name].shape, 2) & (tensor[..., 3] < 0.5)
    return mean_of(np.minimum(across(tensor[..., :3], normals) / clear, 1.0), free)


def mean_of(values: Floats, free: Mask) -> Floats:
    """Means (n) of values (n, m) where they are seen; 0 where too few are."""
    mean = (values * free).sum(axis=1) / np.maximum(free.sum(axis=1), 1)
    return np.where(free.mean(axis=1) > LEAST_FREE, mean, 0.0)
