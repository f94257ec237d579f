"""Sticks from known columns, many at once: in all directions, to every height and to the columns within reach."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.layout import Column, Layout
from referee.pieces import Kit
from vision.rests import Rest, levels
from vision.view import Floats

YAWS_RAD = np.radians(np.arange(0.0, 360.0, 3.0))
STEEP = 0.7
"""How much a stick may rise at most, of its length."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Sticks with one tip by a base (n, 2): how far aside of its middle and past it they lie, and how high."""

    bases: Floats
    yaws_rad: Floats
    aside_mm: Floats
    past_mm: Floats
    z_mm: Floats
    """Of both tips, (n, 2)."""
    on: NDArray[np.intp]
    """Which things both tips lie on, (n, 2)."""

    def __len__(self) -> int:
        return len(self.yaws_rad)

    def poses(self, kit: Kit) -> Floats:
        """Stick poses (n, 5) whose tips a are at the bases."""
        rise = self.z_mm[:, 1] - self.z_mm[:, 0]
        flat = np.sqrt(np.maximum(kit.road_length_mm**2 - rise**2, 1.0))
        ahead = np.column_stack([np.cos(self.yaws_rad), np.sin(self.yaws_rad)])
        sideways = np.column_stack([-ahead[:, 1], ahead[:, 0]])
        middles = self.bases + (flat / 2 - self.past_mm)[:, None] * ahead + self.aside_mm[:, None] * sideways
        return np.column_stack([middles, self.yaws_rad, self.z_mm])

    def take(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> Rows:
        return Rows(*(getattr(self, field.name)[which] for field in dataclasses.fields(self)))

    def moved(self, turns_rad: Floats, aside_mm: Floats, along_mm: Floats) -> Rows:
        """Every row turned and moved by each of some steps."""
        steps = np.array(list(itertools.product(turns_rad, aside_mm, along_mm)))
        many = self.take(np.repeat(np.arange(len(self)), len(steps)))
        turn, aside, along = np.tile(steps, (len(self), 1)).T
        return Rows(many.bases, many.yaws_rad + turn, many.aside_mm + aside, many.past_mm + along, many.z_mm, many.on)


def things_about(layout: Layout, kit: Kit, highest: int) -> list[Rest]:
    """What tips may lie on: the table, new columns, and every level of those that are known."""
    return [*levels(kit, highest), *(rest for column in layout.columns for rest in _levels_on(column, layout, kit))]


def _levels_on(column: Column, layout: Layout, kit: Kit) -> list[Rest]:
    """The levels on which a tip may lie on a known column: on its top, and on the sticks there."""
    lying = sum(column.id in road.columns() for road in layout.roads)
    return [Rest(kit.lying_z_mm(column.height, level), column.id, column.height) for level in range(lying + 1)]


def rows_about(things: Sequence[Rest], layout: Layout, kit: Kit) -> Rows:
    """Sticks from every known column in all directions, to every height, and to the columns within reach."""
    places = {column.id: (column.x, column.y) for column in layout.columns}
    pairs = itertools.product(places.items(), repeat=2)
    towards = {(one, other): _towards(at, there, kit) for (one, at), (other, there) in pairs}
    yaws: list[float] = []
    bases, heights, on = [], [], []
    around = YAWS_RAD.tolist()
    based = [i for i, thing in enumerate(things) if thing.column is not None]
    for a, b in itertools.product(based, range(len(things))):
        one, other = things[a], things[b]
        if one.column is None or abs(one.z_mm - other.z_mm) > STEEP * kit.road_length_mm:
            continue
        ways = around if other.column is None else towards[one.column, other.column]
        bases += [places[one.column]] * len(ways)
        yaws += ways
        heights += [(one.z_mm, other.z_mm)] * len(ways)
        on += [(a, b)] * len(ways)
    none = np.zeros(len(yaws))
    return Rows(np.array(bases), np.array(yaws), none, none, np.array(heights), np.array(on, np.intp))


def _towards(one: tuple[float, float], other: tuple[float, float], kit: Kit) -> list[float]:
    """Directions from a column to one on which a stick from it may end too."""
    gap_mm = math.dist(one, other)
    if not kit.road_length_mm - 1.5 * kit.disc_diameter_mm < gap_mm < kit.road_length_mm + kit.disc_radius_mm:
        return []
    if one > other:  # The same stick the other way round.
        return []
    yaw, wide = math.atan2(other[1] - one[1], other[0] - one[0]), kit.disc_radius_mm / gap_mm
    return [yaw - wide, yaw - wide / 2, yaw, yaw + wide / 2, yaw + wide]
