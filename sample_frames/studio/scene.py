"""A layout on a table, as meshes with materials and light: what the renderer is given."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache
from typing import Any

import mitsuba as mi
import numpy as np

from referee.layout import Area, Building, Car, Column, Layout, Piece, Road
from referee.pieces import Kit
from sample_frames.falls import Fallen

from . import city
from .assets import environments
from .light import Lamp, Lighting
from .looks import TABLE_MM, Colour, Look
from .parts import Part, car_parts, column_parts, fallen_parts, paint, pose, quad, road_part
from .prints import printed_face
from .solids import box
from .surfaces import Surface

FLOOR_MM = -740.0
RAINBOW: tuple[Colour, ...] = (
    (0.70, 0.03, 0.03), (0.80, 0.25, 0.02), (0.80, 0.62, 0.03), (0.05, 0.42, 0.10), (0.02, 0.25, 0.62),
    (0.06, 0.06, 0.42), (0.30, 0.05, 0.42),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything that can be seen, and what lights it."""

    parts: tuple[Part, ...]
    emitters: dict[str, Any]


class Props:
    """The pieces of one table, each made once: what stands still looks the same in every picture."""

    def __init__(self, kit: Kit, look: Look, seed: int) -> None:
        self.kit, self.look, self._seed = kit, look, seed
        self._made: dict[object, tuple[Part, ...]] = {}
        self._table = _table(look.surface, self._rng("table"))

    def stage(
        self,
        layout: Layout,
        fallen: tuple[Fallen, ...] = (),
        extra: tuple[Part, ...] = (),
        lighting: Lighting | None = None,
    ) -> Stage:
        """The table with a layout on it, in its own light or another."""
        roads = {road.id: road for road in layout.roads}
        parts = [*self._table, *extra]
        for piece in (*layout.columns, *layout.roads, *layout.cars, *layout.city()):
            parts += self.parts(piece, roads.get(piece.road or "") if isinstance(piece, Car) else None)
        for lying in fallen:
            parts += self._fallen(lying)
        return Stage(tuple(parts), _emitters(lighting or self.look.lighting))

    def parts(self, piece: Piece | Building | Area, road: Road | None = None) -> tuple[Part, ...]:
        """What a piece looks like where it stands; a car is tilted as its road is."""
        if (piece, road) not in self._made:
            self._made[piece, road] = tuple(self._make(piece, road, self._rng(piece.id)))
        return self._made[piece, road]

    def _make(self, piece: Piece | Building | Area, road: Road | None, rng: np.random.Generator) -> list[Part]:
        match piece:
            case Column():
                return column_parts(piece, self.kit, self.look, rng)
            case Road():
                return [road_part(piece, self.kit, self.look, rng)]
            case Car():
                return car_parts(piece, road, self.kit, self.look, rng)
            case Building():
                meshes = city.building(piece.kind, piece.outline, piece.height_mm, rng)
                grey = (0.5, 0.5, 0.5)
                return [Part(mesh, paint(CITY_PAINTS.get(n, grey), 0.5), piece.id) for n, mesh in meshes.items()]
            case Area():
                parts = [Part(city.area(piece.outline), _printed(piece.kind, rng), piece.id)]
                bands = city.rainbow(piece.outline) if piece.kind == "rainbow" else {}
                return parts + [Part(mesh, paint(RAINBOW[int(n[4:])], 0.45), piece.id) for n, mesh in bands.items()]

    def _fallen(self, lying: Fallen) -> tuple[Part, ...]:
        key = (lying.id, lying.disc, lying.pose.tobytes())
        if key not in self._made:
            rng = self._rng(f"{lying.id} {lying.disc}")
            self._made[key] = tuple(fallen_parts(lying, lying.owner, self.kit, self.look, rng))
        return self._made[key]

    def _rng(self, name: str) -> np.random.Generator:
        return np.random.default_rng([self._seed, zlib.crc32(name.encode())])


AREA_PAINTS: dict[str, Colour] = {
    "development": (0.55, 0.52, 0.47), "green": (0.10, 0.32, 0.08), "airport": (0.30, 0.32, 0.35),
    "rainbow": (0.60, 0.62, 0.66),
}  # fmt: skip
CITY_PAINTS: dict[str, Colour] = {
    "body": (0.60, 0.58, 0.54), "windows": (0.05, 0.08, 0.12), "trunk": (0.18, 0.09, 0.04), "crown": (0.06, 0.25, 0.05),
    "steel": (0.60, 0.08, 0.04), "deck": (0.75, 0.74, 0.72), "base": (0.35, 0.34, 0.33), "trim": (0.30, 0.28, 0.26),
}  # fmt: skip


def _printed(kind: str, rng: np.random.Generator) -> dict[str, Any]:
    """A card with its printed face."""
    bitmap = mi.Bitmap(printed_face(kind, AREA_PAINTS[kind], rng))
    return {**paint(AREA_PAINTS[kind], 0.6), "base_color": {"type": "bitmap", "bitmap": bitmap, "raw": True}}


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


def _emitters(light: Lighting) -> dict[str, Any]:
    """The room and its lamps."""
    room = {"room": _room(light.environment, light.turn_rad, light.strength)}
    return room | {f"lamp{number}": _lamp(lamp) for number, lamp in enumerate(light.lamps)}


@cache
def _lamp(lamp: Lamp) -> Any:
    light = {"type": "area", "radiance": {"type": "rgb", "value": list(lamp.rgb)}}
    place = {"center": list(lamp.place_mm), "radius": lamp.radius_mm}
    return mi.load_dict({"type": "sphere", **place, "emitter": light})


@cache
def _room(environment: str, turn_rad: float, strength: float) -> Any:
    turned = mi.ScalarTransform4f().rotate([0, 0, 1], float(np.degrees(turn_rad))).rotate([1, 0, 0], 90)
    picture = str(environments()[environment])
    return mi.load_dict({"type": "envmap", "filename": picture, "scale": strength, "to_world": turned})
