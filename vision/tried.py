"""A part that was tried in a view: how it stands to others, and what of it is left among some of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.bits import members
from vision.parts import Part
from vision.view import Floats

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Look:
    """A part with some of it hidden: the cells that it claims and their shares, what those points add, and the rest."""

    cells: np.ndarray
    shares: Floats
    gains: Floats
    rest: float


@dataclass(eq=False)
class Tried:
    """A part, and how it stands to others; a set of parts is a number with a bit for each."""

    part: Part
    number: int
    blocks: int
    """The blocks of pixels in which it is."""
    met: int
    hidden_by: int
    hidden: dict[int, Mask]
    """Which of its points, and after them of its pixels, each of those hides; the first is the part itself."""
    hides: int = 0
    shares_with: int = 0
    looks: dict[int, Look] = field(default_factory=dict)
    """By those of `hidden_by` that are there."""
    mosts: dict[int, float] = field(default_factory=dict)
    """By the same what all that is left of it adds, were it alone to claim its cells."""

    def look(self, there: int) -> Look:
        """What is left of it among the parts that are there."""
        hiding = self.hidden_by & there
        if hiding not in self.looks:
            part, (free, shown) = self.part, self._free(hiding)
            values = part.values[free].astype(np.float64)
            gains = np.maximum(values, 0.0)
            rest = float(values.sum() - gains.sum()) + float(part.told @ shown)
            self.looks[hiding] = Look(part.cells[free], part.shares[free].astype(np.float64), gains, rest)
        return self.looks[hiding]

    def most(self, there: int) -> float:
        """What it cannot add more than among the parts that are there."""
        hiding = self.hidden_by & there
        if hiding not in self.mosts:
            free, shown = self._free(hiding)
            self.mosts[hiding] = float(self.part.values @ free) + float(self.part.told @ shown)
        return self.mosts[hiding]

    def _free(self, hiding: int) -> tuple[Mask, Mask]:
        """Which of its points and of its pixels neither some others nor itself hide."""
        first, *others = map(self.hidden.__getitem__, members(hiding))
        free = ~first
        for more in others:
            # Of what is true or not, less is what the other is not.
            np.greater(free, more, out=free)
        count = len(self.part.spots)
        return free[:count], free[count:]
