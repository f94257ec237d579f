"""The likeliest sticks of a field: a thinned grid tells where much of one may be seen, and only there it is looked."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.at_once import at_once
from vision.seek import GRID_MM, Field, Seed
from vision.view import Floats, Picture

Sums = NDArray[np.uint16]

YAWS_RAD = tuple(np.radians(np.arange(0, 180, 3.0)).tolist())
APART_MM, APART_DEG = 7.0, 9.0
FEWER_YAWS = 2
"""Directions to one that the thinned grid is looked at in: it is too coarse to tell neighbours apart."""
NEAR_TURNS = 2
"""Seeds so many directions from each other may be nearly the same."""
LEAST = 0.35
"""Share of its sides that must be seen of a stick."""
THIN = 3
"""Points of the field to one of the thinned grid, in each direction."""
PEAK = (8, 4)
"""Along and across a stick, in points of the field: so far about it a place must be the best."""
REACH = 2 * APART_MM / GRID_MM
"""How far about a likely place of the thinned grid it is looked, in points of the field."""
MOST_SPOTS = 20
_TRACE = np.array([[1, 0, 1]], np.float32)
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


@dataclass(frozen=True, eq=False)
class _Rows:
    """A grid turned so that sticks of one direction lie along its rows, and how much is seen of each."""

    turn: Floats
    """From the grid to the rows (2, 3)."""
    gap: int
    """Rows between the two sides of a stick."""
    whole: int
    """The sum of a stick that is seen all along."""
    sums: Sums
    """At the middle of the stick's first side."""

    def peaks(self) -> Floats:
        """Where more is seen of a stick than beside it: shares and places (3, n) on the grid."""
        high = self.sums > int(LEAST * self.whole)
        if not high.any():
            return np.empty((3, 0))
        high &= self.sums == cv2.dilate(self.sums, np.ones((3, 5), np.uint8))
        v, u = np.divmod(np.flatnonzero(high), high.shape[1])
        places = cv2.invertAffineTransform(self.turn) @ (u, v + self.gap / 2, np.ones(len(u)))
        return np.concatenate([self.sums[v, u][None] / self.whole, places])

    def most_about(self, x: float, y: float, reach: float) -> float:
        """The largest share within reach of a point of the grid."""
        u, v = self.turn @ (x, y, 1.0) - (0, self.gap / 2)
        first, last = (np.maximum(np.rint((u + far, v + far)).astype(int), 0) for far in (-reach, reach))
        near = self.sums[first[1] : last[1] + 1, first[0] : last[0] + 1]
        return float(near.max(initial=0)) / self.whole


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
    found: list[Seed] = []
    if height * width < SMALL:
        middle = width / 2, height / 2
        every = at_once(lambda yaw_rad: _looked_at(where, yaw_rad, middle, height + width, kit, knee), YAWS_RAD)
        found = [seed for some in every for seed in some]
        return wanted.of(_apart(found, wanted.most))
    thinned = _thinned(where)
    bounds = at_once(lambda yaw_rad: _bound(thinned, yaw_rad, kit, knee), YAWS_RAD[::FEWER_YAWS])
    seeds: list[Seed] = []
    for spot in _spots(at_once(_Rows.peaks, bounds)):
        if spot.share <= wanted.least(seeds):
            break
        middle = THIN * spot.x + (THIN - 1) / 2, THIN * spot.y + (THIN - 1) / 2
        for yaw in range(spot.yaw - NEAR_TURNS, spot.yaw + NEAR_TURNS + 1):
            about = {bounds[side // FEWER_YAWS % len(bounds)] for side in (yaw, yaw + FEWER_YAWS - 1)}
            if max(rows.most_about(spot.x, spot.y, REACH / THIN) for rows in about) > wanted.least(seeds):
                found += _looked_at(where, YAWS_RAD[yaw % len(YAWS_RAD)], middle, REACH, kit, knee)
        seeds = _apart(found, wanted.most)
    return wanted.of(seeds)


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


def _bound(thinned: Field, yaw_rad: float, kit: Kit, knee: float) -> _Rows:
    """How much may be seen at most of sticks along a direction."""
    height, width = thinned.tensors[0].shape[:2]
    gap, length = (max(round(size / THIN), 1) for size in _gap_and_length(kit))
    turn, size = _turned(width, height, yaw_rad)
    sums = _sums(_seen(thinned, yaw_rad, knee), turn, (size[0], max(size[1], gap + 1)), gap, length)
    return _Rows(turn, gap, 255 * length, sums)


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
    turn, size = _turned(width, height, yaw_rad)
    gap, length = _gap_and_length(kit)
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
    sums = _sums(_seen(part, yaw_rad, knee), moved, (int(last[0] - first[0]), int(last[1] - first[1])), gap, length)
    places = tuple(slice(low, high) for low, high in zip((begin - first)[::-1], (end - first)[::-1], strict=True))
    high = sums[places] > int(255 * LEAST * length)
    if not high.any():
        return []
    best = cv2.dilate(sums, np.ones((2 * PEAK[1] + 1, 2 * PEAK[0] + 1), np.uint8))
    row, column = np.divmod(np.flatnonzero(high & (sums[places] == best[places])), high.shape[1])
    x, y = cv2.invertAffineTransform(turn) @ (column + begin[0], row + begin[1] + gap // 2, np.ones(len(row)))
    spots = zip((x * GRID_MM + where.box.left).tolist(), (y * GRID_MM + where.box.bottom).tolist(), strict=True)
    shares = (sums[places][row, column] / (255 * length)).tolist()
    return [Seed(*spot, yaw_rad, where.z_mm, share) for spot, share in zip(spots, shares, strict=True)]


def _beneath(where: Field, turn: Floats, first: Floats, last: Floats) -> tuple[Field, NDArray[np.intp]]:
    """The part of a field under a part of its rows, and the point at which it begins."""
    height, width = where.tensors[0].shape[:2]
    corners = np.array([(u, v, 1.0) for u in (first[0], last[0]) for v in (first[1], last[1])])
    spots = corners @ cv2.invertAffineTransform(turn).T
    low = np.clip(np.floor(spots.min(axis=0)).astype(int) - 2, 0, (width - 1, height - 1))
    high = np.clip(np.ceil(spots.max(axis=0)).astype(int) + 3, low + 1, (width, height))
    tensors = tuple(tensor[low[1] : high[1], low[0] : high[0]] for tensor in where.tensors)
    return dataclasses.replace(where, tensors=tensors), low


def _turned(width: int, height: int, yaw_rad: float) -> tuple[Floats, tuple[int, int]]:
    """From a grid to one whose rows run along a direction (2, 3), and the width and height of that one."""
    cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
    size = int(width * abs(cos) + height * abs(sin)) + 4, int(width * abs(sin) + height * abs(cos)) + 4
    turn = np.array([[cos, sin, 0], [-sin, cos, 0]])
    turn[:, 2] = np.array(size) / 2 - turn[:, :2] @ (width / 2, height / 2)
    return turn, size


def _gap_and_length(kit: Kit) -> tuple[int, int]:
    """A stick's width and the length of its straight sides, in points of the field."""
    gap = 2 * max(round(kit.road_width_mm / 2 / GRID_MM), 1)
    return gap, max(int((kit.road_length_mm - kit.road_width_mm) / GRID_MM), 3)


def _seen(where: Field, yaw_rad: float, knee: float) -> Picture:
    """How well edges along a direction are seen, in 255ths: bytes are turned and summed several times as fast."""
    strength = where.strength(yaw_rad)
    seen = cv2.convertScaleAbs(strength / (strength + knee), alpha=255)
    return np.asarray(cv2.dilate(seen, np.ones((3, 3), np.uint8)), np.uint8)


def _sums(seen: Picture, turn: Floats, size: tuple[int, int], gap: int, length: int) -> Sums:
    """What is seen of both sides together of sticks about each place of the rows."""
    rows = cv2.warpAffine(seen, turn, size, flags=cv2.INTER_LINEAR)
    upper, lower = rows[:-gap], rows[gap:]
    both = cv2.addWeighted(cv2.min(upper, lower), 0.5, cv2.addWeighted(upper, 0.5, lower, 0.5, 0), 0.5, 0)
    total = cv2.boxFilter(both, cv2.CV_16U, (length, 1), normalize=False, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(total, np.uint16)


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
