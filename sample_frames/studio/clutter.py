"""What else lies on a table where people play: box, cups, cards, a phone, and everybody's stock at the edge."""

from __future__ import annotations

import cv2
import mitsuba as mi
import numpy as np

from referee.layout import Car, Column
from referee.pieces import Kit
from sample_frames.boxes import pose as leaning

from .looks import Colour, Look
from .mesh import Mesh
from .parts import Part, car_parts, column_parts, paint, pose, quad
from .pieces import stick
from .solids import box, lathed

UP = np.array([0.0, 0.0, 1.0])


def random_clutter(
    rng: np.random.Generator, kit: Kit, look: Look, players: tuple[str, ...], centre: np.ndarray, clear_mm: float
) -> tuple[Part, ...]:
    """Things round the play area, none nearer to its centre than `clear_mm`."""
    parts: list[Part] = []
    for angle in _places(rng, len(players)):
        player = players[len(parts) % len(players)] if players else ""
        parts += _stock(rng, kit, look, player, _at(centre, angle, clear_mm + 60.0))
    things = (_cup, _box_lid, _cards, _phone, _pen)
    for angle in _places(rng, int(rng.integers(0, 5))):
        thing = things[int(rng.integers(len(things)))]
        parts += thing(rng, _at(centre, angle, clear_mm + float(rng.uniform(90.0, 200.0))))
    return tuple(parts)


def _places(rng: np.random.Generator, count: int) -> np.ndarray:
    """Directions round the table, well apart."""
    start = float(rng.uniform(0, 2 * np.pi))
    return start + (np.arange(count) + rng.uniform(-0.2, 0.2, count)) * (2 * np.pi / max(count, 1))


def _at(centre: np.ndarray, angle: float, away_mm: float) -> np.ndarray:
    return np.array([centre[0] + np.cos(angle) * away_mm, centre[1] + np.sin(angle) * away_mm])


def _colour(rng: np.random.Generator) -> Colour:
    red, green, blue = np.clip(rng.uniform(0.03, 0.8, 3) * rng.uniform(0.4, 1.2), 0.01, 0.9)
    return float(red), float(green), float(blue)


def _placed(rng: np.random.Generator, mesh: Mesh, place: np.ndarray, z_mm: float = 0.0) -> Mesh:
    return mesh.transformed(pose((float(place[0]), float(place[1]), z_mm), float(rng.uniform(0, 2 * np.pi))))


def _stock(rng: np.random.Generator, kit: Kit, look: Look, player: str, place: np.ndarray) -> list[Part]:
    """Stacks of discs, a heap of sticks and the cars that are not placed yet."""
    parts: list[Part] = []
    spread = kit.disc_diameter_mm * 1.3
    for number in range(int(rng.integers(2, 6))):
        x, y = place + np.array([(number % 3 - 1) * spread, (number // 3) * spread]) + rng.normal(0, 2.0, 2)
        pile = Column("", float(x), float(y), int(rng.integers(1, 6)), bool(rng.random() < 0.2), None)
        parts += [Part(p.mesh, p.bsdf) for p in column_parts(pile, kit, look, rng)]
    turn = float(rng.uniform(0, np.pi))
    for number in range(int(rng.integers(0, 7))):
        middle = np.array([*(place + rng.normal(0, 6.0, 2) + 45.0), (number + 0.5) * kit.road_thickness_mm])
        way = np.array([np.cos(turn), np.sin(turn), 0.0])
        turn += float(rng.normal(0, 0.05))
        bsdf = paint(look.road, look.roughness)
        parts.append(Part(stick(kit, kit.road_length_mm, rng).transformed(leaning(middle, way, UP)), bsdf))
    kinds = list(kit.cars)
    for number in range(int(rng.integers(0, 6))):
        kind = kinds[int(rng.integers(len(kinds)))]
        x, y = place + np.array([-55.0, (number - 2) * 11.0]) + rng.normal(0, 1.5, 2)
        car = Car("", float(x), float(y), kit.cars[kind][2] / 2, float(rng.normal(0, 0.4)), None, player or None, kind)
        parts += [Part(p.mesh, p.bsdf) for p in car_parts(car, None, kit, look, rng)]
    return parts


def _cup(rng: np.random.Generator, place: np.ndarray) -> list[Part]:
    """A mug or a glass of something."""
    radius, height = float(rng.uniform(32, 44)), float(rng.uniform(75, 110))
    wall = [
        (radius * 0.8, 0.0),
        (radius * 0.95, 6.0),
        (radius, height),
        (radius - 4, height),
        (radius - 5, height * 0.8),
    ]
    drink = [(1.0, height * 0.7), (radius - 5.2, height * 0.7), (radius - 5.2, height * 0.72), (1.0, height * 0.721)]
    cup = Part(_placed(rng, lathed(wall).mesh(), place), paint(_colour(rng), 0.12, 0.5))
    coffee: Colour = (0.03, 0.015, 0.008)
    return [cup, Part(_placed(rng, lathed(drink).mesh(), place), paint(coffee, 0.05))]


def _box_lid(rng: np.random.Generator, place: np.ndarray) -> list[Part]:
    """A game's box, with a city printed on its lid."""
    x, y, z = (float(v) for v in rng.uniform([90, 60, 20], [150, 110, 60]))
    where = pose((float(place[0]), float(place[1]), 0.0), float(rng.uniform(0, 2 * np.pi)))
    sides = Part(box((-x, -y, 0.0), (x, y, z), 1.2).mesh().transformed(where), paint(_colour(rng), 0.35))
    up = pose((0.0, 0.0, z + 0.05), 0.0)
    bitmap = mi.Bitmap(np.ascontiguousarray(_skyline(rng, (320, round(320 * x / y)))))
    printed = {**paint((0.5, 0.5, 0.5), 0.3, 0.3), "base_color": {"type": "bitmap", "bitmap": bitmap, "raw": True}}
    return [sides, Part(quad(2 * x - 3.0, 2 * y - 3.0).transformed(where @ up), printed)]


def _skyline(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """A poster: sky, a few rows of houses with windows, a road, a band where the title would be."""
    rows, columns = shape
    top, bottom = np.array(_colour(rng)), np.array(_colour(rng))
    share = np.linspace(0.0, 1.0, rows)[:, None, None]
    picture = np.broadcast_to(top * (1 - share) + bottom * share, (rows, columns, 3)).astype(np.float32).copy()
    for depth in range(3):
        shade, x = np.array(_colour(rng)) * (0.4 + 0.25 * depth), 0
        while x < columns:
            width, height = int(rng.integers(14, 46)), int(rng.integers(rows // 6, rows * (5 - depth) // 8))
            picture[:height, x : x + width] = shade
            picture[4 : height - 4 : 9, x + 3 : x + width - 3 : 6] = 0.85 if rng.random() < 0.6 else 0.1
            x += width + int(rng.integers(0, 20))
    for lane in range(int(rng.integers(1, 4))):
        ends = [(0, int(rng.integers(rows // 2))), (columns, int(rng.integers(rows // 2)))]
        cv2.line(picture, ends[0], ends[1], [0.35, 0.35, 0.36], 16 - 3 * lane, cv2.LINE_AA)
        cv2.line(picture, ends[0], ends[1], [0.8, 0.8, 0.78], 1, cv2.LINE_AA)
    picture[round(rows * 0.72) : round(rows * 0.9), columns // 8 : -columns // 8] = _colour(rng)
    return picture


def _cards(rng: np.random.Generator, place: np.ndarray) -> list[Part]:
    """A few cards or papers, lying over each other."""
    parts = []
    for number in range(int(rng.integers(1, 6))):
        sheet = box((-44.0, -31.5, 0.0), (44.0, 31.5, 0.4)).mesh()
        light = _colour(rng) if rng.random() < 0.5 else (0.78, 0.77, 0.74)
        parts.append(Part(_placed(rng, sheet, place + rng.normal(0, 12.0, 2), number * 0.45), paint(light, 0.5)))
    return parts


def _phone(rng: np.random.Generator, place: np.ndarray) -> list[Part]:
    body = box((-74.0, -36.0, 0.0), (74.0, 36.0, 8.0), 2.5).mesh()
    return [Part(_placed(rng, body, place), paint((0.012, 0.012, 0.014), 0.08, 0.9))]


def _pen(rng: np.random.Generator, place: np.ndarray) -> list[Part]:
    barrel = lathed([(1.0, -70.0), (4.2, -58.0), (4.2, 66.0), (3.0, 70.0)], 20).mesh()
    lying = np.array([[0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 4.2], [0, 0, 0, 1]], dtype=np.float64)
    return [Part(_placed(rng, barrel.transformed(lying), place), paint(_colour(rng), 0.25, 0.4))]
