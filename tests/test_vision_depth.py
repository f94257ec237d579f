"""Which piece is nearest at each pixel, also where pieces reach over the picture's edge."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision_drawing import RIG
from vision.depth import depth_map
from vision.solids import cylinder
from vision.view import Lens


@pytest.mark.parametrize("camera", ["overhead", "side"])
def test_pieces_across_every_edge_of_the_picture_are_painted_where_they_show(camera: str) -> None:
    lens = Lens(RIG.cameras[camera])
    size = (lens.camera.width, lens.camera.height)
    frame = np.array([(x, y) for x in np.linspace(0, size[0], 9) for y in (0.0, float(size[1]))])
    frame = np.concatenate([frame, frame[:, ::-1] * (size[0] / size[1], size[1] / size[0])])
    spots = lens.on_plane(frame, 0.0)
    near = spots[np.hypot(*(spots[:, :2] - lens.eye[:2]).T) < 3000.0]
    for x, y, _ in near:
        for step in np.linspace(-12.0, 12.0, 7):
            piece = cylinder(x + step, y + step, 0.0, 30.0, 9.0)
            pixels = lens.project(np.concatenate([piece.ring(1.0), piece.ring(-1.0)]))
            shown = ((pixels > 1) & (pixels < np.array(size) - 2)).all(axis=-1).any()
            assert (depth_map({"c": piece}, lens).number >= 0).any() or not shown
