"""What the net takes for a stick now and did not take for one before: new sticks, in whatever light.

Where a lamp goes on or off edges change all over the table, and a new stick is one line among many; what pixels are
taken for hardly changes with the light. Asked about whole pictures, the net had a patch of 125 mm2 and more for 33 of
34 new roads (the other lay under two trucks), and where only the light changed, on two tables, none over 38.
"""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.change import CHANGED, large_patches
from vision.depth import depth_map
from vision.fit import Scene
from vision.odds import STICK
from vision.seek import GRID_MM, Field, Seed, grid_pixels
from vision.solids import Prism
from vision.stick_seeds import Wanted, seek_sticks
from vision.told import MARGIN_MM, is_asked, shares_of
from vision.view import Lens, Picture, Singles, View, cut_to, sampled

STICK_NOW, STICK_BEFORE = 0.5, 0.3
"""Shares of a pixel from which it is a stick, and up to which it was none."""
LEAST_MM2 = 90.0
NARROW = 0.6
"""Share of a stick's width below which a patch is none: a shadow's rim beside one."""
SHADOW_MM = 15.0
"""How far about a new piece its shadow may be taken for a stick."""
ABOUT_MM = 6.0
"""How far about such a patch the edges of its stick may run."""
LONG = 2.2
"""How many times as long as wide a patch must be to tell a direction."""
ALONG, LEAST_ALONG = 48, 0.1
COVERED = 0.6
"""Share of the patches under it that a stick must cover."""


def fresh_patches(overhead: Scene, kit: Kit) -> Picture | None:
    """Where sticks are seen (h, w) that were not there, and that no piece of the scene explains; None: nowhere."""
    evidence = overhead.evidence
    if evidence.before is None or evidence.step is None or not is_asked():
        return None
    patches = not_explained(evidence.step > CHANGED, overhead, kit)
    if patches is not None:
        patches = not_explained(patches & (_shares(evidence.view, patches, kit) > STICK_NOW), overhead, kit)
    if patches is not None:
        patches = not_explained(patches & (_shares(evidence.before, patches, kit) < STICK_BEFORE), overhead, kit)
    return patches


def _shares(view: View, patches: Picture, kit: Kit) -> Singles:
    """What the net takes for sticks (h, w), asked about patches and their surroundings alone."""
    left, top, width, height = cv2.boundingRect(patches)
    frame = view.lens.on_plane(np.array([(left, top), (left + width, top + height)], float), 0.0)
    middle = frame.mean(axis=0)
    part = cut_to(view, frame, round(MARGIN_MM * view.lens.px_per_mm(middle)))
    left, top = np.rint(part.lens.corner_px - view.lens.corner_px).astype(int)
    height, width = part.picture.shape[:2]
    shares = np.zeros(view.picture.shape[:2], np.float32)
    shares[top : top + height, left : left + width] = shares_of(part, middle, kit)[..., STICK]
    return shares


def not_explained(patches: NDArray[Any], overhead: Scene, kit: Kit) -> Picture | None:
    """The large ones of the patches where no piece of the scene is; None: there are none."""
    px_per_mm = _px_per_mm(overhead)
    bare = ((overhead.depth.number < 0) & (patches > 0)).astype(np.uint8)
    if overhead.claimed is not None:
        bare[overhead.claimed > 0] = 0
    size = max(round(NARROW * kit.road_width_mm * px_per_mm), 3)
    # Mostly it is a small part of the picture that is looked at.
    left, top, width, height = cv2.boundingRect(bare)
    part = slice(max(top - size, 0), top + height + size), slice(max(left - size, 0), left + width + size)
    opened = cv2.morphologyEx(bare[part], cv2.MORPH_OPEN, np.ones((size, size), np.uint8))
    large = large_patches(np.asarray(opened, np.uint8), LEAST_MM2 * px_per_mm**2)
    if large is None:
        return None
    found = np.zeros_like(bare)
    found[part] = large
    return found


def is_apart(patches: Picture, overhead: Scene) -> bool:
    """Whether a patch is none of those beside a new piece, which its shadow may make."""
    _, labels = cv2.connectedComponents(patches)
    return bool(set(np.unique(labels)) - set(np.unique(labels[_beside(overhead)])) - {0})


def _beside(overhead: Scene) -> NDArray[np.bool_]:
    """Where the shadow of a new piece may lie."""
    if overhead.claimed is None:
        return np.zeros(overhead.depth.shape, bool)
    size = 2 * round(SHADOW_MM * _px_per_mm(overhead)) + 1
    near: NDArray[np.bool_] = np.asarray(cv2.dilate(overhead.claimed, np.ones((size, size), np.uint8))) > 0
    return near


def _px_per_mm(overhead: Scene) -> float:
    """In the middle of the table as the overhead camera shows it."""
    lens, (height, width) = overhead.evidence.lens, overhead.depth.shape
    return lens.px_per_mm(lens.on_plane(np.array([[width / 2, height / 2]]), 0.0)[0])


def seeds_about(where: Field, overhead: Scene, patches: Picture, kit: Kit, wanted: Wanted) -> list[Seed]:
    """Sticks whose edges run about patches of the overhead picture, and those along patches that are long."""
    lens = overhead.evidence.lens
    seen = sampled(patches.astype(np.float32), grid_pixels(lens, where.box, where.z_mm)) > 0.5
    size = 2 * round(ABOUT_MM / GRID_MM) + 1
    about = where.only(np.asarray(cv2.dilate(seen.astype(np.uint8), np.ones((size, size), np.uint8)), np.uint8))
    seeds = [seed for one in (where, about) for seed in seek_sticks(one, kit, overhead.knee, wanted)]
    count, labels = cv2.connectedComponents(patches)
    for i in range(1, count):
        spots = lens.on_plane(np.argwhere(labels == i)[:, ::-1].astype(float), where.z_mm)[:, :2]
        spread, ways = np.linalg.eigh(np.cov(spots.T))
        if spread[1] > LONG**2 * spread[0]:
            x, y = (float(v) for v in spots.mean(axis=0))
            seeds.append(Seed(x, y, math.atan2(ways[1, 1], ways[0, 1]), where.z_mm, 1.0))
    return [seed for seed in seeds if _lies_on(seed, lens, patches, kit)]


def _lies_on(seed: Seed, lens: Lens, patches: Picture, kit: Kit) -> bool:
    along = np.linspace(-0.5, 0.5, ALONG)[:, None] * kit.road_length_mm
    ahead = np.array([math.cos(seed.yaw_rad), math.sin(seed.yaw_rad), 0.0])
    pixels = lens.project(np.array([seed.x, seed.y, seed.z_mm]) + along * ahead)
    return bool((sampled(patches.astype(np.float32), pixels) > 0.5).mean() > LEAST_ALONG)


def explains(stick: Prism, lens: Lens, patches: Picture) -> bool:
    """Whether a stick accounts for most of the patches that it covers some of."""
    _, labels = cv2.connectedComponents(patches)
    under = depth_map({"": stick}, lens).number >= 0
    touched = np.isin(labels, np.unique(labels[under & (labels > 0)]))
    return bool(touched.any() and under[touched & (labels > 0)].mean() > COVERED)
