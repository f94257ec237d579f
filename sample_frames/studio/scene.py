"""A layout on a table, as meshes with materials and light: what the renderer is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mitsuba as mi
import numpy as np

from referee.layout import Car, Column, Layout, Road
from referee.pieces import SEDAN, Kit
from sample_frames.boxes import car_pose, stick_pose

from . import cars, city, pieces
from .assets import environments
from .looks import TABLE_MM, Colour, Look
from .mesh import Mesh
from .solids import box
from .surfaces import Surface, noise

FLOOR_MM = -740.0
GLASS: Colour = (0.015, 0.018, 0.022)
DARK: Colour = (0.02, 0.02, 0.02)
LAMPS: Colour = (0.75, 0.72, 0.62)
STACK_SPREAD_MM = 0.25
"""How far discs of one stack stand off its axis."""
RAINBOW: tuple[Colour, ...] = (
    (0.70, 0.03, 0.03), (0.80, 0.25, 0.02), (0.80, 0.62, 0.03), (0.05, 0.42, 0.10), (0.02, 0.25, 0.62),
    (0.06, 0.06, 0.42), (0.30, 0.05, 0.42),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A mesh in the table frame with its material; `piece` is the id of what it belongs to, empty for the stage."""

    mesh: Mesh
    bsdf: dict[str, Any]
    piece: str = ""


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything that can be seen, and what lights it."""

    parts: tuple[Part, ...]
    emitters: dict[str, Any]


def stage(layout: Layout, kit: Kit, look: Look, rng: np.random.Generator, extra: tuple[Part, ...] = ()) -> Stage:
    """The table with a layout on it."""
    parts = [*_table(look.surface, rng), *extra]
    for column in layout.columns:
        parts += column_parts(column, kit, look, rng)
    for road in layout.roads:
        parts.append(road_part(road, kit, look, rng))
    roads = {road.id: road for road in layout.roads}
    for car in layout.cars:
        parts += car_parts(car, roads.get(car.road or ""), kit, look, rng)
    for building in layout.buildings:
        for name, mesh in city.building(building.kind, building.outline, building.height_mm, rng).items():
            parts.append(Part(mesh, paint(CITY_PAINTS.get(name, (0.5, 0.5, 0.5)), 0.5), building.id))
    for area in layout.areas:
        parts.append(Part(city.area(area.outline), paint(AREA_PAINTS[area.kind], 0.6), area.id))
        if area.kind == "rainbow":
            bands = city.rainbow(area.outline)
            parts += [Part(mesh, paint(RAINBOW[int(n[4:])], 0.45), area.id) for n, mesh in bands.items()]
    return Stage(tuple(parts), _emitters(look))


AREA_PAINTS: dict[str, Colour] = {
    "development": (0.55, 0.52, 0.47), "green": (0.10, 0.32, 0.08), "airport": (0.30, 0.32, 0.35),
    "rainbow": (0.60, 0.62, 0.66),
}  # fmt: skip
CITY_PAINTS: dict[str, Colour] = {
    "body": (0.60, 0.58, 0.54), "windows": (0.05, 0.08, 0.12), "trunk": (0.18, 0.09, 0.04), "crown": (0.06, 0.25, 0.05),
    "steel": (0.60, 0.08, 0.04), "deck": (0.75, 0.74, 0.72), "base": (0.35, 0.34, 0.33), "trim": (0.30, 0.28, 0.26),
}  # fmt: skip


def paint(colour: Colour, roughness: float, coat: float = 0.0) -> dict[str, Any]:
    """Painted wood or plastic."""
    shine = {"roughness": roughness, "specular": 0.5, "clearcoat": coat, "clearcoat_gloss": 0.9}
    return {"type": "principled", "base_color": {"type": "rgb", "value": list(colour)}, **shine}


def _grained(colour: Colour, look: Look, rng: np.random.Generator, shape: tuple[int, int]) -> dict[str, Any]:
    """Paint through which some wood shows, with a few scratches."""
    tone = 1 + look.grain * (0.10 * noise(rng, shape, (2.0, 60.0)) + 0.06 * noise(rng, shape, (6.0, 25.0)))
    tone = tone + 0.02 * noise(rng, shape, (8.0, 8.0))
    picture = np.clip(np.array(colour, dtype=np.float32) * tone[..., None], 0.0, 1.0)
    bsdf = paint(colour, look.roughness, look.coat)
    bitmap = mi.Bitmap(np.ascontiguousarray(picture, dtype=np.float32))
    # The pieces' picture coordinates are mm; the picture is four pixels to the mm and repeats.
    to_uv = mi.ScalarTransform3f().scale([4.0 / shape[1], 4.0 / shape[0]])
    return {**bsdf, "base_color": {"type": "bitmap", "bitmap": bitmap, "raw": True, "to_uv": to_uv}}


def _shade(colour: Colour, look: Look, rng: np.random.Generator) -> Colour:
    red, green, blue = np.clip(np.array(colour) * float(np.exp(rng.normal(0.0, look.spread))), 0.0, 0.95)
    return float(red), float(green), float(blue)


def column_parts(column: Column, kit: Kit, look: Look, rng: np.random.Generator) -> list[Part]:
    """The discs of a column, each a little off its axis and turned its own way; the top one stands exactly."""
    parts = []
    for number in range(column.height):
        top = number == column.height - 1
        aside = np.zeros(2) if top else rng.normal(0.0, STACK_SPREAD_MM, 2).clip(-0.5, 0.5)
        place = (column.x + aside[0], column.y + aside[1], number * kit.disc_height_mm)
        colour = _shade(look.junction if top and column.junction else look.disc, look, rng)
        mesh = pieces.disc(kit, rng).transformed(pose(place, float(rng.uniform(0, 2 * np.pi))))
        parts.append(Part(mesh, _grained(colour, look, rng, (64, 64)), column.id))
    return parts


def road_part(road: Road, kit: Kit, look: Look, rng: np.random.Generator) -> Part:
    """A stick between its tips."""
    a, b = np.array(road.a), np.array(road.b)
    mesh = pieces.stick(kit, float(np.linalg.norm(b - a)), rng).transformed(stick_pose(road))
    return Part(mesh, _grained(_shade(look.road, look, rng), look, rng, (48, 384)), road.id)


def car_parts(car: Car, road: Road | None, kit: Kit, look: Look, rng: np.random.Generator) -> list[Part]:
    """A car on its road, tilted as the road is; `z` is the middle of the car."""
    kind = car.type or SEDAN
    size_mm = kit.cars[kind]
    frame = car_pose(car, road)
    frame[:3, 3] -= frame[:3, 2] * size_mm[2] / 2
    body = look.players.get(car.owner or "", (0.4, 0.4, 0.4))
    paints = {"paint": _shade(body, look, rng), "glass": GLASS, "dark": DARK, "light": LAMPS}
    return [
        Part(
            mesh.transformed(frame), paint(paints[name], 0.15 if name == "glass" else look.roughness * 0.8, 0.3), car.id
        )
        for name, mesh in cars.car(kind, size_mm, rng).items()
    ]


def pose(place_mm: tuple[float, float, float], yaw_rad: float) -> np.ndarray:
    """table_from_piece of a piece that stands upright."""
    c, s = np.cos(yaw_rad), np.sin(yaw_rad)
    matrix = np.eye(4)
    matrix[:2, :2] = [[c, -s], [s, c]]
    matrix[:3, 3] = place_mm
    return matrix


def _table(surface: Surface, rng: np.random.Generator) -> list[Part]:
    """The top, its edge and the floor."""
    width, depth = TABLE_MM
    yaw = float(rng.uniform(0, 2 * np.pi))
    shift = (float(rng.uniform(-80, 80)), float(rng.uniform(-60, 60)), 0.0)
    bitmap = mi.Bitmap(np.ascontiguousarray(surface.picture[:, :, ::-1]))
    shine = {"roughness": surface.roughness, "specular": surface.specular, "clearcoat": surface.coat}
    top = {"type": "principled", "base_color": {"type": "bitmap", "bitmap": bitmap}, **shine}
    mean = (surface.picture.reshape(-1, 3).mean(axis=0)[::-1] / 255.0) ** 2.2
    edge = paint((float(mean[0]) * 0.8, float(mean[1]) * 0.8, float(mean[2]) * 0.8), 0.6)
    board = box((-width / 2, -depth / 2, -28.0), (width / 2, depth / 2, -0.01)).mesh().transformed(pose(shift, yaw))
    floor = box((-4_000.0, -4_000.0, FLOOR_MM - 10.0), (4_000.0, 4_000.0, FLOOR_MM)).mesh()
    return [
        Part(quad(width, depth).transformed(pose(shift, yaw)), top),
        Part(board, edge),
        Part(floor, paint((0.22, 0.17, 0.13), 0.7)),
    ]


def quad(width_mm: float, depth_mm: float) -> Mesh:
    """A level rectangle at z = 0 with a picture's coordinates."""
    x, y = width_mm / 2, depth_mm / 2
    corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    uvs = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    normals = np.tile([0.0, 0.0, 1.0], (4, 1))
    return Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]]), normals, uvs)


def _emitters(look: Look) -> dict[str, Any]:
    """The room and its lamps."""
    light = look.lighting
    turned = mi.ScalarTransform4f().rotate([0, 0, 1], float(np.degrees(light.turn_rad))).rotate([1, 0, 0], 90)
    found: dict[str, Any] = {
        "room": {
            "type": "envmap",
            "filename": str(environments()[light.environment]),
            "scale": light.strength,
            "to_world": turned,
        }
    }
    for number, lamp in enumerate(light.lamps):
        found[f"lamp{number}"] = {
            "type": "sphere",
            "center": list(lamp.place_mm),
            "radius": lamp.radius_mm,
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": list(lamp.rgb)}},
        }
    return found
