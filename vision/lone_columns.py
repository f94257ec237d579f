"""New columns that no stick lies on: not yet, or because it missed them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection

import numpy as np
from msgspec.structs import replace

from referee.layout import Column, Layout, Point3, Road
from referee.pieces import Kit
from vision.columns import columns_at, is_seen, rings
from vision.depth import with_solids
from vision.doubt import with_heights
from vision.fit import Scene
from vision.found import BORNE, SUNK
from vision.kept import was_there
from vision.looks import discs_of, tints_of
from vision.names import next_id
from vision.rests import highest_of
from vision.seek import Field, Seed
from vision.shade import is_shade_by_tint
from vision.sigmas import column_sigma, pixel_mm_at
from vision.solids import solid_of
from vision.told import is_told_top
from vision.view import Lens

BARE = "a column, or a shadow's ring: nothing lies on it"
OVER_MM, ASIDE = 6.0, 0.5
"""How much more than its length a stick may span, and how far beside a column's middle it may lie, in radii."""


def with_lone_columns(layout: Layout, scenes: list[Scene], where: Field, kit: Kit, owner: str | None) -> Layout:
    """The layout with new columns on which no stick lies yet."""
    overhead = scenes[0]
    plain, yellow = discs_of(overhead.evidence.view, overhead.depth, layout, kit)
    for _, spot in rings(where, kit, scenes[0].knee):
        if any(math.hypot(spot[0] - c.x, spot[1] - c.y) < kit.disc_radius_mm for c in layout.columns):
            continue
        ways = columns_at(scenes, spot, where.z_mm, kit, highest_of(layout))
        if not ways or not is_seen(ways[0][1]):
            continue
        height, column = ways[0]
        x, y = (float(v) for v in column.pose)
        if any(math.hypot(x - c.x, y - c.y) < 0.9 * kit.disc_diameter_mm for c in layout.columns):
            continue
        tints = tints_of(overhead.evidence.view, overhead.depth, column.prism)
        if was_there(scenes, column.prism):
            continue
        if plain is not None and yellow is not None and not (plain.is_like(tints) or yellow.is_like(tints)):
            continue
        if plain is not None and is_shade_by_tint(overhead.evidence, column.prism, tints, plain.tint):
            continue
        if not is_told_top([s.evidence for s in scenes], np.array([x, y, kit.column_top_mm(height)]), kit):
            continue
        added = Column(
            next_id("c", layout),
            x,
            y,
            height,
            False,
            owner,
            column_sigma(column, pixel_mm_at(scenes, column.prism.origin)),
        )
        odds = {n: way.score for n, way in ways}
        layout = replace(layout, columns=(*layout.columns, with_heights(added, odds)))
        parts = {added.id: solid_of(added, kit)}
        scenes = [dataclasses.replace(s, depth=with_solids(s.depth, parts, s.evidence.lens)) for s in scenes]
    return layout


def asked_where_bare(layout: Layout, known: Collection[str]) -> Layout:
    """The layout with columns asked for that are not known and bear nothing, though a road was laid: a shadow's ring
    looks like one, and whoever lays a road lays it on the column."""
    used = {name for road in layout.roads for name in road.columns()} | set(known)
    columns = [c if c.id in used else replace(c, unsure=c.unsure or BARE) for c in layout.columns]
    return replace(layout, columns=tuple(columns))


def borne_at_tips(layout: Layout, accepted: Layout, kit: Kit) -> Layout:
    """The layout with new roads said to lie on a new, bare column under a tip, not on one that it passes on its way."""
    known = {piece.id for piece in accepted.pieces()}
    used = {name for road in layout.roads for name in road.columns()}
    bare = [column for column in layout.columns if column.id not in known | used]
    columns = {column.id: column for column in layout.columns}

    def bearing(tip: Point3, name: str | None) -> Column | None:
        column = None if name is None else columns[name]
        if column is None or math.dist(tip[:2], (column.x, column.y)) < kit.disc_diameter_mm:
            return column
        near = [one for one in bare if math.dist(tip[:2], (one.x, one.y)) < kit.disc_radius_mm]
        under = [one for one in near if abs(tip[2] - kit.lying_z_mm(one.height)) < kit.disc_height_mm / 2]
        return under[0] if under else column

    def borne(road: Road) -> Road:
        ends = bearing(road.a, road.from_), bearing(road.b, road.to)
        from_, to = (None if column is None else column.id for column in ends)
        if (from_, to) == (road.from_, road.to):
            return road
        asked = any(column is not None and column.unsure for column in ends)
        return replace(road, from_=from_, to=to, unsure=road.unsure or (BORNE if asked else None))

    return replace(layout, roads=tuple(road if road.id in known else borne(road) for road in layout.roads))


def led_to_columns(layout: Layout, accepted: Layout, kit: Kit) -> Layout:
    """The layout with new roads that end on the table beside a new, bare column said to lead to it: they missed it."""
    old = {piece.id for piece in accepted.pieces()}
    used = {name for road in layout.roads for name in road.columns()}
    bare = [c for c in layout.columns if c.id not in old and c.id not in used]
    roads = []
    for road in layout.roads:
        near = [c for c in bare if math.dist(road.b[:2], (c.x, c.y)) < kit.disc_diameter_mm]
        if road.id not in old and road.to is None and road.from_ is not None and near:
            # Over the column's middle, and not on it, no end can lie.
            is_in_it = math.dist(road.b[:2], (near[0].x, near[0].y)) < kit.disc_radius_mm
            why = road.unsure or (SUNK if is_in_it else None)
            roads.append(replace(road, to=near[0].id, kind="road", unsure=why))
        else:
            roads.append(road)
    return replace(layout, roads=tuple(roads))


def seeds_from(column: Column, layout: Layout, overhead: Lens, z_mm: float, kit: Kit) -> list[Seed]:
    """Where sticks from a bare column to others within reach would be seen, on the plane `z_mm`."""
    seeds = []
    for other in layout.columns:
        gap = math.dist((column.x, column.y), (other.x, other.y))
        if other.id == column.id or not kit.road_length_mm - kit.disc_diameter_mm < gap < kit.road_length_mm + OVER_MM:
            continue
        ends = np.array([(c.x, c.y, kit.lying_z_mm(c.height)) for c in (column, other)])
        aside = np.array([ends[0, 1] - ends[1, 1], ends[1, 0] - ends[0, 0], 0.0]) * (ASIDE * kit.disc_radius_mm / gap)
        for one in (-1, 0, 1):
            for two in (-1, 0, 1):
                tips = overhead.on_plane(overhead.project(ends + np.array([[one], [two]]) * aside), z_mm)
                along = tips[1] - tips[0]
                x, y, _ = (float(v) for v in tips.mean(axis=0))
                seeds.append(Seed(x, y, math.atan2(along[1], along[0]), z_mm, 0.0))
    return seeds
