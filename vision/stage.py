"""One view with the pieces that were tried in it: what they add together, worked out anew only where some changed."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

import numpy as np

from vision.bits import members
from vision.contours import prisms_of
from vision.fit import Scene
from vision.once import once
from vision.parts import Part, cell_count, parts_of
from vision.solids import Prism
from vision.tried import Look, Mask, Tried
from vision.view import Singles

BLOCK_PX = 16
"""How wide blocks are, in coarse pixels: parts with no block in common neither hide each other nor share cells."""
KEPT = 4
"""How many sets of parts are kept to score others from."""


@dataclass(frozen=True, eq=False)
class _Scored:
    """A set of parts that was scored: how each of them looks among the others, and what it adds."""

    there: int
    looks: dict[int, Look]
    added: dict[int, float]

    @once
    def total(self) -> float:
        return math.fsum(self.added.values())


@dataclass(eq=False)
class Stage:
    """One view, the parts that were tried in it, and the sets of them from which others were scored last."""

    scene: Scene
    _bits: dict[Hashable, int] = field(default_factory=dict)
    """Of each piece by its key the set of its part alone."""
    _tried: list[Tried] = field(default_factory=list)
    _scored: list[_Scored] = field(default_factory=lambda: [_Scored(0, {}, {})])

    def __post_init__(self) -> None:
        self._coarse = self.scene.evidence.lens.halved()
        self._claims = np.zeros(cell_count(self._coarse))
        height, width = self._coarse.camera.height, self._coarse.camera.width
        self._depth = np.full((height, width), np.inf, np.float32)
        across = width // BLOCK_PX + 1
        self._block = ((np.arange(height) // BLOCK_PX * across)[:, None] + np.arange(width) // BLOCK_PX).ravel()
        """The number of the block in which each coarse pixel lies."""

    def value(self, pieces: Sequence[tuple[Hashable, Prism]]) -> float:
        """What pieces, each with a key that tells its pose, add when all stand together and hide each other."""
        there, like = self._like(pieces)
        now = _Scored(there, dict(like.looks), dict(like.added))
        self._change(now, like.there & ~there, there & ~like.there)
        # What others were scored from stays longest: a search tries many changes of one set.
        self._scored.remove(like)
        self._scored += [like, now]
        del self._scored[:-KEPT]
        return now.total

    def most(self, pieces: Sequence[tuple[Hashable, Prism]]) -> float:
        """What pieces cannot add more than: as if those that come or change their look shared their cells with none."""
        there, like = self._like(pieces)
        gone, new = like.there & ~there, there & ~like.there
        self._meet_all(there, new)
        touched = self._touched(there, gone, new)
        eased = touched | self._shares_with(gone | touched) & there
        before = sum(map(like.added.__getitem__, members((gone | eased) & like.there)))
        return like.total - before + sum(self._tried[number].most(there) for number in members(eased))

    def _like(self, pieces: Sequence[tuple[Hashable, Prism]]) -> tuple[int, _Scored]:
        """The parts of pieces, and the set from which they are scored best."""
        try:
            bits = [self._bits[key] for key, _ in pieces]
        except KeyError:
            self.prepare(pieces)
            bits = [self._bits[key] for key, _ in pieces]
        there = reduce(or_, bits, 0)
        return there, min(self._scored, key=lambda one: (one.there ^ there).bit_count())

    def _meet_all(self, there: int, new: int) -> None:
        """Find out how parts stand to all that are there."""
        for number in members(new):
            one = self._tried[number]
            if unmet := there & ~one.met:
                others = map(self._tried.__getitem__, members(unmet))
                self._meet(one, [other for other in others if other.blocks & one.blocks])
                one.met |= there

    def _touched(self, there: int, gone: int, new: int) -> int:
        """The parts there that came, and those whose look is another one now: what hides a part tells its look."""
        touched = new
        for number in members(gone | new):
            touched |= self._tried[number].hides
        return touched & there

    def _change(self, now: _Scored, gone: int, new: int) -> None:
        """Work out what parts look like and add that are not as they were before some went and some came."""
        self._meet_all(now.there, new)
        changed = gone
        for number in members(self._touched(now.there, gone, new)):
            look = self._tried[number].look(now.there)
            if now.looks.get(number) is not look:
                now.looks[number] = look
                changed |= 1 << number
        for number in members(gone):
            del now.looks[number], now.added[number]
        # The looks of those that share its cells tell what a part adds.
        summed = (changed | self._shares_with(changed)) & now.there
        beside = self._shares_with(summed) & now.there & ~summed
        added = self._adds(*([now.looks[number] for number in members(some)] for some in (summed, beside)))
        now.added.update(zip(members(summed), added, strict=True))

    def _shares_with(self, some: int) -> int:
        """All parts that claim cells of some."""
        found = 0
        for number in members(some):
            found |= self._tried[number].shares_with
        return found

    def prepare(self, pieces: Iterable[tuple[Hashable, Prism]]) -> None:
        """Make the parts of pieces that were not tried before: many at once are quicker."""
        outlines: dict[int, list[tuple[Hashable, Prism]]] = {}
        for key, prism in pieces:
            if key not in self._bits:
                outlines.setdefault(id(prism.outline), []).append((key, prism))
        for some in outlines.values():
            parts = parts_of(self.scene, self._coarse, prisms_of([prism for _, prism in some]))
            for (key, _), part in zip(some, parts, strict=True):
                number, bit = len(self._tried), 1 << len(self._tried)
                self._bits[key] = bit
                self._paint(part, part.patch)
                self._tried.append(Tried(part, number, self._blocks(part), bit, bit, {number: self._hidden(part)}))
                self._paint(part, np.inf)

    def _blocks(self, part: Part) -> int:
        """The set of blocks in which a part has points or pixels."""
        is_in = np.zeros(int(self._block[-1]) + 1, bool)
        is_in[self._block.take(part.places)] = True
        return int.from_bytes(np.packbits(is_in, bitorder="little").tobytes(), "little")

    def _meet(self, one: Tried, others: Sequence[Tried]) -> None:
        """Find out how a part and each of some others stand to each other."""
        self._claims[one.part.cells] = 1.0
        for other in others:
            other.met |= 1 << one.number
            if np.count_nonzero(self._claims.take(other.part.cells)):
                one.shares_with |= 1 << other.number
                other.shares_with |= 1 << one.number
        self._claims[one.part.cells] = 0.0
        self._hide(one, [other for other in others if one.part.nearest_mm < other.part.farthest_mm])
        for other in others:
            if other.part.nearest_mm < one.part.farthest_mm:
                self._hide(other, [one])

    def _hide(self, front: Tried, some: Sequence[Tried]) -> None:
        """Find out what of some parts one in front of them hides."""
        if not some:
            return
        self._paint(front.part, front.part.patch)
        for back in some:
            hidden = self._hidden(back.part)
            if np.count_nonzero(hidden):
                back.hidden[front.number] = hidden
                back.hidden_by |= 1 << front.number
                front.hides |= 1 << back.number
        self._paint(front.part, np.inf)

    def _paint(self, part: Part, depth_mm: Singles | float) -> None:
        """Set all depths within the window of a part."""
        (top, left), (height, width) = part.corner, part.patch.shape
        self._depth[top : top + height, left : left + width] = depth_mm

    def _hidden(self, part: Part) -> Mask:
        """Which points of a part, and after them which of its pixels, the painted one hides."""
        hidden: Mask = self._depth.take(part.places) < part.hidden_mm
        return hidden

    def _adds(self, looks: Sequence[Look], beside: Sequence[Look]) -> list[float]:
        """What parts add, beside others that claim some of their cells."""
        if not looks:
            return []
        cells = np.concatenate([look.cells for look in (*looks, *beside)])
        np.add.at(self._claims, cells, np.concatenate([look.shares for look in (*looks, *beside)]))
        ends = np.cumsum([len(look.cells) for look in looks])
        # A line in the picture is worth something once, however many claim it.
        gains = np.concatenate([look.gains for look in looks]) / np.maximum(self._claims[cells[: ends[-1]]], 1.0)
        self._claims[cells] = 0.0
        sums = np.concatenate([[0.0], np.cumsum(gains)])[ends]
        return [look.rest + gain for look, gain in zip(looks, np.diff(sums, prepend=0.0).tolist(), strict=True)]


def total(stages: Iterable[Stage], pieces: Sequence[tuple[Hashable, Prism]]) -> float:
    """What all pieces together add over all views."""
    return sum(stage.value(pieces) for stage in stages)
