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
from vision.sigmas import SHARP, column_sigma, pixels_mm, tip_sigmas
from vision.solids import solids
from vision.view import Floats
from vision.views import with_depth

REST_SIGMA_MM = 1.2
UNTOLD_MM = 3.0
"""How far along itself a stick may be off where that was not measured."""
MOST_UNDER = 3
"""On how many other sticks an end is tried that lies where several do."""
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
        may_lie = levels_of(layout, kit)
        for road in layout.roads:
            if road.id in names:
                roads.append((road, without(maps, road.id)))
                levels.append(may_lie[road.id])
    new = iter(stood(columns, scenes, kit))
    every = iter(ways_of(roads, levels, scenes, kit))
    laid: list[tuple[Road, Way]] = []
    for layout, names, _ in ways:
        some = [road for road in layout.roads if road.id in names]
        laid += zip(some, piled(some, [next(every) for _ in some], layout.columns, scenes[0], kit), strict=True)
    new_roads = (road_of(road, way.stick, UNTOLD_MM, scenes, kit) for road, way in laid)
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
    levels = levels_of(layout, kit)
    roads = [(road, without(maps, road.id)) for road in layout.roads]
    ways = ways_of(roads, [levels[road.id] for road in layout.roads], scenes, kit)
    return piled(layout.roads, ways, layout.columns, scenes[0], kit)


def ways_of(
    roads: Sequence[tuple[Road, Hiding]], levels: Sequence[Sequence[Floats]], scenes: Sequence[Scene], kit: Kit
) -> list[list[Way]]:
    """The ways for roads to lie on what may bear them, fitted."""
    if not roads:
        return []
    starts = []
    for (road, _), ends in zip(roads, levels, strict=True):
        pose = stick_pose(np.array(road.a), np.array(road.b))
        starts.append(np.array([[*pose[:3], a, b] for a, b in itertools.product(*ends)]))
    every = np.concatenate(starts)
    sigmas = np.tile([np.inf, np.inf, np.inf, REST_SIGMA_MM, REST_SIGMA_MM], (len(every), 1))
    each = [hiding for (_, hiding), some in zip(roads, starts, strict=True) for _ in some]
    found = iter(fits(scenes, stick_body(kit), every, (every, sigmas), depths=list(zip(*each, strict=True))))
    return [[Way(one := next(found), start[3:], _likely(one, start)) for start in some] for some in starts]


def levels_of(layout: Layout, kit: Kit) -> dict[str, list[Floats]]:
    """For each road the heights at which its ends may lie: on the table, on its columns, on other sticks there."""
    heights = {column.id: column.height for column in layout.columns}
    borne = [name for road in layout.roads for name in road.columns()]

    def ends(name: str | None) -> Floats:
        if name is None:
            return np.array([kit.road_thickness_mm / 2])
        under = np.arange(min(borne.count(name), MOST_UNDER + 1))
        return np.asarray(kit.lying_z_mm(heights[name]) + under * kit.road_thickness_mm, np.float64)

    return {road.id: [ends(road.from_), ends(road.to)] for road in layout.roads}


def road_of(
    road: Road,
    stick: Fit,
    along_mm: float,
    scenes: Sequence[Scene],
    kit: Kit,
    doubt: str | None = None,
    open_mm: Point2 = SHARP,
) -> Road:
    """A road as it was fitted; how far along itself it lies is known so well, and how high both tips are."""
    a, b = (tuple(float(v) for v in tip) for tip in stick_tips(stick.pose, kit.road_length_mm))
    sigma = tip_sigmas(stick, kit.road_length_mm, along_mm, pixels_mm(scenes, stick.prism.origin), open_mm)
    return replace(road, a=a, b=b, sigma=sigma, unsure=doubt)


def _column_of(column: Column, found: Fit, scenes: Sequence[Scene]) -> Column:
    x, y = (float(v) for v in found.pose)
    return replace(column, x=x, y=y, sigma=column_sigma(found, pixels_mm(scenes, found.prism.origin)))


def _likely(found: Fit, start: Floats) -> float:
    """The score of a fit, less what it costs that it lies off its levels."""
    return found.score - 0.5 * float(np.square((found.pose[3:] - start[3:]) / REST_SIGMA_MM).sum())
