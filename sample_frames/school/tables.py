"""Made-up tables: columns, sticks and cars about as players leave them, and whatever else lies on tables.

Nothing here knows the rules: the net is to see what is there, legal or not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.pieces import Kit
from sample_frames.studio.looks import random_kit

from .shapes import CAR, SIDE, STICK, TOP, Bodies, leaning, placed, prism, rounded, turned

TIP_ACROSS, INSIDE_MM = np.linspace(-0.36, 0.36, 13), 0.8
"""Where across a stick its end is marked, and how far inside it must show for that."""
TIGHT_MM = 1.0
"""Least gap between a new piece and what stands there: the painter draws what is in something else as it comes."""
CAR_PAINTS = np.array(
    [
        (0.20, 0.05, 0.36),
        (0.04, 0.33, 0.10),
        (0.78, 0.20, 0.02),
        (0.03, 0.14, 0.55),
        (0.78, 0.16, 0.34),
        (0.7, 0.05, 0.04),
    ]
)


@dataclass(slots=True)
class Column:
    x: float
    y: float
    height: int
    ends: int = 0


@dataclass(frozen=True, slots=True)
class Paints:
    """Linear RGB of discs, yellow discs and sticks, and how they shine and vary."""

    disc: np.ndarray
    yellow: np.ndarray
    road: np.ndarray
    shine: float
    spread: float
    grain: float
    bevel_mm: float


@dataclass(frozen=True, slots=True)
class Game:
    """A table being built: its kit, its paints, where things stand."""

    kit: Kit
    paints: Paints
    columns: list[Column]
    sticks: list[tuple[np.ndarray, np.ndarray]]


def random_paints(rng: np.random.Generator, table: np.ndarray) -> Paints:
    """Grey mostly, bare wood sometimes, any colour or nearly black now and then, and now and then the table's own."""
    grey = float(rng.uniform(0.12, 0.75))
    disc, road = near(rng, np.full(3, grey), 0.05), near(rng, np.full(3, grey * rng.uniform(0.85, 1.3)), 0.06)
    kind = rng.random()
    wood = np.array([0.55, 0.38, 0.22]) * rng.uniform(0.2, 1.3)
    if kind < 0.25:
        road = near(rng, wood, 0.08)
        disc = near(rng, wood, 0.1) if rng.random() < 0.5 else disc
    elif kind < 0.4:
        disc, road = _any_colour(rng), _any_colour(rng)
    elif kind < 0.55:
        road = _any_colour(rng)
        disc = near(rng, road, 0.1) if rng.random() < 0.6 else disc
    elif kind < 0.65:
        disc, road = near(rng, table, 0.15), near(rng, table, 0.15)
    yellow = near(rng, np.array([0.78, 0.50, 0.03]), 0.12)
    grain, bevel_mm = float(rng.choice([0.0, 0.05, 0.15, 0.3])), float(rng.uniform(0.15, 0.9))
    return Paints(
        disc, yellow, road, float(rng.choice([0.0, 0.1, 0.3, 0.6])), float(rng.uniform(0.0, 0.08)), grain, bevel_mm
    )


def _any_colour(rng: np.random.Generator) -> np.ndarray:
    """Some hue, as often dark as light: navy and charcoal, rust and cream."""
    hue = np.exp(rng.normal(0, float(rng.choice([0.15, 0.7])), 3))
    brightness = math.exp(rng.uniform(math.log(0.015), math.log(0.8)))
    colour: np.ndarray = np.clip(hue / hue.mean() * brightness, 0.01, 0.95)
    return colour


def near(rng: np.random.Generator, colour: np.ndarray, spread: float) -> np.ndarray:
    near: np.ndarray = np.clip(colour * np.exp(rng.normal(0, spread, 3)), 0.01, 0.95)
    return near


def random_game(
    rng: np.random.Generator, bodies: Bodies, table_paint: np.ndarray, built: Sequence[int]
) -> tuple[Game, float]:
    """A game added to the bodies of a table, built on about as often as one of some counts, and the radius in mm of
    where play is."""
    kit = Kit() if rng.random() < 0.3 else random_kit(rng, 0.2)
    game = Game(kit, random_paints(rng, table_paint), [], [])
    reach_mm = float(rng.uniform(90, 230))
    for _ in range(int(rng.integers(1, 5))):
        _entrance(rng, game, reach_mm * 0.6)
    for _ in range(int(rng.choice(built) * rng.uniform(0.5, 1.3))):
        _build(rng, game, reach_mm)
    for column in game.columns:
        add_column(rng, bodies, game, column)
    for a, b in game.sticks:
        add_stick(rng, bodies, game, a, b)
    for a, b in game.sticks:
        _add_cars(rng, bodies, kit, a, b)
    return game, reach_mm


def _entrance(rng: np.random.Generator, game: Game, reach_mm: float) -> None:
    kit = game.kit
    spot, yaw = rng.uniform(-reach_mm, reach_mm, 2), float(rng.uniform(0, 2 * np.pi))
    column = Column(float(spot[0]), float(spot[1]), 1, 1)
    top = spot + rng.normal(0, 2, 2)
    z_a, z_b = kit.road_thickness_mm / 2, kit.disc_height_mm + kit.road_thickness_mm / 2
    back = np.array([math.cos(yaw), math.sin(yaw)]) * (kit.road_length_mm - rng.uniform(0, 0.8) * kit.disc_radius_mm)
    a, b = np.r_[top - back, z_a], np.r_[top, z_b]
    b = a + (b - a) / np.linalg.norm(b - a) * kit.road_length_mm
    if _free(game, a, b, column, None):
        game.columns.append(column)
        game.sticks.append((a, b))


def _build(rng: np.random.Generator, game: Game, reach_mm: float) -> None:
    """One more road from some column to a new one, or down, where there is room."""
    kit = game.kit
    if not game.columns:
        return
    for _ in range(8):
        base = game.columns[int(rng.integers(len(game.columns)))]
        yaw, height = float(rng.uniform(0, 2 * np.pi)), int(np.clip(base.height + rng.integers(-2, 3), 1, 8))
        down = base.height <= 3 and rng.random() < 0.15
        over = rng.uniform(-0.6, 0.7, 2) * kit.disc_radius_mm
        z_a = (base.height * kit.disc_height_mm) + kit.road_thickness_mm * (0.5 + base.ends * (rng.random() < 0.8))
        z_b = kit.road_thickness_mm / 2 if down else height * kit.disc_height_mm + kit.road_thickness_mm / 2
        if abs(z_b - z_a) > 0.6 * kit.road_length_mm:
            continue
        flat = math.sqrt(kit.road_length_mm**2 - (z_b - z_a) ** 2)
        ahead = np.array([math.cos(yaw), math.sin(yaw)])
        aside = np.array([-ahead[1], ahead[0]])
        start = np.array([base.x, base.y]) - over[0] * ahead + aside * rng.normal(0, 2.0)
        a, b = np.r_[start, z_a], np.r_[start + flat * ahead, z_b]
        goal = start + (flat - over[1]) * ahead + aside * rng.normal(0, 2.0)
        if np.abs(goal).max() > reach_mm:
            continue
        column = None if down else Column(float(goal[0]), float(goal[1]), height, 1)
        if _free(game, a, b, column, base):
            base.ends += 1
            game.sticks.append((a, b))
            if column is not None:
                game.columns.append(column)
            return


def _free(game: Game, a: np.ndarray, b: np.ndarray, column: Column | None, base: Column | None) -> bool:
    """Whether a stick and its new column stand in nothing that is there, roughly."""
    kit = game.kit
    if column is not None:
        spot = np.array([column.x, column.y])
        if any(math.dist(spot, (c.x, c.y)) < kit.disc_diameter_mm + TIGHT_MM for c in game.columns):
            return False
        for p, q in game.sticks:
            away, z = from_line(spot, p, q)
            if (
                away < kit.disc_radius_mm + kit.road_width_mm / 2 + TIGHT_MM
                and z < column.height * kit.disc_height_mm + 3
            ):
                return False
    for c in game.columns:
        away, z = from_line(np.array([c.x, c.y]), a, b)
        near = away < kit.disc_radius_mm + kit.road_width_mm / 2 + TIGHT_MM
        if c is not base and near and z < c.height * kit.disc_height_mm + 1.5 * kit.road_thickness_mm * (1 + c.ends):
            return False
    for p, q in game.sticks:
        cross = _crossing(a, b, p, q)
        shared = base is not None and min(math.dist(t[:2], (base.x, base.y)) for t in (p, q)) < kit.disc_diameter_mm
        if cross is not None and abs(cross) < 1.3 * kit.road_thickness_mm and not shared:
            return False
    return True


def from_line(spot: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """How far a spot is from a stick in plan, and how high the stick is there."""
    along = (b - a)[:2]
    t = float(np.clip((spot - a[:2]) @ along / (along @ along), 0, 1))
    point = a + t * (b - a)
    return math.dist(spot, point[:2]), float(point[2])


def _crossing(a: np.ndarray, b: np.ndarray, p: np.ndarray, q: np.ndarray) -> float | None:
    """How much higher one stick is where it crosses the other in plan; None where it does not."""
    matrix = np.column_stack([(b - a)[:2], (p - q)[:2]])
    if abs(np.linalg.det(matrix)) < 1e-6:
        return None
    s, t = np.linalg.solve(matrix, (p - a)[:2])
    if not (-0.08 < s < 1.08 and -0.08 < t < 1.08):
        return None
    return float((a + s * (b - a))[2] - (p + t * (q - p))[2])


def add_column(rng: np.random.Generator, bodies: Bodies, game: Game, column: Column) -> None:
    kit, paints = game.kit, game.paints
    number, bevel, r = bodies.instance(), paints.bevel_mm, kit.disc_radius_mm
    bodies.columns.append((column.x, column.y, column.height))
    yellow = rng.random() < 0.2
    for disc in range(column.height):
        high = kit.disc_height_mm
        corners, normals, up = turned(((r - bevel, 0.0), (r, bevel), (r, high - bevel), (r - bevel, high), (0.0, high)))
        origin = np.array([column.x, column.y, disc * high]) + np.r_[rng.normal(0, 0.35, 2), 0.0]
        corners, normals = placed(corners, normals, origin, np.eye(3))
        base = paints.yellow if yellow and disc == column.height - 1 else paints.disc
        paint = near(rng, base, paints.spread)
        bodies.add(corners[~up], normals[~up], paint, number, SIDE, paints.shine, paints.grain)
        bodies.add(corners[up], normals[up], paint, number, TOP, paints.shine, paints.grain)


def add_stick(rng: np.random.Generator, bodies: Bodies, game: Game, a: np.ndarray, b: np.ndarray) -> None:
    kit, paints = game.kit, game.paints
    radius = float(rng.choice([0.03, 0.2, 0.45, 0.49])) * kit.road_width_mm
    outline = rounded(kit.road_length_mm, kit.road_width_mm, radius)
    corners, normals, _ = prism(outline, -kit.road_thickness_mm / 2, kit.road_thickness_mm / 2, False)
    number, axes = bodies.instance(), leaning(b - a)
    corners, normals = placed(corners, normals, (a + b) / 2, axes)
    bodies.add(corners, normals, near(rng, paints.road, paints.spread), number, STICK, paints.shine, paints.grain)
    for side in (-1.0, 1.0):
        bodies.tips.append((number, _end(side, kit, radius) @ axes + (a + b) / 2))


def _end(side: float, kit: Kit, radius: float) -> np.ndarray:
    """Points (k, 2, 3) across one end of a stick about the origin: on its upper face's edge, and a little inside."""
    aside = TIP_ACROSS * kit.road_width_mm
    off = np.maximum(np.abs(aside) - (kit.road_width_mm / 2 - radius), 0.0)
    reach = kit.road_length_mm / 2 - radius + np.sqrt(radius**2 - off**2)
    level = np.full(len(aside), kit.road_thickness_mm / 2)
    return np.stack([np.column_stack([side * (reach - d), aside, level]) for d in (0.0, INSIDE_MM)], axis=1)


def _add_cars(rng: np.random.Generator, bodies: Bodies, kit: Kit, a: np.ndarray, b: np.ndarray) -> None:
    """Cars on a stick, mostly none: each somewhere, or close behind the one before."""
    sizes, long = list(kit.cars.values()), float(np.linalg.norm(b - a))
    axes = leaning((b - a) * (1 if rng.random() < 0.5 else -1))
    behind_mm = 0.0
    while rng.random() < 0.3:
        size = np.array(sizes[int(rng.integers(len(sizes)))])
        at_mm = long * rng.uniform(0.15, 0.85)
        if behind_mm and rng.random() < 0.5:
            at_mm = behind_mm + size[0] / 2 + rng.uniform(0.3, 6.0)
            if at_mm > long:
                return
        behind_mm = at_mm + size[0] / 2
        floor = a + (b - a) * at_mm / long + axes[2] * (kit.road_thickness_mm / 2) + axes[1] * rng.normal(0, 0.5)
        known = CAR_PAINTS[int(rng.integers(len(CAR_PAINTS)))]
        paint = near(rng, known if rng.random() < 0.8 else rng.uniform(0.02, 0.9, 3), 0.15)
        add_car(rng, bodies, size, floor, axes, paint)


def add_car(
    rng: np.random.Generator, bodies: Bodies, size: np.ndarray, floor: np.ndarray, axes: np.ndarray, paint: np.ndarray
) -> None:
    """A car of a size whose floor's middle stands there."""
    number, (length, width, height) = bodies.instance(), size
    waist = height if rng.random() < 0.4 else height * rng.uniform(0.45, 0.7)
    outline = rounded(length, width, float(rng.uniform(0.05, 0.3)) * width)
    corners, normals, _ = prism(outline, 0.0, waist, False)
    bodies.add(*placed(corners, normals, floor, axes), paint, number, CAR, 0.5)
    if waist < height:
        cabin = rounded(length * rng.uniform(0.4, 0.75), width * 0.9, 0.1 * width)
        cabin = cabin + np.array([rng.uniform(-0.1, 0.1) * length, 0.0])
        glass = paint if rng.random() < 0.5 else np.full(3, 0.03)
        corners, normals, lid = prism(cabin, waist, height, False)
        corners, normals = placed(corners, normals, floor, axes)
        bodies.add(corners[~lid], normals[~lid], glass, number, CAR, 0.6)
        bodies.add(corners[lid], normals[lid], paint, number, CAR, 0.5)
