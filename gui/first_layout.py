"""The set-up as the rulebooks draw it, for tables that no camera sees. Qt-free."""

from __future__ import annotations

import math

from msgspec.structs import replace

from referee.edition import Rules
from referee.layout import BARE_TABLE, Car, Column, Layout, Road
from referee.notation.lay import REACH_MM, car_place, ramp_tips
from referee.pieces import SEDAN, Kit


def first_layout(rules: Rules, kit: Kit, players: tuple[str, ...]) -> Layout:
    """Start columns one road length apart on a ring, each with its entrance and car where the edition has them (S2)."""
    count = len(players)
    apart_mm = kit.road_length_mm + (kit.disc_diameter_mm if rules.options.spacing == "between" else 0.0)
    radius_mm = apart_mm / (2 * math.sin(math.pi / count))
    layout = BARE_TABLE
    for seat, player in enumerate(players):
        angle_deg = 360.0 * seat / count
        x, y = (radius_mm * f(math.radians(angle_deg)) for f in (math.cos, math.sin))
        layout = with_start(layout, rules, kit, player, x, y, angle_deg + 90.0)
    return layout


def with_start(layout: Layout, rules: Rules, kit: Kit, player: str, x: float, y: float, heading_deg: float) -> Layout:
    """The layout with what a player begins with (S2): a disc there, and a road up to it that travels so."""
    column = Column(f"{player}_c0", x, y, 1, False, player)
    if rules.options.start != "entrance":
        return replace(layout, columns=(*layout.columns, column))
    tips = ramp_tips(kit, column, 0, heading_deg, REACH_MM, up=True)
    road = Road(f"{player}_r0", *tips, "entrance", None, column.id, player)
    kind = SEDAN if rules.typed else None
    car = Car(f"{player}_k0", *car_place(kit, road, 0.5, kind), road.id, player, kind)
    return replace(layout, columns=(*layout.columns, column), roads=(*layout.roads, road), cars=(*layout.cars, car))
