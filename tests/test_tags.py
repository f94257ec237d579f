"""Tags in pictures: corners to hundredths of a pixel, whatever the light, and no guess where there is no tag."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.camera import Camera, Floats
from calibration.errors import CalibrationError
from calibration.lens import Lens
from calibration.tags import TagSeen, find_tags, fit_tags, mean_tags
from sample_frames.studio.rigs import random_rig
from tests.table_pictures import Laid, Shot, lens_near, photograph, strip, strips_round, true_tags

SIZE = (1280, 720)
PLAIN = Shot()


def table(seed: int) -> tuple[tuple[Laid, ...], dict[str, Camera]]:
    rng = np.random.default_rng(seed)
    laid = strips_round(rng, 170.0, 4)
    return laid, random_rig(rng, np.zeros(3), 520.0, SIZE).cameras


def exact(camera: Camera) -> Lens:
    return lens_near(camera, np.random.default_rng(0), spread=0.0)


def off_px(found: dict[int, TagSeen], truth: dict[int, Floats]) -> Floats:
    return np.array([found[tag].corners_px - truth[tag] for tag in found])


def picture(camera: Camera, laid: tuple[Laid, ...], shot: Shot = PLAIN) -> NDArray[np.uint8]:
    return photograph(camera, laid, shot, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("seed", "name", "median_px", "worst_px"),
    # The side camera of seed 1 stands 12 degrees high: far tags have modules of 1.4 pixels and corners of 30 degrees.
    [(1, "overhead", 0.03, 0.06), (4, "side", 0.04, 0.15), (5, "side", 0.08, 0.5), (1, "side", 0.25, 0.7)],
)
def test_corners_are_found_to_hundredths_of_a_pixel_and_lean_nowhere(
    seed: int, name: str, median_px: float, worst_px: float
) -> None:
    laid, cameras = table(seed)
    truth = true_tags(cameras[name], laid)
    found = find_tags(picture(cameras[name], laid), exact(cameras[name]))
    assert len(found) >= 0.75 * len(truth)
    off = off_px(found, truth)
    each = np.sqrt((off**2).mean(axis=(1, 2)))
    assert np.median(each) < median_px
    assert each.max() < worst_px
    assert np.abs(off.mean(axis=(0, 1))).max() < 0.02
    stated = np.array([found[tag].sigma_px for tag in found])
    assert 0.2 < np.sqrt((each**2 / stated**2).mean()) < 2.5


@pytest.mark.parametrize(
    "shot",
    [
        Shot(light=0.3, falloff=0.7),
        Shot(blur_px=1.2, noise=0.01),
        Shot(blur_px=0.35, noise=0.002),
        Shot(jpeg=75),
    ],
)
def test_dark_blurred_noisy_and_packed_pictures_keep_their_corners(shot: Shot) -> None:
    laid, cameras = table(4)
    truth = true_tags(cameras["overhead"], laid)
    found = find_tags(picture(cameras["overhead"], laid, shot), exact(cameras["overhead"]))
    assert len(found) >= 0.75 * len(truth)
    assert np.median(np.sqrt((off_px(found, truth) ** 2).mean(axis=(1, 2)))) < 0.12


def test_sides_that_the_lens_bends_are_followed_where_the_lens_is_known() -> None:
    laid, cameras = table(4)
    camera = cameras["overhead"]
    near = tuple(replace(piece, x_mm=0.62 * piece.x_mm, y_mm=0.62 * piece.y_mm) for piece in laid[:1])
    K = ((520.0, 0.0, camera.K[0][2]), (0.0, 520.0, camera.K[1][2]), camera.K[2])
    bent = Camera(*SIZE, K, (-0.3, 0.09, 0.0, 0.0, 0.0), camera.R, (camera.t[0], camera.t[1], 0.35 * camera.t[2]))
    truth = true_tags(bent, near)
    shown = picture(bent, near, Shot(noise=0.001))
    with_lens, without = (off_px(find_tags(shown, lens), truth) for lens in (exact(bent), None))
    assert len(with_lens) == len(without) >= 3
    assert np.abs(with_lens).max() < 0.1
    assert np.abs(without).max() > 2 * np.abs(with_lens).max()


def test_a_mirrored_picture_is_refused() -> None:
    laid, cameras = table(1)
    with pytest.raises(CalibrationError, match=r"the overhead picture is mirrored: switch the camera's mirror"):
        find_tags(picture(cameras["overhead"], laid)[:, ::-1].copy(), None, "the overhead picture")


def test_a_lens_of_another_picture_size_is_refused() -> None:
    _, cameras = table(1)
    small = np.zeros((480, 640), dtype=np.uint8)
    with pytest.raises(CalibrationError, match=r"has 640 x 480 pixels and its lens was solved at 1280 x 720"):
        find_tags(small, exact(cameras["side"]))


def test_an_empty_table_has_no_tags_and_a_wrong_place_yields_none() -> None:
    laid, cameras = table(4)
    camera = cameras["overhead"]
    shown = picture(camera, laid[:1])
    assert find_tags(picture(camera, ()), exact(camera)) == {}
    elsewhere = true_tags(camera, laid[1:])
    assert fit_tags(shown, elsewhere, exact(camera)) == {}


def test_many_looks_are_surer_than_one_and_what_comes_and_goes_is_left_out() -> None:
    corners = np.array([[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 9.0]])
    rng = np.random.default_rng(5)
    looks = [{7: TagSeen(corners + rng.normal(0, 0.1, (4, 2)), 0.1)} for _ in range(16)]
    looks[0][8] = looks[0][7]
    mean = mean_tags(looks)
    assert set(mean) == {7}
    assert mean[7].sigma_px < 0.05
    assert np.abs(mean[7].corners_px - corners).max() < 0.12


def test_the_helper_draws_tags_where_the_sheet_has_them() -> None:
    laid = strip(0, 10.0, 20.0, 0.0)
    corners = laid.tags_in_table()
    assert sorted(corners) == [0, 1, 2, 3]
    assert np.diff([corners[tag].mean(axis=0)[0] for tag in range(4)]) == pytest.approx(48.0)
    assert laid.on_page(laid.in_table(np.array([[30.0, 40.0]]))[:, :2])[0] == pytest.approx([30.0, 40.0])
