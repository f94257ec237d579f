"""Lessons for the net: a made-up table seen from above and from the side, and the class of each pixel.

python -m sample_frames.school.lessons --start 0 --count 400 --out DIR     goes on where it stopped
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from sample_frames.studio.rigs import looking_at
from sample_frames.studio.surfaces import KINDS

from .around import add_surroundings
from .painter import SAMPLES, Eye, Light, Painted, Painter
from .shapes import CLASSES, Bodies, Floats
from .tables import random_game

SIZE_PX = (448, 384)
PX_PER_MM = 1.2
"""As the net sees tables: a stick of 9 mm is some 11 px wide."""
KEY_LIGHTS, SKY_LIGHTS = 6, 10
LEAVES = 260
PLAIN = 0.25
"""How many tables are plain and flatly lit with a few pieces on them and nothing else: evened by its own spread, such a
picture has its pieces far from the mean."""
FEW, MANY = (0, 1, 2, 4, 8), (0, 3, 10, 20, 30, 40)
"""How often a table is built on."""
END_SPREAD_PX, END_PEAK = 0.8, 0.45
"""How far about an end it is marked, and what a line two pixels wide comes to on itself when spread so."""

Picture = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Made:
    """A made-up table as two cameras see it."""

    kit: Kit
    bodies: Bodies
    eyes: Sequence[Eye]
    painted: Sequence[Painted]


def lesson(seed: int, painter: Painter) -> list[tuple[Picture, Picture]]:
    """Two pictures (h, w, 3), each with the shares (h, w, 7) of all classes, edges and ends in its pixels, 0 to 255."""
    rng = np.random.default_rng(seed)
    made = made_up(rng, painter, lambda reach_mm: [overhead_eye(rng, reach_mm), side_eye(rng, reach_mm)])
    seen = zip(made.painted, made.eyes, strict=True)
    return [(developed(rng, one), _shares(one, made.bodies, eye)) for one, eye in seen]


def made_up(rng: np.random.Generator, painter: Painter, eyes_on: Callable[[float], list[Eye]]) -> Made:
    """A table that is made up, seen by eyes on play that reaches so far in mm."""
    plain = rng.random() < PLAIN
    top, shine = _plain(rng) if plain else _surface(rng)
    bodies = Bodies()
    game, reach_mm = random_game(rng, bodies, top.reshape(-1, 3).mean(axis=0), FEW if plain else MANY)
    if not plain:
        add_surroundings(rng, bodies, game, reach_mm)
    width = float(rng.uniform(700, 1400))
    extent = (-width / 2 + rng.uniform(-60, 60), -width * 0.4, width, width * 0.8)
    eyes = eyes_on(reach_mm)
    lights, ambient = _flat_light(rng) if plain else _lights(rng, reach_mm)
    below = ambient * 0.3 + 0.5 * top.reshape(-1, 3).mean(axis=0) * rng.uniform(0.2, 0.8)
    repeats = float(rng.choice([1.0, 1.0, 2.0, 4.0]))
    painted = painter.painted(bodies, top, extent, repeats, shine, eyes, lights, ambient, below)
    return Made(game.kit, bodies, eyes, painted)


def _surface(rng: np.random.Generator) -> tuple[Floats, float]:
    """A table top in linear RGB, and how it shines: the studio's kinds, or leaves lying over each other."""
    shape = (640, 800)
    if rng.random() < 0.25:
        picture = _leaves(rng, shape)
        return picture, float(rng.choice([0.0, 0.3]))
    surface = KINDS[str(rng.choice(list(KINDS)))](rng, shape)
    linear = (surface.picture[..., ::-1].astype(np.float32) / 255) ** 2.2
    tint = np.exp(rng.normal(0, 0.25, 3) + rng.normal(0, 0.3)).astype(np.float32)
    picture = np.clip(linear * tint, 0.004, 0.95)
    if rng.random() < 0.5:
        _lay_strips(rng, picture)
    return picture, 0.6 if surface.roughness < 0.3 else 0.05


def _plain(rng: np.random.Generator) -> tuple[Floats, float]:
    """A table top of hardly more than one colour."""
    colour = np.clip(np.exp(rng.normal(0, 0.3, 3)) * math.exp(rng.uniform(math.log(0.01), math.log(0.7))), 0.004, 0.9)
    cloudy = cv2.GaussianBlur(rng.normal(0, 1, (64, 80, 1)).astype(np.float32), (0, 0), 6.0)
    share = cv2.resize(cloudy, (800, 640)) / max(float(cloudy.std()), 1e-6) * float(rng.choice([0.0, 0.02, 0.1]))
    return np.asarray(np.clip(colour * (1 + share[..., None]), 0.004, 0.95), np.float32), float(rng.choice([0.0, 0.3]))


def _flat_light(rng: np.random.Generator) -> tuple[list[Light], np.ndarray]:
    """Light that comes from all about, and from one side no more than to part the faces of a piece."""
    lights, ambient = _lights(rng, 0.0)
    share = rng.uniform(0.0, 0.5)
    soft = [dataclasses.replace(light, power=light.power * share, gloss=0.0) for light in lights]
    return soft, ambient + rng.uniform(0.3, 1.0)


def _leaves(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Patches of plain colours over each other, some long and straight as sticks are, softly blurred or sharp."""
    base = rng.uniform(0.02, 0.7, 3)
    picture = np.full((*shape, 3), base, np.float32)
    spread = float(rng.choice([0.08, 0.3, 0.8]))
    for _ in range(LEAVES):
        colour = [float(v) for v in np.clip(base * np.exp(rng.normal(0, spread, 3)), 0.01, 0.9)]
        spot = (int(rng.integers(shape[1])), int(rng.integers(shape[0])))
        if rng.random() < 0.5:
            size = (int(rng.uniform(4, 60)), int(rng.uniform(4, 60)))
            cv2.ellipse(picture, spot, size, float(rng.uniform(0, 180)), 0, 360, colour, -1, cv2.LINE_AA)
        else:
            box = cv2.boxPoints(
                (spot, (float(rng.uniform(10, 200)), float(rng.uniform(3, 60))), float(rng.uniform(0, 180)))
            )
            cv2.fillConvexPoly(picture, np.rint(box).astype(np.int32), colour, cv2.LINE_AA)
    picture += rng.normal(0, 0.02, shape).astype(np.float32)[..., None] * picture
    soft = cv2.GaussianBlur(picture, (0, 0), float(rng.choice([0.5, 1.0, 4.0])))
    return np.clip(np.asarray(soft, np.float32), 0.004, 0.95)


def _lay_strips(rng: np.random.Generator, picture: Floats) -> None:
    """Printed strips: black squares with bits on white paper."""
    for _ in range(int(rng.integers(1, 7))):
        cell, count = int(rng.integers(2, 6)), int(rng.integers(2, 5))
        strip = np.full((8 * cell, 9 * cell * count, 3), 0.8, np.float32)
        for n in range(count):
            bits = np.zeros((6, 6))
            bits[1:5, 1:5] = rng.random((4, 4)) < 0.5
            tag = np.kron(bits, np.ones((cell, cell)))
            strip[cell : 7 * cell, (9 * n + 1) * cell : (9 * n + 7) * cell] = 0.02 + 0.78 * tag[..., None]
        turn = cv2.getRotationMatrix2D((0, 0), float(rng.uniform(0, 360)), 1.0)
        turn[:, 2] = rng.uniform(0, 1, 2) * (picture.shape[1], picture.shape[0])
        size = (picture.shape[1], picture.shape[0])
        laid = cv2.warpAffine(strip, turn, size)
        mask = cv2.warpAffine(np.ones(strip.shape[:2], np.float32), turn, size)[..., None]
        picture[:] = picture * (1 - mask) + laid


def _eye(
    rng: np.random.Generator, eye: np.ndarray, target: np.ndarray, roll_rad: float, size_px: tuple[int, int]
) -> Eye:
    rotation, shift = looking_at(eye, target, roll_rad)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, shift
    depth = float(np.linalg.norm(target - eye))
    return Eye(pose, PX_PER_MM * float(np.exp(rng.uniform(-0.3, 0.3))) * depth, size_px)


def overhead_eye(
    rng: np.random.Generator, reach_mm: float, off: float = 0.6, size_px: tuple[int, int] = SIZE_PX
) -> Eye:
    """An eye above a spot that is off the middle of play by a share of its reach at most."""
    height, tilt = rng.uniform(450, 1300), math.radians(rng.uniform(0, 16))
    aside, target = rng.uniform(0, 2 * np.pi), np.r_[rng.uniform(-off, off, 2) * reach_mm, 15.0]
    away = np.array([math.cos(aside) * math.tan(tilt), math.sin(aside) * math.tan(tilt), 1.0]) * height
    return _eye(rng, target + away, target, rng.uniform(-np.pi, np.pi), size_px)


def side_eye(rng: np.random.Generator, reach_mm: float, off: float = 0.6, size_px: tuple[int, int] = SIZE_PX) -> Eye:
    """An eye beside the table."""
    elevation, turn = math.radians(rng.uniform(8, 42)), rng.uniform(0, 2 * np.pi)
    away = np.array([math.cos(turn) * math.cos(elevation), math.sin(turn) * math.cos(elevation), math.sin(elevation)])
    target = np.r_[rng.uniform(-off, off, 2) * reach_mm, rng.uniform(10, 40)]
    return _eye(rng, target + away * rng.uniform(350, 1100), target, math.radians(rng.normal(0, 2)), size_px)


def _lights(rng: np.random.Generator, reach_mm: float) -> tuple[list[Light], np.ndarray]:
    """One to three lamps, each as some small lights side by side, under a sky that is brighter to one side."""
    lights: list[Light] = []
    sky = rng.uniform(0.05, 1.0)
    warm = np.exp(rng.normal(0, 0.12, 3))
    if rng.random() < 0.3:
        warm *= np.array([0.7, 0.95, 1.35])  # blue sky: what the sun does not reach is blue
    side = rng.normal(size=3)
    for _ in range(SKY_LIGHTS):
        towards = _above(rng, 0.05)
        power = sky / SKY_LIGHTS * 2 * warm * (1 + 0.8 * float(towards @ side) / 2)
        lights.append(Light(towards, np.maximum(power, 0), 0.0, np.zeros(3), 0.0))
    for _ in range(int(rng.choice([0, 1, 1, 1, 2, 3]))):
        middle, wide = _above(rng, 0.25), float(rng.choice([0.01, 0.05, 0.15, 0.3]))
        power = np.exp(rng.normal(0, 0.15, 3)) * rng.uniform(0.3, 1.8) / KEY_LIGHTS
        spot = np.r_[rng.uniform(-1, 1, 2) * reach_mm, 0.0]
        falloff = float(rng.choice([0.0, 3e-6, 2e-5]))
        for _ in range(KEY_LIGHTS):
            towards = middle + rng.normal(0, wide, 3)
            towards[2] = max(towards[2], 0.12)
            lights.append(Light(towards / np.linalg.norm(towards), power, float(rng.random() < 0.7), spot, falloff))
    return lights, warm * sky * rng.uniform(0.05, 0.4)


def _above(rng: np.random.Generator, least: float) -> np.ndarray:
    """A direction from above."""
    z, turn = rng.uniform(least, 1.0), rng.uniform(0, 2 * np.pi)
    flat = math.sqrt(1 - z * z)
    return np.array([flat * math.cos(turn), flat * math.sin(turn), z])


def developed(rng: np.random.Generator, painted: Painted) -> Picture:
    """The picture that a webcam makes of it: exposure, white balance, tone, blur, noise, JPEG."""
    light = painted.light.copy()
    if painted.bare.any():
        room = cv2.resize(_leaves(rng, (60, 80)), light.shape[1::-1]) * float(rng.uniform(0.1, 1.5))
        light[painted.bare] = cv2.GaussianBlur(room, (0, 0), float(rng.uniform(2, 30)))[painted.bare]
    size = light.shape[1] // SAMPLES, light.shape[0] // SAMPLES
    light = np.asarray(cv2.resize(light, size, interpolation=cv2.INTER_AREA), np.float32)
    light = light * np.exp(rng.normal(0, 0.08, 3)).astype(np.float32)
    light *= float(np.exp(rng.uniform(math.log(0.04), math.log(0.45)))) / max(float(np.median(light)), 1e-4)
    if rng.random() < 0.7:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), float(rng.uniform(0.3, 1.0))), np.float32)
    light = light + np.asarray(cv2.GaussianBlur(light, (0, 0), 25)) * float(rng.uniform(0, 0.06))
    knee = float(rng.uniform(0.7, 1.0))
    light = np.where(light > knee, knee + (1.2 - knee) * np.tanh((light - knee) / (1.2 - knee)), light)
    tone = np.clip(light, 0, 1) ** (1 / rng.uniform(1.9, 2.5))
    grey = tone.mean(axis=2, keepdims=True)
    tone = grey + (tone - grey) * float(rng.uniform(0.4, 1.1))
    noise = rng.normal(0, 1, tone.shape) * rng.uniform(0, 0.012)
    picture = (np.clip(tone + noise, 0, 1)[..., ::-1] * 255).astype(np.uint8)
    if rng.random() < 0.7:
        _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 97))])
        picture = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    return np.asarray(picture, np.uint8)


def _shares(painted: Painted, bodies: Bodies, eye: Eye) -> Picture:
    """How much of each pixel each class takes, is an edge between pieces, and is the end of a stick, 0 to 255."""
    size = painted.classes.shape[1] // SAMPLES, painted.classes.shape[0] // SAMPLES
    layers = [(painted.classes == kind).astype(np.float32) for kind in range(len(CLASSES))]
    which = (painted.instances * 1.0).astype(np.float32)
    around = np.ones((3, 3), np.uint8)
    edge = (cv2.dilate(which, around) != cv2.erode(which, around)).astype(np.float32)
    drawn = (*layers, edge, _ends(painted, bodies, eye))
    shares = [cv2.resize(layer, size, interpolation=cv2.INTER_AREA) for layer in drawn]
    return np.asarray(np.rint(np.dstack(shares) * 255), np.uint8)


def _ends(painted: Painted, bodies: Bodies, eye: Eye) -> Floats:
    """Where ends of sticks show: 1 on them, less about them."""
    drawn: Floats = np.zeros(painted.classes.shape, np.float32)
    for number, points in bodies.tips:
        pixels = np.rint(eye.pixels(points) * SAMPLES - 0.5).astype(int)
        inner = np.clip(pixels[:, 1], 0, np.array(drawn.shape[::-1]) - 1)
        shows = painted.instances[inner[:, 1], inner[:, 0]] == number
        shows &= (pixels[:, 1] == inner).all(axis=1)
        for i in np.flatnonzero(shows[1:] & shows[:-1]):
            cv2.line(drawn, pixels[i, 0].tolist(), pixels[i + 1, 0].tolist(), 1.0, 2)
    soft = cv2.GaussianBlur(drawn, (0, 0), END_SPREAD_PX * SAMPLES)
    return np.asarray(np.minimum(soft / END_PEAK, 1.0), np.float32)


def write_lessons(about: str, made: Callable[[int, Painter], Mapping[str, Any]]) -> None:
    """The command that writes a numbered file for each seed, and goes on where it stopped."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    painter, begun = Painter(), time.monotonic()
    for done, seed in enumerate(range(arguments.start, arguments.start + arguments.count), start=1):
        file = arguments.out / f"{seed:06d}.npz"
        if not file.exists():
            part = file.with_suffix(".part.npz")
            np.savez_compressed(part, **made(seed, painter))
            part.rename(file)
        print(f"\r{done}/{arguments.count}, {time.monotonic() - begun:.0f} s", end="", flush=True)


def _as_arrays(seed: int, painter: Painter) -> dict[str, Picture]:
    pairs = lesson(seed, painter)
    return {"pictures": np.stack([picture for picture, _ in pairs]), "shares": np.stack([share for _, share in pairs])}


if __name__ == "__main__":
    write_lessons(__doc__ or "", _as_arrays)
