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
from scipy.special import erf

from vision.depth import DepthMap, depth_map, with_solids
from vision.evidence import Evidence
from vision.fit import Scene
from vision.solids import END_ROUNDNESS, Prism
from vision.view import Floats, sampled

REACH_MM, STEP_MM = 6.0, 0.2
INNER_MM, DEEP_MM, BEYOND_MM = 3.0, 16.0, 10.0
"""The stick's own colour is taken this far inside its tip and deeper; how far past the tip is looked."""
AGAIN_MM = 2.5
ROWS = np.linspace(-0.25, 0.25, 5)
LEAST_ROWS, LEAST_SPOTS = 3, 15
BEVEL_MM = 0.2
"""Ends are bevelled: their upper face ends a little inside the tip."""
BLUR_PX, RAMP_PX, NEXT_PX = 0.5, 0.8, 1.0
GRAIN, STRAY = 2.0, 3.0
"""Least spread of a stick's own colour and of what lay there before, in grey levels."""
CONTRAST_SHARE = 0.1
MOST, UNKNOWN = 6.0, 2.0
"""Costs of a spot: never more than the first; the second where it shows something new that is no stick."""
BEFORE, SHADED = 0.2, 0.2
EDGE, FAINT, FAINT_TIMES = 1.2, 0.2, 1.5
"""What an end is worth that stands out from what is past it, the odds of one that does not, in spreads of colour."""
DARKEST, LIGHTEST, SHADE = 0.4, 1.05, 0.93
CORRELATED_PX = 2.0
MODEL_PX, MODEL_MM = 0.2, 0.1
"""What stays wrong with a step of colour as the model of a tip, in a view and at all."""
LEVEL_MM = 0.3
"""How far off a stick's height may be: seen aslant that looks like a slide."""
LEAST_ODDS = 1e-4
LEAST_DISC_PX = 20
TOLD_PER_MM, TOLD_LEAST = 0.2, 0.05
"""What a millimetre counts that is taken for a stick, per unit of log-odds, and the least share."""


@dataclass(frozen=True, slots=True)
class Place:
    """How far along itself a stick lies from where it was thought to, and one standard deviation of that."""

    shift_mm: float
    sigma_mm: float


@dataclass(frozen=True, eq=False)
class _Profile:
    """Colours along the middle of a stick's upper face, from inside to past one tip."""

    x_mm: Floats
    now: Floats
    other: Floats
    """What would be seen without the stick, NaN where that is not known."""
    good: np.ndarray
    px_per_mm: float
    slide_per_mm: float
    """How far the stick seems to slide for each mm that it lies higher."""
    taken: Floats | None
    """Share of each spot that is taken for a stick or a car on it; None where nobody was asked."""


def slides_mm() -> Floats:
    """The slides that are tried."""
    steps = round(REACH_MM / STEP_MM)
    return np.asarray(np.arange(-steps, steps + 1) * STEP_MM, np.float64)


def place_along(
    scenes: Sequence[Scene], stick: Prism, columns: Mapping[str, Prism], usual: Place | None = None
) -> Place | None:
    """Where both ends are seen together; `columns` are new ones under it. None where no view shows an end.

    `usual` is where such a stick lies as a rule: then there always is a place.
    """
    behind = [_Behind.of(scene, stick, columns) for scene in scenes]
    scenes = [
        dataclasses.replace(scene, depth=with_solids(scene.depth, columns, scene.evidence.lens)) for scene in scenes
    ]
    if usual is not None:
        # Nothing that is far from the usual is looked for.
        found = _placed(scenes, behind, _slid(stick, usual.shift_mm), usual.sigma_mm)
        return found and Place(usual.shift_mm + found.shift_mm, found.sigma_mm)
    found = _placed(scenes, behind, stick)
    if found is None or abs(found.shift_mm) < AGAIN_MM:
        return found
    again = _placed(scenes, behind, _slid(stick, found.shift_mm))
    return None if again is None else Place(found.shift_mm + again.shift_mm, again.sigma_mm)


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
            cost = sum(_costs(profile, side * slides - BEVEL_MM) for side, profile in seen.items())
            # Both ends of one view err alike with the stick's height.
            off_mm = max(
                math.hypot(MODEL_PX / profile.px_per_mm, LEVEL_MM * profile.slide_per_mm) for profile in seen.values()
            )
            odds *= _blurred(np.exp(np.min(cost) - cost), slides, off_mm)
    if not shown:
        return None
    odds /= odds.sum()
    near = odds * (np.abs(slides - slides[int(odds.argmax())]) <= 3 * STEP_MM)
    best = float(near @ slides / near.sum())
    spread = float(odds @ np.square(slides - best))
    return Place(best, math.sqrt(spread + MODEL_MM**2))


def _blurred(odds: Floats, slides: Floats, by_mm: float) -> Floats:
    """Odds of one view where it may err as a whole, and not without a doubt anywhere."""
    kernel = np.exp(-0.5 * np.square((slides[:, None] - slides) / by_mm))
    spread: Floats = kernel @ odds / kernel.sum(axis=1)
    share: Floats = spread / spread.max() + LEAST_ODDS
    return share


@dataclass(frozen=True, eq=False)
class _Behind:
    """New columns of one view as they would be seen without the stick, and the colour of each that can be told."""

    depth: DepthMap
    colours: Mapping[int, Floats]

    @classmethod
    def of(cls, scene: Scene, stick: Prism, columns: Mapping[str, Prism]) -> _Behind:
        lens = scene.evidence.lens
        alone = depth_map(columns, lens)
        whole = with_solids(scene.depth, {"stick": stick, **columns}, lens)
        colours = {}
        for i, name in enumerate(alone.names):
            shown = (whole.number == whole.names.index(name)).astype(np.uint8)
            inner = cv2.erode(shown, np.ones((3, 3), np.uint8)) > 0
            if inner.sum() > LEAST_DISC_PX:
                colours[i] = np.median(scene.evidence.view.picture[inner], axis=0).astype(np.float64)
        return cls(alone, colours)


def _profile(scene: Scene, behind: _Behind, stick: Prism, side: float) -> _Profile | None:
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
    now = _mean(scene.evidence.view.colours, pixels, free)
    tip = lens.project(upper + (side * length / 2 + np.array([[0.0], [side]])) * stick.axes[0])
    other = _without_stick(scene.evidence, behind, pixels, free)
    ray = upper + side * length / 2 * stick.axes[0] - lens.eye
    slide_per_mm = abs(float(ray @ stick.axes[0] / (ray @ stick.axes[2])))
    sticks = scene.evidence.sticks
    taken = None
    if sticks is not None:
        # Where another stick is seen past the tip, or would be, it tells nothing that there is one.
        spots = np.rint(np.clip(pixels[:, len(ROWS) // 2], 0, (width_px - 1, height_px - 1))).astype(int)
        number = scene.depth.number[spots[:, 1], spots[:, 0]]
        told = [
            i for i, name in enumerate(scene.depth.names) if name in behind.depth.names or i == scene.depth.left_out
        ]
        taken = np.where(np.isin(number, [-1, *told]), _mean(sticks, pixels, free)[:, 0], 0.5)
    return _Profile(x_mm, now, other, good, float(np.hypot(*(tip[1] - tip[0]))), slide_per_mm, taken)


def _without_stick(evidence: Evidence, behind: _Behind, pixels: Floats, free: np.ndarray) -> Floats:
    """What was there before, or the new column that stands there now."""
    if evidence.change is None:
        other: Floats = np.full((len(pixels), 3), np.nan)
    else:
        other = _mean(evidence.view.light, pixels, free) - _mean(evidence.change, pixels, free)
    height, width = behind.depth.number.shape
    spots = np.rint(np.clip(pixels[:, len(ROWS) // 2], 0, (width - 1, height - 1))).astype(int)
    number = behind.depth.number[spots[:, 1], spots[:, 0]]
    for i in range(len(behind.depth.names)):
        other[number == i] = behind.colours.get(i, np.full(3, np.nan))
    return other


def _mean(picture: np.ndarray, pixels: Floats, free: np.ndarray) -> Floats:
    colours = sampled(picture, pixels).reshape(*free.shape, -1) * free[..., None]
    mean: Floats = colours.sum(axis=1, dtype=np.float64) / np.maximum(free.sum(axis=1), 1)[:, None]
    return mean


def _costs(profile: _Profile, tips_mm: Floats) -> Floats:
    """What speaks against the stick's colour ending at each of these places, as minus log-likelihoods."""
    x, now, good, per_mm = profile.x_mm, profile.now, profile.good, profile.px_per_mm
    inner = good & (x < -INNER_MM)
    own = np.median(now[inner], axis=0)
    spread = max(1.1 * float(np.sqrt(np.median(np.square(now[inner] - own).mean(axis=1)))), GRAIN)
    inside = np.minimum(np.square(now - own).sum(axis=1) / (6 * spread**2), MOST)
    outside = _other_costs(profile, max(spread, STRAY))
    reach = RAMP_PX / per_mm
    first = np.searchsorted(x, tips_mm - reach)
    last = np.searchsorted(x, tips_mm + reach, side="right")
    # The colour just past the tip, whatever it is of.
    until = np.clip(np.searchsorted(x, tips_mm + reach + NEXT_PX / per_mm + STEP_MM), last + 1, len(x))
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(now, axis=0)])
    begin = np.minimum(last, len(x) - 1)
    past = (sums[until] - sums[begin]) / np.maximum(until - begin, 1)[:, None]
    share = 0.5 * (1 - erf((x - tips_mm[:, None]) * per_mm / (BLUR_PX * math.sqrt(2))))[..., None]
    ramp = share * own + (1 - share) * past[:, None]
    loose = np.hypot(spread, CONTRAST_SHARE * np.linalg.norm(past - own, axis=1))[:, None]
    between = np.minimum(np.square(now - ramp).sum(axis=2) / (6 * loose**2), MOST)
    order = np.arange(len(x))
    is_in, is_out = order < first[:, None], order >= last[:, None]
    cost = np.where(is_in, inside, np.where(is_out, outside, between)) * good
    stands_out = np.square((past - own) / (FAINT_TIMES * spread)).mean(axis=1)
    edge = np.log(FAINT + (1 - FAINT) * stands_out / (1 + stands_out))
    # Where the place of a tip is hidden nothing is known of its edge.
    shown = good[np.clip(first, 0, len(x) - 1)] & good[np.clip(last, 0, len(x) - 1)]
    total: Floats = cost.sum(axis=1) * STEP_MM * per_mm / CORRELATED_PX - EDGE * edge * shown
    if profile.taken is None:
        return total
    share = np.clip(profile.taken, TOLD_LEAST, 1 - TOLD_LEAST)
    sums = np.concatenate([[0.0], np.cumsum(np.where(good, np.log(share / (1 - share)), 0.0))])
    return total - TOLD_PER_MM * STEP_MM * sums[np.searchsorted(x, tips_mm)]


def _other_costs(profile: _Profile, spread: float) -> Floats:
    """What speaks against each spot showing what is there without the stick, in shade or not."""
    known = np.asarray(np.isfinite(profile.other).all(axis=1))
    other = np.where(known[:, None], profile.other, 1.0)
    gain = (profile.now * other).sum(axis=1) / np.maximum(np.square(other).sum(axis=1), 1.0)
    gain = np.clip(gain, DARKEST, LIGHTEST)
    cost = np.square(profile.now - other * gain[:, None]).sum(axis=1) / (6 * spread**2)
    cost += BEFORE + np.where(gain < SHADE, SHADED, 0.0)
    return np.where(known, np.minimum(cost, UNKNOWN), UNKNOWN)
