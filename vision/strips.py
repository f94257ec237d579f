"""Sticks in the overhead view laid flat: strips with two edges that keep their colours all along them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import shapely

from referee.pieces import Kit
from vision.at_once import at_once
from vision.flat import Flat
from vision.view import Floats, Singles

YAW_STEP_DEG, FEWER_YAWS = 4.0, 3
"""Between directions, and of how many of them one is looked at first."""
ALONG, AWAY, LENGTH, FIRST_LENGTH = 0.2, 0.8, 0.85, 0.4
"""In lengths of a stick: how far colours beside an edge are averaged, how far around what is usual, what must show."""
KNEE, USUAL, UNEVEN = 5.0, 3.0, 0.5
"""The step of colour that counts half (grey levels), how that rises with the table's own, and two colours' cost."""
LEAST_STRIP, FIRST_STRIP = 0.18, 0.4
SEEDS, MOST_STRIPS = 240, 64
RUNS, PER_RUN, SPARED, STEP_MM = 5, 5, 0.1, 1.2
APART, APART_RAD, SAME_RAD = 0.4, 0.12, 0.2
"""How far two strips lie apart, in widths of a stick, or how far they are turned: seeds, and what is found."""
ALIKE, TINT_SPREAD, HUE_SPREAD, PLAIN = 0.2, 0.3, 0.15, 0.4
"""How near the tints of sticks are to each other, how far one may stray, and what one of another tint still counts."""
SHADE, SHADE_WEIGHT = -0.1, 0.3


@dataclass(frozen=True, slots=True)
class Strip:
    """A stick's middle on the plane, its yaw, and how clear it is, 0 to 1."""

    x: float
    y: float
    yaw_rad: float
    sides: float

    @property
    def middle(self) -> shapely.Point:
        return shapely.Point(self.x, self.y)

    def line(self, kit: Kit) -> Floats:
        """Both tips (2, 2) on the plane, if it lay there."""
        half = np.array([math.cos(self.yaw_rad), math.sin(self.yaw_rad)]) * kit.road_length_mm / 2
        return np.array([self.x, self.y]) + np.array([[-1.0], [1.0]]) * half


@dataclass(frozen=True, eq=False)
class _Rows:
    """The grid turned so that sticks of one direction lie along its rows, and how clear their two edges are."""

    yaw_rad: float
    turn: Floats
    """From the grid to the rows (2, 3)."""
    size: tuple[int, int]
    both: Singles
    """About the middle line of a stick, from row `half + 1` on."""

    @classmethod
    def of(cls, flat: Flat, yaw_rad: float, kit: Kit) -> _Rows:
        height, width = flat.cells.shape[:2]
        half, smooth, around = _half(flat, kit), *(_cells(flat, share, kit) for share in (ALONG, AWAY))
        cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
        size = (int(width * abs(cos) + height * abs(sin)) + 4, int(width * abs(sin) + height * abs(cos)) + 4)
        turn = np.array([[cos, sin, 0], [-sin, cos, 0]])
        turn[:, 2] = np.array(size) / 2 - turn[:, :2] @ (width / 2, height / 2)
        rows = cv2.blur(cv2.warpAffine(flat.cells, turn, size, flags=cv2.INTER_LINEAR), (smooth, 1))
        # Row i is the step between rows i and i + 2: the edge in row i + 1.
        blue, green, red, _ = cv2.split(cv2.absdiff(rows[2:], rows[:-2]))
        step = cv2.max(cv2.max(blue, green), red).astype(np.float32)
        step[cv2.min(rows[2:, :, 3], rows[:-2, :, 3]) < 250] = 0.0
        # In place: new arrays of this size cost more than what is worked out in them.
        usual: Any = cv2.blur(step, (around, around))
        usual *= USUAL
        usual += step + KNEE
        seen = cv2.dilate(np.divide(step, usual, out=step), np.ones((3, 1), np.uint8))
        upper, lower = seen[: -2 * half], seen[2 * half :]
        both: Any = cv2.min(upper, lower)
        either: Any = upper + lower
        both *= 0.5
        either *= 0.25
        both += either
        return cls(yaw_rad, turn, size, both)

    def like(self, like: Singles, half: int) -> _Rows:
        """The same where it counts how like a tint each cell of the grid is."""
        inside: Any = cv2.warpAffine(like, self.turn, self.size, flags=cv2.INTER_LINEAR)[half + 1 : -half - 1]
        inside *= 1 - PLAIN
        inside += PLAIN
        inside *= self.both
        return dataclasses.replace(self, both=inside)

    def strips(self, flat: Flat, share: float, least: float, kit: Kit) -> list[Strip]:
        """Strips of which a share of the length is seen."""
        half = _half(flat, kit)
        score = cv2.blur(self.both, (_cells(flat, share, kit), 1), borderType=cv2.BORDER_CONSTANT)
        high = score >= cv2.dilate(score, np.ones((half + 1, 4 * half + 1), np.uint8))
        v, u = np.divmod(np.flatnonzero(high & (score > least)), score.shape[1])
        back: Any = cv2.invertAffineTransform(self.turn)
        spots = flat.mm((back @ np.stack([u, v + half + 1.0, np.ones(len(u))])).T)
        shares = score[v, u]
        return [Strip(float(x), float(y), self.yaw_rad, float(s)) for (x, y), s in zip(spots, shares, strict=True)]


def _half(flat: Flat, kit: Kit) -> int:
    """Half of a stick's width in cells."""
    return max(round(kit.road_width_mm / 2 / flat.cell_mm), 1)


def _cells(flat: Flat, share: float, kit: Kit) -> int:
    """A share of a stick's length in cells."""
    return max(round(share * kit.road_length_mm / flat.cell_mm), 3)


def strips(flat: Flat, kit: Kit, most: int = MOST_STRIPS) -> list[Strip]:
    """The likeliest sticks, best first: those of one tint, where that of most can be told."""
    yaws_rad = np.radians(np.arange(0, 180, YAW_STEP_DEG)).tolist()
    few = at_once(lambda yaw_rad: _Rows.of(flat, yaw_rad, kit), yaws_rad[::FEWER_YAWS])
    first = _best_first(at_once(lambda rows: rows.strips(flat, FIRST_LENGTH, FIRST_STRIP, kit), few))
    like = likeness(flat, _usual_tint(flat, first[:SEEDS], kit))
    known = {rows.yaw_rad: rows for rows in few}

    def of_tint(yaw_rad: float) -> list[Strip]:
        rows = known.pop(yaw_rad) if yaw_rad in known else _Rows.of(flat, yaw_rad, kit)
        return rows.like(like, _half(flat, kit)).strips(flat, LENGTH, LEAST_STRIP, kit)

    found = kept_apart(_best_first(at_once(of_tint, yaws_rad)), SEEDS, kit, APART_RAD)
    return kept_apart(_refined(flat, found, like, kit), most, kit, SAME_RAD)


def _best_first(found: Sequence[Sequence[Strip]]) -> list[Strip]:
    return sorted((one for some in found for one in some), key=lambda one: -one.sides)


def _usual_tint(flat: Flat, found: Sequence[Strip], kit: Kit) -> Floats:
    """The tint that most of the clear strips have."""
    if not found:
        return np.zeros(3)
    reach = np.linspace(-0.2, 0.2, 9)[:, None] * kit.road_length_mm
    lines = [np.array([one.x, one.y]) + reach * (math.cos(one.yaw_rad), math.sin(one.yaw_rad)) for one in found]
    tints = np.median(flat.tints(np.array(lines)), axis=1)
    # Shadows run beside sticks and can be clearer than they are.
    weights = np.array([one.sides for one in found]) * np.where(tints.max(axis=1) < SHADE, SHADE_WEIGHT, 1.0)
    away = np.linalg.norm(tints[:, None] - tints, axis=-1)
    best = int((np.exp(-0.5 * np.square(away / ALIKE)) @ weights).argmax())
    near = away[best] < ALIKE
    usual: Floats = np.average(tints[near], axis=0, weights=weights[near])
    return usual


def likeness(flat: Flat, tint: Floats) -> Singles:
    """How like a tint (0 to 1) each cell is."""
    away = flat.tint - tint.astype(np.float32)
    # Light falls unevenly, and changes hues less.
    bright = cv2.transform(away, np.full((1, 3), 1 / 3, np.float32))
    hue = (away * away).sum(axis=-1) - 3 * bright * bright
    return np.asarray(np.exp(-0.5 * (np.square(bright / TINT_SPREAD) + hue / HUE_SPREAD**2)), np.float32)


def _refined(flat: Flat, found: Sequence[Strip], like: Singles, kit: Kit) -> list[Strip]:
    """Strips moved and turned to where their edges are clearest, best first."""
    if not found:
        return []
    lines = np.array([one.line(kit) for one in found])
    sides = np.zeros(len(found))
    for reach, step in ((0.5, 0.167), (0.125, 0.0625)):
        steps = np.arange(-round(reach / step), round(reach / step) + 1) * (step * kit.road_width_mm)
        lines, sides = _best_aside(flat, lines, steps, like, kit)
    along = lines[:, 1] - lines[:, 0]
    yaws = np.arctan2(along[:, 1], along[:, 0])
    poses = np.column_stack([lines.mean(axis=1), yaws, sides])
    return sorted((Strip(*(float(v) for v in pose)) for pose in poses), key=lambda one: -one.sides)


def _best_aside(flat: Flat, lines: Floats, steps: np.ndarray, like: Singles, kit: Kit) -> tuple[Floats, Floats]:
    """Lines (m, 2, 2) with both ends moved aside to where both long edges are clearest, and how clear (m,)."""
    along = lines[:, 1] - lines[:, 0]
    aside = np.stack([-along[:, 1], along[:, 0]], axis=-1) / np.hypot(*along.T)[:, None]
    one, other = (grid.ravel() for grid in np.meshgrid(steps, steps, indexing="ij"))
    starts = lines[:, None, 0] + one[:, None] * aside[:, None]
    ends = lines[:, None, 1] + other[:, None] * aside[:, None]
    sides = clearness(flat, starts, ends, like, kit)
    best = sides.argmax(axis=1)
    rows = np.arange(len(lines))
    return np.stack([starts[rows, best], ends[rows, best]], axis=1), sides[rows, best]


def clearness(flat: Flat, starts: Floats, ends: Floats, like: Singles, kit: Kit) -> Floats:
    """How clear (0 to 1) sticks from (..., 2) to (..., 2) on the plane are."""
    along = ends - starts
    normal = np.stack([-along[..., 1], along[..., 0]], axis=-1) / np.hypot(along[..., 0], along[..., 1])[..., None]
    shares = (np.arange(RUNS * PER_RUN) + 0.5) / (RUNS * PER_RUN) * (1 - 2 * SPARED) + SPARED
    middle = starts[..., None, :] + shares[:, None] * along[..., None, :]
    knee = KNEE + flat.own_step
    seen, inner = [], []
    for side in (-1.0, 1.0):
        aside = [side * (kit.road_width_mm / 2 + off * STEP_MM) * normal[..., None, :] for off in (1, -1)]
        out, within = (flat.colours(middle + one) for one in aside)
        inner.append(within)
        # Colours beside an edge are compared over a run of it: grain does not last so long.
        strength = _in_runs(within - out)
        seen.append(strength / (strength + knee))
    both = 0.5 * np.minimum(*seen) + 0.25 * (seen[0] + seen[1])
    # Within a stick colours are alike from edge to edge; where a shadow runs beside one they are not.
    odd = _in_runs(inner[0] - inner[1])
    alike = flat.values(like, middle).reshape(*odd.shape, PER_RUN).mean(axis=-1)
    clear: Floats = ((both - UNEVEN * odd / (odd + knee)) * (PLAIN + (1 - PLAIN) * alike)).mean(axis=-1)
    return clear


def _in_runs(steps: Singles) -> Singles:
    """The largest of the colours' mean steps (..., 3) over runs of samples along an edge."""
    # Channel by channel, for NumPy is slow along a few numbers.
    channels = (channel.ravel() for channel in cv2.split(steps.reshape(1, -1, 3)))
    means = [np.abs(sum(channel[i::PER_RUN] for i in range(PER_RUN)) / PER_RUN) for channel in channels]
    return np.asarray(np.maximum.reduce(means), np.float32).reshape(*steps.shape[:-2], RUNS)


def kept_apart(found: Sequence[Strip], most: int, kit: Kit, turned_rad: float) -> list[Strip]:
    """The best of strips that would be one and the same stick."""
    kept: list[Strip] = []
    poses = np.empty((5, min(most, len(found))))
    for one in found:
        if len(kept) == most:
            break
        if not _is_among(one, poses[:, : len(kept)], kit, turned_rad):
            poses[:, len(kept)] = one.x, one.y, one.yaw_rad, math.cos(one.yaw_rad), math.sin(one.yaw_rad)
            kept.append(one)
    return kept


def _is_among(one: Strip, others: Floats, kit: Kit, turned_rad: float) -> bool:
    """Whether a strip would be the same stick as another one of some, x, y, yaw, its cosine and its sine (5, n)."""
    x, y, yaw, cos, sin = others
    turn = np.abs((one.yaw_rad - yaw + math.pi / 2) % math.pi - math.pi / 2)
    dx, dy = one.x - x, one.y - y
    aside, along = np.abs(cos * dy - sin * dx), np.abs(cos * dx + sin * dy)
    same = (turn <= turned_rad) & (aside < APART * kit.road_width_mm) & (along < 3 * kit.road_width_mm)
    return bool(same.any())
