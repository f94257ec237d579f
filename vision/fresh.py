"""What the net takes for a stick now and did not take for one before: new sticks, in whatever light.

Where a lamp goes on or off edges change all over the table, and a new stick is one line among many; what pixels are
taken for hardly changes with the light. Of 39 new roads that showed 36 had a patch of 125 mm2 and more, and where only
the light changed none was over 38.
"""

from __future__ import annotations

import dataclasses
import math

import cv2
import numpy as np

from referee.pieces import Kit
from vision.depth import depth_map
from vision.fit import Scene
from vision.odds import STICK
from vision.region import corners
from vision.seek import GRID_MM, Box, Field, Seed, grid_pixels
from vision.solids import Prism
from vision.stick_seeds import Wanted, seek_sticks
from vision.told import is_asked, shares_of
from vision.view import Lens, Picture, cut_to, sampled

STICK_NOW, STICK_BEFORE = 0.5, 0.3
"""Shares of a pixel from which it is a stick, and up to which it was none."""
LEAST_MM2 = 90.0
ABOUT_MM = 6.0
"""How far about such a patch the edges of its stick may run."""
LONG = 2.2
"""How many times as long as wide a patch must be to tell a direction."""
ALONG, LEAST_ALONG = 48, 0.1
COVERED = 0.6
"""Share of the patches under it that a stick must cover."""
WANTED = Wanted(3, 7, 0.55)


def fresh_patches(overhead: Scene, box: Box, kit: Kit) -> Picture | None:
    """Where sticks are seen (h, w) that were not there, and that no piece of the scene explains; None: nowhere."""
    now, before = overhead.evidence.view, overhead.evidence.before
    if before is None or not is_asked():
        return None
    middle = np.array([(box.left + box.right) / 2, (box.bottom + box.top) / 2, 0.0])
    part, was = cut_to(now, corners(box)), cut_to(before, corners(box))
    is_stick, was_stick = (shares_of(one, middle, kit)[..., STICK] for one in (part, was))
    left, top = np.rint(part.lens.corner_px - now.lens.corner_px).astype(int)
    height, width = is_stick.shape
    bare = overhead.depth.number[top : top + height, left : left + width] < 0
    new = ((is_stick > STICK_NOW) & (was_stick < STICK_BEFORE) & bare).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(cv2.morphologyEx(new, cv2.MORPH_OPEN, np.ones((3, 3))))
    px_per_mm = now.lens.camera.K[0][0] / float(now.lens.depth_mm(middle))
    large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] > LEAST_MM2 * px_per_mm**2]
    if not large:
        return None
    whole = np.zeros(now.picture.shape[:2], np.uint8)
    whole[top : top + height, left : left + width] = np.isin(labels, large)
    return whole


def seeds_about(where: Field, lens: Lens, patches: Picture, kit: Kit, knee: float) -> list[Seed]:
    """Sticks whose edges run about patches of the overhead picture, and those along patches that are long."""
    seen = sampled(patches.astype(np.float32), grid_pixels(lens, where.box, where.z_mm)) > 0.5
    size = 2 * round(ABOUT_MM / GRID_MM) + 1
    near = cv2.dilate(seen.astype(np.uint8), np.ones((size, size), np.uint8))[..., None]
    about = dataclasses.replace(where, tensors=tuple(tensor * near for tensor in where.tensors))
    seeds = [*seek_sticks(where, kit, knee, WANTED), *seek_sticks(about, kit, knee, WANTED)]
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
