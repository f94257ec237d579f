"""Sticks searched from disc tops: two long edges between two tops, or from a top down to the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.at_once import at_once
from vision.tops import Plan
from vision.view import Floats, Singles

GROUND = -1
SIDE_STEP_MM = 1.5
FINE_STEP_MM = 0.5
YAW_STEP_DEG = 2.0
SAMPLES = 24
LEAST_BETWEEN, LEAST_SIDES = 0.33, 0.25
LEAST_TOLD_BETWEEN, CLEARLY_TAKEN = 0.15, 0.7
"""The share of both long edges that must be seen where a line is clearly taken for a stick: of a black stick among
others a quarter is, in full view."""
HALF_TAKEN, TAKEN_ASIDE = 0.45, 0.75
"""How much of such a line must be taken for a stick from above and from aside, where other roads lie over it."""
TAKEN_WEIGHT = 0.5
"""What it counts, against the share of both long edges that is seen, that a line is taken for a stick."""
MOST_DOWN = 6
"""Ways down to the table that are followed from one top."""
SHORTER, LONGER = 0.92, 1.14
"""How a stick's length may look on the plane: higher ones look longer, tilted ones shorter."""
OVERHANG_MM, HELD_MM = 8.0, 1.0
"""How far past its column an end juts out at most, and how much of a column must lie under it."""
SAME_MM, SAME_RAD = 3.5, 0.06


@dataclass(frozen=True, eq=False)
class Bridge:
    """A stick as the overhead view shows it: the tops that it joins, and its middle line where it meets them."""

    ends: tuple[int, int]
    line: Floats
    """Two spots (2, 2) of the plane, beside the first top and beside the second (or the tip on the table)."""
    sides: float

    @property
    def middle(self) -> Floats:
        middle: Floats = self.line.mean(axis=0)
        return middle


Taken = Callable[[Floats], Floats]
"""How much (0 to 1) of what lies along lines (m, 2, 2) of the plane is taken for a stick."""
Aside = Callable[[Floats, NDArray[np.intp]], Floats]
"""How much of it is from aside, where they lie on tops of some numbers (m, 2)."""


def bridges(plan: Plan, spots: Floats, taken: Taken, aside: Aside, kit: Kit, first: int = 0) -> list[Bridge]:
    """Every likely stick between two tops at spots (k, 2) of the plane, and from one down to the table; none but those
    on a top from number `first` on."""
    return [*_between(plan, spots, taken, aside, kit, first), *_down(plan, spots, taken, kit, first)]


def grouped(found: list[Bridge]) -> list[list[Bridge]]:
    """Bridges that would be one and the same stick, taken together."""
    groups: list[list[Bridge]] = []
    ordered = sorted(found, key=lambda one: -one.sides)
    lines = np.array([bridge.line for bridge in ordered]).reshape(-1, 2, 2)
    firsts: list[int] = []
    """The number of each group's first bridge."""
    for i, bridge in enumerate(ordered):
        same = np.flatnonzero(_same(lines[firsts], lines[i]))
        if len(same):
            groups[same[0]].append(bridge)
        else:
            groups.append([bridge])
            firsts.append(i)
    return groups


def _same(lines: Floats, other: Floats) -> np.ndarray:
    """Which of some lines (m, 2, 2) and another one (2, 2) would be one stick."""
    run = lines[:, 1] - lines[:, 0]
    x, y = run.T / np.hypot(*run.T)
    arms = other - lines[:, :1]
    aside = arms[..., 1] * x[:, None] - arms[..., 0] * y[:, None]
    away = (other - lines).mean(axis=1)
    turn = np.abs(aside[:, 1] - aside[:, 0]) / np.hypot(*(other[1] - other[0]))
    near = np.abs(away[:, 0] * x + away[:, 1] * y) < 6 * SAME_MM
    same: np.ndarray = (np.abs(aside.mean(axis=1)) < SAME_MM) & (turn < SAME_RAD) & near
    return same


def _between(plan: Plan, spots: Floats, taken: Taken, aside: Aside, kit: Kit, least: int) -> list[Bridge]:
    first, second = np.triu_indices(len(spots), 1)
    gap = np.hypot(*(spots[second] - spots[first]).T)
    near = (kit.road_length_mm - kit.disc_diameter_mm) * SHORTER
    far = (kit.road_length_mm + OVERHANG_MM) * LONGER
    wanted = (gap > near) & (gap < far) & (second >= least)
    first, second = first[wanted], second[wanted]
    if not len(first):
        return []
    lines = np.stack([spots[first], spots[second]], axis=1)
    reach = kit.disc_radius_mm
    lines, _ = _best_aside(plan, lines, np.arange(-reach, reach + 0.1, SIDE_STEP_MM), kit, taken)
    lines, sides = _best_aside(plan, lines, np.arange(-2, 3) * FINE_STEP_MM, kit, taken)
    keep = np.flatnonzero(sides > LEAST_TOLD_BETWEEN)
    above, clear = taken(lines[keep]), sides[keep] > LEAST_BETWEEN
    hidden = np.flatnonzero(~clear & (above > HALF_TAKEN))
    ends = np.column_stack([first, second])[keep[hidden]]
    is_seen = clear | (above > CLEARLY_TAKEN)
    is_seen[hidden] |= aside(lines[keep[hidden]], ends) > TAKEN_ASIDE
    keep = keep[is_seen]
    return [Bridge((int(first[i]), int(second[i])), lines[i], float(sides[i])) for i in keep]


def _best_aside(
    plan: Plan, lines: Floats, steps: np.ndarray, kit: Kit, taken: Taken | None = None
) -> tuple[Floats, Floats]:
    """Lines (m, 2, 2) with both ends moved aside to where both long edges are seen best, and how well (m,); where a
    stick goes under others, what is taken for one tells more than edges do."""
    along = lines[:, 1] - lines[:, 0]
    aside = np.stack([-along[:, 1], along[:, 0]], axis=-1) / np.hypot(*along.T)[:, None]
    one, other = (grid.ravel() for grid in np.meshgrid(steps, steps, indexing="ij"))
    starts = lines[:, None, 0] + one[:, None] * aside[:, None]
    ends = lines[:, None, 1] + other[:, None] * aside[:, None]
    sides = _sides(plan, starts, ends, kit)
    tried = np.stack([starts, ends], axis=-2)
    more = 0.0 if taken is None else TAKEN_WEIGHT * taken(tried.reshape(-1, 2, 2)).reshape(sides.shape)
    best = (sides + more).argmax(axis=1)
    rows = np.arange(len(lines))
    return np.stack([starts[rows, best], ends[rows, best]], axis=1), sides[rows, best]


def edges_on(plan: Plan, lines: Floats, kit: Kit) -> Singles:
    """How much of both long edges is seen of sticks along lines (m, 2, 2) of the plane."""
    return _sides(plan, lines[:, 0], lines[:, 1], kit)


def _sides(plan: Plan, starts: Floats, ends: Floats, kit: Kit) -> Singles:
    """How much of both long edges is seen of sticks (..., 2) to (..., 2) on the plane."""
    along = ends - starts
    length = np.hypot(along[..., 0], along[..., 1])
    normal = np.stack([-along[..., 1], along[..., 0]], axis=-1) / length[..., None]
    # Share after share, each for all sticks: NumPy is fast along many numbers in a row.
    shares = np.linspace(0.1, 0.9, SAMPLES).reshape(-1, *[1] * along.ndim)
    middle, half = starts + shares * along, normal * kit.road_width_mm / 2
    upper, lower = plan.seen(middle + half, normal), plan.seen(middle - half, normal)
    both = np.moveaxis(0.5 * np.minimum(upper, lower) + 0.25 * (upper + lower), 0, -1)
    return np.asarray(np.ascontiguousarray(both).mean(axis=-1), np.float32)


def _down(plan: Plan, spots: Floats, taken: Taken, kit: Kit, least: int) -> list[Bridge]:
    """Sticks from each top down to the table, in every direction."""
    if not len(spots):
        return []
    yaws = np.radians(np.arange(0, 360, YAW_STEP_DEG))
    ahead = np.stack([np.cos(yaws), np.sin(yaws)], axis=-1)
    aside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=-1)
    steps = np.array([-0.7, -0.35, 0.0, 0.35, 0.7]) * kit.disc_radius_mm
    top_mm = kit.lying_z_mm(1)

    def down_from(ring: int) -> list[Bridge]:
        base = plan.lifted(spots[ring], top_mm)[:2]
        reach = kit.road_length_mm - kit.disc_radius_mm / 2
        starts = base + steps[:, None] * aside[:, None]
        tips = starts + reach * ahead[:, None]
        low = np.full((*tips.shape[:-1], 1), kit.road_thickness_mm / 2)
        seen_starts = plan.flat(np.concatenate([starts, np.full_like(low, top_mm)], axis=-1))
        seen_tips = plan.flat(np.concatenate([tips, low], axis=-1))
        sides = _sides(plan, seen_starts, seen_tips, kit)
        lines = np.stack([seen_starts, seen_tips], axis=-2)
        value = sides + TAKEN_WEIGHT * taken(lines[:, len(steps) // 2])[:, None]
        best = value.max(axis=1)
        peaks = np.flatnonzero((best >= np.roll(best, 1)) & (best >= np.roll(best, -1)) & (sides.max(1) > LEAST_SIDES))
        peaks = peaks[np.argsort(-best[peaks])][:MOST_DOWN]
        if not len(peaks):
            return []
        likely = lines[peaks, value[peaks].argmax(axis=1)]
        likely, _ = _best_aside(plan, likely, np.arange(-3, 4) * 2 * FINE_STEP_MM, kit, taken)
        likely, clear = _best_aside(plan, likely, np.arange(-2, 3) * FINE_STEP_MM, kit, taken)
        return [Bridge((ring, GROUND), line, float(side)) for line, side in zip(likely, clear, strict=True)]

    return [one for some in at_once(down_from, range(least, len(spots))) for one in some]
