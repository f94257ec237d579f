"""Lenses from views of a board: as good as they say they are, and refused where the views cannot tell."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from calibration.board import BoardSpec
from calibration.camera import Camera, Floats
from calibration.charuco import BoardSeen, Picture
from calibration.errors import CalibrationError
from calibration.lens import PARAMETERS, Lens
from calibration.lens_compare import compare_with_caliscope
from calibration.lens_fit import HELD_OUT, LEAST_VIEWS, choose_views, fit_lens, held_out_error, lens_from
from tests.board_pictures import board_picture, corners_px, waved
from tests.test_charuco import video

SPEC = BoardSpec()
SIZE = (640, 480)
NOISE_PX = 0.05


def seen_by(cameras: list[Camera], noise_px: float = NOISE_PX, bow_mm: float = 0.0, seed: int = 0) -> list[BoardSeen]:
    """What finding the board in pictures of these cameras would give."""
    rng = np.random.default_rng(seed)
    views = []
    for number, camera in enumerate(cameras):
        true = corners_px(camera, SPEC, bow_mm)
        ids = np.flatnonzero(((true > 4) & (true < np.array(SIZE) - 5)).all(axis=1))
        views.append(BoardSeen(ids, true[ids] + rng.normal(0, noise_px, (len(ids), 2)), SIZE, f"view {number}", 1.6))
    return views


def truth(camera: Camera) -> Floats:
    return np.array([camera.K[0][0], camera.K[1][1], camera.K[0][2], camera.K[1][2], *camera.dist])


@cache
def usual() -> tuple[list[BoardSeen], Camera, Lens]:
    """Twenty good views, a camera of theirs, and the lens."""
    cameras = waved(SPEC, 20, seed=1)
    views = seen_by(cameras)
    return views, cameras[0], fit_lens(views, SPEC)


def test_a_waved_board_gives_the_lens_within_its_errors() -> None:
    views, camera, lens = usual()
    sigma = np.sqrt(np.diag(lens.covariance))
    assert (np.abs(lens.parameters() - truth(camera)) < 4 * sigma).all()
    assert sigma[0] < 0.002 * lens.K[0][0]
    assert (lens.width, lens.height) == SIZE
    assert lens.views == len(views) - len(views) // HELD_OUT
    # Two coordinates, each with the noise.
    assert lens.fitted_px == pytest.approx(NOISE_PX * np.sqrt(2), rel=0.15)
    assert lens.held_out_px == pytest.approx(NOISE_PX * np.sqrt(2), rel=0.25)
    assert lens.board_bow_mm < 0.1


def test_a_lens_survives_its_file_and_other_processes() -> None:
    _, _, lens = usual()
    assert msgspec.json.decode(msgspec.json.encode(lens), type=Lens) == lens
    assert pickle.loads(pickle.dumps(lens)) == lens
    assert np.shape(lens.covariance) == (len(PARAMETERS), len(PARAMETERS))


def test_errors_are_as_large_as_the_covariance_says() -> None:
    squares = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        k1 = rng.uniform(-0.25, 0.1)
        dist = (k1, -0.3 * k1, rng.normal(0, 0.001), rng.normal(0, 0.001), rng.uniform(-0.03, 0.03))
        cameras = waved(SPEC, 12, seed, focal_px=rng.uniform(450.0, 760.0), dist=dist)
        lens = fit_lens(seen_by(cameras, seed=seed), SPEC)
        off = lens.parameters() - truth(cameras[0])
        squares.append(off @ np.linalg.solve(np.array(lens.covariance), off))
    # The mean of 10 chi-squares of 9 degrees is 9, give or take 1.3; views of few corners widen that a little.
    assert 5.0 < np.mean(squares) < 12.0
    assert max(squares) < 35.0


def test_a_worse_lens_has_the_larger_held_out_error() -> None:
    _, _, lens = usual()
    fresh = seen_by(waved(SPEC, 6, seed=77), seed=9)
    own = held_out_error(lens, fresh, SPEC)
    assert own < 1.3 * NOISE_PX * np.sqrt(2)
    worse = msgspec.structs.replace(lens, dist=(lens.dist[0] + 0.05, *lens.dist[1:]))
    assert held_out_error(worse, fresh, SPEC) > 3 * own


def test_flat_poses_are_refused_and_the_missing_tilts_named() -> None:
    flat = seen_by(waved(SPEC, 14, seed=2, tilt_deg=(0.0, 5.0)))
    with pytest.raises(CalibrationError, match=r"never tilted.*tilt its left side towards the camera") as refusal:
        fit_lens(flat, SPEC)
    for side in ("left", "right", "top", "bottom"):
        assert f"tilt its {side} side" in str(refusal.value)
    tilted = seen_by(waved(SPEC, 6, seed=3, tilt_deg=(20.0, 30.0)))
    assert fit_lens(flat + tilted, SPEC).held_out_px < 0.1


def test_views_that_leave_the_focal_length_open_are_refused() -> None:
    noisy = seen_by(waved(SPEC, 10, seed=5, tilt_deg=(10.5, 13.0), far=(1.8, 1.9)), noise_px=0.8)
    with pytest.raises(CalibrationError, match=r"leave the .* open.*missing: "):
        fit_lens(noisy, SPEC)


@pytest.mark.parametrize("bow_mm", [2.0, -2.0])
def test_a_board_bent_by_2_mm_is_refused(bow_mm: float) -> None:
    with pytest.raises(CalibrationError, match=r"the board is bent by 2\.0 mm"):
        fit_lens(seen_by(waved(SPEC, 12, seed=4), bow_mm=bow_mm), SPEC)


def test_a_board_bent_by_half_a_millimetre_is_allowed_for() -> None:
    cameras = waved(SPEC, 14, seed=4)
    lens = fit_lens(seen_by(cameras, bow_mm=0.5), SPEC)
    assert lens.board_bow_mm == pytest.approx(0.5, abs=0.1)
    off = np.abs(lens.parameters() - truth(cameras[0]))
    assert (off < 4 * np.sqrt(np.diag(lens.covariance))).all()


def test_too_few_views_and_views_of_two_sizes_are_refused() -> None:
    views, _, _ = usual()
    with pytest.raises(CalibrationError, match=f"it takes {LEAST_VIEWS}"):
        fit_lens(views[: LEAST_VIEWS - 1], SPEC)
    assert fit_lens(views[:LEAST_VIEWS], SPEC).views >= LEAST_VIEWS - 2
    larger = replace(views[0], size=(1280, 960), name="large one")
    with pytest.raises(CalibrationError, match=r"different sizes: 640 x 480.*1280 x 960 \(large one\)"):
        fit_lens([*views, larger], SPEC)


def test_a_wrong_view_and_wrong_corners_do_not_bend_the_lens() -> None:
    views, camera, _ = usual()
    moving = replace(views[0], corners_px=views[0].corners_px + np.random.default_rng(3).normal(0, 3.0, (48, 2)))
    spoilt = views[1].corners_px.copy()
    spoilt[5] += (4.0, -3.0)
    lens = fit_lens([moving, replace(views[1], corners_px=spoilt), *views[2:]], SPEC)
    off = np.abs(lens.parameters() - truth(camera))
    assert (off < 5 * np.sqrt(np.diag(lens.covariance))).all()


def test_chosen_views_are_spread_out_and_sharp() -> None:
    views, _, _ = usual()
    doubled = [replace(view, sharpness=0.4, name=f"{view.name} blurred") for view in views] + views
    chosen = choose_views(doubled, SPEC, most=len(views))
    assert {view.name for view in chosen} == {view.name for view in views}
    assert len(choose_views(views, SPEC, most=5)) == 5


@cache
def filmed() -> tuple[list[Camera], list[Picture]]:
    cameras = waved(SPEC, 14, seed=6)
    return cameras, [board_picture(camera, SPEC, seed=number) for number, camera in enumerate(cameras)]


def test_another_programs_lens_is_measured_on_the_views_that_ours_was_held_out_of(tmp_path: Path) -> None:
    cameras, frames = filmed()
    video(tmp_path / "cam_0.mp4", frames, rate=4)
    board = ["columns = 7", "rows = 9", 'dictionary = "DICT_5X5_100"', "inverted = false"]
    (tmp_path / "charuco.toml").write_text("\n".join([*board, "aruco_scale = 0.76", "square_size_override_cm = 2.5"]))
    matrix = [list(row) for row in cameras[0].K]
    array = f"[cameras.0]\nsize = [640, 480]\nmatrix = {matrix}\ndistortions = {[0.0, *cameras[0].dist[1:]]}\n"
    (tmp_path / "camera_array.toml").write_text(array)
    (found,), pair = compare_with_caliscope(tmp_path)
    assert pair is None
    assert found.ours_px < 0.2
    assert found.theirs_px > 3 * found.ours_px
    assert found.views == 2
    (tmp_path / "charuco.toml").write_text("columns = 7")
    with pytest.raises(CalibrationError, match=r"charuco\.toml: .*rows"):
        compare_with_caliscope(tmp_path)
    with pytest.raises(CalibrationError, match=r"holds no charuco\.toml"):
        compare_with_caliscope(tmp_path / "elsewhere")


def test_a_video_gives_a_lens_with_progress_and_a_mirrored_one_its_reason(tmp_path: Path) -> None:
    cameras, frames = filmed()
    told: list[tuple[float, str]] = []
    film = video(tmp_path / "take.mp4", frames, rate=4)
    lens = lens_from([film], SPEC, lambda share, words: told.append((share, words))).lens
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert lens.fitted_px < 0.1
    assert lens.held_out_px < 0.2
    off = np.abs(lens.parameters() - truth(cameras[0]))
    assert off[0] < 0.005 * lens.K[0][0]
    mirrored = tmp_path / "selfies"
    mirrored.mkdir()
    for number, frame in enumerate(frames[:2]):
        cv2.imwrite(str(mirrored / f"{number}.png"), frame[:, ::-1])
    with pytest.raises(CalibrationError, match="selfies: the pictures are mirrored"):
        lens_from([mirrored], SPEC)


def test_single_stills_count_together_and_one_without_a_board_does_no_harm(tmp_path: Path) -> None:
    _, frames = filmed()
    blank = np.full_like(frames[0], 128)
    for number, frame in enumerate([blank, *frames[:LEAST_VIEWS]]):
        cv2.imwrite(str(tmp_path / f"{number}.png"), frame)
    stills = [tmp_path / f"{number}.png" for number in range(LEAST_VIEWS + 1)]
    assert lens_from(stills, SPEC).lens.views >= LEAST_VIEWS - 2
    with pytest.raises(CalibrationError, match=r"0\.png: no picture shows the board"):
        lens_from(stills[:1], SPEC)
    with pytest.raises(CalibrationError, match="no pictures named"):
        lens_from([], SPEC)
