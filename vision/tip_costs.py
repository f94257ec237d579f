"""What speaks against a stick's colour ending at places about its tip, by the colours of one view along it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import erf

from vision.view import Floats

STEP_MM = 0.2
INNER_MM = 3.0
"""The stick's own colour is taken this far inside its tip and deeper."""
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
TOLD_PER_MM, TOLD_LEAST = 0.2, 0.05
"""What a millimetre counts that is taken for a stick, per unit of log-odds, and the least share."""
ALONE = 0.25
"""What colours count for beside the net where it is not known what was there before: a shadow or a disc may look like
more stick."""
END_WEIGHT, END_LEAST, END_USUAL = 0.9, 0.03, -1.2
"""What it counts that a spot is taken for an end, per unit of log-odds; the least share; log-odds that tell nothing."""


@dataclass(frozen=True, eq=False)
class Profile:
    """Colours along the middle of a stick's upper face, from inside to past one tip."""

    x_mm: Floats
    now: Floats
    other: Floats
    """What would be seen without the stick, NaN where that is not known."""
    has_before: bool
    """Whether that is known from an earlier picture."""
    good: np.ndarray
    px_per_mm: float
    slide_per_mm: float
    """How far the stick seems to slide for each mm that it lies higher."""
    taken: Floats | None
    """Share of each spot that is taken for a stick or a car on it; None where nobody was asked."""
    ends: Floats | None = None
    """How far each spot is taken for the end of a stick; None where nobody was asked."""


def tip_costs(profile: Profile, tips_mm: Floats) -> Floats:
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
    # Only a few spots lie where the colour of a tip changes: from the first one past what is in to what is out.
    many = last - first
    tip = np.repeat(np.arange(len(tips_mm)), many)
    spot = np.arange(len(tip)) + np.repeat(first - np.cumsum(many) + many, many)
    share = 0.5 * (1 - erf((x[spot] - tips_mm[tip]) * per_mm / (BLUR_PX * math.sqrt(2))))[:, None]
    ramp = share * own + (1 - share) * past[tip]
    loose = np.hypot(spread, CONTRAST_SHARE * np.linalg.norm(past - own, axis=1))
    cost = np.where(np.arange(len(x)) < first[:, None], inside, outside)
    cost[tip, spot] = np.minimum(np.square(now[spot] - ramp).sum(axis=1) / (6 * loose[tip] ** 2), MOST)
    cost *= good
    stands_out = np.square((past - own) / (FAINT_TIMES * spread)).mean(axis=1)
    edge = np.log(FAINT + (1 - FAINT) * stands_out / (1 + stands_out))
    # Where the place of a tip is hidden nothing is known of its edge.
    shown = good[np.clip(first, 0, len(x) - 1)] & good[np.clip(last, 0, len(x) - 1)]
    total: Floats = cost.sum(axis=1) * STEP_MM * per_mm / CORRELATED_PX - EDGE * edge * shown
    if profile.taken is None:
        return total
    total = total * (1.0 if profile.has_before else ALONE)
    share = np.clip(profile.taken, TOLD_LEAST, 1 - TOLD_LEAST)
    sums = np.concatenate([[0.0], np.cumsum(np.where(good, np.log(share / (1 - share)), 0.0))])
    total -= TOLD_PER_MM * STEP_MM * sums[np.searchsorted(x, tips_mm)]
    if profile.ends is None:
        return total
    end = np.clip(profile.ends, END_LEAST, 1 - END_LEAST)
    odds = np.where(good, np.log(end / (1 - end)) - END_USUAL, 0.0)
    told: Floats = total - END_WEIGHT * np.interp(tips_mm, x, odds)
    return told


def _other_costs(profile: Profile, spread: float) -> Floats:
    """What speaks against each spot showing what is there without the stick, in shade or not."""
    known = np.asarray(np.isfinite(profile.other).all(axis=1))
    other = np.where(known[:, None], profile.other, 1.0)
    gain = (profile.now * other).sum(axis=1) / np.maximum(np.square(other).sum(axis=1), 1.0)
    gain = np.clip(gain, DARKEST, LIGHTEST)
    cost = np.square(profile.now - other * gain[:, None]).sum(axis=1) / (6 * spread**2)
    cost += BEFORE + np.where(gain < SHADE, SHADED, 0.0)
    return np.where(known, np.minimum(cost, UNKNOWN), UNKNOWN)
