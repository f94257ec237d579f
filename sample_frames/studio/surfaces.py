"""Table tops: wood of many kinds, cloth, felt, laminate, stone, checked; from photographs and from noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from .assets import Picture, patterns, photographs

Floats = NDArray[np.float32]
MM_PER_PX = 0.5


@dataclass(frozen=True, slots=True)
class Surface:
    """What a table is made of: a picture (BGR, MM_PER_PX) over the whole top, and how it shines."""

    kind: str
    picture: Picture
    roughness: float
    specular: float
    coat: float
    bump_mm: float
    """Depth of the weave or grain that the light catches."""


def random_surface(rng: np.random.Generator, size_mm: tuple[float, float]) -> Surface:
    """Some table."""
    kind = str(rng.choice(list(KINDS)))
    return KINDS[kind](rng, (round(size_mm[1] / MM_PER_PX), round(size_mm[0] / MM_PER_PX)))


def noise(rng: np.random.Generator, shape: tuple[int, int], cell_px: tuple[float, float]) -> Floats:
    """Smooth noise of about unit spread, with cells of this size (y, x)."""
    small = (max(2, round(shape[0] / cell_px[0]) + 2), max(2, round(shape[1] / cell_px[1]) + 2))
    coarse = rng.standard_normal(small).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def _tinted(tone: Floats, dark: np.ndarray, light: np.ndarray) -> Picture:
    """A picture between two colours (BGR 0..1) by a tone of 0..1."""
    mixed = dark + np.clip(tone, 0.0, 1.0)[..., None] * (light - dark)
    picture: Picture = (np.clip(mixed, 0.0, 1.0) * 255).astype(np.uint8)
    return picture


def _wood_colours(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Dark and light of one wood: from walnut to birch, grey driftwood among them."""
    light = np.array(
        [(0.36, 0.55, 0.72), (0.52, 0.70, 0.83), (0.22, 0.36, 0.52), (0.14, 0.22, 0.33), (0.55, 0.60, 0.64)]
    )[int(rng.integers(5))]
    light = np.clip(light * rng.uniform(0.9, 1.1) + rng.normal(0, 0.015, 3), 0.05, 0.95)
    return light * rng.uniform(0.5, 0.75), light


def wood(rng: np.random.Generator, shape: tuple[int, int]) -> Surface:
    """Boards side by side, each with its own grain and shade."""
    dark, light = _wood_colours(rng)
    board_px = int(rng.uniform(80.0, 180.0) / MM_PER_PX)
    tone = np.zeros(shape, dtype=np.float32)
    for top in range(-int(rng.integers(board_px)), shape[0], board_px):
        rows = slice(max(top, 0), min(top + board_px, shape[0]))
        part = (rows.stop - rows.start, shape[1])
        if part[0] > 0:
            tone[rows] = _grain(rng, part) + float(rng.normal(0.0, 0.10))
            if top > 0:
                tone[rows.start : rows.start + 2] -= 0.5
    if rng.random() < 0.5:
        tone = np.ascontiguousarray(tone[::-1])
    glossy = rng.random() < 0.4
    return Surface(
        "wood", _tinted(0.55 + tone, dark, light), float(rng.uniform(0.12, 0.25) if glossy else rng.uniform(0.35, 0.6)),
        0.5, float(rng.uniform(0.3, 0.9)) if glossy else 0.0, 0.03,
    )  # fmt: skip


def _grain(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Long streaks, and rings drawn out along the board."""
    bend = noise(rng, shape, (60, 900)) * 12
    across = np.arange(shape[0], dtype=np.float32)[:, None] + bend
    rings = np.sin(across / float(rng.uniform(2.5, 7.0)) + noise(rng, shape, (25, 500)) * 1.5)
    streaks = noise(rng, shape, (1.5, 120)) * 0.5 + noise(rng, shape, (3, 40)) * 0.3
    grain: Floats = 0.10 * rings + 0.10 * streaks + 0.08 * noise(rng, shape, (200, 600))
    return grain


def photographed(rng: np.random.Generator, shape: tuple[int, int]) -> Surface:
    """A photograph of wood, or a small pattern repeated with its repetition broken up."""
    if rng.random() < 0.35:
        return Surface("photograph", _planks(rng, shape, next(iter(photographs().values()))), 0.45, 0.4, 0.0, 0.0)
    found = patterns()
    name = str(
        rng.choice(["walnut", "pine", "parque1", "parque3", "leather", "burlap", "slate", "marble1", "granite1"])
    )
    scale = float(rng.uniform(2.5, 4.0))
    tile = cv2.resize(found[name], None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    repeats = (shape[0] // tile.shape[0] + 1, shape[1] // tile.shape[1] + 1, 1)
    picture = np.tile(tile, repeats)[: shape[0], : shape[1]].astype(np.float32)
    shade = 1 + 0.10 * noise(rng, shape, (300, 400)) + 0.04 * noise(rng, shape, (40, 60))
    grey = picture.mean(axis=2, keepdims=True)
    picture = grey + (picture - grey) * float(rng.uniform(0.35, 0.9))  # the patterns are brighter than any table
    toned = np.clip(picture * shade[..., None] * float(rng.uniform(0.7, 1.1)), 0, 255).astype(np.uint8)
    polished = name.startswith(("marble", "slate", "granite"))
    return Surface(name, toned, 0.12 if polished else 0.55, 0.5, 0.5 if polished else 0.0, 0.02)


def _planks(rng: np.random.Generator, shape: tuple[int, int], picture: Picture) -> Picture:
    """Boards cut from the part of a photograph that is in focus."""
    sharpness = np.abs(cv2.Laplacian(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.CV_32F)).mean(axis=1)
    row = int(np.argmax(cv2.blur(sharpness[:, None], (1, 240))[120:-120])) + 120
    band = cv2.resize(picture[row - 120 : row + 120, : picture.shape[1] * 11 // 20], (shape[1], 240))
    boards: list[Floats] = []
    while len(boards) * len(band) < shape[0]:
        board = np.roll(band, int(rng.integers(shape[1])), axis=1)
        board = board[:: int(rng.choice([-1, 1])), :: int(rng.choice([-1, 1]))]
        toned = np.asarray(board * rng.uniform(0.85, 1.1), dtype=np.float32)
        toned[-2:] *= 0.4
        boards.append(toned)
    return np.concatenate(boards)[: shape[0]].clip(0, 255).astype(np.uint8)


def cloth(rng: np.random.Generator, shape: tuple[int, int]) -> Surface:
    """Woven cloth or felt in some colour, perhaps checked."""
    hue = np.clip(rng.uniform(0.05, 0.75, 3) * rng.uniform(0.6, 1.2), 0.03, 0.9)
    if rng.random() < 0.3:
        hue = np.full(3, float(rng.uniform(0.12, 0.6))) + rng.normal(0, 0.02, 3)
    threads = 0.5 + 0.20 * noise(rng, shape, (1.2, 1.2)) + 0.08 * noise(rng, shape, (3.0, 3.0))
    threads += 0.02 * noise(rng, shape, (300, 350))
    y, x = np.mgrid[: shape[0], : shape[1]]
    threads += 0.10 * np.sin(x * 2.1) * np.sin(y * 2.1)
    picture = _tinted(threads.astype(np.float32), hue * 0.75, np.minimum(hue * 1.25, 1.0)).astype(np.float32)
    kind = "felt"
    if rng.random() < 0.35:
        kind = "checked cloth"
        step = int(rng.uniform(18.0, 45.0) / MM_PER_PX)
        other = rng.uniform(0.3, 1.0, 3)
        bands = ((x // step) % 2 + (y // step) % 2)[..., None] / 2.0
        picture = picture * (1 - 0.6 * bands) + 255 * other * 0.6 * bands
    return Surface(kind, np.clip(picture, 0, 255).astype(np.uint8), 0.95, 0.1, 0.0, 0.12)


def laminate(rng: np.random.Generator, shape: tuple[int, int]) -> Surface:
    """Plain or lightly speckled laminate, white to black, matt or glossy: grey pieces on a grey table among them."""
    grey = float(rng.choice([0.9, 0.75, 0.55, 0.45, 0.3, 0.08]))
    hue = np.clip(grey + rng.normal(0, 0.03, 3), 0.02, 0.97)
    speckles = 0.5 + 0.06 * noise(rng, shape, (1.5, 1.5)) + 0.05 * noise(rng, shape, (150, 150))
    picture = _tinted(speckles.astype(np.float32), hue * 0.9, np.minimum(hue * 1.1, 1.0))
    glossy = rng.random() < 0.5
    return Surface("laminate", picture, 0.08 if glossy else 0.4, 0.5, 0.8 if glossy else 0.0, 0.0)


KINDS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Surface]] = {
    "wood": wood,
    "photographed": photographed,
    "cloth": cloth,
    "laminate": laminate,
}
