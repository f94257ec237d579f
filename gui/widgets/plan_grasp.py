"""Which piece a finger on the plan means. Qt-free."""

from __future__ import annotations

import math

import shapely

from gui.city_parts import shortest_side
from gui.reseat import Grip
from gui.scene import Scene
from referee.layout import Layout, Point2, Point3, Road
from vision.solids import car_size_mm

TIP_SHARE = 0.3
"""So much of a road belongs to each of its tips."""
CAR_MARGIN_MM = 2.0
CORNER_SHARE = 0.3
"""So much of the shortest side of an outline belongs to a corner: the rest moves it whole."""


def grasped(scene: Scene, spot: tuple[float, float], near_mm: float) -> tuple[str, Grip] | None:
    """The piece at a spot of the table, and where it is held: cars lie on top, then columns, then roads."""
    x, y = spot
    for car in scene.layout.cars:
        length, width, _ = car_size_mm(car.type, scene.kit)
        along = (x - car.x) * math.cos(car.yaw) + (y - car.y) * math.sin(car.yaw)
        across = (y - car.y) * math.cos(car.yaw) - (x - car.x) * math.sin(car.yaw)
        if abs(along) <= length / 2 + CAR_MARGIN_MM and abs(across) <= width / 2 + CAR_MARGIN_MM:
            return car.id, ""
    apart = [(math.hypot(c.x - x, c.y - y), c.id) for c in scene.layout.columns]
    gap_mm, name = min(apart, default=(math.inf, ""))
    if gap_mm <= max(scene.kit.disc_radius_mm, near_mm):
        return name, ""
    found = [(_beside(road, spot), road) for road in scene.layout.roads]
    reach_mm = scene.kit.road_width_mm / 2 + CAR_MARGIN_MM
    lying = [(gap, share, road) for (gap, share), road in found if gap <= reach_mm]
    if not lying:
        return None
    _, share, road = max(lying, key=lambda one: _height(one[2].a, one[2].b, one[1]))
    return road.id, "a" if share < TIP_SHARE else "b" if share > 1 - TIP_SHARE else ""


def grasped_part(layout: Layout, spot: Point2, near_mm: float, picked: str) -> tuple[str, Grip] | None:
    """The part of the city at a spot: a corner of the picked one, else the smallest that lies there."""
    held = next((part for part in layout.city() if part.id == picked), None)
    if held is not None:
        near_mm = min(near_mm, CORNER_SHARE * shortest_side(held))
        for number, corner in enumerate(held.outline):
            if math.dist(corner, spot) <= near_mm:
                return picked, str(number)
    shapes = {part.id: shapely.Polygon(part.outline) for part in layout.city()}
    here = [name for name, shape in shapes.items() if shape.covers(shapely.Point(spot))]
    return (min(here, key=lambda name: shapes[name].area), "") if here else None


def _beside(road: Road, spot: tuple[float, float]) -> tuple[float, float]:
    """How far a spot lies from a road's middle line in plan, and how far along it from tip to tip."""
    (ax, ay, _), (bx, by, _) = road.a, road.b
    length2 = (bx - ax) ** 2 + (by - ay) ** 2
    share = ((spot[0] - ax) * (bx - ax) + (spot[1] - ay) * (by - ay)) / length2 if length2 else 0.5
    share = min(max(share, 0.0), 1.0)
    return math.hypot(ax + share * (bx - ax) - spot[0], ay + share * (by - ay) - spot[1]), share


def _height(a: Point3, b: Point3, share: float) -> float:
    return a[2] + share * (b[2] - a[2])
