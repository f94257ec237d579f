"""Lessons for the second net: both views of a made-up table with their cameras, its columns and its sticks.

python -m sample_frames.school.floor_lessons --start 0 --count 400 --out DIR     goes on where it stopped
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .lessons import developed, made_up, overhead_eye, side_eye, write_lessons
from .painter import Painter

SIZE_PX = (544, 416)
OFF = 0.25
"""How far from the middle of play both cameras look, as a share of its reach: most of it is to be seen by both."""


def floor_lesson(seed: int, painter: Painter) -> dict[str, NDArray[Any]]:
    """Pictures (2, h, w, 3), their cameras, columns (n, 3) as x, y and discs, both tips of sticks (m, 2, 3), and in mm
    a disc's radius and height and a stick's width and thickness."""
    rng = np.random.default_rng(seed)
    made = made_up(rng, painter, lambda reach: [eye(rng, reach, OFF, SIZE_PX) for eye in (overhead_eye, side_eye)])
    return {
        "pictures": np.stack([developed(rng, one) for one in made.painted]),
        "poses": np.stack([eye.pose for eye in made.eyes]),
        "focals_px": np.array([eye.focal_px for eye in made.eyes]),
        "columns": np.array(made.bodies.columns, np.float64).reshape(-1, 3),
        "sticks": np.array(made.bodies.sticks, np.float64).reshape(-1, 2, 3),
        "disc_mm": np.array([made.kit.disc_radius_mm, made.kit.disc_height_mm]),
        "stick_mm": np.array([made.kit.road_width_mm, made.kit.road_thickness_mm]),
    }


if __name__ == "__main__":
    write_lessons(__doc__ or "", floor_lesson)
