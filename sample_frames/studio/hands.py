"""Hands over the table as parts to render: skin, arm, sleeve, tweezers; `hand` in the per-pixel ids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import mitsuba as mi
import numpy as np

from referee.layout import Layout

from .arms import bones, limb, sleeve, stump, tweezers
from .assets import hand_models
from .gltf import Skinned, posed, read_skinned
from .hand_poses import GRIPS, PALM, PARENTS, Side, rotations, varied
from .hand_tracks import (
    HAND_MM,
    MODEL_MM,
    TWEEZERS_AHEAD,
    HandState,
    mirrored,
    outward_of,
    shoulder_of,
    track,
    wrist_at,
)
from .looks import Colour
from .mesh import Floats, Mesh
from .parts import Part, paint, pose
from .skin import Texture, random_tone, skin_picture

HAND_ID = "hand"
CLOTHS: tuple[Colour, ...] = (
    (0.02, 0.03, 0.07), (0.30, 0.31, 0.33), (0.35, 0.04, 0.05), (0.62, 0.60, 0.55), (0.03, 0.03, 0.03),
    (0.07, 0.13, 0.09), (0.40, 0.28, 0.15), (0.10, 0.20, 0.38),
)  # fmt: skip
CAR_GAP_MM = 8.0
SKIN_ROUGHNESS = 0.5


@dataclass(frozen=True, slots=True)
class Person:
    """Whose hands they are: skin, clothes, and the seed of what else differs."""

    tone: Colour
    cloth: Colour | None
    cuff_mm: float
    """How far up the arm the sleeve begins."""
    loose_mm: float
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class HandScene:
    """A hand that does not move: a pose at a place over the table, its wrist towards a player at the edge."""

    pose: str
    side: Side
    place_in_table: Floats
    """Where its fingertips hold, or else the middle of its palm."""
    edge_in_table: Floats
    pitch_deg: float = 15.0
    turn_deg: float = 0.0
    tweezers: bool = False

    def state(self, rng: np.random.Generator) -> HandState:
        """The scene as a moment of a track."""
        outward = outward_of(self.place_in_table, self.edge_in_table)
        heading = float(np.arctan2(-outward[1], -outward[0])) + np.deg2rad(self.turn_deg)
        scale = HAND_MM / MODEL_MM
        grip = GRIPS.get(self.pose, PALM)
        wrist = wrist_at(grip, self.side, self.place_in_table, heading, self.pitch_deg, scale)
        shoulder = shoulder_of(self.edge_in_table, outward, self.side)
        return HandState(self.side, varied(self.pose, rng), wrist, shoulder, scale, self.tweezers)


def random_person(rng: np.random.Generator) -> Person:
    """Any skin, bare arms or short or long sleeves."""
    kind = rng.choice(["bare", "short", "long"], p=[0.25, 0.25, 0.5])
    cuff = {"bare": 0.0, "short": float(rng.uniform(290, 380)), "long": float(rng.uniform(30, 110))}[str(kind)]
    shade = np.array(CLOTHS[int(rng.integers(len(CLOTHS)))]) * np.exp(rng.normal(0.0, 0.15, 3))
    red, green, blue = (float(c) for c in np.clip(shade, 0.01, 0.85))
    cloth = None if kind == "bare" else (red, green, blue)
    return Person(random_tone(rng), cloth, cuff, float(rng.uniform(4.0, 9.0)), int(rng.integers(2**31)))


def random_hand(layout: Layout, centre: Floats, reach_mm: float, rng: np.random.Generator) -> tuple[Part, ...]:
    """Somebody's hand left over the table: it rests there, or has just let go of a column."""
    angle = float(rng.uniform(0, 2 * np.pi))
    edge = centre + np.array([np.cos(angle), np.sin(angle), 0.0]) * (reach_mm + 160.0)
    if rng.random() < 0.5:
        column = layout.columns[int(rng.integers(len(layout.columns)))]
        run, moment = track("column", pose((column.x, column.y, 0.0), 0.0), edge, rng), float(rng.uniform(0.5, 0.62))
    else:
        beside = centre + (edge - centre) * float(rng.uniform(0.45, 0.7))
        run, moment = track("rest", pose((float(beside[0]), float(beside[1]), 0.0), 0.0), edge, rng), 0.5
    return tuple(hand_parts(run(moment), random_person(rng)))


def hand_parts(states: list[HandState], person: Person) -> list[Part]:
    """Everything of a person that is over the table at one moment; what they carry is drawn by who knows it."""
    parts: list[Part] = []

    def add(mesh: Mesh, bsdf: dict[str, Any]) -> None:
        parts.append(Part(mesh, bsdf, HAND_ID, f"{HAND_ID}_{len(parts)}"))

    for state in states:
        model = _model(state.side)
        grow = np.diag([state.scale, state.scale, state.scale, 1.0])
        wrist_from_mesh = grow @ np.linalg.inv(model.mesh_from_joint[model.names.index("wrist")])
        hand, rim = stump(posed(model, rotations(state.pose, state.side)).transformed(wrist_from_mesh))
        add(hand.transformed(state.table_from_wrist), _skin(person, state.side))
        beside = state.table_from_wrist[:3, 0] * (1.0 if state.side == "right" else -1.0)
        start = rim.mean(axis=0)
        arm = bones(state.table_from_wrist, start, state.shoulder_in_table, beside, state.scale)
        add(limb(arm, rim - start, state.scale), _bare(person.tone))
        if person.cloth is not None:
            folds = np.random.default_rng([person.seed, state.side == "right"])
            cloth = sleeve(arm, person.cuff_mm, person.loose_mm, folds, state.scale)
            add(cloth, {**paint(person.cloth, 0.9), "specular": 0.15, "sheen": 0.6})
        if state.tweezers:
            grip = GRIPS["pinch"]
            middle, ahead = mirrored(grip.centre_mm, state.side) * state.scale, mirrored(TWEEZERS_AHEAD, state.side)
            steel = tweezers(state.table_from_wrist, middle, ahead, mirrored(grip.axis, state.side), CAR_GAP_MM)
            add(steel, {**paint((0.62, 0.62, 0.63), 0.28), "metallic": 0.95})
    return parts


@cache
def _model(side: Side) -> Skinned:
    return read_skinned(hand_models()[side]).chained(PARENTS)


@cache
def _skin_picture(person: Person, side: Side) -> Texture:
    return skin_picture(_model(side), person.tone, np.random.default_rng([person.seed, 7]))


def _skin(person: Person, side: Side) -> dict[str, Any]:
    bitmap = mi.Bitmap(np.ascontiguousarray(_skin_picture(person, side)))
    return {**_bare(person.tone), "base_color": {"type": "bitmap", "bitmap": bitmap, "raw": True}}


def _bare(tone: Colour) -> dict[str, Any]:
    """Skin: a soft sheen, a little flatness that stands for light that comes out again beside where it went in."""
    red, green, blue = np.array(tone) * (1.01, 0.985, 0.983)
    return {**paint((red, green, blue), SKIN_ROUGHNESS), "specular": 0.4, "spec_tint": 0.3, "flatness": 0.5}
