"""The plain referee of R1, R2, R3, R5 and crossings: every pair and every sample, one by one, as the contract says."""

from __future__ import annotations

import math
from collections.abc import Iterator

from referee.layout import Column, Road

from .reference_crossings import crossings_of
from .reference_geometry import (
    half,
    hull,
    last_part,
    least_mm,
    outline_gap,
    plan_corners,
    point_gap,
    standing,
    stick_corners,
)
from .reference_table import EXACT_MM, Findings, Table, Violation, told

REST_MM = 3.0


def judge(table: Table) -> Findings:
    """Everything, the plain way."""
    rules = (_r1, _r2, _r3, _r5_roads, _r5_columns)
    crossings, earned = crossings_of(table)
    return Findings(tuple(v for rule in rules for v in rule(table)), tuple(crossings), earned)


def _r1(table: Table) -> Iterator[Violation]:
    """The end overlaps the disc, or a road end lying there, in plan, and lies within 3 mm of that support in z."""
    for road in table.roads:
        if road.id in table.new_roads:
            for end, column_id in ((0, road.from_), (1, road.to)):
                column = next((c for c in table.columns if c.id == column_id), None)
                if column is not None:
                    yield from _r1_on_column(table, road, end, column)
                elif road.kind == ("entrance", "exit")[end]:
                    gaps = [abs(tips[end][2] - table.kit.road_thickness_mm / 2) for tips in table.tips(road)]
                    yield from told("R1", [road.id], gaps, [gap > REST_MM + EXACT_MM for gap in gaps])
                else:
                    yield Violation("R1", frozenset([road.id]), "illegal", None)


def _r1_on_column(table: Table, road: Road, end: int, column: Column) -> Iterator[Violation]:
    kit, centres = table.kit, table.centres(column)
    others = [o for o in table.roads if o.id != road.id and column.id in (o.from_, o.to)]
    lying = [(table.tips(o), 0 if o.from_ == column.id else 1) for o in others]
    gaps, drops = [], []
    for row, tips in enumerate(table.tips(road)):
        underside = tips[end][2] - kit.road_thickness_mm / 2
        own = plan_corners(half(tips, end), kit.road_width_mm)
        disc_gap = point_gap(own, centres[row]) - kit.disc_diameter_mm / 2
        supports = [(disc_gap, column.height * kit.disc_height_mm)]
        for rows, there in lying:
            theirs = plan_corners(last_part(rows[row], there, kit.disc_diameter_mm), kit.road_width_mm)
            supports.append((outline_gap(own, theirs), rows[row][there][2] + kit.road_thickness_mm / 2))
        gaps.append(min(gap for gap, _ in supports))
        drops.append(min((abs(underside - top) for gap, top in supports if gap < 0), default=0.0))
    missed = list(told("R1", [road.id, column.id], gaps, [gap >= -EXACT_MM for gap in gaps]))
    yield from missed or told("R1", [road.id, column.id], drops, [drop > REST_MM + EXACT_MM for drop in drops])


def _r2(table: Table) -> Iterator[Violation]:
    """The tip, measured lengthwise: not further past the disc's centre than its radius."""
    limit_mm = table.kit.disc_diameter_mm / 2
    for road in table.roads:
        for column in table.columns:
            if road.id in table.new_roads and column.id in (road.from_, road.to):
                end = 0 if column.id == road.from_ else 1
                past = []
                for tips, centre in zip(table.tips(road), table.centres(column), strict=True):
                    tip, back = tips[end], tips[1 - end]
                    length = math.dist(tip[:2], back[:2])
                    past.append(sum((tip[i] - back[i]) / length * (tip[i] - centre[i]) for i in (0, 1)))
                yield from told("R2", [road.id, column.id], past, [p > limit_mm + EXACT_MM for p in past])


def _pairs(table: Table) -> Iterator[tuple[Road, Column]]:
    """Every road and every column that is not its own, where one of the two is new."""
    for road in table.roads:
        for column in table.columns:
            new = road.id in table.new_roads or column.id in table.new_columns
            if new and column.id not in (road.from_, road.to):
                yield road, column


def _r3(table: Table) -> Iterator[Violation]:
    """Least plan distance of stick and disc > 0."""
    for road, column in _pairs(table):
        gaps = []
        for tips, centre in zip(table.tips(road), table.centres(column), strict=True):
            corners = plan_corners(tips, table.kit.road_width_mm)
            gaps.append(point_gap(corners, centre) - table.kit.disc_diameter_mm / 2)
        covered = [-gap for gap in gaps]
        yield from told("R3", [road.id, column.id], covered, [gap <= EXACT_MM for gap in gaps])


def _r5_columns(table: Table) -> Iterator[Violation]:
    """Least 3D distance > 0, of a road and a column that is not its own."""
    kit = table.kit
    for road, column in _pairs(table):
        top_mm, gaps = column.height * kit.disc_height_mm, []
        for tips, centre in zip(table.tips(road), table.centres(column), strict=True):
            cylinder = standing(centre, kit.disc_diameter_mm / 2, top_mm)
            gaps.append(least_mm(hull(stick_corners(tips, kit)), cylinder))
        yield from told("R5", [road.id, column.id], gaps, [gap <= EXACT_MM for gap in gaps])


def _r5_roads(table: Table) -> Iterator[Violation]:
    """Least 3D distance > 0, of two roads; near a column that they share it does not count."""
    kit = table.kit
    for i, road in enumerate(table.roads):
        for other in table.roads[:i]:
            if road.id in table.new_roads or other.id in table.new_roads:
                shared = [c for c in table.columns if {c.id} <= {road.from_, road.to} & {other.from_, other.to}]
                centres = table.centres(shared[0]) if shared else [None] * table.places.rows
                gaps = []
                for tips, other_tips, centre in zip(table.tips(road), table.tips(other), centres, strict=True):
                    one, two = (hull(stick_corners(t, kit, centre)) for t in (tips, other_tips))
                    gaps.append(least_mm(one, two))
                yield from told("R5", [road.id, other.id], gaps, [gap <= EXACT_MM for gap in gaps])
