"""The kit card with a kit's pieces on their places, seen by both cameras, and what the pieces truly measure."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from calibration.camera import Rig
from calibration.kit_card import COLOURS, KitCard, kit_card
from calibration.page import Rect
from calibration.paper import PAPERS, Paper
from referee.layout import Layout
from referee.pieces import CAR_TYPES, Kit
from sample_frames.falls import FallenKind

from .splits import add_size_argument, add_split_arguments, seeds_in, size_in

SAMPLES = 12
HEADER = 7_000
"""Mixed into the seeds, so that a card shares nothing with the still of its number."""
SPAN_MM = (380.0, 520.0)
CROOKED_RAD = 0.05
CLEAR_MM = 230.0
EMPTY = 0.25
"""Share of the boxes that lack some of the car types and colours."""
OTHER = "white"
"""What lies on the place of another colour."""


@dataclass(frozen=True, slots=True)
class Lying:
    """A piece on its place, where its middle is on the page (mm, y down) and how it is turned there."""

    place: str
    kind: FallenKind
    x_mm: float
    y_mm: float
    yaw_rad: float
    type: str | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class CardShot:
    """Everything that makes the pictures of one card, before a ray is traced."""

    seed: int
    kit: Kit
    paper: Paper
    lying: tuple[Lying, ...]
    card_yaw_rad: float
    rig: Rig
    look: Any
    sensors: Mapping[str, Any]
    aperture_mm: float


def plan(seed: int, size: tuple[int, int] | None = None) -> CardShot:
    """Which kit, how it lies, where the cameras stand: all from the seed."""
    from .lens import random_sensor
    from .looks import random_kit, random_look
    from .rigs import SIZES, random_rig

    rng = np.random.default_rng([seed, HEADER])
    kit = random_kit(rng)
    paper = PAPERS[int(rng.integers(len(PAPERS)))]
    lying = _laid(kit_card(paper), kit, rng)
    chosen = size or SIZES[int(rng.random() < 0.5)]
    rig = random_rig(rng, np.zeros(3), float(rng.uniform(*SPAN_MM)), chosen)
    look = random_look(rng, (*COLOURS[:-1], OTHER))
    sensors = {name: random_sensor(rng) for name in rig.cameras}
    turn, aperture = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.0, 1.2))
    return CardShot(seed, kit, paper, lying, turn, rig, look, sensors, aperture)


def _laid(card: KitCard, kit: Kit, rng: np.random.Generator) -> tuple[Lying, ...]:
    """One of each piece that the box has, a little crooked and off the middle of its place."""
    few = rng.random() < EMPTY
    types = CAR_TYPES[: int(rng.integers(4, 9))] if few else CAR_TYPES
    owners = COLOURS[: int(rng.integers(2, 5))] if few else COLOURS
    lying = []
    for name, rect in card.places.items():
        match name.split("_", 2):
            case ["disc", colour]:
                size = (kit.disc_diameter_mm, kit.disc_diameter_mm)
                lying.append(_at(name, rect, "junction" if colour == "yellow" else "disc", size, np.pi, rng))
            case ["stick"]:
                size = (kit.road_length_mm, kit.road_width_mm)
                lying.append(_at(name, rect, "stick", size, CROOKED_RAD, rng))
            case ["car", kind, word] if word in types or word in owners:
                type_ = word if kind == "type" else str(rng.choice(types))
                owner = word if kind == "colour" else str(rng.choice(owners))
                owner = OTHER if owner == "other" else owner
                lying.append(_at(name, rect, "car", kit.cars[type_][:2], CROOKED_RAD, rng, type_, owner))
    return tuple(lying)


def _at(
    name: str, rect: Rect, kind: FallenKind, size_mm: tuple[float, float], most_rad: float, rng: np.random.Generator,
    type_: str | None = None, owner: str | None = None,
) -> Lying:  # fmt: skip
    x, y = rect.centre_mm
    room = np.maximum((np.array([rect.width_mm, rect.height_mm]) - size_mm) / 2 - 1.5, 0.0)
    dx, dy = rng.uniform(-0.6, 0.6, 2) * np.minimum(room, 5.0)
    return Lying(name, kind, x + float(dx), y + float(dy), float(rng.uniform(-most_rad, most_rad)), type_, owner)


def shoot(shot: CardShot, folder: Path, samples: int = SAMPLES) -> None:
    """Render the pair and write it with its truth; the folder appears whole or not at all."""
    from .card_stage import card_part, piece_parts, true_kit
    from .clutter import random_clutter
    from .lens import jpeg, photograph
    from .render import Renderer
    from .scene import Props
    from .sensor import View

    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    rng = np.random.default_rng([shot.seed, HEADER, 1])
    around = random_clutter(rng, shot.kit, shot.look, (), np.zeros(3), CLEAR_MM)
    pieces = piece_parts(shot, rng)
    laid = tuple(part for parts in pieces.values() for part in parts)
    stage = Props(shot.kit, shot.look, shot.seed).stage(Layout((), (), ()), (), (*around, card_part(shot), *laid))
    renderer = Renderer(stage)
    for name, camera in shot.rig.cameras.items():
        focus_mm = float(camera.depth_mm(np.zeros((1, 3)))[0])
        light = renderer.light(View(camera, shot.aperture_mm, focus_mm), samples, shot.seed % 2**31)
        picture = photograph(light, shot.sensors[name], rng)
        (part / f"{name}_kit.jpg").write_bytes(jpeg(picture, shot.sensors[name].jpeg_quality))
    (part / "rig.json").write_bytes(msgspec.json.format(msgspec.json.encode(shot.rig)))
    (part / "kit.json").write_bytes(msgspec.json.format(msgspec.json.encode(true_kit(shot, pieces))))
    (part / "card.json").write_bytes(msgspec.json.format(msgspec.json.encode(truth_of(shot))))
    part.rename(folder)


def truth_of(shot: CardShot) -> dict[str, object]:
    """What lies where on the card."""
    return {"seed": shot.seed, "paper": shot.paper.name, "card_yaw_rad": shot.card_yaw_rad, "lying": shot.lying}


def add_kit_cards_command(commands: Any) -> None:
    """The subcommand `kit-cards`; the parsed arguments carry `run`."""
    cards = commands.add_parser("kit-cards", help="render the kit card with pieces on it, a folder each")
    add_split_arguments(cards)
    add_size_argument(cards)
    cards.add_argument("--samples", type=int, default=SAMPLES, help="light paths per pixel: more is less noisy")
    cards.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Render the cards that are not there yet."""
    from .__main__ import use_mitsuba

    use_mitsuba()
    begun = time.monotonic()
    for number, seed in seeds_in(arguments).items():
        folder = arguments.out / f"card_{number:03d}"
        if not folder.exists():
            shoot(plan(seed, size_in(arguments)), folder, arguments.samples)
        print(f"{folder.name}: done, {time.monotonic() - begun:.0f} s so far", file=sys.stderr)
    return 0
