"""Which roads the new one crosses, on which side, and whether that earns a car (C1, C2, C3, C5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .geometry import Bools
from .geometry.plan import cross, cross_point, height_over
from .layout import Road
from .measure import decide
from .ruling import Crossing, by_id
from .turn import Turn


@dataclass(frozen=True, slots=True)
class Earned:
    """Crossings of the turn's roads; per sample, how many cars they earn, and the exits' bonus."""

    crossings: tuple[Crossing, ...]
    by_crossing: np.ndarray[tuple[int], np.dtype[np.int64]]
    bonus: int
    unsure: tuple[str, ...]
    """Roads that vision is not sure of and that the number of cars hangs on."""

    @property
    def total(self) -> int:
        return int(self.by_crossing[0]) + self.bonus


def earned(turn: Turn) -> Earned:
    """What the new roads of a turn earn."""
    cars = np.zeros(turn.places.rows, dtype=np.int64)
    found: list[Crossing] = []
    unsure: set[str] = set()
    for road in turn.change.roads:
        crossed = _crossed_by(turn, road)
        voided = np.zeros(turn.places.rows, dtype=np.bool_)
        if turn.options.own_crossing_voids:
            for other, crosses, _ in crossed:
                if other.owner == turn.player:
                    voided |= crosses
        for other, crosses, over in crossed:
            crossing, earns, involved = _judge_crossing(turn, road, other, crosses, over, voided)
            if crosses[0]:
                found.append(crossing)
            cars += earns
            unsure |= {r.id for r in involved if r.unsure is not None}
    bonus = sum(r.kind == "exit" for r in turn.change.roads)
    return Earned(tuple(found), cars, bonus, by_id(unsure))


def _crossed_by(turn: Turn, road: Road) -> list[tuple[Road, Bools, Bools]]:
    """Roads that `road` may cross: (other, crosses per sample, is over it per sample)."""
    tips = turn.places.road(road)
    found = []
    for other in near_in_plan(turn, road):
        crosses, rise = cross(tips, turn.places.road(other))
        if crosses[0] or decide(crosses) != "legal":
            found.append((other, crosses, rise > 0))
    return found


def near_in_plan(turn: Turn, road: Road) -> list[Road]:
    """Other roads without a shared column whose plan bounds meet those of `road`, by id."""
    others = [o for o in turn.layout.roads if o.id != road.id and not road.shares_column_with(o)]
    if not others:
        return []
    tips = np.array([(o.a[:2], o.b[:2]) for o in others])
    own = np.array([road.a[:2], road.b[:2]])
    reach = np.array([turn.places.reach_mm(o) for o in others])[:, None] + turn.places.reach_mm(road)
    reach = reach + turn.kit.road_width_mm
    near = (tips.min(axis=1) - reach <= own.max(axis=0)) & (tips.max(axis=1) + reach >= own.min(axis=0))
    kept = {others[i].id: others[i] for i in np.flatnonzero(near.all(axis=1))}
    return [kept[i] for i in by_id(kept)]


def _judge_crossing(
    turn: Turn, road: Road, other: Road, crosses: Bools, over: Bools, voided: Bools
) -> tuple[Crossing, Bools, list[Road]]:
    """One crossing: what is said of it, whether it earns per sample, and the roads it hangs on."""
    side: Literal["over", "under"] = "over" if over[0] else "under"
    nothing = np.zeros(len(crosses), dtype=np.bool_)

    def no(why: str) -> tuple[Crossing, Bools, list[Road]]:
        return Crossing(other.id, side, False, why, sure=_sure(crosses)), nothing, []

    if other.owner == turn.player:
        return no("own road")
    if turn.options.targets == "columns" and other.kind != "road":
        return no("not between two columns")
    blocked, blockers, ever = _blocked(turn, road, other, over)
    earns = crosses & ~blocked & ~voided
    sure = _sure(crosses) and _sure(earns)
    if blocked[0]:
        why = "not first" if turn.options.first_rule == "first" else "not the next road"
        named = by_id({r.id for r, rows in blockers if rows[0]} | ever)
        crossing = Crossing(other.id, side, False, why, named, sure)
    elif voided[0]:
        crossing = Crossing(other.id, side, False, "crosses an own road too", (), sure)
    else:
        why = "first" if turn.options.first_rule == "first" else "next"
        crossing = Crossing(other.id, side, bool(earns[0]), why, (), sure)
    return crossing, earns, [road, other, *(r for r, rows in blockers if rows.any())]


def _blocked(turn: Turn, road: Road, other: Road, over: Bools) -> tuple[Bools, list[tuple[Road, Bools]], set[str]]:
    """Where another road takes the place of the first (or next) one on the side that `road` passes."""
    blockers = list(
        _lying(turn, road, other, over) if turn.options.first_rule == "first" else _between(turn, road, other)
    )
    blocked = np.zeros(len(over), dtype=np.bool_)
    for _, rows in blockers:
        blocked |= rows
    ever: set[str] = set()
    if turn.options.first_counts == "ever":
        for crossed_id, side, by in turn.position.crossed:
            if crossed_id == other.id and by != road.id:
                blocked |= over == (side == "over")
                if over[0] == (side == "over"):
                    ever.add(by)
    return blocked, blockers, ever


def _lying(turn: Turn, road: Road, other: Road, over: Bools) -> Iterable[tuple[Road, Bools]]:
    """Third roads that cross `other` on the same side as `road` (C2, first)."""
    tips = turn.places.road(other)
    for third in near_in_plan(turn, other):
        if third.id != road.id:
            crosses, rise = cross(turn.places.road(third), tips)
            rows = crosses & ((rise > 0) == over)
            if rows.any():
                yield third, rows


def _between(turn: Turn, road: Road, other: Road) -> Iterable[tuple[Road, Bools]]:
    """Third roads that lie between the two where they cross (C2, next)."""
    tips, other_tips = turn.places.road(road), turn.places.road(other)
    point = cross_point(tips, other_tips)
    width_mm = turn.kit.road_width_mm
    z, other_z = height_over(tips, width_mm, point)[1], height_over(other_tips, width_mm, point)[1]
    for third in near_in_plan(turn, other):
        if third.id != road.id and not third.shares_column_with(road):
            covers, third_z = height_over(turn.places.road(third), width_mm, point)
            rows = covers & (third_z > np.minimum(z, other_z)) & (third_z < np.maximum(z, other_z))
            if rows.any():
                yield third, rows


def _sure(rows: Bools) -> bool:
    return decide(rows) != "too_close"
