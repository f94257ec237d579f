"""Pieces of layouts fitted to both views, many at once: each with what hides it in its own layout."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Column, Layout, Point2, Road
from referee.pieces import Kit
from vision.bodies import column_body, stick_body, stick_pose, stick_tips
from vision.depth import DepthMap, depth_about
from vision.fit import Fit, Scene, fits
from vision.piles import Way, piled
from vision.rested import Heap, Resting
from vision.sigmas import SETTLED, column_sigma, pixel_mm_at, tip_sigmas
from vision.solids import solids
from vision.view import Floats
from vision.views import with_depth

REST_SIGMA_MM = 0.9
UNTOLD_MM = 3.0
"""How far along itself a stick may be off where that was not measured."""
MOST_UNDER = 3
"""On how many other sticks an end is tried that lies where several do."""
HIGH, HIGH_COST = 2.0, 5.0
"""How many thicknesses above its column's top an end lies at most as a rule (nine of ten ends in games of ours), and
the score points that each more costs."""
OTHER_MM = 1.5
"""How far from all levels a stick must rest for that to be another way to lie."""
MARGIN_PX = 64
"""How far from where a piece is thought to be things may hide it: a fit moves it by a few pixels."""

Hiding = Sequence[DepthMap]
"""What hides a piece in each view."""


def fitted(layout: Layout, scenes: Sequence[Scene], kit: Kit) -> Layout:
    """The layout with all pieces where their outlines show in both views."""
    maps = [scene.depth for scene in with_depth(scenes, solids(layout, kit))]
    return _fitted([(layout, {piece.id for piece in layout.built()}, maps)], scenes, kit)[0]


def refitted(ways: Sequence[tuple[Layout, Collection[str]]], scenes: Sequence[Scene], kit: Kit) -> list[Layout]:
    """Layouts, each with the pieces of it that are named where their outlines show in both views."""
    known = [solids(layout, kit) for layout, _ in ways]
    lenses = [scene.evidence.lens for scene in scenes]
    return _fitted(
        [
            (layout, names, [depth_about(names, some, lens, MARGIN_PX) for lens in lenses])
            for (layout, names), some in zip(ways, known, strict=True)
        ],
        scenes,
        kit,
    )


def _fitted(ways: Sequence[tuple[Layout, Collection[str], Hiding]], scenes: Sequence[Scene], kit: Kit) -> list[Layout]:
    columns = [(c, without(maps, c.id)) for layout, names, maps in ways for c in layout.columns if c.id in names]
    roads, levels = [], []
    for layout, names, maps in ways:
        some = [road for road in layout.roads if road.id in names]
        roads += [(road, without(maps, road.id)) for road in some]
        levels += levels_of(layout, some, kit)
    new = iter(stood(columns, scenes, kit))
    every = iter(ways_of(roads, levels, scenes, kit))
    laid: list[tuple[Road, Way]] = []
    for layout, names, _ in ways:
        some = [road for road in layout.roads if road.id in names]
        laid += zip(some, piled(some, [next(every) for _ in some], layout.columns, scenes[0], kit), strict=True)
    new_roads = (road_of(road, way.stick, UNTOLD_MM, kit) for road, way in laid)
    return [
        replace(
            layout,
            columns=tuple(next(new) if c.id in names else c for c in layout.columns),
            roads=tuple(next(new_roads) if r.id in names else r for r in layout.roads),
        )
        for layout, names, _ in ways
    ]


def without(maps: Hiding, name: str) -> list[DepthMap]:
    """What hides a piece itself."""
    return [depth.without(name) for depth in maps]


def stood(columns: Sequence[tuple[Column, Hiding]], scenes: Sequence[Scene], kit: Kit) -> list[Column]:
    """Columns where their outlines show."""
    if not columns:
        return []
    tops_mm = np.array([kit.column_top_mm(column.height) for column, _ in columns])
    starts = np.array([(column.x, column.y) for column, _ in columns])
    depths = list(zip(*(hiding for _, hiding in columns), strict=True))
    found = fits(scenes, column_body(kit, 0.0, tops_mm), starts, depths=depths)
    return [_column_of(column, one, scenes) for (column, _), one in zip(columns, found, strict=True)]


def lying(layout: Layout, maps: Hiding, scenes: Sequence[Scene], kit: Kit) -> list[Way]:
    """The ways in which the roads of a layout lie that are likeliest together."""
    roads = [(road, without(maps, road.id)) for road in layout.roads]
    ways = ways_of(roads, levels_of(layout, layout.roads, kit), scenes, kit)
    return piled(layout.roads, ways, layout.columns, scenes[0], kit)


def ways_of(
    roads: Sequence[tuple[Road, Hiding]], levels: Sequence[Sequence[Resting]], scenes: Sequence[Scene], kit: Kit
) -> list[list[Way]]:
    """The ways for roads to lie on what may bear them, fitted."""
    if not roads:
        return []
    starts = []
    for (road, _), some in zip(roads, levels, strict=True):
        pose = stick_pose(np.array(road.a), np.array(road.b))
        starts += [np.array([*pose[:3], *rest.tips_mm]) for rest in some]
    every = np.array(starts)
    sigmas = np.tile([np.inf, np.inf, np.inf, REST_SIGMA_MM, REST_SIGMA_MM], (len(every), 1))
    each = [hiding for (_, hiding), some in zip(roads, levels, strict=True) for _ in some]
    sticks = fits(scenes, stick_body(kit), every, (every, sigmas), depths=list(zip(*each, strict=True)))
    found = iter(zip(sticks, starts, strict=True))
    return [[_way(*next(found), rest, kit) for rest in some] for some in levels]


def levels_of(layout: Layout, roads: Sequence[Road], kit: Kit) -> list[list[Resting]]:
    """For each of some roads the heights at which its ends may lie: on the table, on its columns, on so many sticks
    there, and as it would rest on those that it meets."""
    heights = {column.id: column.height for column in layout.columns}
    borne = [name for road in layout.roads for name in road.columns()]
    heap = Heap(layout, kit)

    def ends(name: str | None) -> Floats:
        if name is None:
            return np.array([kit.road_thickness_mm / 2])
        under = np.arange(min(borne.count(name), MOST_UNDER + 1))
        return np.asarray(kit.lying_z_mm(heights[name]) + under * kit.road_thickness_mm, np.float64)

    found = []
    for road in roads:
        pairs = np.array([*itertools.product(ends(road.from_), ends(road.to))])
        some = [Resting(pair, pair - pairs[0], frozenset()) for pair in pairs]
        for rest in heap.rests(road):
            if all(np.abs(rest.tips_mm - other.tips_mm).max() > OTHER_MM for other in some):
                some.append(rest)
        found.append(some)
    return found


def road_of(
    road: Road,
    stick: Fit,
    along_mm: float,
    kit: Kit,
    doubt: str | None = None,
    open_mm: Point2 = SETTLED,
) -> Road:
    """A road as it was fitted; how far along itself it lies is known so well, and how high both tips are."""
    a, b = (tuple(float(v) for v in tip) for tip in stick_tips(stick.pose, kit.road_length_mm))
    sigma = tip_sigmas(stick, kit.road_length_mm, along_mm, open_mm)
    return replace(road, a=a, b=b, sigma=sigma, unsure=doubt)


def _column_of(column: Column, found: Fit, scenes: Sequence[Scene]) -> Column:
    x, y = (float(v) for v in found.pose)
    return replace(column, x=x, y=y, sigma=column_sigma(found, pixel_mm_at(scenes, found.prism.origin)))


def _way(found: Fit, start: Floats, rest: Resting, kit: Kit) -> Way:
    """A fit as a way to lie: as likely as its score, less what it costs that it lies off its levels, or oddly high."""
    off = float(np.square((found.pose[3:] - start[3:]) / REST_SIGMA_MM).sum())
    cost = HIGH_COST * float(np.maximum(rest.above_mm / kit.road_thickness_mm - HIGH, 0.0).sum())
    return Way(found, rest.tips_mm, found.score - 0.5 * off - cost, rest.on)
