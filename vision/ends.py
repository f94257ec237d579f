"""What strips may be: sticks from one disc top to another, or from one down to the table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.bridges import GROUND, LONGER, OVERHANG_MM, SHORTER, Bridge, edges_on
from vision.strips import Strip
from vision.tops import Plan
from vision.view import Floats

PAIRS_TRIED, DOWN_TRIED = 6, 2
ASIDE, BEYOND_MM = 0.9, 24.0
"""How far a top's middle may lie beside a strip, in disc radii, and how far a strip may lie beyond its own ends."""
CLEAR_MORE = 0.25
"""What the clearness of strips lacks of the share of edges seen: colours and evenness count in it too."""
OFF_MIDDLE = 0.008
"""What a share of a rim is worth less per mm that the tops are not where the strip's ends are."""
END_ASIDE, END_MORE = 0.7, 1.3
"""The same for a top at a strip's end, and what that counts where it is right there, which falls with the distance."""
VOTE, MOST_VOTES, MOST_TOPS, APART, NEXT = 0.15, 3.0, 64, 0.9, 0.35
"""What a strip that ends at a top adds to its rim's share, how many add, how many tops are kept, radii between them,
and before one that is held."""


def voted(
    found: Sequence[Strip], shares: Floats, spots: Floats, held: NDArray[np.bool_], kit: Kit
) -> tuple[Floats, Floats]:
    """The tops that rims and the ends of strips speak for most, best first: their shares (k,) and spots (k, 2); others
    near them do not push out those that are held (k,)."""
    votes = np.zeros(len(spots))
    for strip, some in zip(found, _near_tips(found, spots, kit), strict=True):
        along, aside = _beside(strip, spots[some], kit)
        off = np.minimum(np.abs(along), np.abs(along - kit.road_length_mm))
        near = np.clip(END_MORE - off / BEYOND_MM, 0.0, 1.0)
        votes[some] += strip.sides * 2 * (aside < END_ASIDE * kit.disc_radius_mm) * near
    value = shares + VOTE * np.minimum(votes, MOST_VOTES)
    kept: list[int] = []
    for i in np.argsort(-value):
        if len(kept) == MOST_TOPS:
            break
        apart = (NEXT if held[i] else APART) * kit.disc_radius_mm
        if np.hypot(*(spots[kept] - spots[i]).T).min(initial=np.inf) > apart:
            kept.append(int(i))
    return value[kept], spots[kept]


def _near_tips(found: Sequence[Strip], spots: Floats, kit: Kit) -> Iterator[NDArray[np.intp]]:
    """For each strip all spots that may lie at one of its ends: few of many."""
    reach_mm = 1.0 + math.hypot(END_ASIDE * kit.disc_radius_mm, END_MORE * BEYOND_MM)
    order = np.argsort(spots[:, 0])
    x, y = spots[order].T
    for strip in found:
        near = []
        for tip in strip.line(kit):
            first, last = np.searchsorted(x, (tip[0] - reach_mm, tip[0] + reach_mm))
            near.append(order[first:last][np.abs(y[first:last] - tip[1]) < reach_mm])
        yield np.union1d(*near)


def ways_of(plan: Plan, found: Sequence[Strip], values: Floats, spots: Floats, kit: Kit) -> list[list[Bridge]]:
    """For each strip the sticks that it may be, between tops at spots (k, 2) of the plane; the likeliest first."""
    groups = []
    for strip in found:
        line = strip.line(kit)
        length = kit.road_length_mm
        u = (line[1] - line[0]) / length
        along, aside = _beside(strip, spots, kit)
        near = np.flatnonzero(
            (aside < ASIDE * kit.disc_radius_mm) & (along > -BEYOND_MM) & (along < length + BEYOND_MM)
        )
        pairs = _pairs(near, along, values, kit)
        for there in (near[along[near] < length / 2 - BEYOND_MM], near[along[near] > length / 2 + BEYOND_MM]):
            pairs += [(int(i), GROUND) for i in there[np.argsort(-values[there])][:DOWN_TRIED]]
        if not pairs:
            continue
        starts = line[0] + np.array([along[first] for first, _ in pairs])[:, None] * u
        down = [length * (along[first] < length / 2) for first, _ in pairs]
        reach = [along[second] if second != GROUND else end for (_, second), end in zip(pairs, down, strict=True)]
        lines = np.stack([starts, line[0] + np.array(reach)[:, None] * u], axis=1)
        sides = (edges_on(plan, lines, kit) + strip.sides + CLEAR_MORE) / 2
        groups.append([Bridge(ends, lines[i], float(sides[i])) for i, ends in enumerate(pairs)])
    return groups


def _beside(strip: Strip, spots: Floats, kit: Kit) -> tuple[Floats, Floats]:
    """How far along a strip, from its first tip, and how far beside it spots (k, 2) lie."""
    line = strip.line(kit)
    u = (line[1] - line[0]) / kit.road_length_mm
    along: Floats = (spots - line[0]) @ u
    aside: Floats = np.abs((spots - line[0]) @ (-u[1], u[0]))
    return along, aside


def _pairs(near: np.ndarray, along: Floats, values: Floats, kit: Kit) -> list[tuple[int, int]]:
    """The likeliest pairs of tops that one stick joins."""
    first, second = (grid.ravel() for grid in np.meshgrid(near, near))
    gap, middle = along[second] - along[first], (along[first] + along[second]) / 2
    off = np.abs(middle - kit.road_length_mm / 2)
    shortest = (kit.road_length_mm - kit.disc_diameter_mm) * SHORTER
    fits = (gap > shortest) & (gap < (kit.road_length_mm + OVERHANG_MM) * LONGER) & (off < BEYOND_MM)
    value = np.where(fits, values[first] + values[second] - OFF_MIDDLE * off, -np.inf)
    best = [i for i in np.argsort(-value)[:PAIRS_TRIED] if fits[i]]
    return [(int(first[i]), int(second[i])) for i in best]
