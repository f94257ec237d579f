"""The second net: from both views laid on one level to the log-odds that a column ends there, or a stick lies."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from vision.floors import TURNS

from .net import block

GIVEN = 20
"""Eight layers and the way to a column's foot, for each view."""
WIDTHS = (24, 40, 64, 80)
OUTPUTS = 1 + TURNS
"""A column, and sticks in each direction."""


class FloorNet(nn.Module):  # type: ignore[misc] # torch is not installed where this is checked
    """Log-odds (n, 7, h, w) of what is laid on levels (n, 20, h, w); sides are multiples of 16."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(GIVEN, WIDTHS[0], 4, 2, 1)
        self.first = block(WIDTHS[0], WIDTHS[0])
        pairs = list(pairwise(WIDTHS))
        self.down = nn.ModuleList(block(low, high, 2) for low, high in pairs)
        self.up = nn.ModuleList(block(low + high, low) for low, high in reversed(pairs))
        self.larger = nn.Upsample(scale_factor=2, mode="nearest")
        self.head = nn.ConvTranspose2d(WIDTHS[0], OUTPUTS, 4, 2, 1)

    def forward(self, shown: Tensor) -> Tensor:
        levels = [self.first(self.stem(shown))]
        for one in self.down:
            levels.append(one(levels[-1]))
        found = levels.pop()
        for one in self.up:
            found = one(torch.cat([self.larger(found), levels.pop()], dim=1))
        odds: Tensor = self.head(found)
        return odds
