"""How far along itself a stick lies: where its own colour ends at both tips, in every view at once.

Edges alone do not tell: a shadow, the disc's rim or the lower edge of the end's face is often stronger than the tip.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.depth import DepthMap, Patch, patch_of, with_solids
from vision.evidence import Evidence
from vision.fit import Scene
from vision.solids import END_ROUNDNESS, Prism
from vision.tip_costs import INNER_MM, STEP_MM, Profile, tip_costs
from vision.told_ends import Ends
from vision.view import Floats, sampled

REACH_MM, DEEP_MM, BEYOND_MM = 6.0, 16.0, 10.0
"""How far a stick may slide, and how far inside its tip and past it is looked."""
AGAIN_MM = 2.5
ROWS = np.linspace(-0.25, 0.25, 5)
LEAST_ROWS, LEAST_SPOTS = 3, 15
BEVEL_MM = 0.2
"""Ends are bevelled: their upper face ends a little inside the tip."""
MODEL_PX, MODEL_MM = 0.2, 0.1
"""What stays wrong with a step of colour as the model of a tip, in a view and at all."""
LEVEL_MM = 0.3
"""How far off a stick's height may be: seen aslant that looks like a slide."""
LEAST_ODDS, LEAST_ALONE = 1e-4, 0.04
"""Odds that a view leaves to any place, with a picture from before and without: then an end may be a neighbour's."""
LEAST_DISC_PX = 20
REACH_95 = 1.96


@dataclass(frozen=True, slots=True)
class Place:
    """How far along itself a stick lies from where it was thought to, and one standard deviation of that."""

    shift_mm: float
    sigma_mm: float
    stated_mm: float
    """The standard deviation that an interval which holds it in 95 of 100 cases has: without the few where a tip was
    mistaken for another altogether."""


def slides_mm() -> Floats:
    """The slides that are tried."""
    steps = round(REACH_MM / STEP_MM)
    return np.asarray(np.arange(-steps, steps + 1) * STEP_MM, np.float64)


def place_along(
    scenes: Sequence[Scene],
    stick: Prism,
    columns: Mapping[str, Prism],
    usual: Place | None = None,
    told: Sequence[Ends | None] = (),
) -> Place | None:
    """Where both ends are seen together; `columns` are new ones under it. None where no view shows an end.

    `usual` is where such a stick lies as a rule: then there always is a place. `told` is what the net takes for ends.
    """
    told = told or [None] * len(scenes)
    behind = [_Behind.of(scene, stick, columns, one) for scene, one in zip(scenes, told, strict=True)]
    scenes = [
        dataclasses.replace(scene, depth=with_solids(scene.depth, columns, scene.evidence.lens)) for scene in scenes
    ]
    if usual is not None:
        # Nothing that is far from the usual is looked for.
        found = _placed(scenes, behind, _slid(stick, usual.shift_mm), usual.sigma_mm)
        return found and dataclasses.replace(found, shift_mm=usual.shift_mm + found.shift_mm)
    found = _placed(scenes, behind, stick)
    if found is None or abs(found.shift_mm) < AGAIN_MM:
        return found
    again = _placed(scenes, behind, _slid(stick, found.shift_mm))
    return again and dataclasses.replace(again, shift_mm=found.shift_mm + again.shift_mm)


def _slid(stick: Prism, by_mm: float) -> Prism:
    return dataclasses.replace(stick, origin=stick.origin + by_mm * stick.axes[0])


def _placed(
    scenes: Sequence[Scene], behind: Sequence[_Behind], stick: Prism, usual_mm: float = math.inf
) -> Place | None:
    slides = slides_mm()
    odds = np.exp(-0.5 * np.square(slides / usual_mm))
    shown = math.isfinite(usual_mm)
    for scene, known in zip(scenes, behind, strict=True):
        ends = {side: _profile(scene, known, stick, side) for side in (-1.0, 1.0)}
        seen = {side: profile for side, profile in ends.items() if profile is not None}
        if seen:
            shown = True
            cost = sum(tip_costs(profile, side * slides - BEVEL_MM) for side, profile in seen.items())
            # Both ends of one view err alike with the stick's height.
            off_mm = max(
                math.hypot(MODEL_PX / profile.px_per_mm, LEVEL_MM * profile.slide_per_mm) for profile in seen.values()
            )
            least = LEAST_ALONE if scene.evidence.before is None else LEAST_ODDS
            odds *= _blurred(np.exp(np.min(cost) - cost), slides, off_mm, least)
    if not shown:
        return None
    odds /= odds.sum()
    near = odds * (np.abs(slides - slides[int(odds.argmax())]) <= 3 * STEP_MM)
    best = float(near @ slides / near.sum())
    away = np.abs(slides - best)
    nearest = np.argsort(away)
    reach_mm = float(np.interp(0.95, np.cumsum(odds[nearest]), away[nearest]))
    sigma_mm, stated_mm = math.sqrt(float(odds @ np.square(away))), reach_mm / REACH_95
    return Place(best, math.hypot(sigma_mm, MODEL_MM), math.hypot(stated_mm, MODEL_MM))


def _blurred(odds: Floats, slides: Floats, by_mm: float, least: float) -> Floats:
    """Odds of one view where it may err as a whole, and not without a doubt anywhere."""
    kernel = np.exp(-0.5 * np.square((slides[:, None] - slides) / by_mm))
    spread: Floats = kernel @ odds / kernel.sum(axis=1)
    share: Floats = spread / spread.max() + least
    return share


@dataclass(frozen=True, eq=False)
class _Behind:
    """New columns of one view as they would be seen without the stick, the colour of each, and what the net says."""

    names: tuple[str, ...]
    patches: tuple[Patch | None, ...]
    colours: Mapping[int, Floats]
    told: Ends | None

    @classmethod
    def of(cls, scene: Scene, stick: Prism, columns: Mapping[str, Prism], told: Ends | None) -> _Behind:
        lens = scene.evidence.lens
        patches = [patch_of(prism, lens) for prism in columns.values()]
        colours = {}
        for i, patch in enumerate(patches):
            if patch is None:
                continue
            rows, wide = _grown(patch.window, scene.depth.shape)
            part = lens.cut(wide.start, rows.start, wide.stop - wide.start, rows.stop - rows.start)
            known = DepthMap(scene.depth.closeness[rows, wide], scene.depth.number[rows, wide], scene.depth.names)
            whole = with_solids(known, {"stick": stick, **columns}, part)
            shown = (whole.number == whole.names.index(list(columns)[i])).astype(np.uint8)
            inner = cv2.erode(shown, np.ones((3, 3), np.uint8)) > 0
            if inner.sum() > LEAST_DISC_PX:
                colours[i] = np.median(scene.evidence.view.picture[rows, wide][inner], axis=0).astype(np.float64)
        return cls(tuple(columns), tuple(patches), colours, told)

    def number(self, pixels: Floats) -> NDArray[np.intp]:
        """Which of the columns is seen at pixels (n, 2), -1 where none is."""
        near = [np.zeros(len(pixels)) if patch is None else patch.at(pixels) for patch in self.patches]
        nearest: NDArray[np.intp] = np.array([np.zeros(len(pixels)), *near]).argmax(axis=0)
        return nearest - 1


def _grown(window: tuple[slice, slice], shape: tuple[int, int]) -> tuple[slice, slice]:
    """A window of a picture with one more row and column on each side, where there are such."""
    rows, columns = (
        slice(max(side.start - 1, 0), min(side.stop + 1, limit)) for side, limit in zip(window, shape, strict=True)
    )
    return rows, columns


def _profile(scene: Scene, behind: _Behind, stick: Prism, side: float) -> Profile | None:
    """What one view shows along a stick about one of its tips."""
    lens = scene.evidence.lens
    length, width = np.ptp(stick.outline, axis=0)
    upper = stick.origin + stick.half_mm * stick.axes[2]
    x_mm: Floats = np.arange(-DEEP_MM, BEYOND_MM + STEP_MM / 2, STEP_MM)
    rows = ROWS * width
    # Corners are rounded: off the middle a stick is a little shorter.
    radius = END_ROUNDNESS * width
    off = np.maximum(np.abs(rows) - (width / 2 - radius), 0.0)
    shorter = radius - np.sqrt(radius**2 - off**2)
    at = side * (length / 2 + x_mm[:, None] - shorter)
    points = upper + at[..., None] * stick.axes[0] + rows[:, None] * stick.axes[1]
    pixels = lens.project(points)
    height_px, width_px = scene.depth.shape
    free = ((pixels > 2) & (pixels < (width_px - 3, height_px - 3))).all(axis=-1)
    free &= ~scene.depth.hides(pixels, lens.depth_mm(points))
    good = free.sum(axis=1) >= LEAST_ROWS
    if (good & (x_mm < -INNER_MM)).sum() < LEAST_SPOTS:
        return None
    now = _shown_mean(scene.evidence.view.colours_at(pixels), free)
    tip = lens.project(upper + (side * length / 2 + np.array([[0.0], [side]])) * stick.axes[0])
    other = _without_stick(scene.evidence, behind, pixels, free)
    ray = upper + side * length / 2 * stick.axes[0] - lens.eye
    slide_per_mm = abs(float(ray @ stick.axes[0] / (ray @ stick.axes[2])))
    taken = ends = None
    if behind.told is not None:
        # Where another stick is seen past the tip, or would be, it tells nothing that there is one.
        spots = np.rint(np.clip(pixels[:, len(ROWS) // 2], 0, (width_px - 1, height_px - 1))).astype(int)
        number = scene.depth.number[spots[:, 1], spots[:, 0]]
        mine = [i for i, name in enumerate(scene.depth.names) if name in behind.names or i == scene.depth.left_out]
        sticks, tips = (_shown_mean(shares, free)[:, 0] for shares in behind.told.at(pixels))
        taken, ends = np.where((number[:, None] == [-1, *mine]).any(axis=1), sticks, 0.5), tips
    per_mm = float(np.hypot(*(tip[1] - tip[0])))
    return Profile(x_mm, now, other, scene.evidence.before is not None, good, per_mm, slide_per_mm, taken, ends)


def _without_stick(evidence: Evidence, behind: _Behind, pixels: Floats, free: np.ndarray) -> Floats:
    """What was there before, or the new column that stands there now."""
    if evidence.change is None:
        other: Floats = np.full((len(pixels), 3), np.nan)
    else:
        other = _mean(evidence.view.light, pixels, free) - _mean(evidence.change, pixels, free)
    height, width = evidence.view.picture.shape[:2]
    number = behind.number(np.clip(pixels[:, len(ROWS) // 2], 0, (width - 1, height - 1)))
    for i in range(len(behind.names)):
        other[number == i] = behind.colours.get(i, np.full(3, np.nan))
    return other


def _mean(picture: np.ndarray, pixels: Floats, free: np.ndarray) -> Floats:
    return _shown_mean(sampled(picture, pixels), free)


def _shown_mean(values: np.ndarray, free: np.ndarray) -> Floats:
    """The mean (n, c) of values (n, rows, ...) that nothing hides."""
    shown = values.reshape(*free.shape, -1) * free[..., None]
    mean: Floats = shown.sum(axis=1, dtype=np.float64) / np.maximum(free.sum(axis=1), 1)[:, None]
    return mean
