"""Cameras: projecting and looking back along the ray are each other's inverse."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from calibration.camera import Camera, Rig
from sample_frames.studio.rigs import ELEVATION_DEG, HEIGHT_MM, MOST_TILT_DEG, random_rig

CENTRE = np.array([20.0, -10.0, 0.0])


def rig(seed: int, size: tuple[int, int] = (1280, 720)) -> Rig:
    return random_rig(np.random.default_rng(seed), CENTRE, 400.0, size)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["overhead", "side"])
def test_a_ray_goes_back_to_the_point_it_came_from(seed: int, name: str) -> None:
    camera = rig(seed).cameras[name]
    points = np.random.default_rng(seed).uniform([-150, -150, 0], [150, 150, 60], (40, 3)) + CENTRE
    rays = camera.rays_in_table(camera.project(points))
    towards = points - camera.centre_in_table()
    distance = np.linalg.norm(towards, axis=1, keepdims=True)
    assert np.abs(camera.centre_in_table() + rays * distance - points).max() < 1e-6
    assert camera.depth_mm(points) == pytest.approx((towards @ np.array(camera.R).T)[:, 2])


def test_a_point_on_the_axis_lands_on_the_principal_point() -> None:
    turned = ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
    camera = Camera(101, 51, ((80.0, 0, 50.0), (0, 80.0, 25.0), (0, 0, 1.0)), (0.1, 0, 0, 0, 0), turned, (0, 0, 500.0))
    assert camera.project(np.array([[0.0, 0.0, 0.0]]))[0] == pytest.approx([50.0, 25.0])
    # x to the right in the picture, y of the table up in it, one pixel is 500 / 80 mm.
    assert camera.project(np.array([[0.0, 6.25, 0.0]]))[0] == pytest.approx([50.0, 24.0], abs=1e-3)
    assert camera.centre_in_table() == pytest.approx([0.0, 0.0, 500.0])


@pytest.mark.parametrize("seed", range(20))
def test_rigs_are_as_people_put_them_up_and_see_the_play_area(seed: int) -> None:
    pair = rig(seed)
    above, side = pair.overhead, pair.side
    assert HEIGHT_MM[0] <= above.centre_in_table()[2] <= HEIGHT_MM[1]
    assert math.degrees(math.acos(-above.R[2][2])) < MOST_TILT_DEG + 5.0
    elevation = math.degrees(math.asin(-side.R[2][2]))
    assert ELEVATION_DEG[0] - 1e-6 <= elevation <= ELEVATION_DEG[1] + 1e-6
    around = np.linspace(0, 2 * np.pi, 24)
    rim = CENTRE + np.column_stack([np.cos(around), np.sin(around), np.zeros(24)]) * 150.0
    for camera in (above, side):
        pixels = camera.project(rim)
        assert (pixels >= 0).all()
        assert (pixels < [camera.width, camera.height]).all()
        rotation = np.array(camera.R)
        assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=1e-12)
        assert np.linalg.det(rotation) == pytest.approx(1.0)


def test_rig_json_round_trips_in_the_contracts_form() -> None:
    pair = rig(3)
    text = msgspec.json.encode(pair)
    assert msgspec.json.decode(text, type=Rig) == pair
    fields = msgspec.json.decode(text)
    assert set(fields) == {"cameras"}
    assert set(fields["cameras"]["side"]) == {"width", "height", "K", "dist", "R", "t"}
