"""Ends of several sticks on one column, settled together: they lie beside or on each other, hardly in each other."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from referee.layout import Column, Point2, Road
from referee.pieces import Kit
from vision.fit import Fit, Scene
from vision.over_under import edges_seen
from vision.sigmas import SETTLED
from vision.view import Floats

SWEEPS = 3
CLASH_COST = 8.0
"""Score points that it costs when two sticks lie in each other."""
NEVER = 1e6
APART = 0.6
"""How far apart sticks on each other are at least, in thicknesses."""
ORDER_WEIGHT = 12.0
"""What it counts that the edges of the upper one are seen where they meet, and those of the lower one are not."""
BESIDE = 0.8
"""How near two middle lines must come for sticks to lie on each other, in widths."""
REACH, SPOTS = 1.5, 12
"""How far about the column's middle is looked, in disc radii, and at how many spots of a stick."""
EASED = 0.2
"""What a point counts for how likely ways are: neighbouring points of a line err alike."""
MOST_HIGH_MM = 2.0
"""How well it must be known how high a road's tips are: of 37 roads of which less was 15 were over 3 mm off, of 487
others 3."""


@dataclass(frozen=True, eq=False)
class Meeting:
    """Two roads, by number, that lie over each other at a column, and what each pair (n, m) of their ways adds."""

    first: int
    second: int
    told: Floats


@dataclass(frozen=True, eq=False)
class Way:
    """One way for a stick to lie: as it was fitted, on which levels (2,), and how likely that is."""

    stick: Fit
    levels_mm: Floats
    likely: float
    on: frozenset[str] = frozenset()
    """The roads that it is thought to rest on."""
    open_mm: Point2 = SETTLED
    """How far off both tips' heights (2,) may be since other levels are about as likely."""


def piled(
    roads: Sequence[Road],
    ways: Sequence[Sequence[Way]],
    columns: Sequence[Column],
    overhead: Scene,
    kit: Kit,
    eased: float = EASED,
) -> list[Way]:
    """Of the ways for each road to lie those that are likeliest together; a point of score counts so much for how far
    others are open."""
    meetings = [*_meetings(roads, ways, columns, overhead, kit)]
    chosen = [int(np.argmax([way.likely for way in some])) for some in ways]
    beside: dict[int, list[Meeting]] = {i: [] for i in range(len(roads))}
    for one in meetings:
        beside[one.first].append(one)
        beside[one.second].append(one)

    def worth(i: int, but: Meeting | None = None) -> Floats:
        """What each way of a road is worth beside all others, or all but one."""
        others = [
            one.told[:, chosen[one.second]] if i == one.first else one.told[chosen[one.first]]
            for one in beside[i]
            if one is not but
        ]
        return np.array([way.likely for way in ways[i]]) + sum(others, np.zeros(len(ways[i])))

    for _ in range(SWEEPS):
        before = list(chosen)
        for one in meetings:
            total = one.told + worth(one.first, one)[:, None] + worth(one.second, one)
            chosen[one.first], chosen[one.second] = (int(k) for k in np.unravel_index(total.argmax(), total.shape))
        if chosen == before:
            break
    return [_with_doubt(some, k, eased * worth(i)) for i, (some, k) in enumerate(zip(ways, chosen, strict=True))]


def _with_doubt(ways: Sequence[Way], chosen: int, worth: Floats) -> Way:
    """The way that was chosen, with how far others of such log-odds would have its tips elsewhere."""
    odds = np.exp(worth - worth.max())
    away = np.array([way.stick.pose[3:] for way in ways]) - ways[chosen].stick.pose[3:]
    a_mm, b_mm = np.sqrt(odds @ np.square(away) / odds.sum()).tolist()
    return dataclasses.replace(ways[chosen], open_mm=(a_mm, b_mm))


def _meetings(
    roads: Sequence[Road], ways: Sequence[Sequence[Way]], columns: Sequence[Column], overhead: Scene, kit: Kit
) -> Iterator[Meeting]:
    known = {column.id: column for column in columns}
    view, knee = overhead.evidence.view, overhead.knee
    for (i, one), (j, other) in itertools.combinations(enumerate(roads), 2):
        for name in sorted({*one.columns()} & {*other.columns()}):
            shares = _overlap(one, other, known[name], kit)
            if shares is None:
                continue
            first, second = (
                np.array([way.stick.pose[3:] for way in ways[k]]) @ (1 - share, share)
                for k, share in zip((i, j), shares, strict=True)
            )
            gap = first[:, None] - second
            seen = edges_seen(view, one, other, kit, knee), edges_seen(view, other, one, kit, knee)
            over = 0.0 if seen[0] is None or seen[1] is None else seen[0] - seen[1]
            clash = np.abs(gap) < APART * kit.road_thickness_mm
            # No two rest on each other.
            on, other_on = (np.array([of in way.on for way in ways[k]]) for k, of in ((i, other.id), (j, one.id)))
            ring = on[:, None] & other_on
            yield Meeting(i, j, ORDER_WEIGHT * over * np.sign(gap) - CLASH_COST * clash - NEVER * ring)


def _overlap(one: Road, other: Road, column: Column, kit: Kit) -> tuple[float, float] | None:
    """Where along each of two roads they lie over each other about a column, as shares from a to b; else None."""
    a, b, p, q = (np.array(tip[:2]) for tip in (one.a, one.b, other.a, other.b))
    run, cross = b - a, q - p
    middle = float((np.array([column.x, column.y]) - a) @ run / (run @ run))
    reach = REACH * kit.disc_radius_mm / kit.road_length_mm
    shares = np.clip(middle + np.linspace(-reach, reach, SPOTS), 0.0, 1.0)
    arm = a + shares[:, None] * run - p
    at = arm @ cross / (cross @ cross)
    aside = np.abs(arm[:, 0] * cross[1] - arm[:, 1] * cross[0]) / np.hypot(*cross)
    over = (aside < BESIDE * kit.road_width_mm) & (at > 0) & (at < 1)
    return (float(shares[over].mean()), float(at[over].mean())) if over.any() else None
