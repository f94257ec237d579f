"""Heights settled once more when all pieces are fitted: each column a disc higher or lower, with what lies on it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, Point3
from referee.pieces import Kit
from vision.bridges import GROUND
from vision.clashes import columns_clash, stick_through_column, sticks_clash
from vision.fit import Scene
from vision.floors import Floors
from vision.joint import CLASH_COST
from vision.refit import refitted
from vision.solids import solids
from vision.stage import Stage, total

PASSES = 3
LEAST_GAIN = 0.8
"""Score points by which another height must be better in every layout to be taken."""
MOST_AGAINST = 10.0
"""Score points by which it may have been worse before pieces were fitted; by as many more it must be better now."""
CLOSED = 30.0
"""Score points by which a height that was worse before is not tried again."""
NOT_TAKEN = -0.1
"""What a height counts that is better by some layouts only: it is as good as the one that stays."""

TOGETHER = 6
"""How many heights are tried at once: each step is then over many pieces, and its arrays still are small."""

Rivals = Mapping[str, Mapping[int, float]]
"""What other heights of each column would add to the score."""


def with_settled_heights(
    ways: Sequence[Layout], before: Rivals, scenes: Sequence[Scene], floors: Floors | None, kit: Kit
) -> tuple[list[Layout], Rivals]:
    """Layouts of the same pieces, fitted ever better, with heights that all of them bear out; and rivals by the last.

    `before` is what other heights would have added when the pieces were not fitted, `floors` what levels say of them.
    """
    # Each layout is scored on stages of its own: they work out anew what changed since they were used last.
    stages = [[Stage(scene) for scene in scenes] for _ in ways]
    now = list(ways)
    best = _scores(now, stages, floors, kit)
    rivals: dict[str, dict[int, float]] = {}
    stale = {column.id for column in now[0].columns}
    for number in range(PASSES):
        others = [(c.id, n) for c in now[0].columns if c.id in stale for n in (c.height - 1, c.height + 1) if n >= 1]
        # As pieces lay when all was searched, most heights are out of the question; where something changed, ask again.
        closed = [way for way in others if not number and -math.inf < before.get(way[0], {}).get(way[1], 0.0) < -CLOSED]
        tried = [way for way in others if way not in closed]
        # Stages keep their scratch paper: what is fitted side by side is scored one after the other.
        some = [tried[i : i + TOGETHER] for i in range(0, len(tried), TOGETHER)]
        lifts = [one for few in some for one in _all_lifted(now, scenes, kit, few)]
        gains = [
            [new - was for new, was in zip(_scores(some, stages, floors, kit), best, strict=True)] for some in lifts
        ]
        rivals |= {name: {} for name in stale}
        for name, height in closed:
            rivals[name][height] = before[name][height]
        for (name, height), gain in zip(tried, gains, strict=True):
            rivals[name][height] = min(gain[-1], NOT_TAKEN)
        stale = set()
        for i in sorted(range(len(tried)), key=lambda i: -min(gains[i])):
            name, height = tried[i]
            against = -before.get(name, {}).get(height, 0.0) - MOST_AGAINST
            if min(gains[i]) < max(LEAST_GAIN, against) or name in stale:
                continue
            (now,) = _all_lifted(now, scenes, kit, [tried[i]])
            best = _scores(now, stages, floors, kit)
            stale |= {name for road in now[0].roads if tried[i][0] in road.columns() for name in road.columns()}
        if not stale:
            break
    return now, rivals


def _all_lifted(
    layouts: Sequence[Layout], scenes: Sequence[Scene], kit: Kit, ways: Sequence[tuple[str, int]]
) -> list[list[Layout]]:
    """For each of some ways all layouts with a column of another height, and what lies on it where it shows then."""
    found = iter(refitted([_lifted(layout, kit, *way) for way in ways for layout in layouts], scenes, kit))
    return [[next(found) for _ in layouts] for _ in ways]


def _lifted(layout: Layout, kit: Kit, name: str, height: int) -> tuple[Layout, set[str]]:
    """The layout with a column of another height, and all that moved."""
    column = next(column for column in layout.columns if column.id == name)
    by_mm = kit.column_top_mm(height) - kit.column_top_mm(column.height)
    columns = [replace(c, height=height) if c is column else c for c in layout.columns]
    roads = [
        replace(r, a=_raised(r.a, by_mm * (r.from_ == name)), b=_raised(r.b, by_mm * (r.to == name)))
        for r in layout.roads
    ]
    moved = {name} | {road.id for road in roads if name in road.columns()}
    return replace(layout, columns=tuple(columns), roads=tuple(roads)), moved


def _raised(tip: Point3, by_mm: float) -> Point3:
    return tip[0], tip[1], tip[2] + by_mm


def _scores(
    layouts: Sequence[Layout], stages: Sequence[Sequence[Stage]], floors: Floors | None, kit: Kit
) -> list[float]:
    return [_score(layout, some, floors, kit) for layout, some in zip(layouts, stages, strict=True)]


def _score(layout: Layout, stages: Sequence[Stage], floors: Floors | None, kit: Kit) -> float:
    """How well both views bear out the layout, less what it costs that pieces would stand in each other."""
    pieces = [((name, p.origin.tobytes(), p.axes.tobytes(), p.half_mm), p) for name, p in solids(layout, kit).items()]
    told = 0.0 if floors is None else sum(floors.worth((c.x, c.y), c.height) for c in layout.columns)
    return total(stages, pieces) + told - CLASH_COST * _clashes(layout, kit)


def _clashes(layout: Layout, kit: Kit) -> int:
    """How many pairs of pieces would stand in each other."""
    tips = np.array([(road.a, road.b) for road in layout.roads]).reshape(-1, 2, 3)
    spots = np.array([(column.x, column.y) for column in layout.columns]).reshape(-1, 2)
    tops_mm = np.array([kit.column_top_mm(column.height) for column in layout.columns])
    sticks = np.array(list(itertools.combinations(range(len(tips)), 2)), int).reshape(-1, 2)
    discs = np.array(list(itertools.combinations(range(len(spots)), 2)), int).reshape(-1, 2)
    bearing = [set(road.columns()) for road in layout.roads]
    number = {column.id: i for i, column in enumerate(layout.columns)} | {None: GROUND}
    on = np.array([(number[road.from_], number[road.to]) for road in layout.roads], int).reshape(-1, 2)
    through = np.array(
        [
            (i, j)
            for i, names in enumerate(bearing)
            for j, column in enumerate(layout.columns)
            if column.id not in names
        ],
        int,
    ).reshape(-1, 2)
    one, other = sticks.T
    found = sticks_clash(tips[one], tips[other], on[one], on[other], kit).sum()
    found += columns_clash(spots[discs[:, 0]], spots[discs[:, 1]], kit).sum()
    found += stick_through_column(tips[through[:, 0]], spots[through[:, 1]], tops_mm[through[:, 1]], kit).sum()
    return int(found)
