"""The set-up as the rulebooks draw it, for tables that no camera sees. Qt-free."""

from __future__ import annotations

import math

from referee.edition import Rules
from referee.layout import Car, Column, Layout, Road
from referee.notation.lay import REACH_MM, car_place, ramp_tips
from referee.pieces import SEDAN, Kit


def first_layout(rules: Rules, kit: Kit, players: tuple[str, ...]) -> Layout:
    """Start columns one road length apart on a ring, each with its entrance and car where the edition has them (S2)."""
    count = len(players)
    apart_mm = kit.road_length_mm + (kit.disc_diameter_mm if rules.options.spacing == "between" else 0.0)
    radius_mm = apart_mm / (2 * math.sin(math.pi / count))
    columns, roads, cars = [], [], []
    for seat, player in enumerate(players):
        angle_deg = 360.0 * seat / count
        x, y = (radius_mm * f(math.radians(angle_deg)) for f in (math.cos, math.sin))
        column = Column(f"{player}_c0", x, y, 1, False, player)
        columns.append(column)
        if rules.options.start == "entrance":
            tips = ramp_tips(kit, column, 0, angle_deg + 90.0, REACH_MM, up=True)
            road = Road(f"{player}_r0", *tips, "entrance", None, column.id, player)
            roads.append(road)
            kind = SEDAN if rules.typed else None
            cars.append(Car(f"{player}_k0", *car_place(kit, road, 0.5, kind), road.id, player, kind))
    return Layout(tuple(columns), tuple(roads), tuple(cars))
