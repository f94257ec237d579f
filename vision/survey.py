"""A table looked over without history: tops, sticks between them, and the heights on which all agree."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.pieces import Kit
from vision.bridges import GROUND, Bridge, bridges, grouped
from vision.fit import Scene
from vision.joint import State, Table
from vision.moves import settled
from vision.parts import Stage
from vision.region import TALLEST_MM
from vision.seek import Box
from vision.spans import span_of
from vision.tops import plan_of, rim_strength, tops
from vision.view import Floats

WAYS = 8
RIM_WEIGHT = 0.3
CLEAREST = 12
TIMES_KNEE = 5.0


@dataclass(frozen=True, eq=False)
class Survey:
    """What may stand on the table, and what does by all evidence; `score` is how well that fits."""

    table: Table
    state: State
    score: float


def surveyed(scenes: Sequence[Scene], box: Box, kit: Kit) -> Survey:
    """The table as the overhead view (the first one) and the others show it together."""
    plan = plan_of(scenes[0], box, kit)
    shares, spots = tops(plan, kit)
    # Edges far weaker than those of pieces on this table speak for no piece.
    strength = rim_strength(scenes[0], plan, spots[:CLEAREST], kit)
    overhead = dataclasses.replace(scenes[0], knee=max(scenes[0].knee, strength / TIMES_KNEE))
    scenes = [overhead, *scenes[1:]]
    highest = int((TALLEST_MM - kit.disc_height_mm / 2) / kit.disc_height_mm)
    groups = [
        [
            span_of(plan, scenes[1:], way, spots, kit, highest)
            for way in sorted(group, key=lambda one: _rank(one, shares))[:WAYS]
        ]
        for group in grouped(bridges(plan, spots, kit))
    ]
    tops_mm = [kit.column_top_mm(n) for n in range(1, highest + 1)]
    places = np.stack([plan.lifted(spots, top_mm)[..., :2] for top_mm in tops_mm], axis=1)
    table = Table.of(places, groups, [Stage(scene) for scene in scenes], kit)
    state, score = settled(table)
    return Survey(table, state, score)


def _rank(bridge: Bridge, shares: Floats) -> float:
    """The best ways first: both long sides seen, between tops whose rims are seen."""
    return -(bridge.sides + RIM_WEIGHT * float(np.mean([shares[ring] for ring in bridge.ends if ring != GROUND])))
