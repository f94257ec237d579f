"""One calibration take before a frame is drawn: rig, light, room, sheets, who holds the board and how it moves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import numpy as np

from calibration.camera import Rig
from calibration.sheets import A4, LETTER, Paper

from .lens import Sensor, random_sensor
from .rigs import random_rig
from .take_hand import SHOULDER_MM, random_hand
from .take_light import Lights, random_lights
from .take_room import Room, random_room
from .take_sheets import Card, Strip, random_card, random_strips
from .take_stage import Holder
from .take_walk import Walk, random_walk
from .take_warp import Floats

SIZES = ((1280, 720), (1920, 1080))
FPS = 5
SECONDS = 25.0
SKINS = ((0.56, 0.33, 0.24), (0.47, 0.26, 0.17), (0.33, 0.17, 0.10), (0.16, 0.08, 0.05), (0.08, 0.04, 0.028))


class Spoilt(msgspec.Struct, frozen=True):
    """What went wrong when the sheets were printed, glued or filmed; nothing, unless told."""

    print_scale: float = 1.0
    bow_mm: float = 0.0
    mirrored: bool = False
    blur_px: float = 0.0
    """Of a lens out of focus, on top of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """Everything that makes one take, before a frame is drawn."""

    seed: int
    spoilt: Spoilt
    rig: Rig
    paper: Paper
    sensors: dict[str, Sensor]
    lights: Lights
    room: Room
    card: Card
    strips: tuple[Strip, ...]
    filmed_strips: bool
    holder: Holder
    walk: Walk
    fps: int
    times_s: Floats
    exposure_s: dict[str, float]


def plan(
    seed: int,
    size: tuple[int, int] | None = None,
    seconds: float = SECONDS,
    fps: int = FPS,
    spoilt: Spoilt = Spoilt(),  # noqa: B008 - frozen
) -> Take:
    """Who stands where and moves the board how: all from the seed."""
    rng = np.random.default_rng([seed, 2])
    chosen = size or SIZES[int(rng.integers(len(SIZES)))]
    span_mm = float(rng.uniform(400.0, 600.0))  # on a smaller table a side camera stands too near for the board
    rig = random_rig(rng, np.zeros(3), span_mm, chosen)
    sensors = {name: _sensor(rng, spoilt) for name in rig.cameras}
    paper = A4 if rng.random() < 0.7 else LETTER
    card = random_card(rng, paper, spoilt.print_scale, spoilt.bow_mm)
    strips = random_strips(rng, paper, np.zeros(3), 0.36 * span_mm, spoilt.print_scale)
    eye = rig.side.centre_in_table()
    # Not where the side camera stands, nor where the body would hide the view of it.
    person_rad = float(np.arctan2(eye[1], eye[0]) + rng.choice([-1, 1]) * rng.uniform(1.2, 2.7))
    holder = _holder(rng, card, person_rad, span_mm)
    grip = holder.board_from_grip[:3, 1]
    walk = random_walk(rng, rig, card.outline_in_board(), person_rad, grip, seconds)
    times_s = np.arange(round(seconds * fps)) / fps
    exposure_s = {name: float(1 / rng.uniform(50.0, 160.0)) for name in rig.cameras}
    lights, room = random_lights(rng), random_room(rng, span_mm)
    filmed = bool(rng.random() < 0.5)
    return Take(
        seed, spoilt, rig, paper, sensors, lights, room, card, strips, filmed, holder, walk, fps, times_s, exposure_s
    )


def _sensor(rng: np.random.Generator, spoilt: Spoilt) -> Sensor:
    """Some camera, set up by somebody who looks at the picture: no white paper is burnt out."""
    sensor = random_sensor(rng)
    blur_px = float(np.hypot(sensor.blur_px, spoilt.blur_px))
    return replace(sensor, exposure=float(np.clip(sensor.exposure, 0.65, 1.0)), blur_px=blur_px)


def _holder(rng: np.random.Generator, card: Card, person_rad: float, span_mm: float) -> Holder:
    """A hand at the left, right or lower edge."""
    rim = card.outline_in_board()
    edge = int(rng.choice([1, 2, 3]))
    start, end = rim[edge], rim[(edge + 1) % 4]
    along = (end - start) / np.linalg.norm(end - start)
    grip = np.eye(4)
    viewer = np.array([0.0, 0.0, -1.0])
    out = np.array([along[1], -along[0], 0.0])
    inward_mm = float(rng.uniform(-3.0, 12.0))
    grip[:3, 0], grip[:3, 1], grip[:3, 2] = np.cross(out, viewer), out, viewer
    grip[:3, 3] = start + (end - start) * float(rng.uniform(0.3, 0.7)) - out * inward_mm
    skin = np.array(SKINS[int(rng.integers(len(SKINS)))]) * float(rng.uniform(0.9, 1.1))
    away_mm = span_mm / 2 + float(rng.uniform(200.0, 320.0))
    shoulder = np.array([np.cos(person_rad) * away_mm, np.sin(person_rad) * away_mm, SHOULDER_MM])
    hand = random_hand(rng, skin)
    return Holder(
        hand,
        grip,
        skin,
        rng.uniform(0.02, 0.35) * np.exp(rng.normal(0.0, 0.45, 3)),
        float(rng.uniform(0.3, 1.2)),
        shoulder,
    )
