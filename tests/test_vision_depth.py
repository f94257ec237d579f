"""Which piece is nearest at each pixel, also where pieces reach over the picture's edge."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision_drawing import RIG
from vision.depth import depth_about, depth_map
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


@pytest.mark.parametrize("camera", ["overhead", "side"])
def test_a_map_about_some_pieces_hides_there_what_the_whole_map_hides(camera: str) -> None:
    lens, rng = Lens(RIG.cameras[camera]), np.random.default_rng(1)
    solids = {
        f"c{i}": cylinder(float(x), float(y), 0.0, 40.0, 15.0) for i, (x, y) in enumerate(rng.normal(0, 40, (9, 2)))
    }
    whole, part = depth_map(solids, lens), depth_about({"c3"}, solids, lens, 20)
    assert part.closeness.size < whole.closeness.size / 4
    rows, columns = np.meshgrid(np.arange(part.shape[0]), np.arange(part.shape[1]), indexing="ij")
    pixels = np.stack([columns + part.left, rows + part.top], axis=-1).astype(float)
    depth_mm = lens.depth_mm(np.array([0.0, 0.0, 10.0]))
    for some in ((whole, part), (whole.without("c3"), part.without("c3"))):
        hidden, hidden_in_part = (one.hides(pixels, np.full(pixels.shape[:-1], depth_mm)) for one in some)
        assert hidden.any()
        assert (hidden == hidden_in_part).all()


def test_about_a_piece_that_no_view_shows_the_map_is_of_the_whole_view() -> None:
    lens = Lens(RIG.cameras["overhead"])
    solids = {"here": cylinder(0.0, 0.0, 0.0, 40.0, 15.0), "away": cylinder(5000.0, 0.0, 0.0, 40.0, 15.0)}
    part = depth_about({"away"}, solids, lens, 20).without("away")
    assert (part.closeness == depth_map(solids, lens).closeness).all()
