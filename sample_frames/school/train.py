"""Training: lessons in, weights out, and from those `vision/pieces.onnx`.

    python -m sample_frames.school.train LESSONS --minutes 75 --out pieces.pt [--begin vision/pieces.onnx --rate 0.0015]
    python -m sample_frames.school.train --export vision/pieces.onnx --out pieces.pt

Lessons that appear meanwhile are taken in. Needs the `train` group; to export also `onnx`, which does not go with the
protobuf of MediaPipe: `pip install --target DIR onnx`, and PYTHONPATH=DIR for that one command.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from vision.told import EVEN, MOST_SPREADS

from .begin import begin
from .net import PieceNet
from .shapes import CLASSES

CROP_PX, BATCH = 256, 8
RATE, DECAY = 3e-3, 1e-4
WEIGHTS = (0.6, 1.0, 2.0, 1.6, 2.0)
EDGE_WEIGHT, END_WEIGHT, END_RARE = 0.7, 3.0, 6.0
"""What edges and ends of sticks count beside classes, and how much more a pixel counts that is an end."""
TESTED = 400
"""Every so many steps weights are written and tried on what is held out."""
LOUDER = 1.1
"""The logarithm of how far pieces of a plainer and larger picture may lie from the mean, against those of a lesson."""
HELD_OUT = 40
"""Every so many-th lesson is only looked at."""

Picture = NDArray[np.uint8]


class Lessons:
    """The lessons in a folder, read as they appear."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.known = folder, set[str]()
        self.taught: list[tuple[Picture, Picture, bool]] = []
        self.held: list[tuple[Picture, Picture, bool]] = []

    def look(self) -> None:
        for file in sorted(self.folder.glob("[0-9]*.npz")):
            if file.name in self.known or ".part" in file.name:
                continue
            self.known.add(file.name)
            with np.load(file) as data:
                pictures, shares = data["pictures"], data["shares"]
            kept = self.held if int(file.stem) % HELD_OUT == 0 else self.taught
            kept += [(pictures[i], shares[i], i == 0) for i in (0, 1)]

    def batch(self, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
        chosen = [_crop(rng, *self.taught[int(rng.integers(len(self.taught)))]) for _ in range(BATCH)]
        louder = np.exp(rng.uniform(0, LOUDER, (BATCH, 1, 1, 1)) * (rng.random((BATCH, 1, 1, 1)) < 0.5))
        return tensors(chosen, torch.from_numpy(louder).float())


def _crop(rng: np.random.Generator, picture: Picture, shares: Picture, above: bool) -> tuple[Picture, Picture]:
    y, x = (int(rng.integers(size - CROP_PX + 1)) for size in picture.shape[:2])
    window = slice(y, y + CROP_PX), slice(x, x + CROP_PX)
    picture, shares = picture[window], shares[window]
    if rng.random() < 0.5:
        picture, shares = picture[:, ::-1], shares[:, ::-1]
    if above:
        turns = int(rng.integers(4))
        picture, shares = np.rot90(picture, turns), np.rot90(shares, turns)
    return other_light(rng, picture), shares


def other_light(rng: np.random.Generator, picture: Picture) -> Picture:
    """The picture in another light, or softer, or without colour."""
    tone = picture.astype(np.float32) / 255
    tone = np.clip(tone * np.exp(rng.normal(0, 0.1, 3)).astype(np.float32), 0, 1) ** float(np.exp(rng.normal(0, 0.2)))
    if rng.random() < 0.12:
        tone = np.repeat(tone.mean(axis=2, keepdims=True), 3, axis=2)
    if rng.random() < 0.25:
        tone = np.asarray(cv2.GaussianBlur(tone, (0, 0), float(rng.uniform(0.4, 1.3))))
    if rng.random() < 0.4:
        tone = tone + rng.normal(0, rng.uniform(0.002, 0.03), tone.shape).astype(np.float32)
    if rng.random() < 0.2:
        tone = tone * np.float32(rng.uniform(0.3, 0.8)) + np.float32(rng.uniform(0, 0.2))
    return np.asarray(np.clip(tone, 0, 1) * 255, np.uint8)


def evened(pictures: Tensor, louder: Tensor | float = 1.0) -> Tensor:
    """Pictures (n, 3, h, w) of 0 to 255 as `vision.told` evens them: with their mean colour taken off, one spread for
    all, and nothing far from it; or so many times as spread, as part of a larger and plainer picture would be."""
    middle = pictures - pictures.mean(dim=(2, 3), keepdim=True)
    even = middle / (middle.square().mean(dim=(1, 2, 3), keepdim=True).sqrt() + EVEN)
    return (even * louder).clamp(-MOST_SPREADS, MOST_SPREADS)


def tensors(pairs: list[tuple[Picture, Picture]], louder: Tensor | float = 1.0) -> tuple[Tensor, Tensor]:
    pictures, shares = (np.stack([np.ascontiguousarray(pair[i].transpose(2, 0, 1)) for pair in pairs]) for i in (0, 1))
    return evened(torch.from_numpy(pictures).float(), louder), torch.from_numpy(shares).float() / 255


def loss_of(logits: Tensor, shares: Tensor) -> Tensor:
    """Cross-entropy of classes, rare ones counting more, of edges, and of ends of sticks."""
    count = len(CLASSES)
    weights = shares[:, :count] * torch.tensor(WEIGHTS)[None, :, None, None]
    classes = -(weights * torch.log_softmax(logits[:, :count], dim=1)).sum(dim=1).mean()
    edges, ends = (
        binary_cross_entropy_with_logits(logits[:, count + i], shares[:, count + i], pos_weight=torch.tensor(rare))
        for i, rare in enumerate((1.0, END_RARE))
    )
    return classes + EDGE_WEIGHT * edges + END_WEIGHT * ends


def overlap(net: PieceNet, held: list[tuple[Picture, Picture, bool]]) -> list[float]:
    """For each class the shared part of what is and what is told, over the lessons that were held out."""
    both, either = np.zeros(len(CLASSES)), np.zeros(len(CLASSES))
    net.eval()
    with torch.no_grad():
        for picture, shares, _ in held:
            given, true = tensors([(picture, shares)])
            told = net(given)[0, : len(CLASSES)].argmax(dim=0).numpy()
            real = true[0, : len(CLASSES)].argmax(dim=0).numpy()
            for kind in range(len(CLASSES)):
                both[kind] += ((told == kind) & (real == kind)).sum()
                either[kind] += ((told == kind) | (real == kind)).sum()
    net.train()
    return [round(float(b / max(e, 1)), 3) for b, e in zip(both, either, strict=True)]


def export(weights: Path, file: Path) -> None:
    """Weights as an ONNX file for pictures of any size."""
    net = PieceNet()
    net.load_state_dict(torch.load(weights))
    net.eval()
    axes = {name: {2: "height", 3: "width"} for name in ("picture", "shares")}
    torch.onnx.export(
        net, torch.zeros(1, 3, CROP_PX, CROP_PX), file, dynamo=False, opset_version=13,
        input_names=["picture"], output_names=["shares"], dynamic_axes=axes,
    )  # fmt: skip


def learn(
    net: nn.Module,
    lesson: Callable[[], Tensor],
    look: Callable[[], str],
    test: Callable[[], str],
    minutes: float,
    rate: float,
    out: Path,
) -> None:
    """Teach a net by the losses of lessons, ever more slowly, for some minutes; the weights are written as it goes."""
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=DECAY)
    begun, step, mean = time.monotonic(), 0, 0.0
    while (spent := (time.monotonic() - begun) / 60 / minutes) < 1:
        for group in optimiser.param_groups:
            group["lr"] = rate * min(step / 100 + 0.01, 1.0) * 0.5 * (1 + math.cos(math.pi * spent))
        loss = lesson()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        step, mean = step + 1, loss.item() if step == 0 else 0.98 * mean + 0.02 * loss.item()
        if step % 50 == 0:
            print(f"{step} steps, {spent:.0%}, loss {mean:.4f}, {look()}", flush=True)
        if step % TESTED == 0:
            torch.save(net.state_dict(), out)
            print(f"  {test()}", flush=True)
    torch.save(net.state_dict(), out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lessons", type=Path, nargs="?", help="a folder that `sample_frames.school.lessons` fills")
    parser.add_argument("--minutes", type=float, default=70.0)
    parser.add_argument("--rate", type=float, default=RATE, help="the highest rate of learning")
    parser.add_argument("--out", type=Path, required=True, help="the weights as torch writes them")
    parser.add_argument("--begin", type=Path, help="weights to go on from, as --out wrote them, or a bundled .onnx")
    parser.add_argument("--export", type=Path, help="write these weights as ONNX, and train nothing")
    arguments = parser.parse_args()
    if arguments.export is not None:
        export(arguments.out, arguments.export)
        return
    if arguments.lessons is None:
        parser.error("name the folder with the lessons, or --export FILE")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    lessons = Lessons(arguments.lessons)
    lessons.look()
    net = PieceNet().to(memory_format=torch.channels_last)
    if arguments.begin is not None:
        begin(net, arguments.begin, lambda: lessons.batch(rng)[0])
    print(f"{sum(p.numel() for p in net.parameters())} weights", flush=True)

    def lesson() -> Tensor:
        pictures, shares = lessons.batch(rng)
        return loss_of(net(pictures.to(memory_format=torch.channels_last)), shares)

    def look() -> str:
        lessons.look()
        return f"{len(lessons.taught)} pictures"

    learn(
        net,
        lesson,
        look,
        lambda: str(overlap(net, lessons.held[:24])),
        arguments.minutes,
        arguments.rate,
        arguments.out,
    )
    print(f"  overlap {overlap(net, lessons.held)}", flush=True)


if __name__ == "__main__":
    main()
