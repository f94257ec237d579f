"""Sticks at rest: on the highest points of the columns and of the sticks that lie under their ends, tilted as those
make them.

Levels that are counted in whole thicknesses are not enough: a stick rises with what lies under it, and an end that juts
out past what bears it is lifted by millimetres. How a stick would rest on one or on all of those that it meets are more
ways for it to lie.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from referee.resting import Surface, disc_top, overlap_points, stick_face, stick_top, tilted_onto, tip_heights_mm
from vision.view import Floats

ROUNDS = 3
STEEPEST = 0.8


@dataclass(frozen=True, eq=False)
class Resting:
    """How high both tips (2,) of a road come to rest on its columns and on some other roads."""

    tips_mm: Floats
    above_mm: Floats
    """How far above where each end (2,) would lie right on its column."""
    on: frozenset[str]


@dataclass(frozen=True, eq=False)
class Heap:
    """The columns of a table with the roads that lie on them."""

    layout: Layout
    kit: Kit
    _overlaps: dict[tuple[str, str], Floats] = field(default_factory=dict)

    @cached_property
    def _columns(self) -> Mapping[str, Column]:
        return {column.id: column for column in self.layout.columns}

    @cached_property
    def _discs(self) -> Mapping[str, Surface]:
        """The top of each column."""
        return {column.id: disc_top(self.kit, column) for column in self.layout.columns}

    @cached_property
    def _tops(self) -> Mapping[str, Surface]:
        """The upper face of each road."""
        return {road.id: stick_top(self.kit, road) for road in self.layout.roads}

    @cached_property
    def _at(self) -> Mapping[str, Sequence[Road]]:
        """The roads whose ends lie at each column."""
        return {c.id: [road for road in self.layout.roads if c.id in road.columns()] for c in self.layout.columns}

    def rests(self, road: Road) -> list[Resting]:
        """Every way for a road to rest: at each end on its column, on one other road there, or on all of them."""
        names = road.from_, road.to
        ends = [self._under(road, name) for name in names]
        flat_mm = np.array([self.kit.lying_z_mm(0 if name is None else self._columns[name].height) for name in names])
        met = {other.id: other for some in ends for few in some for other in few}
        faces = {name: self._without(other, road) for name, other in met.items()}
        found = []
        for some in itertools.product(*ends):
            on = dict.fromkeys(other.id for other in itertools.chain(*some))
            tips_mm = self._rest_mm(road, [faces[name] for name in on])
            if tips_mm is not None:
                found.append(Resting(tips_mm, tips_mm - flat_mm, frozenset(on)))
        return found

    def _under(self, road: Road, name: str | None) -> list[tuple[Road, ...]]:
        """What may lie between a road and its column: nothing, one other road, or all that it meets there."""
        if name is None:
            return [()]
        met = tuple(other for other in self._at[name] if other.id != road.id and len(self._overlap(road, other)))
        return [(), *((other,) for other in met), *([met] if len(met) > 1 else [])]

    def _without(self, road: Road, gone: Road) -> Surface:
        """The upper face of a road, as it lies or as it would without one that lies under it now."""
        if not self._is_over(road, gone):
            return self._tops[road.id]
        others = {other.id: other for name in road.columns() for other in self._at.get(name, ())}
        left = [other for other in others.values() if other.id not in (road.id, gone.id) and self._is_over(road, other)]
        tips_mm = self._rest_mm(road, [self._tops[other.id] for other in left])
        a, b = np.array(road.a), np.array(road.b)
        if tips_mm is not None:
            a[2], b[2] = tips_mm
        return stick_face(self.kit, a, b, 1.0)

    def _is_over(self, one: Road, other: Road) -> bool:
        """Whether one road lies above another where they meet."""
        top, other_top, corners = self._tops[one.id], self._tops[other.id], self._overlap(one, other)
        return len(corners) > 0 and float((top.heights_mm(corners) - other_top.heights_mm(corners)).mean()) > 0

    def _overlap(self, one: Road, other: Road) -> Floats:
        """Corners (k, 2) of where one road lies over or under another."""
        key = one.id, other.id
        if key not in self._overlaps:
            self._overlaps[key] = overlap_points(self._tops[one.id], self._tops[other.id])
        return self._overlaps[key]

    def _rest_mm(self, road: Road, others: Sequence[Surface]) -> Floats | None:
        if not self._discs.keys() >= set(road.columns()):
            return None  # One of its columns seems gone: what else bears it is not known.
        surfaces = [*(self._discs[name] for name in road.columns()), *others]
        return rest_mm(np.array([road.a, road.b]), surfaces, (road.from_ is None, road.to is None), self.kit)


def rest_mm(tips: Floats, surfaces: Sequence[Surface], on_table: tuple[bool, bool], kit: Kit) -> Floats | None:
    """How high (2,) tips (2, 3) come to rest on surfaces, or on the table; None where the stick would fall."""
    run = tips[1] - tips[0]
    flat_mm = float(np.hypot(*run[:2]))
    u, middle, rise, level_mm = run[:2] / flat_mm, tips[:, :2].mean(axis=0), float(run[2]) / flat_mm, 0.0
    for _ in range(ROUNDS):
        start = middle - u * kit.road_length_mm / math.hypot(1.0, rise) / 2
        tilted = tilted_onto(kit, start, u, rise, surfaces, on_table)
        if tilted is None or abs(tilted[0]) > STEEPEST:
            return None
        rise, level_mm = tilted
    return np.array(tip_heights_mm(kit, rise, level_mm))
