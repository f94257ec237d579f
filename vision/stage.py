"""One view with the pieces that were tried in it: what they add together, worked out anew only where some changed."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.bits import bits_of, members
from vision.contours import prisms_of
from vision.fit import Scene
from vision.parts import Part, cell_count, parts_of
from vision.solids import Prism
from vision.view import Singles

Mask = NDArray[np.bool_]
SPARE = 256
KEPT = 4
"""How many sets of parts are kept to score others from."""


@dataclass(frozen=True, eq=False)
class _Look:
    """A part with some of it hidden: the cells that it claims and their shares, what those points add, and the rest."""

    cells: np.ndarray
    shares: Singles
    gains: Singles
    rest: float
    added: dict[tuple[_Look, ...], float] = field(default_factory=dict)
    """What it adds in all, by the looks of those that claim some of its cells too."""


@dataclass(eq=False)
class _Tried:
    """A part, and how it stands to others; a set of parts is a number with a bit for each."""

    part: Part
    number: int
    near: int
    """Those in reach that it has not met."""
    hidden_by: int
    hidden: dict[int, tuple[Mask, Mask]]
    """Which of its points and of its pixels each of those hides; the first is the part itself."""
    hides: int = 0
    shares_with: int = 0
    looks: dict[int, _Look] = field(default_factory=dict)
    """By those of `hidden_by` that are there."""

    def look(self, there: int) -> _Look:
        """What is left of it among the parts that are there."""
        hiding = self.hidden_by & there
        if hiding not in self.looks:
            masks = [self.hidden[number] for number in members(hiding)]
            free, shown = (~np.logical_or.reduce(some) for some in zip(*masks, strict=True))
            values = self.part.values[free]
            rest = np.minimum(values, 0.0).sum(dtype=np.float64) + self.part.told[shown].sum(dtype=np.float64)
            gains = np.maximum(values, np.float32(0.0))
            self.looks[hiding] = _Look(self.part.cells[free], self.part.shares[free], gains, float(rest))
        return self.looks[hiding]


@dataclass(frozen=True, eq=False)
class _Scored:
    """A set of parts that was scored: how each of them looks among the others, and what it adds."""

    there: int
    looks: dict[int, _Look]
    added: dict[int, float]


@dataclass(eq=False)
class Stage:
    """One view, the parts that were tried in it, and the sets of them from which others were scored last."""

    scene: Scene
    _numbers: dict[Hashable, int] = field(default_factory=dict)
    _tried: list[_Tried] = field(default_factory=list)
    _scored: list[_Scored] = field(default_factory=lambda: [_Scored(0, {}, {})])

    def __post_init__(self) -> None:
        self._coarse = self.scene.evidence.lens.halved()
        self._claims = np.zeros(cell_count(self._coarse), np.float32)
        self._windows = np.zeros((2, 0, 2), np.intp)
        self._depth = np.full((self._coarse.camera.height, self._coarse.camera.width), np.inf, np.float32)

    def value(self, pieces: Sequence[tuple[Hashable, Prism]]) -> float:
        """What pieces, each with a key that tells its pose, add when all stand together and hide each other."""
        self.prepare(pieces)
        there = bits_of(self._numbers[key] for key, _ in pieces)
        like = min(self._scored, key=lambda one: (one.there ^ there).bit_count())
        now = _Scored(there, dict(like.looks), dict(like.added))
        self._change(now, like.there & ~there, there & ~like.there)
        # What others were scored from stays longest: a search tries many changes of one set.
        self._scored.remove(like)
        self._scored += [like, now]
        del self._scored[:-KEPT]
        return math.fsum(now.added.values())

    def _change(self, now: _Scored, gone: int, new: int) -> None:
        """Work out what parts look like and add that are not as they were before some went and some came."""
        for number in members(new):
            one = self._tried[number]
            for other in members(one.near & now.there):
                self._meet(one, self._tried[other])
        # What hides a part tells its look; the looks of those that share its cells tell what it adds.
        touched, changed = new, gone
        for number in members(gone | new):
            touched |= self._tried[number].hides
        for number in members(touched & now.there):
            look = self._tried[number].look(now.there)
            if now.looks.get(number) is not look:
                now.looks[number] = look
                changed |= 1 << number
        touched = changed
        for number in members(changed):
            touched |= self._tried[number].shares_with
        for number in members(gone):
            del now.looks[number], now.added[number]
        for number in members(touched & now.there):
            others = members(self._tried[number].shares_with & now.there)
            now.added[number] = self._adds(now.looks[number], tuple(now.looks[other] for other in others))

    def prepare(self, pieces: Iterable[tuple[Hashable, Prism]]) -> None:
        """Make the parts of pieces that were not tried before: many at once are quicker."""
        outlines: dict[int, list[tuple[Hashable, Prism]]] = {}
        for key, prism in pieces:
            if key not in self._numbers:
                outlines.setdefault(id(prism.outline), []).append((key, prism))
        for some in outlines.values():
            parts = parts_of(self.scene, self._coarse, prisms_of([prism for _, prism in some]))
            for (key, _), part in zip(some, parts, strict=True):
                self._numbers[key] = len(self._tried)
                self._add(part)

    def _add(self, part: Part) -> None:
        number = len(self._tried)
        # Beyond the windows of both, and a pixel for the cells, neither hides the other nor claims what it does.
        first, last = np.array(part.corner), np.add(part.corner, part.patch.shape)
        firsts, lasts = self._windows[:, :number]
        near = bits_of(np.flatnonzero(((firsts <= last) & (lasts >= first)).all(axis=1)).tolist())
        if number == self._windows.shape[1]:
            self._windows = np.pad(self._windows, ((0, 0), (0, SPARE), (0, 0)))
        self._windows[:, number] = first, last
        self._tried.append(_Tried(part, number, near, 1 << number, {number: self._hidden(part, part)}))
        for other in members(near):
            self._tried[other].near |= 1 << number

    def _meet(self, one: _Tried, other: _Tried) -> None:
        """Find out how two parts stand to each other."""
        one.near &= ~(1 << other.number)
        other.near &= ~(1 << one.number)
        for front, back in ((one, other), (other, one)):
            if front.part.nearest_mm < back.part.farthest_mm:
                points, pixels = self._hidden(back.part, front.part)
                if points.any() or pixels.any():
                    back.hidden[front.number] = points, pixels
                    back.hidden_by |= 1 << front.number
                    front.hides |= 1 << back.number
        self._claims[one.part.cells] = 1.0
        if self._claims[other.part.cells].any():
            one.shares_with |= 1 << other.number
            other.shares_with |= 1 << one.number
        self._claims[one.part.cells] = 0.0

    def _hidden(self, part: Part, by: Part) -> tuple[Mask, Mask]:
        """Which points and which pixels of a part another one hides."""
        (top, left), (height, width) = by.corner, by.patch.shape
        window = self._depth[top : top + height, left : left + width]
        window[...] = by.patch
        depth = self._depth.ravel()
        hidden = depth[part.spots] < part.depth_mm, depth[part.pixels] < part.near_mm
        window[...] = np.inf
        return hidden

    def _adds(self, look: _Look, others: tuple[_Look, ...]) -> float:
        """What a part adds beside others; a line in the picture is worth something once, however many claim it."""
        if others not in look.added:
            cells = np.concatenate([look.cells, *(other.cells for other in others)])
            np.add.at(self._claims, cells, np.concatenate([look.shares, *(other.shares for other in others)]))
            claims = np.maximum(self._claims[look.cells], 1.0)
            self._claims[cells] = 0.0
            look.added[others] = look.rest + float((look.gains / claims).sum(dtype=np.float64))
        return look.added[others]


def total(stages: Iterable[Stage], pieces: Sequence[tuple[Hashable, Prism]]) -> float:
    """What all pieces together add over all views."""
    return sum(stage.value(pieces) for stage in stages)
