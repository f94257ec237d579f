"""Cards and buildings of a city: what an edition has of them, and how each is changed by hand. Qt-free."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar, get_args

from msgspec.structs import replace

from referee.layout import Area, AreaKind, Building, BuildingKind, CityPart, Point2
from referee.match import Setup
from referee.pieces import Kit

AREA_KINDS: tuple[AreaKind, ...] = get_args(AreaKind)
BUILDING_KINDS: tuple[BuildingKind, ...] = get_args(BuildingKind)
CityKind = AreaKind | BuildingKind
KIND_WORDS: dict[str, str] = {
    "development": "development area", "green": "green area", "airport": "airport", "rainbow": "rainbow",
    "building": "building", "tower": "tower", "tree": "tree", "aeroplane": "aeroplane",
}  # fmt: skip
LEAST_MM = 2.0
"""Nothing is smaller or lower than this."""
RIGHT_ANGLE = 0.02
"""Cosine up to which a corner counts as square."""
_DISCS: dict[str, tuple[float, float]] = {
    "development": (3.6, 3.0), "green": (4.2, 3.3), "airport": (5.1, 3.2), "rainbow": (4.9, 0.8),
    "building": (1.2, 1.2), "tower": (1.0, 1.0), "tree": (0.5, 0.5), "aeroplane": (1.1, 1.0),
}  # fmt: skip
"""Length and width in disc diameters of what is put down by hand, until somebody pulls it to its size."""
_HEIGHTS_MM: dict[str, float] = {"building": 40.0, "tower": 75.0, "tree": 18.0, "aeroplane": 8.0}

Part = TypeVar("Part", bound=CityPart)


def city_kinds(setup: Setup) -> tuple[CityKind, ...]:
    """What the edition puts on the table that never moves (S5, S6); nothing where it has no city."""
    options = setup.rules.options
    if options.city:
        return (*AREA_KINDS, *BUILDING_KINDS)
    return ("building",) if options.buildings and len(setup.players) > 2 else ()


def shifted(part: Part, dx: float, dy: float) -> Part:
    """So far over the table, in mm."""
    return replace(part, outline=tuple((x + dx, y + dy) for x, y in part.outline))


def turned(part: Part, by_rad: float) -> Part:
    """Turned about its middle, seen from above against the clock."""
    (mx, my), cos, sin = middle_of(part), math.cos(by_rad), math.sin(by_rad)
    spots = ((x - mx, y - my) for x, y in part.outline)
    return replace(part, outline=tuple((mx + cos * x - sin * y, my + sin * x + cos * y) for x, y in spots))


def pulled(part: Part, corner: int, dx: float, dy: float) -> Part:
    """Held at a corner of its outline: a rectangle becomes a larger or smaller one, else that corner alone moves."""
    spots: list[Point2] = list(part.outline)
    held = (spots[corner][0] + dx, spots[corner][1] + dy)
    if not _is_rectangle(part.outline):
        return replace(part, outline=(*spots[:corner], held, *spots[corner + 1 :]))
    fast = spots[corner - 2]
    spots[corner] = held
    for beside in (corner - 1, (corner + 1) % 4):
        ux, uy = spots[beside][0] - fast[0], spots[beside][1] - fast[1]
        length_mm = math.hypot(ux, uy)
        share = ((held[0] - fast[0]) * ux + (held[1] - fast[1]) * uy) / length_mm**2
        if share * length_mm < LEAST_MM:
            return part
        spots[beside] = (fast[0] + share * ux, fast[1] + share * uy)
    return replace(part, outline=tuple(spots))


def of_kind(part: CityPart, kind: str) -> CityPart:
    """Another kind of card, or of building."""
    known: tuple[str, ...] = AREA_KINDS if isinstance(part, Area) else BUILDING_KINDS
    return replace(part, kind=kind) if kind in known else part


def heightened(building: Building, by_mm: float) -> Building:
    """So much taller."""
    return replace(building, height_mm=max(building.height_mm + by_mm, LEAST_MM))


def new_part(kind: CityKind, parts: Iterable[CityPart], name: str, x: float, y: float, kit: Kit) -> CityPart:
    """One more of a kind about a spot: like the last one of that kind, else of a usual size."""
    alike = next((part for part in reversed(tuple(parts)) if part.kind == kind), None)
    if alike is not None:
        mx, my = middle_of(alike)
        return shifted(replace(alike, id=name), x - mx, y - my)
    half_x, half_y = (side * kit.disc_diameter_mm / 2 for side in _DISCS[kind])
    outline = tuple((x + sx * half_x, y + sy * half_y) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    card = next((one for one in AREA_KINDS if one == kind), None)
    if card is not None:
        return Area(name, card, outline)
    return Building(name, next(one for one in BUILDING_KINDS if one == kind), outline, _HEIGHTS_MM[kind])


def middle_of(part: CityPart) -> Point2:
    """The middle of its corners."""
    xs, ys = zip(*part.outline, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def shortest_side(part: CityPart) -> float:
    """In mm."""
    return min(math.dist(a, b) for a, b in zip(part.outline, (*part.outline[1:], part.outline[0]), strict=True))


def _is_rectangle(outline: tuple[Point2, ...]) -> bool:
    if len(outline) != 4:
        return False
    sides = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(outline, (*outline[1:], outline[0]), strict=True)]
    lengths = [math.hypot(*side) for side in sides]
    if min(lengths) < 1e-6:
        return False
    ends = zip(sides, (*sides[1:], sides[0]), lengths, (*lengths[1:], lengths[0]), strict=True)
    return all(abs(ux * vx + uy * vy) / (u * v) < RIGHT_ANGLE for (ux, uy), (vx, vy), u, v in ends)
