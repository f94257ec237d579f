"""The likeliest sticks of a field: a thinned grid tells where much of one may be seen, and only there it is looked."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.at_once import at_once
from vision.seek import GRID_MM, Field, Seed
from vision.stick_rows import LEAST, PEAK, Rows, gap_and_length, rows_of, seeds_at, seen_in, sums_of, turned
from vision.view import Floats

YAWS_RAD = tuple(np.radians(np.arange(0, 180, 3.0)).tolist())
APART_MM, APART_DEG = 7.0, 9.0
FEWER_YAWS = 2
"""Directions to one that the thinned grid is looked at in: it is too coarse to tell neighbours apart."""
NEAR_TURNS = 2
"""Seeds so many directions from each other may be nearly the same."""
THIN = 3
"""Points of the field to one of the thinned grid, in each direction."""
REACH = 2 * APART_MM / GRID_MM
"""How far about a likely place of the thinned grid it is looked, in points of the field."""
MOST_SPOTS = 20
_TRACE = np.array([[1, 0, 1]], np.float32)
TOGETHER = 6
"""How many directions of a field that was looked at before are looked at together."""
SMALL = 100_000
"""Fields of fewer points are looked at as a whole: thinning them takes longer."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many seeds: `few` in any case, and more of which a share over `clear` is seen, up to `most`."""

    few: int
    most: int
    clear: float

    def of(self, seeds: Sequence[Seed]) -> list[Seed]:
        """Those that are wanted of seeds, the best of which come first."""
        return [*seeds[: self.few], *(seed for seed in seeds[self.few : self.most] if seed.score > self.clear)]

    def least(self, seeds: Sequence[Seed]) -> float:
        """The share that must be seen of a further seed, or it is not wanted beside these."""
        of_few = seeds[self.few - 1].score if len(seeds) >= self.few else LEAST
        of_clear = max(seeds[self.most - 1].score if len(seeds) >= self.most else LEAST, self.clear)
        return min(of_few, of_clear)


@dataclass(frozen=True, slots=True)
class _Spot:
    """A place (x, y) of the thinned grid and a direction (of all) where more may be seen of a stick than beside it."""

    share: float
    x: float
    y: float
    yaw: int


def seek_sticks(where: Field, kit: Kit, knee: float, wanted: Wanted) -> list[Seed]:
    """The likeliest sticks of a field, best first; `knee` is the edge strength that counts half."""
    height, width = where.tensors[0].shape[:2]
    if height * width < SMALL:
        return _sought_all_over(where, kit, knee, wanted)
    found: list[Seed] = []
    thinned = _thinned(where)
    bounds = at_once(lambda yaw_rad: _bound(thinned, yaw_rad, kit, knee), YAWS_RAD[::FEWER_YAWS])
    seeds: list[Seed] = []
    for spot in _spots(at_once(Rows.peaks, bounds)):
        if spot.share <= wanted.least(seeds):
            break
        middle = THIN * spot.x + (THIN - 1) / 2, THIN * spot.y + (THIN - 1) / 2
        for yaw in range(spot.yaw - NEAR_TURNS, spot.yaw + NEAR_TURNS + 1):
            about = {bounds[side // FEWER_YAWS % len(bounds)] for side in (yaw, yaw + FEWER_YAWS - 1)}
            if max(rows.most_about(spot.x, spot.y, REACH / THIN) for rows in about) > wanted.least(seeds):
                found += _looked_at(where, YAWS_RAD[yaw % len(YAWS_RAD)], middle, REACH, kit, knee)
        seeds = _apart(found, wanted.most)
    return wanted.of(seeds)


def _sought_all_over(where: Field, kit: Kit, knee: float, wanted: Wanted) -> list[Seed]:
    """The likeliest sticks of a small field: all of it is looked at, but in directions of which no more is wanted."""
    mosts = [where.mosts.get((yaw_rad, knee), 1.0) for yaw_rad in YAWS_RAD]
    order = sorted(range(len(YAWS_RAD)), key=lambda yaw: -mosts[yaw])
    found: dict[int, list[Seed]] = {}
    # Of a field that was not looked at before any direction may show most.
    some = len(order) if not where.mosts else TOGETHER
    while order and mosts[order[0]] >= wanted.least(seeds := _of_all(found, wanted)):
        rows = at_once(lambda yaw: rows_of(where, YAWS_RAD[yaw], kit, knee), order[:some])
        looked_at = sorted(zip(order[:some], rows, strict=True), key=lambda one: -one[1].most)
        order = order[some:]
        for yaw, one in looked_at:
            where.mosts[YAWS_RAD[yaw], knee] = one.most
            if one.most >= wanted.least(seeds):
                found[yaw] = seeds_at(where, one, YAWS_RAD[yaw])
                seeds = _of_all(found, wanted)
    return wanted.of(_of_all(found, wanted))


def _of_all(found: Mapping[int, Sequence[Seed]], wanted: Wanted) -> list[Seed]:
    """The best seeds of some directions."""
    return _apart([seed for yaw in sorted(found) for seed in found[yaw]], wanted.most)


def _thinned(where: Field) -> Field:
    """The field with one point for a square of them: the one with the strongest edge."""
    height, width = where.tensors[0].shape[:2]
    rows, columns = -(-height // THIN), -(-width // THIN)
    strongest = np.full((rows * THIN, columns * THIN), -1, np.float32)
    strongest[:height, :width] = np.minimum.reduce([cv2.transform(t, _TRACE) for t in where.tensors])
    best = strongest[::THIN, ::THIN].copy()
    place = np.zeros(best.shape, np.intp)
    for down, right in itertools.product(range(THIN), repeat=2):
        other = strongest[down::THIN, right::THIN]
        np.copyto(place, down * width + right, where=other > best)
        np.maximum(best, other, out=best)
    place += THIN * (width * np.arange(rows)[:, None] + np.arange(columns))
    tensors = tuple(tensor.reshape(-1, 3)[place] for tensor in where.tensors)
    return dataclasses.replace(where, tensors=tensors)


def _bound(thinned: Field, yaw_rad: float, kit: Kit, knee: float) -> Rows:
    """How much may be seen at most of sticks along a direction."""
    height, width = thinned.tensors[0].shape[:2]
    gap, length = (max(round(size / THIN), 1) for size in gap_and_length(kit))
    turn, size = turned(width, height, yaw_rad)
    sums = sums_of(seen_in(thinned, yaw_rad, knee), turn, (size[0], max(size[1], gap + 1)), gap, length)
    return Rows(turn, gap, 255 * length, sums)


def _spots(peaks: Sequence[Floats]) -> Iterator[_Spot]:
    """Where most may be seen of sticks, of near ones only the best, from the peaks of each direction."""
    share, x, y = np.concatenate(peaks, axis=1)
    yaw_of = np.repeat(FEWER_YAWS * np.arange(len(peaks)), [some.shape[1] for some in peaks])
    for _ in range(MOST_SPOTS):
        if not len(share):
            return
        best = int(share.argmax())
        yield _Spot(float(share[best]), float(x[best]), float(y[best]), int(yaw_of[best]))
        turns = np.abs(yaw_of - yaw_of[best])
        far = np.hypot(x - x[best], y - y[best]) >= APART_MM / (THIN * GRID_MM)
        far |= np.minimum(turns, len(YAWS_RAD) - turns) > NEAR_TURNS
        share, x, y, yaw_of = share[far], x[far], y[far], yaw_of[far]


def _looked_at(
    where: Field, yaw_rad: float, middle: tuple[float, float], reach: float, kit: Kit, knee: float
) -> list[Seed]:
    """Sticks along a direction whose middles are within reach of a point of the field."""
    height, width = where.tensors[0].shape[:2]
    turn, size = turned(width, height, yaw_rad)
    gap, length = gap_and_length(kit)
    u, v = turn @ (*middle, 1.0) - (0, gap / 2)
    begin = np.clip(np.floor((u - reach, v - reach)).astype(int), 0, size)
    end = np.clip(np.ceil((u + reach, v + reach)).astype(int) + 1, 0, (size[0], size[1] - gap))
    if (begin >= end).any():
        return []
    # About these places all that bears on them: whole sticks, and places among which they may be the best.
    more = np.array([length // 2 + 1 + PEAK[0], PEAK[1]])
    first, last = np.maximum(begin - more, 0), np.minimum(end + more + (0, gap), size)
    part, corner = _beneath(where, turn, first, last)
    moved = turn.copy()
    moved[:, 2] += turn[:, :2] @ corner - first
    sums = sums_of(seen_in(part, yaw_rad, knee), moved, (int(last[0] - first[0]), int(last[1] - first[1])), gap, length)
    rows, columns = (slice(low, high) for low, high in zip((begin - first)[::-1], (end - first)[::-1], strict=True))
    return seeds_at(where, Rows(turn, gap, 255 * length, sums), yaw_rad, (rows, columns), first)


def _beneath(where: Field, turn: Floats, first: Floats, last: Floats) -> tuple[Field, NDArray[np.intp]]:
    """The part of a field under a part of its rows, and the point at which it begins."""
    height, width = where.tensors[0].shape[:2]
    corners = np.array([(u, v, 1.0) for u in (first[0], last[0]) for v in (first[1], last[1])])
    spots = corners @ cv2.invertAffineTransform(turn).T
    low = np.clip(np.floor(spots.min(axis=0)).astype(int) - 2, 0, (width - 1, height - 1))
    high = np.clip(np.ceil(spots.max(axis=0)).astype(int) + 3, low + 1, (width, height))
    tensors = tuple(tensor[low[1] : high[1], low[0] : high[0]] for tensor in where.tensors)
    return dataclasses.replace(where, tensors=tensors), low


def _apart(seeds: Sequence[Seed], most: int) -> list[Seed]:
    """The best seeds, of those that are nearly the same only one."""
    kept: list[Seed] = []
    for seed in sorted(seeds, key=lambda seed: -seed.score):
        if len(kept) == most:
            break
        if not any(_same(seed, other) for other in kept):
            kept.append(seed)
    return kept


def _same(one: Seed, other: Seed) -> bool:
    turn = abs((one.yaw_rad - other.yaw_rad + math.pi / 2) % math.pi - math.pi / 2)
    return math.hypot(one.x - other.x, one.y - other.y) < APART_MM and turn < math.radians(APART_DEG)
