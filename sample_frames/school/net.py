"""The net itself: a small U-Net, from a picture to the shares of all classes and of edges in each pixel."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from .shapes import CLASSES

WIDTHS = (16, 32, 64, 96, 112)
OUTPUTS = len(CLASSES) + 2
"""All classes, edges, ends of sticks."""


def block(given: int, width: int, stride: int = 1) -> nn.Sequential:
    """Two convolutions, evened."""
    return nn.Sequential(
        nn.Conv2d(given, width, 3, stride, 1, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(inplace=True),
        nn.Conv2d(width, width, 3, 1, 1, bias=False),
        nn.BatchNorm2d(width),
        nn.ReLU(inplace=True),
    )


class PieceNet(nn.Module):  # type: ignore[misc] # torch is not installed where this is checked
    """Logits (n, 7, h, w) of evened pictures (n, 3, h, w) whose sides are multiples of 32."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, WIDTHS[0], 4, 2, 1)
        self.first = block(WIDTHS[0], WIDTHS[0])
        pairs = list(pairwise(WIDTHS))
        self.down = nn.ModuleList(block(low, high, 2) for low, high in pairs)
        self.up = nn.ModuleList(block(low + high, low) for low, high in reversed(pairs))
        self.larger = nn.Upsample(scale_factor=2, mode="nearest")
        self.head = nn.ConvTranspose2d(WIDTHS[0], OUTPUTS, 4, 2, 1)

    def forward(self, pictures: Tensor) -> Tensor:
        levels = [self.first(self.stem(pictures))]
        for block in self.down:
            levels.append(block(levels[-1]))
        found = levels.pop()
        for block in self.up:
            found = block(torch.cat([self.larger(found), levels.pop()], dim=1))
        logits: Tensor = self.head(found)
        return logits
