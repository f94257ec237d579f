"""What lies round a game: stock in heaps, a city's cards and houses, and things that people leave on tables."""

from __future__ import annotations

import math

import numpy as np

from .shapes import OTHER, Bodies, leaning, placed, prism, rounded, turned
from .tables import CAR_PAINTS, Column, Game, add_car, add_column, add_stick, from_line, near


def add_surroundings(rng: np.random.Generator, bodies: Bodies, game: Game, reach_mm: float) -> None:
    """Stock in heaps, a city's cards and houses, and things that lie about."""
    kit = game.kit
    if rng.random() < 0.35:
        for _ in range(int(rng.integers(2, 14))):
            _card(rng, bodies, rng.uniform(-reach_mm, reach_mm, 2), game)
    for _ in range(int(rng.integers(0, 4))):
        turn = rng.uniform(0, 2 * np.pi)
        place = np.array([math.cos(turn), math.sin(turn)]) * (reach_mm + rng.uniform(40, 120))
        for _ in range(int(rng.integers(0, 5))):
            spot = place + rng.normal(0, 20, 2)
            add_column(rng, bodies, game, Column(float(spot[0]), float(spot[1]), int(rng.integers(1, 6))))
        yaw = rng.uniform(0, np.pi)
        for n in range(int(rng.integers(0, 6))):
            yaw += rng.normal(0, 0.1)
            spot = np.r_[place + rng.normal(0, 8, 2) + 40, (n + 0.5) * kit.road_thickness_mm]
            half = np.array([math.cos(yaw), math.sin(yaw), 0]) * kit.road_length_mm / 2
            add_stick(rng, bodies, game, spot - half, spot + half)
        for _ in range(int(rng.integers(0, 4))):
            spot, yaw = np.r_[place + rng.normal(0, 25, 2) - 40, 0.0], rng.uniform(0, 2 * np.pi)
            size = np.array(list(kit.cars.values())[int(rng.integers(len(kit.cars)))])
            axes = leaning(np.array([math.cos(yaw), math.sin(yaw), 0.0]))
            add_car(rng, bodies, size, spot, axes, near(rng, CAR_PAINTS[int(rng.integers(len(CAR_PAINTS)))], 0.15))
    for _ in range(int(rng.integers(0, 6))):
        turn = rng.uniform(0, 2 * np.pi)
        _thing(rng, bodies, np.array([math.cos(turn), math.sin(turn)]) * (reach_mm + rng.uniform(60, 200)))


def _card(rng: np.random.Generator, bodies: Bodies, spot: np.ndarray, game: Game) -> None:
    """A flat card; a house, a tower or a tree on some of them."""
    yaw, size = rng.uniform(0, 2 * np.pi), rng.uniform(15, 90, 2)
    axes = leaning(np.array([math.cos(yaw), math.sin(yaw), 0.0]))
    corners, normals, _ = prism(rounded(float(size[0]), float(size[1]), 2.0), 0.0, float(rng.uniform(0.2, 2.0)), False)
    paint = np.full(3, rng.uniform(0.4, 0.85)) if rng.random() < 0.5 else rng.uniform(0.02, 0.8, 3)
    bodies.add(*placed(corners, normals, np.r_[spot, 0.0], axes), paint, 0, OTHER, 0.2)
    near = any(from_line(spot, a, b)[0] < 25 for a, b in game.sticks)
    if rng.random() < 0.5 and not near:
        high = float(rng.uniform(10, 60))
        long, wide = (float(v) for v in np.minimum(size * 0.7, 35.0))
        house = rounded(long, wide, 1.0)
        corners, normals, _ = prism(house, 0.0, high, False)
        bodies.add(*placed(corners, normals, np.r_[spot, 0.5], axes), rng.uniform(0.03, 0.85, 3), 0, OTHER, 0.2)


def _thing(rng: np.random.Generator, bodies: Bodies, spot: np.ndarray) -> None:
    """A cup, a box, a phone, a pen."""
    paint, shine = rng.uniform(0.01, 0.9, 3), float(rng.uniform(0, 0.8))
    origin = np.r_[spot, 0.0]
    if rng.random() < 0.3:
        r, h = rng.uniform(15, 45), rng.uniform(20, 110)
        corners, normals, _ = turned(((r * 0.8, 0), (r, h), (r - 4, h), (r - 5, h * 0.6), (0, h * 0.6)))
        bodies.add(*placed(corners, normals, origin, np.eye(3)), paint, 0, OTHER, shine)
        return
    sizes = [(150, 72, 8), (240, 180, 50), (140, 8, 8), (180, 120, 30), (200, 12, 3), (60, 30, 20)]
    length, width, high = np.array(sizes[int(rng.integers(len(sizes)))]) * rng.uniform(0.7, 1.3)
    yaw = rng.uniform(0, 2 * np.pi)
    corners, normals, _ = prism(rounded(length, width, min(3.0, width / 3)), 0.0, float(high), False)
    bodies.add(
        *placed(corners, normals, origin, leaning(np.array([math.cos(yaw), math.sin(yaw), 0.0]))),
        paint,
        0,
        OTHER,
        shine,
    )
