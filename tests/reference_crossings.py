"""Plain crossings: which roads a new one crosses, on which side, and whether that earns a car (C1, C2, C3, C5)."""

from __future__ import annotations

import math

from referee.layout import Road

from .reference_geometry import meeting
from .reference_table import Crossing, Table, sure


def crossings_of(table: Table) -> tuple[list[Crossing], int]:
    """What the new roads cross, and the cars that earns by what was measured."""
    found, earned = [], 0
    for road in table.roads:
        if road.id in table.new_roads:
            earned += road.kind == "exit"
            for other in table.roads:
                crosses, rises = _crossed(table, road, other)
                if crosses[0]:
                    crossing = _crossing(table, road, other, crosses, [rise > 0 for rise in rises])
                    found.append(crossing)
                    earned += crossing.earns
    return found, earned


def _crossing(table: Table, road: Road, other: Road, crosses: list[bool], over: list[bool]) -> Crossing:
    side = "over" if over[0] else "under"
    if other.owner == table.player or (table.targets == "columns" and other.kind != "road"):
        return Crossing(other.id, side, False, sure(crosses))
    earns = list(crosses)
    for third in table.roads:
        if third.id not in (road.id, other.id):
            stands = _lies_on_side(table, third, other, over)
            if table.first_rule == "next":
                stands = _lies_between(table, third, road, other)
            earns = [e and not s for e, s in zip(earns, stands, strict=True)]
        if table.own_crossing_voids and third.owner == table.player:
            earns = [e and not v for e, v in zip(earns, _crossed(table, road, third)[0], strict=True)]
    return Crossing(other.id, side, earns[0], sure(crosses) and sure(earns))


def _crossed(table: Table, one: Road, other: Road) -> tuple[list[bool], list[float]]:
    """Per sample: do the centre lines cross in plan, and how much higher is the one where they do?"""
    if one.id == other.id or {one.from_, one.to} & {other.from_, other.to} - {None}:
        return [False] * table.places.rows, [0.0] * table.places.rows
    met = [meeting(*pair) for pair in zip(table.tips(one), table.tips(other), strict=True)]
    within = [m is not None and 0 <= m[0] <= 1 and 0 <= m[1] <= 1 for m in met]
    return within, [0.0 if m is None else m[2] for m in met]


def _lies_on_side(table: Table, third: Road, other: Road, over: list[bool]) -> list[bool]:
    """C2, first: the third road lies over (under) the crossed one too."""
    crosses, rises = _crossed(table, third, other)
    return [c and (rise > 0) == o for c, rise, o in zip(crosses, rises, over, strict=True)]


def _lies_between(table: Table, third: Road, road: Road, other: Road) -> list[bool]:
    """C2, next: the third road, sharing no column with either, lies between the two where they cross."""
    if {third.from_, third.to} & {road.from_, road.to, other.from_, other.to} - {None}:
        return [False] * table.places.rows
    found = []
    for tips, crossed, between in zip(table.tips(road), table.tips(other), table.tips(third), strict=True):
        met = meeting(tips, crossed)
        if met is None:
            found.append(False)
            continue
        point = [tips[0][i] + met[0] * (tips[1][i] - tips[0][i]) for i in range(3)]
        way = [between[1][i] - between[0][i] for i in range(3)]
        length = math.hypot(way[0], way[1])
        along = sum((point[i] - between[0][i]) * way[i] for i in (0, 1)) / length**2
        across = ((point[0] - between[0][0]) * way[1] - (point[1] - between[0][1]) * way[0]) / length
        covers = 0 <= along <= 1 and abs(across) <= table.kit.road_width_mm / 2
        below, above = sorted([point[2], point[2] - met[2]])
        found.append(covers and below < between[0][2] + along * way[2] < above)
    return found
