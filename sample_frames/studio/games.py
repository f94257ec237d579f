"""Whole games as still pairs, turn after turn on one table: what a chain of layouts is tried on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from .render import Renderer
from .scene import Props
from .stills import Shot, surroundings, take_pair, truth_of, write_beside


def shoot_game(shot: Shot, folder: Path, samples: int, turns: int, show: Callable[[int], None]) -> None:
    """Render a pair for each position of the story's game; the folder appears whole or not at all."""
    part = folder.with_name(folder.name + ".part")
    part.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([shot.seed, 1])
    still, tags = surroundings(shot, rng)
    props = Props(shot.kit, shot.look, shot.seed)
    positions = shot.story.match.positions[: turns + 1]
    gains: dict[str, float] | None = None
    for done, position in enumerate(positions, start=1):
        renderer = Renderer(props.stage(position.layout, (), still))
        gains = take_pair(renderer, shot.rig, shot, part / f"turn_{position.turn:02d}", samples, rng, gains, False)
        show(done)
    truth = truth_of(shot) | {"layouts": [position.layout for position in positions], "label": {"kind": "turn"}}
    write_beside(part, shot, truth, tags)
    part.rename(folder)
