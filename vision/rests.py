"""What the ends of a stick may rest on: the table, a column, sticks that lie there, or a column that is new."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from vision.view import Floats

OVERHANG_MM = 25.0
LEAST_HIGHEST, HIGHEST_MORE = 8, 2
BESIDE_MM = 3.0
ODD_LEVEL = -6.0
"""Log-odds of lying on a stick that is not under it, or not on one that is: hollow, but seen as it is."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A level for a tip: on the table, on a known column or sticks lying there, or on a new column."""

    z_mm: float
    column: str | None = None
    height: int | None = None
    log_odds: float = 0.0

    @property
    def is_new(self) -> bool:
        return self.column is None and self.height is not None

    @property
    def is_ground(self) -> bool:
        return self.height is None


def highest_of(layout: Layout) -> int:
    """How many discs a new column is looked for with."""
    return max([LEAST_HIGHEST, *(column.height + HIGHEST_MORE for column in layout.columns)])


def levels(kit: Kit, highest: int) -> list[Rest]:
    """The table, and new columns of each height."""
    ground = Rest(kit.road_thickness_mm / 2)
    return [ground, *(Rest(kit.lying_z_mm(n), height=n) for n in range(1, highest + 1))]


def known_rests(tip: Floats, inward: Floats, layout: Layout, kit: Kit, slack_mm: float) -> list[Rest]:
    """Columns of the layout under the last part of a stick whose tip (2,) points against `inward` (2,)."""
    found = []
    (tip_x, tip_y), (ahead_x, ahead_y) = tip.tolist(), inward.tolist()
    reach = kit.disc_radius_mm + slack_mm
    for column in layout.columns:
        x, y = column.x - tip_x, column.y - tip_y
        along, aside = x * ahead_x + y * ahead_y, abs(y * ahead_x - x * ahead_y)
        if (
            aside > kit.disc_radius_mm + kit.road_width_mm / 2 + BESIDE_MM
            or not -reach <= along <= OVERHANG_MM + slack_mm
        ):
            continue
        likely = [z_mm + kit.road_thickness_mm / 2 for z_mm in _surfaces(tip, inward, column, layout, kit)]
        found += [Rest(z_mm, column.id, column.height) for z_mm in likely]
        lying = sum(column.id in road.columns() for road in layout.roads)
        for level in range(lying + 1):
            z_mm = kit.lying_z_mm(column.height, level)
            if all(abs(z_mm - other) > 0.6 * kit.road_thickness_mm for other in likely):
                found.append(Rest(z_mm, column.id, column.height, ODD_LEVEL))
    return found


def not_through(tip: Floats, rests: list[Rest], layout: Layout, kit: Kit) -> list[Rest]:
    """Without new columns where one stands already: two discs cannot be in one place."""
    gaps = [math.hypot(column.x - tip[0], column.y - tip[1]) for column in layout.columns]
    taken = any(gap < 0.6 * kit.disc_diameter_mm for gap in gaps)
    return [rest for rest in rests if not (taken and rest.is_new)]


def _surfaces(tip: Floats, inward: Floats, column: Column, layout: Layout, kit: Kit) -> list[float]:
    """How high the upper sides lie of what a stick's end meets at a column; two where a stick there is only brushed."""
    half_mm = kit.road_width_mm / 2
    along = np.linspace(0.0, OVERHANG_MM, 16)
    aside = np.linspace(-half_mm, half_mm, 9)
    spots = tip + along[:, None, None] * inward + aside[:, None] * np.array([-inward[1], inward[0]])
    spots = spots.reshape(-1, 2)
    spots = spots[np.hypot(*(spots - (column.x, column.y)).T) < kit.disc_radius_mm]
    top_mm = kit.column_top_mm(column.height)
    sure, maybe = top_mm, top_mm
    for road in layout.roads:
        if column.id not in road.columns() or not len(spots):
            continue
        for shrink_mm, firm in ((1.0, True), (-1.0, False)):
            under = _inside(spots, road, half_mm - shrink_mm)
            if under.any():
                z_mm = _upper_mm(spots[under].mean(axis=0), road, kit)
                if firm:
                    sure = max(sure, z_mm)
                maybe = max(maybe, z_mm)
    return [sure] if maybe - sure < 0.5 * kit.road_thickness_mm else [sure, maybe]


def _inside(spots: Floats, road: Road, half_mm: float) -> np.ndarray:
    a, b = np.array(road.a[:2]), np.array(road.b[:2])
    length = float(np.hypot(*(b - a)))
    u = (b - a) / length
    arm = spots - a
    along, aside = arm @ u, arm @ (-u[1], u[0])
    inside: np.ndarray = (along > 0) & (along < length) & (np.abs(aside) < half_mm)
    return inside


def _upper_mm(spot: Floats, road: Road, kit: Kit) -> float:
    """The height of a stick's upper side over a place."""
    a, b = np.array(road.a), np.array(road.b)
    share = float((spot - a[:2]) @ (b - a)[:2] / ((b - a)[:2] @ (b - a)[:2]))
    return float(a[2] + share * (b[2] - a[2]) + kit.road_thickness_mm / 2)
