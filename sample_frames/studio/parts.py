"""What can be seen, piece by piece: a mesh in the table frame with its material."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import mitsuba as mi
import numpy as np

from referee.layout import Car, Column, Road
from referee.pieces import SEDAN, Kit
from sample_frames.boxes import car_pose, stick_pose
from sample_frames.falls import Fallen

from . import cars, pieces
from .looks import Colour, Look
from .mesh import Floats, Mesh
from .surfaces import noise

GLASS: Colour = (0.015, 0.018, 0.022)
DARK: Colour = (0.02, 0.02, 0.02)
LAMPS: Colour = (0.75, 0.72, 0.62)
STACK_SPREAD_MM = 0.25
"""How far discs of one stack stand off its axis."""
BOW_MM, WIDTH_SPREAD_MM = 0.1, 0.06
"""Spread of how much a stick is bent and wider than the next."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Part:
    """A mesh in the table frame with its material; `piece` is the id of what it belongs to, empty for the stage."""

    mesh: Mesh
    bsdf: dict[str, Any]
    piece: str = ""
    slot: str = ""
    """Names what moves: parts of one slot are the same thing at different moments."""

    def moved(self, table_from_table: Floats, slot: str = "") -> Part:
        """The same thing elsewhere."""
        return replace(self, mesh=self.mesh.transformed(table_from_table), slot=slot)


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
    return _stick(road.id, float(np.linalg.norm(b - a)), stick_pose(road), kit, look, rng)


def _stick(
    piece: str, length_mm: float, table_from_stick: Floats, kit: Kit, look: Look, rng: np.random.Generator
) -> Part:
    bow_mm, wider_mm = (float(v) for v in rng.normal(0.0, (BOW_MM, WIDTH_SPREAD_MM)).clip(-0.25, 0.25))
    mesh = pieces.stick(kit, length_mm, rng, bow_mm, wider_mm).transformed(table_from_stick)
    return Part(mesh, _grained(_shade(look.road, look, rng), look, rng, (48, 384)), piece)


def car_parts(car: Car, road: Road | None, kit: Kit, look: Look, rng: np.random.Generator) -> list[Part]:
    """A car on its road, tilted as the road is; `z` is the middle of the car."""
    kind = car.type or SEDAN
    frame = car_pose(car, road)
    frame[:3, 3] -= frame[:3, 2] * kit.cars[kind][2] / 2
    return _car(car.id, kind, car.owner, frame, kit, look, rng)


def _car(
    piece: str, kind: str, owner: str | None, table_from_foot: Floats, kit: Kit, look: Look, rng: np.random.Generator
) -> list[Part]:
    body = look.players.get(owner or "", (0.4, 0.4, 0.4))
    paints = {"paint": _shade(body, look, rng), "glass": GLASS, "dark": DARK, "light": LAMPS}
    return [
        Part(
            mesh.transformed(table_from_foot),
            paint(paints[name], 0.15 if name == "glass" else look.roughness * 0.8, 0.3),
            piece,
        )
        for name, mesh in cars.car(kind, kit.cars[kind], rng).items()
    ]


def fallen_parts(lying: Fallen, owner: str | None, kit: Kit, look: Look, rng: np.random.Generator) -> list[Part]:
    """A piece that fell, where it lies."""
    match lying.kind:
        case "stick":
            return [_stick(lying.id, kit.road_length_mm, lying.pose, kit, look, rng)]
        case "car":
            return _car(lying.id, lying.type or SEDAN, owner, lying.pose, kit, look, rng)
        case "disc" | "junction":
            foot = lying.pose.copy()
            foot[:3, 3] -= foot[:3, 2] * kit.disc_height_mm / 2
            colour = _shade(look.junction if lying.kind == "junction" else look.disc, look, rng)
            mesh = pieces.disc(kit, rng).transformed(foot)
            return [Part(mesh, _grained(colour, look, rng, (64, 64)), lying.id)]


def pose(place_mm: tuple[float, float, float], yaw_rad: float) -> np.ndarray:
    """table_from_piece of a piece that stands upright."""
    c, s = np.cos(yaw_rad), np.sin(yaw_rad)
    matrix = np.eye(4)
    matrix[:2, :2] = [[c, -s], [s, c]]
    matrix[:3, 3] = place_mm
    return matrix


def quad(width_mm: float, depth_mm: float) -> Mesh:
    """A level rectangle at z = 0 with a picture's coordinates."""
    x, y = width_mm / 2, depth_mm / 2
    corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    uvs = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    normals = np.tile([0.0, 0.0, 1.0], (4, 1))
    return Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]]), normals, uvs)
