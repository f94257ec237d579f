"""Training of the second net: floor lessons in, weights out, and from those `vision/floors.onnx`.

    python -m sample_frames.school.floor_train LESSONS --minutes 60 --out floors.pt
    python -m sample_frames.school.floor_train --export vision/floors.onnx --out floors.pt --also halfway.pt

It learns from what the first net, `vision/pieces.onnx`, makes of the pictures; else as in `sample_frames.school.train`.
The mean of weights from halfway on and of the last ones is as often right as those, and far less sure when wrong.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from calibration.camera import Camera
from referee.pieces import Kit
from vision.floors import CELLS_A_RADIUS, Grid, Layers, laid_on, layers_of
from vision.told import shares_of
from vision.view import Lens, View

from .begin import begin
from .floor_net import GIVEN, FloorNet
from .train import HELD_OUT, learn, other_light

CROP, BATCH = 112, 12
RATE = 2e-3
HIGHEST = 9
SPREAD_CELLS, RARE = 1.3, 4.0
"""How far about a column's middle it is marked, and how much more a cell counts that is."""
MOST_TURN_RAD, ON_COLUMN, RIGHT, NEAR = 0.15, 0.75, 0.5, 0.35
"""How often a crop is about a column, and then at its height, or a disc or two off."""
PATCHES, FADED = 6, 0.25


@dataclass(frozen=True, eq=False)
class Lesson:
    """Both views of a table made ready, and its columns (n, 3)."""

    layers: tuple[Layers, ...]
    columns: np.ndarray
    kit: Kit


def read(file: Path, rng: np.random.Generator) -> Lesson:
    """A lesson, in some other light."""
    with np.load(file) as data:
        pictures, poses, focals = data["pictures"], data["poses"], data["focals_px"]
        columns, (radius_mm, high_mm) = data["columns"], data["disc_mm"]
    kit = Kit(disc_diameter_mm=2 * float(radius_mm), disc_height_mm=float(high_mm))
    height, width = pictures.shape[1:3]
    layers = []
    for picture, pose, focal in zip(pictures, poses, focals, strict=True):
        k = ((float(focal), 0.0, width / 2 - 0.5), (0.0, float(focal), height / 2 - 0.5), (0.0, 0.0, 1.0))
        rotation = tuple(tuple(float(v) for v in row) for row in pose[:3, :3])
        lens = Lens(Camera(width, height, k, (0.0,) * 5, rotation, tuple(float(v) for v in pose[:3, 3])))  # type: ignore[arg-type]
        seen = other_light(rng, picture)
        # The middle of the picture, on the table.
        middle = lens.on_plane(np.array([[width / 2, height / 2]]), 15.0)[0]
        layers.append(layers_of(lens, seen, shares_of(View(lens, seen), middle, kit), middle, kit))
    return Lesson(tuple(layers), columns, kit)


def example(rng: np.random.Generator, lesson: Lesson) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the net is shown (20, h, w), what is true of it (h, w), and where that counts."""
    kit, columns = lesson.kit, lesson.columns
    middle = np.mean([_foot(one) for one in lesson.layers], axis=0)
    discs = int(rng.integers(1, HIGHEST + 1))
    spot = middle + rng.uniform(-120, 120, 2)
    if len(columns) and rng.random() < ON_COLUMN:
        x, y, high = columns[int(rng.integers(len(columns)))]
        spot = np.array([x, y]) + rng.uniform(-0.4, 0.4, 2) * CROP * kit.disc_radius_mm / CELLS_A_RADIUS
        kind = rng.random()
        if kind < RIGHT + NEAR:
            discs = int(high) if kind < RIGHT else max(int(high) + int(rng.choice([-2, -1, -1, 1, 1, 2])), 1)
    grid = _grid(rng, spot, middle, lesson)
    shown = laid_on(lesson.layers, grid, kit.column_top_mm(discs))
    _fade(rng, shown)
    here = columns[columns[:, 2] == discs]
    at = grid.cells(here[:, :2])
    y, x = np.mgrid[:CROP, :CROP]
    true = np.zeros((CROP, CROP), np.float32)
    for column, row in at:
        away = (x - column) ** 2 + (y - row) ** 2
        true = np.maximum(true, np.exp(-0.5 * away / SPREAD_CELLS**2).astype(np.float32))
    counts = ((shown[7] > 0.5) & (shown[17] > 0.5)).astype(np.float32)
    if rng.random() < 0.5:
        shown, true, counts = shown[..., ::-1].copy(), true[..., ::-1].copy(), counts[..., ::-1].copy()
        shown[[8, 18]] *= -1
    return shown, true, counts


def _foot(layers: Layers) -> np.ndarray:
    camera = layers.lens.camera
    spot: np.ndarray = layers.lens.on_plane(np.array([[camera.width / 2, camera.height / 2]]), 15.0)[0, :2]
    return spot


def _grid(rng: np.random.Generator, spot: np.ndarray, middle: np.ndarray, lesson: Lesson) -> Grid:
    """A crop's cells about a spot, nearly straight towards the side camera."""
    away = lesson.layers[1].lens.eye[:2] - middle
    turn = math.atan2(away[1], away[0]) + float(rng.normal(0, MOST_TURN_RAD))
    down = np.array([math.cos(turn), math.sin(turn)])
    right = np.array([down[1], -down[0]])
    cell_mm = lesson.kit.disc_radius_mm / CELLS_A_RADIUS
    return Grid(spot - (CROP - 1) / 2 * cell_mm * (right + down), right, down, cell_mm, (CROP, CROP))


def _fade(rng: np.random.Generator, shown: np.ndarray) -> None:
    """Make what the first net said worse, all of it or in patches: on other tables it is less sure of things."""
    for first in (0, 10):
        told = shown[first : first + 6]
        if rng.random() < FADED:
            told *= np.exp(rng.normal(0, 0.3, (6, 1, 1))).clip(0.3, 1.5).astype(np.float32)
        for _ in range(int(rng.integers(PATCHES)) if rng.random() < 0.5 else 0):
            y, x = rng.integers(0, CROP, 2)
            high, wide = rng.integers(3, 16, 2)
            told[:, y : y + high, x : x + wide] *= np.float32(rng.uniform(0, 0.7))
    shown[[6, 16]] *= float(np.exp(rng.normal(0, 0.3)))


class Lessons:
    """The lessons in a folder, read as they appear."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.known = folder, set[str]()
        self.taught: list[Lesson] = []
        self.held: list[Lesson] = []

    def look(self, rng: np.random.Generator, most: int) -> None:
        for file in sorted(self.folder.glob("[0-9]*.npz")):
            if file.name in self.known or ".part" in file.name:
                continue
            if most == 0:
                break
            most -= 1
            self.known.add(file.name)
            (self.held if int(file.stem) % HELD_OUT == 0 else self.taught).append(read(file, rng))

    def batch(self, rng: np.random.Generator) -> list[Tensor]:
        chosen = [example(rng, self.taught[int(rng.integers(len(self.taught)))]) for _ in range(BATCH)]
        return [torch.from_numpy(np.stack(part)) for part in zip(*chosen, strict=True)]


def loss_of(odds: Tensor, true: Tensor, counts: Tensor) -> Tensor:
    every = binary_cross_entropy_with_logits(odds, true, weight=counts * (1 + RARE * true), reduction="none")
    return 10 * every.mean()


def heights_right(net: FloorNet, held: list[Lesson]) -> str:
    """Of the columns that both views show the share whose own height has the highest odds, and odds at all."""
    right = seen = found = 0
    net.eval()
    with torch.no_grad():
        for lesson in held:
            middle = np.mean([_foot(one) for one in lesson.layers], axis=0)
            overhead = lesson.layers[0].lens
            for column in lesson.columns:
                top = np.r_[column[:2], lesson.kit.column_top_mm(int(column[2]))]
                inside = [
                    ((p := one.lens.project(top[None])[0]) > 8).all()
                    and (p < np.array([one.lens.camera.width, one.lens.camera.height]) - 8).all()
                    for one in lesson.layers
                ]
                if not all(inside):
                    continue
                ray = overhead.project(top[None])
                odds = []
                for discs in range(1, HIGHEST + 1):
                    spot = overhead.on_plane(ray, lesson.kit.column_top_mm(discs))[0, :2]
                    grid = _grid(np.random.default_rng(0), spot, middle, lesson)
                    shown = laid_on(lesson.layers, grid, lesson.kit.column_top_mm(discs))[:, 24:88, 24:88]
                    told = net(torch.from_numpy(np.ascontiguousarray(shown))[None])[0, 0].numpy()
                    odds.append(float(told[30:34, 30:34].max()))
                seen += 1
                right += int(np.argmax(odds)) + 1 == int(column[2])
                found += odds[int(column[2]) - 1] > -2
    net.train()
    return f"{right}/{seen} heights, {found} found"


def export(weights: list[Path], file: Path) -> None:
    """Weights, or the mean of some of one training, as an ONNX file for levels of any size."""
    net, every = FloorNet(), [torch.load(one) for one in weights]
    net.load_state_dict({name: torch.stack([one[name].float() for one in every]).mean(dim=0) for name in every[0]})
    net.eval()
    axes = {name: {2: "height", 3: "width"} for name in ("shown", "odds")}
    torch.onnx.export(
        net, torch.zeros(1, GIVEN, CROP, CROP), file, dynamo=False, opset_version=13,
        input_names=["shown"], output_names=["odds"], dynamic_axes=axes,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "lessons", type=Path, nargs="?", help="a folder that `sample_frames.school.floor_lessons` fills"
    )
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=RATE, help="the highest rate of learning")
    parser.add_argument("--begin", type=Path, help="go on from these weights, or from a bundled .onnx")
    parser.add_argument("--out", type=Path, required=True, help="the weights as torch writes them")
    parser.add_argument("--export", type=Path, help="write these weights as ONNX, and train nothing")
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="to export the mean with these weights")
    arguments = parser.parse_args()
    if arguments.export is not None:
        export([arguments.out, *arguments.also], arguments.export)
        return
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(0)
    lessons = Lessons(arguments.lessons)
    lessons.look(rng, -1)
    net = FloorNet().to(memory_format=torch.channels_last)
    if arguments.begin is not None:
        begin(net, arguments.begin, lambda: lessons.batch(rng)[0])
    print(f"{sum(p.numel() for p in net.parameters())} weights", flush=True)

    def lesson() -> Tensor:
        shown, true, counts = lessons.batch(rng)
        return loss_of(net(shown.to(memory_format=torch.channels_last))[:, 0], true, counts)

    def look() -> str:
        lessons.look(rng, 20)
        return f"{len(lessons.taught)} tables"

    learn(
        net,
        lesson,
        look,
        lambda: heights_right(net, lessons.held[:6]),
        arguments.minutes,
        arguments.rate,
        arguments.out,
    )
    print(f"  {heights_right(net, lessons.held)}", flush=True)


if __name__ == "__main__":
    main()
