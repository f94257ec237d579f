"""R1 to R5: where a road may lie."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..geometry import EXACT_MM
from ..geometry.cylinder import stick_to_column
from ..geometry.plan import end_half, end_part, overhang, stick_to_disc, stick_to_stick
from ..geometry.solid import Solid, distance, separation, stick, stick_outside
from ..layout import Column, Road
from ..measure import above, below, decide
from ..ruling import Violation, by_id, measured, natural, plain
from ..turn import Turn

REST_MM = 3.0
"""A road end lies on its support when it is within this of it in z."""
EXCUSED_DIAMETERS = 1.5
"""Two roads on one column may touch within this many disc diameters of its centre."""


def r1_rests(turn: Turn) -> Iterator[Violation]:
    """Both ends lie on column tops, on road ends that lie there, or (entrance, exit) on the table."""
    for road in turn.judged_roads:
        tips = turn.places.road(road)
        for end, column_id in enumerate((road.from_, road.to)):
            name = "start" if end == 0 else "end"
            on_table = road.kind == ("entrance" if end == 0 else "exit")
            if column_id is not None:
                yield from _on_column(turn, road, end, name, turn.columns[column_id])
            elif on_table:
                gap = np.abs(tips[:, end, 2] - turn.kit.road_thickness_mm / 2)
                text = f"the {name} of {road.kind} {road.id} is {{mm}} off the table"
                yield from measured("R1", [road.id], gap, above(gap, REST_MM), REST_MM, text)
            else:
                yield plain("R1", [road.id], f"the {name} of road {road.id} rests on no column")


def _on_column(turn: Turn, road: Road, end: int, name: str, column: Column) -> Iterator[Violation]:
    """The end overlaps the disc or a road end there in plan, and lies within 3 mm of that support."""
    kit, tips = turn.kit, turn.places.road(road)
    half = end_half(tips, end)
    under_mm = tips[:, end, 2] - kit.road_thickness_mm / 2
    plan = stick_to_disc(half, kit.road_width_mm, turn.places.column(column), kit.disc_radius_mm)
    drop = np.where(plan < 0, np.abs(under_mm - kit.column_top_mm(column.height)), np.inf)
    for other in turn.layout.roads:
        if other.id != road.id and column.id in other.columns():
            other_tips, other_end = turn.places.road(other), 0 if other.from_ == column.id else 1
            overlap = stick_to_stick(half, end_part(other_tips, other_end, kit.disc_diameter_mm), kit.road_width_mm)
            above_it = np.abs(under_mm - other_tips[:, other_end, 2] - kit.road_thickness_mm / 2)
            drop = np.minimum(drop, np.where(overlap < 0, above_it, np.inf))
            plan = np.minimum(plan, overlap)
    how = "lies on column {column} by {{mm}} only" if plan[0] < 0 else "misses column {column} by {{mm}}"
    text = f"the {name} of road {road.id} {how.format(column=column.id)}"
    missed = measured("R1", [road.id, column.id], plan, below(-plan, 0.0), 0.0, text)
    if missed:
        yield from missed
        return
    text = f"the {name} of road {road.id} is {{mm}} off what it should lie on at column {column.id}"
    drop = np.where(np.isfinite(drop), drop, 0.0)
    yield from measured("R1", [road.id, column.id], drop, above(drop, REST_MM), REST_MM, text)


def r2_overhang(turn: Turn) -> Iterator[Violation]:
    """An end does not stick out past its column."""
    limit_mm = turn.kit.disc_radius_mm
    for road in turn.judged_roads:
        for end, column_id in enumerate((road.from_, road.to)):
            if column_id is not None:
                past = overhang(turn.places.road(road), end, turn.places.column(turn.columns[column_id]))
                out_mm = max(past[0] - limit_mm, 0.0)
                text = f"road {road.id} sticks out {out_mm:.1f} mm past column {column_id}"
                yield from measured("R2", [road.id, column_id], past, above(past, limit_mm), limit_mm, text)


def r3_over_columns(turn: Turn) -> Iterator[Violation]:
    """Seen from above, a road hides no part of any other column."""
    for road, column in _near_pairs(turn):
        gap = stick_to_disc(
            turn.places.road(road), turn.kit.road_width_mm, turn.places.column(column), turn.kit.disc_radius_mm
        )
        text = f"road {road.id} lies over column {column.id} by {{mm}} seen from above"
        if gap[0] > EXACT_MM:
            text = f"road {road.id} passes column {column.id} at {{mm}} seen from above"
        # Told as how far the road covers the disc, so that more than the limit is a fault, as with every length here.
        yield from measured("R3", [road.id, column.id], -gap, below(gap, 0.0), 0.0, text)


def r4_no_loop(turn: Turn) -> Iterator[Violation]:
    """A road never ends on a column that stood before."""
    new = {c.id for c in turn.change.columns}
    for road in turn.change.roads:
        if road.to is not None and road.to not in new:
            text = f"road {road.id} ends on {road.to}, which stood already: a highway never closes"
            yield plain("R4", [road.id, road.to], text)


def r5_no_touch(turn: Turn) -> Iterator[Violation]:
    """A road touches no other road and no other column."""
    judged = {r.id for r in turn.judged_roads}
    for road in turn.judged_roads:
        others = [o for o in turn.layout.roads if o.id != road.id and not (o.id in judged and o.id < road.id)]
        for other in _near_roads(turn, road, others):
            one, two = _apart_from_shared(turn, road, other)
            if decide(below(separation(one, two), 0.0)) == "legal":
                continue
            gap = distance(one, two)
            text = f"road {road.id} touches road {other.id}"
            if gap[0] > EXACT_MM:
                text = f"road {road.id} passes road {other.id} at {{mm}}"
            yield from measured("R5", [road.id, other.id], gap, below(gap, 0.0), 0.0, text)
    for road, column in _near_pairs(turn):
        gap = stick_to_column(
            turn.places.road(road),
            turn.kit.road_width_mm,
            turn.kit.road_thickness_mm,
            turn.places.column(column),
            turn.kit.disc_radius_mm,
            turn.kit.column_top_mm(column.height),
        )
        text = f"road {road.id} touches column {column.id}"
        if gap[0] > EXACT_MM:
            text = f"road {road.id} passes column {column.id} at {{mm}}"
        yield from measured("R5", [road.id, column.id], gap, below(gap, 0.0), 0.0, text)


def _near_pairs(turn: Turn) -> list[tuple[Road, Column]]:
    """Judged roads with other columns, and judged columns with other roads, that may meet in plan.

    In plan a sloping stick's end face reaches past its tip by up to half its thickness.
    """
    pairs: dict[tuple[str, str], tuple[Road, Column]] = {}
    for road in turn.judged_roads:
        pairs |= {(road.id, c.id): (road, c) for c in turn.layout.columns}
    for column in turn.judged_columns:
        pairs |= {(r.id, column.id): (r, column) for r in turn.layout.roads}
    apart = [pair for pair in pairs.values() if pair[1].id not in pair[0].columns()]
    if not apart:
        return []
    tips = np.array([(r.a, r.b) for r, _ in apart])
    centres = np.array([(c.x, c.y) for _, c in apart])
    gaps = stick_to_disc(tips, turn.kit.road_width_mm, centres, turn.kit.disc_radius_mm)
    reach = np.array([turn.places.reach_mm(r) + turn.places.reach_mm(c) for r, c in apart])
    reach += turn.kit.road_thickness_mm / 2 + 1e-3
    near = [pair for pair, gap, far in zip(apart, gaps, reach, strict=True) if gap <= far]
    return sorted(near, key=lambda pair: (natural(pair[0].id), natural(pair[1].id)))


def _near_roads(turn: Turn, road: Road, others: list[Road]) -> list[Road]:
    """Roads that some sample may bring into touch with `road`: first by their bounds, then as boxes."""
    if not others:
        return []
    reach = np.array([turn.places.reach_mm(o) for o in others]) + turn.places.reach_mm(road) + 1e-3
    tips = np.array([(o.a, o.b) for o in others])
    own = np.array([road.a, road.b])
    slack = (reach + turn.kit.road_width_mm + turn.kit.road_thickness_mm)[:, None]
    bounds = (tips.min(axis=1) - slack <= own.max(axis=0)) & (tips.max(axis=1) + slack >= own.min(axis=0))
    picked = np.flatnonzero(bounds.all(axis=1))
    near = []
    if len(picked):
        boxes = stick(tips[picked], turn.kit.road_width_mm, turn.kit.road_thickness_mm)
        box = stick(np.broadcast_to(own, (len(picked), 2, 3)), turn.kit.road_width_mm, turn.kit.road_thickness_mm)
        gaps = separation(box, boxes)
        near = [others[i] for i, gap in zip(picked, gaps, strict=True) if gap <= reach[i]]
    return [o for i in by_id(o.id for o in near) for o in near if o.id == i]


def _apart_from_shared(turn: Turn, road: Road, other: Road) -> tuple[Solid, Solid]:
    """Two roads as solids, without what lies near a column that they share: that does not count."""
    width, thickness = turn.kit.road_width_mm, turn.kit.road_thickness_mm
    tips, other_tips = turn.places.road(road), turn.places.road(other)
    shared = by_id(set(road.columns()) & set(other.columns()))
    if not shared:
        return stick(tips, width, thickness), stick(other_tips, width, thickness)
    centre = turn.places.column(turn.columns[shared[0]])
    radius_mm = EXCUSED_DIAMETERS * turn.kit.disc_diameter_mm
    return (
        stick_outside(tips, width, thickness, centre, radius_mm),
        stick_outside(other_tips, width, thickness, centre, radius_mm),
    )
