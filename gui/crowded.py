"""A crowded table for measuring and for pictures: as many columns and roads as asked for, in a spiral. Qt-free."""

from __future__ import annotations

import math

from gui.scene import Scene
from referee.layout import Car, Column, Layout, Road
from referee.notation.lay import car_place
from referee.pieces import CAR_TYPES, Kit

PLAYERS = ("purple", "green", "orange", "blue")


def crowded_scene(columns: int, roads: int) -> Scene:
    """Pieces of four players, all of them new or old by turns."""
    kit = Kit()
    stood = []
    for number in range(columns):
        angle, radius = number * 2.4, 24.0 * math.sqrt(number)
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        stood.append(Column(f"c{number}", x, y, 1 + number % 6, number % 7 == 0, PLAYERS[number % 4]))
    laid, cars = [], []
    for number in range(roads):
        start, end = stood[number % columns], stood[(number + 3) % columns]
        a = (start.x, start.y, kit.lying_z_mm(start.height))
        b = (end.x, end.y, kit.lying_z_mm(end.height))
        road = Road(f"r{number}", a, b, "road", start.id, end.id, PLAYERS[number % 4])
        laid.append(road)
        kind = CAR_TYPES[number % len(CAR_TYPES)]
        cars.append(Car(f"k{number}", *car_place(kit, road, 0.5, kind), road.id, road.owner, kind))
    fresh = frozenset({stood[-1].id, laid[-1].id})
    return Scene(Layout(tuple(stood), tuple(laid), tuple(cars)), kit, PLAYERS, fresh)
