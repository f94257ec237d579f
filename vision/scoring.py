"""A layout held against the truth: which pieces were found, how far off, and what was wrong and said to be sure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from referee.layout import Layout, Piece, Road

COLUMN_REACH_MM = 8.0
TIP_REACH_MM = 8.0
CAR_REACH_MM = 10.0
STRICT_TIP_MM = 3.0
"""Roads are told from one another by the wider reach; said to be right to the millimetre they are by this one."""
DOUBT_REACH_MM = 60.0
"""How near to a piece that is asked for a missed one must lie for the question to cover it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it is in truth; `sure` where the layout did not mark it."""

    piece: str
    text: str
    sure: bool


@dataclass(slots=True)
class Score:
    """One layout against its truth."""

    faults: list[Fault] = field(default_factory=list)
    columns: int = 0
    columns_found: int = 0
    heights_sure: int = 0
    heights_right: int = 0
    roads: int = 0
    roads_found: int = 0
    cars: int = 0
    cars_found: int = 0
    colours_right: int = 0
    types_given: int = 0
    types_right: int = 0
    column_errors_mm: list[tuple[float, float]] = field(default_factory=list)
    tip_errors_mm: list[tuple[float, float, float]] = field(default_factory=list)
    car_errors_mm: list[tuple[float, float]] = field(default_factory=list)
    ratios: dict[str, list[float]] = field(default_factory=lambda: {"columns": [], "plan": [], "z": [], "cars": []})
    """Errors divided by their sigmas, of columns, of tips in plan and in z, and of cars."""
    names: dict[str, str] = field(default_factory=dict)
    """Ids of seen pieces by the true ones."""
    doubts: int = 0
    """Pieces that are asked for."""
    far_roads: int = 0
    """New roads that are found, with an end further off than the strict reach."""
    far_and_sure: int = 0
    """Those of them that are not asked for."""

    @property
    def right(self) -> bool:
        """Whether the whole layout is as in truth."""
        return not self.faults

    @property
    def wrong_and_sure(self) -> bool:
        return any(fault.sure for fault in self.faults)

    @property
    def strictly_right(self) -> bool:
        """Whether it is right, every new road's end to a few millimetres too."""
        return self.right and not self.far_roads

    @property
    def strictly_wrong_and_sure(self) -> bool:
        return self.wrong_and_sure or self.far_and_sure > 0

    @property
    def asked_though_right(self) -> bool:
        return self.right and self.doubts > 0

    @property
    def asked(self) -> bool:
        return bool(self.faults) and not self.wrong_and_sure


def score(seen: Layout, truth: Layout, only_new_to: Layout | None = None) -> Score:
    """Match pieces by place and compare them; with `only_new_to`, counts and errors are of what it lacks."""
    result = Score(doubts=sum(piece.unsure is not None for piece in seen.pieces()))
    before = {piece.id: piece for piece in only_new_to.pieces()} if only_new_to else {}
    old = {piece.id for piece in truth.pieces() if before.get(piece.id) == piece}
    columns = _columns(result, seen, truth, old)
    roads = _roads(result, seen, truth, columns, old)
    _crossings(result, seen, truth, roads)
    cars = _cars(result, seen, truth, roads, old)
    result.names = columns | roads | cars
    return result


def _columns(result: Score, seen: Layout, truth: Layout, old: set[str]) -> dict[str, str]:
    """Ids of seen columns by the true ones."""
    gap = [[math.hypot(t.x - s.x, t.y - s.y) for s in seen.columns] for t in truth.columns]
    pairs = dict(_matched(gap, COLUMN_REACH_MM))
    result.columns += sum(column.id not in old for column in truth.columns)
    _missing_and_extra(result, truth.columns, seen.columns, pairs, seen)
    for i, j in pairs.items():
        true, found = truth.columns[i], seen.columns[j]
        sure, counts = found.unsure is None, true.id not in old
        result.columns_found += counts
        result.heights_sure += sure and counts
        result.heights_right += sure and counts and true.height == found.height
        if true.height != found.height:
            result.faults.append(Fault(true.id, f"height {found.height}, is {true.height}", sure))
        if true.junction != found.junction:
            result.faults.append(Fault(true.id, f"junction {found.junction}, is {true.junction}", sure))
        if counts:
            error = (found.x - true.x, found.y - true.y)
            result.column_errors_mm.append(error)
            if found.sigma is not None:
                result.ratios["columns"] += [e / s for e, s in zip(error, found.sigma, strict=True)]
    return {truth.columns[i].id: seen.columns[j].id for i, j in pairs.items()}


def _roads(result: Score, seen: Layout, truth: Layout, names: dict[str, str], old: set[str]) -> dict[str, str]:
    """Ids of seen roads by the true ones."""
    gap = [[min(_tip_gap(t, s, False), _tip_gap(t, s, True)) for s in seen.roads] for t in truth.roads]
    pairs = dict(_matched(gap, TIP_REACH_MM))
    result.roads += sum(road.id not in old for road in truth.roads)
    result.roads_found += sum(truth.roads[i].id not in old for i in pairs)
    _missing_and_extra(result, truth.roads, seen.roads, pairs, seen)
    for i, j in pairs.items():
        true, found = truth.roads[i], seen.roads[j]
        sure = found.unsure is None
        swapped = _tip_gap(true, found, True) < _tip_gap(true, found, False)
        ends = (found.to, found.from_) if swapped else (found.from_, found.to)
        wanted = tuple(names.get(c, "?") if c else None for c in (true.from_, true.to))
        if ends != wanted:
            result.faults.append(Fault(true.id, f"rests on {ends}, is on {wanted}", sure))
        elif swapped:
            result.faults.append(Fault(true.id, "runs the other way", sure))
        elif found.kind != true.kind:
            result.faults.append(Fault(true.id, f"kind {found.kind}, is {true.kind}", sure))
        if true.id not in old:
            is_far = _tip_gap(true, found, swapped) > STRICT_TIP_MM
            result.far_roads += is_far
            result.far_and_sure += is_far and sure
            tips = (found.b, found.a) if swapped else (found.a, found.b)
            sigmas = None if found.sigma is None else (found.sigma.a, found.sigma.b)
            for k, (tip, at) in enumerate(zip(tips, (true.a, true.b), strict=True)):
                error = (tip[0] - at[0], tip[1] - at[1], tip[2] - at[2])
                result.tip_errors_mm.append(error)
                if sigmas is not None:
                    sigma = sigmas[1 - k] if swapped else sigmas[k]
                    ratios = [e / s for e, s in zip(error, sigma, strict=True)]
                    result.ratios["plan"] += ratios[:2]
                    result.ratios["z"] += ratios[2:]
    return {truth.roads[i].id: seen.roads[j].id for i, j in pairs.items()}


def _crossings(result: Score, seen: Layout, truth: Layout, names: dict[str, str]) -> None:
    """Over and under at each true crossing."""
    found = {road.id: road for road in seen.roads}
    for one, other, over in _crossing_pairs(truth):
        if one.id in names and other.id in names:
            seen_one, seen_other = found[names[one.id]], found[names[other.id]]
            now = _over(seen_one, seen_other)
            sure = seen_one.unsure is None and seen_other.unsure is None
            if now is not None and now != over:
                result.faults.append(Fault(one.id, f"{'over' if now else 'under'} {other.id}, is not", sure))


def _cars(result: Score, seen: Layout, truth: Layout, roads: dict[str, str], old: set[str]) -> dict[str, str]:
    """Ids of seen cars by the true ones."""
    gap = [[math.hypot(t.x - s.x, t.y - s.y) for s in seen.cars] for t in truth.cars]
    pairs = dict(_matched(gap, CAR_REACH_MM))
    result.cars += sum(car.id not in old for car in truth.cars)
    _missing_and_extra(result, truth.cars, seen.cars, pairs, seen)
    for i, j in pairs.items():
        true, found = truth.cars[i], seen.cars[j]
        sure = found.unsure is None
        if true.owner != found.owner:
            result.faults.append(Fault(true.id, f"colour {found.owner}, is {true.owner}", sure))
        if true.road is not None and roads.get(true.road) != found.road:
            result.faults.append(Fault(true.id, f"on {found.road}, is on {true.road}", sure))
        if true.id in old:
            continue
        result.cars_found += 1
        result.colours_right += true.owner == found.owner
        if found.type is not None:
            result.types_given += 1
            result.types_right += found.type == true.type
        error = (found.x - true.x, found.y - true.y)
        result.car_errors_mm.append(error)
        if found.sigma is not None:
            result.ratios["cars"] += [e / s for e, s in zip(error, found.sigma, strict=True)]
    return {truth.cars[i].id: seen.cars[j].id for i, j in pairs.items()}


def _missing_and_extra(
    result: Score, truth: Sequence[Piece], every: Sequence[Piece], pairs: dict[int, int], seen: Layout
) -> None:
    """Faults of count; a piece that was missed is asked for where the layout or something beside it is."""
    doubtful = [_spot(piece) for piece in seen.pieces() if piece.unsure is not None]
    for i, piece in enumerate(truth):
        if i not in pairs:
            sure = seen.unsure is None and all(math.dist(_spot(piece), spot) > DOUBT_REACH_MM for spot in doubtful)
            result.faults.append(Fault(piece.id, f"{type(piece).__name__.lower()} not found", sure))
    taken = set(pairs.values())
    result.faults += [
        Fault(piece.id, f"{type(piece).__name__.lower()} that is not there", piece.unsure is None)
        for j, piece in enumerate(every)
        if j not in taken
    ]


def _spot(piece: Piece) -> tuple[float, float]:
    """The middle of a piece in plan."""
    if isinstance(piece, Road):
        return (piece.a[0] + piece.b[0]) / 2, (piece.a[1] + piece.b[1]) / 2
    return piece.x, piece.y


def _matched(gap: list[list[float]], reach: float) -> Iterator[tuple[int, int]]:
    """Pairs (true, seen) that are nearest, within reach."""
    if not gap or not gap[0]:
        return
    cost = np.array(gap)
    for i, j in zip(*linear_sum_assignment(np.minimum(cost, 10 * reach)), strict=True):
        if cost[i, j] <= reach:
            yield int(i), int(j)


def _tip_gap(true: Road, found: Road, swapped: bool) -> float:
    a, b = (found.b, found.a) if swapped else (found.a, found.b)
    return max(math.dist(true.a, a), math.dist(true.b, b))


def _crossing_pairs(layout: Layout) -> Iterator[tuple[Road, Road, bool]]:
    for i, one in enumerate(layout.roads):
        for other in layout.roads[i + 1 :]:
            if not one.shares_column_with(other) and (over := _over(one, other)) is not None:
                yield one, other, over


def _over(one: Road, other: Road) -> bool | None:
    """Whether the first road passes over the second; None where their centre lines do not cross."""
    a, b, c, d = (np.array(tip) for tip in (one.a, one.b, other.a, other.b))
    system = np.column_stack([(b - a)[:2], -(d - c)[:2]])
    if abs(np.linalg.det(system)) < 1e-9:
        return None
    s, t = np.linalg.solve(system, (c - a)[:2])
    if not (0 <= s <= 1 and 0 <= t <= 1):
        return None
    return bool(a[2] + s * (b - a)[2] > c[2] + t * (d - c)[2])
