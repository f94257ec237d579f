"""Calibration takes: what is filmed is what the truth says, to a twentieth of a pixel, and the same for every seed."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import av
import cv2
import msgspec
import numpy as np
import pytest

from calibration.camera import Camera, Rig
from calibration.page import tag_corners_mm
from calibration.sheets import A4, tag_strips
from sample_frames.studio import takes
from sample_frames.studio.assets import StudioError
from sample_frames.studio.lens import photograph, random_sensor
from sample_frames.studio.rigs import random_rig
from sample_frames.studio.take_film import film_of
from sample_frames.studio.take_plan import Spoilt, Take, plan
from sample_frames.studio.take_sheets import random_card, random_strips
from sample_frames.studio.take_stage import Stage, moment, with_strips
from sample_frames.studio.take_walk import CLEAR_MM, MOST_TILT_DEG, Walk, random_walk
from sample_frames.studio.take_warp import MIDDLE, SAMPLES, Floats, Sheet, view_of, warp

SIZE = (960, 540)
CARD = np.array([[0.0, 0.0, 0.0], [210.0, 0.0, 0.0], [210.0, 297.0, 0.0], [0.0, 297.0, 0.0]])


@pytest.fixture(scope="module")
def take() -> Take:
    return plan(1_000_007, SIZE)


@pytest.fixture(scope="module")
def spoilt(take: Take) -> Take:
    rng = np.random.default_rng(8)
    card = random_card(rng, A4, print_scale=0.97, bow_mm=3.0)
    return replace(take, paper=A4, card=card, strips=random_strips(rng, A4, np.zeros(3), 150.0, print_scale=0.97))


@pytest.fixture(scope="module")
def stages(take: Take) -> dict[str, Stage]:
    return {name: takes.bare_stage(take, name) for name in take.rig.cameras}


def sharp(stage: Stage, pose: Floats) -> np.ndarray:
    """A grey picture without noise or movement."""
    return grey(moment(stage, np.repeat(pose[None], SAMPLES, axis=0)))


def grey(light: np.ndarray) -> np.ndarray:
    even = light.mean(axis=2) / np.percentile(light, 99.5)
    levels: np.ndarray = (np.clip(even, 0.0, 1.0) ** (1 / 2.2) * 235).astype(np.uint8)
    return levels


def found_off(take: Take, stage: Stage, name: str) -> Floats:
    """Where OpenCV finds the board's corners, less where the truth projects them, over the camera's own phase."""
    detector = cv2.aruco.CharucoDetector(take.card.board.spec.charuco())
    begun_s, ended_s = take.walk.phases[name]
    off = []
    for pose in take.walk.table_from_board(np.linspace(begun_s, ended_s, 6)[:-1]):
        corners, ids, _, _ = detector.detectBoard(sharp(stage, pose))
        if np.size(ids) > 8:
            points = take.card.corners_in_board() @ pose[:3, :3].T + pose[:3, 3]
            off.append(np.reshape(corners, (-1, 2)) - take.rig.cameras[name].project(points)[np.ravel(ids)])
    assert len(off) >= 3
    all_off = np.concatenate(off)
    near: Floats = all_off[np.abs(all_off).max(axis=1) < 1.0]  # a corner beside the thumb may be anywhere
    assert len(near) > 0.97 * len(all_off)
    return near


@pytest.mark.parametrize("name", ["overhead", "side"])
def test_the_boards_corners_are_found_where_the_truth_projects_them(
    take: Take, stages: dict[str, Stage], name: str
) -> None:
    off = found_off(take, stages[name], name)
    assert np.abs(off.mean(axis=0)).max() < 0.05
    assert np.sqrt((off**2).mean()) < 0.15


@pytest.mark.parametrize("name", ["overhead", "side"])
def test_a_small_print_on_a_bowed_card_is_where_its_own_truth_projects_it(
    spoilt: Take, stages: dict[str, Stage], name: str
) -> None:
    off = found_off(spoilt, replace(stages[name], card=spoilt.card), name)
    assert np.abs(off.mean(axis=0)).max() < 0.05
    assert np.sqrt((off**2).mean()) < 0.15


def test_spoilt_sheets_are_as_spoilt_as_asked(take: Take, spoilt: Take) -> None:
    corners = spoilt.card.corners_in_board()
    step_mm = np.linalg.norm(corners[1] - corners[0])
    assert step_mm == pytest.approx(0.97 * 25.0, abs=1e-9)
    assert -3.0 < corners[:, 2].min() < -2.9
    assert np.ptp(take.card.corners_in_board()[:, 2]) == 0.0
    for strip in spoilt.strips:
        for at in strip.tags.values():
            assert np.linalg.norm(at[1] - at[0]) == pytest.approx(0.97 * 28.0, abs=1e-9)


def test_tags_lie_face_up_on_the_table_with_the_shape_they_are_printed_in(take: Take) -> None:
    pages = {tag: at for page in tag_strips(take.paper) for tag, at in tag_corners_mm(page).items()}
    assert 16 <= sum(len(strip.tags) for strip in take.strips) <= 24
    for strip in take.strips:
        ids = list(strip.tags)
        lain = np.concatenate([strip.tags[tag] for tag in ids])
        printed = np.concatenate([pages[tag] for tag in ids])
        apart = np.linalg.norm(lain[:, None] - lain, axis=2)
        assert apart == pytest.approx(np.linalg.norm(printed[:, None] - printed, axis=2), abs=1e-9)
        a, b, c, _ = strip.tags[ids[0]]
        assert np.cross(b - a, c - b)[2] < 0  # clockwise, seen from above
        assert (lain[:, 2] < 0.2).all()


@pytest.mark.parametrize("name", ["overhead", "side"])
def test_tags_are_seen_where_they_lie(take: Take, stages: dict[str, Stage], name: str) -> None:
    picture = grey(with_strips(stages[name], take.strips).empty)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    found, ids, _ = cv2.aruco.ArucoDetector(family, parameters).detectMarkers(picture)
    truth = {tag: at for strip in take.strips for tag, at in strip.tags.items()}
    assert len(ids) >= 4
    camera = take.rig.cameras[name]
    off = np.array([seen[0] - camera.project(truth[int(i)]) for seen, i in zip(found, ids.ravel(), strict=True)])
    # SUBPIX corners of lone tags lean inward by some tenths of a pixel; the middle of a tag does not.
    assert np.abs(off.mean(axis=(0, 1))).max() < 0.1


def test_a_moving_sheet_is_seen_where_it_is_at_the_middle_of_the_exposure() -> None:
    camera = random_rig(np.random.default_rng(3), np.zeros(3), 480.0, (640, 360)).overhead
    view = view_of(camera)
    sheet = Sheet({n: np.full((50 * n, 60 * n, 4), 255, dtype=np.uint8) for n in (1, 2, 4)}, 60.0, 50.0)
    slanted, _ = cv2.Rodrigues(np.array([0.3, -0.2, 0.4]))
    for way in ([15.0, 0.0], [0.0, -15.0], [10.0, 12.0]):
        poses = np.tile(np.eye(4), (SAMPLES, 1, 1))
        poses[:, :3, :3] = slanted
        poses[:, :2, 3] = np.linspace(-0.5, 0.5, SAMPLES)[:, None] * way
        poses[:, 2, 3] = camera.t[2] * 0.8
        layer = warp(view, sheet, poses)
        still = warp(view, sheet, poses[MIDDLE])
        assert layer is not None
        assert still is not None
        middles = []
        for found in (layer, still):
            rows, columns = np.mgrid[found.box]
            cover = found.cover[..., 0]
            middles.append([(axis * cover).sum() / cover.sum() for axis in (columns, rows)])
        assert middles[0] == pytest.approx(middles[1], abs=0.05)
        assert layer.cover.sum() == pytest.approx(still.cover.sum(), rel=0.01)


def seen_by(camera: Camera, walk: Walk, times_s: Floats) -> tuple[Floats, Floats]:
    """Share of a grid over the card that is in the picture, and the angle between its face and the view, in degrees."""
    poses = walk.table_from_board(times_s)
    x, y = np.meshgrid(np.linspace(20.0, 190.0, 7), np.linspace(40.0, 260.0, 9))
    grid = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size), np.ones(x.size)])
    shares, angles = [], []
    for pose in poses:
        points = (grid @ pose.T)[:, :3]
        pixels = camera.project(points)
        inside = ((pixels > 0) & (pixels < [camera.width - 1, camera.height - 1])).all(axis=1)
        shares.append(np.mean(inside & (camera.depth_mm(points) > 0)))
        towards = camera.centre_in_table() - points.mean(axis=0)
        angles.append(np.degrees(np.arccos(-pose[:3, 2] @ towards / np.linalg.norm(towards))))
    return np.array(shares), np.array(angles)


@cache
def walks() -> list[tuple[Rig, Walk]]:
    found = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        rig = random_rig(rng, np.zeros(3), float(rng.uniform(380.0, 680.0)), (1280, 720))
        grip = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])[seed % 3]
        found.append((rig, random_walk(rng, rig, CARD, float(rng.uniform(0.0, 6.0)), grip, 25.0)))
    return found


def test_the_board_never_dips_into_the_table_nor_jumps() -> None:
    for _, walk in walks():
        times_s = np.arange(0.0, 25.0, 0.02)
        poses = walk.table_from_board(times_s)
        corners = poses[:, None, :3, :3] @ CARD[..., None] + poses[:, None, :3, 3:]
        assert corners[:, :, 2].min() >= CLEAR_MM - 1e-6
        steps_mm = np.linalg.norm(np.diff(corners[..., 0], axis=0), axis=-1)
        assert steps_mm.max() < 0.02 * 3_500.0


def test_each_camera_sees_the_board_in_its_own_phase_tilted_all_ways_and_both_see_it_in_theirs() -> None:
    for rig, walk in walks():
        for name, camera in rig.cameras.items():
            shares, angles = seen_by(camera, walk, np.linspace(*walk.phases[name], 40))
            assert np.mean(shares > 0.5) > 0.9
            assert angles.max() < MOST_TILT_DEG + 15.0  # a pose that was lifted is seen more from below
            assert np.mean(angles > 25.0) > 0.2
        times_s = np.linspace(*walk.phases["both"], 30)[:24]
        both = np.minimum(*(seen_by(camera, walk, times_s)[0] for camera in rig.cameras.values()))
        facing = np.maximum(*(seen_by(camera, walk, times_s)[1] for camera in rig.cameras.values()))
        assert np.mean((both > 0.5) & (facing < 60.0)) > 0.9


def test_film_develops_as_the_lens_does() -> None:
    rng = np.random.default_rng(5)
    ramp = np.linspace(0.0, 0.9, 240, dtype=np.float32)[None, :, None] * np.array([1.0, 0.9, 0.7], dtype=np.float32)
    light = np.ascontiguousarray(np.broadcast_to(ramp, (160, 240, 3)))
    for _ in range(3):
        noisy = random_sensor(rng)
        quiet = replace(noisy, noise=0.0)
        one, other = film_of(quiet, (240, 160), 0.8, rng).picture(light, rng), photograph(light, quiet, rng, 0.8)
        assert np.abs(one.astype(int) - other).max() <= 2
        one, other = film_of(noisy, (240, 160), 0.8, rng).picture(light, rng), photograph(light, noisy, rng, 0.8)
        assert one.std(axis=0).mean() == pytest.approx(other.std(axis=0).mean(), rel=0.1)


def tiny(seed: int = 1_000_001, spoilt: Spoilt = Spoilt()) -> Take:  # noqa: B008 - frozen
    return plan(seed, (320, 180), seconds=2.0, fps=2, spoilt=spoilt)


@pytest.fixture(scope="module")
def small() -> Take:
    return tiny()


def test_one_seed_makes_one_take_whole_with_its_truth(tmp_path: Path, small: Take) -> None:
    (tmp_path / "a.part").mkdir()
    (tmp_path / "a.part" / "stale").touch()
    takes.shoot(small, tmp_path / "a")
    takes.shoot(tiny(), tmp_path / "b")
    files = {file.name: file.read_bytes() for file in (tmp_path / "a").iterdir()}
    assert files == {file.name: file.read_bytes() for file in (tmp_path / "b").iterdir()}
    cameras = ("overhead", "side")
    assert set(files) == {
        *(f"{name}_lens.mp4" for name in cameras), *(f"{name}_table_{n}.jpg" for name in cameras for n in range(3)),
        "rig.json", "tags.json", "take.json",
    }  # fmt: skip
    assert msgspec.json.decode(files["rig.json"], type=Rig) == small.rig
    truth = json.loads(files["take.json"])
    for name in cameras:
        with av.open(str(tmp_path / "a" / f"{name}_lens.mp4")) as video:
            stamps = [frame.time for frame in video.decode(video=0)]
        assert stamps == pytest.approx(truth["times_s"])
        assert len(truth["camera_from_board"][name]) == len(stamps)


def test_poses_in_the_truth_project_as_the_rig_does(small: Take) -> None:
    truth = json.loads(msgspec.json.encode(takes.truth_of(small)))
    pose = takes.board_poses(small)[1]
    corners = np.array(truth["corners_in_board"])
    for name, camera in small.rig.cameras.items():
        told = truth["camera_from_board"][name][1]
        pixels, _ = cv2.projectPoints(
            corners, np.array(told["rotation"]), np.array(told["place_mm"]), np.array(camera.K), np.array(camera.dist)
        )
        assert pixels[:, 0] == pytest.approx(camera.project(corners @ pose[:3, :3].T + pose[:3, 3]), abs=1e-3)


def test_a_take_that_fails_leaves_no_folder(tmp_path: Path, small: Take) -> None:
    broken = replace(small, sensors={"overhead": small.sensors["overhead"]})
    with pytest.raises(KeyError):
        takes.shoot(broken, tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_mirrored_is_the_mirror_image_and_blurred_is_softer(small: Take) -> None:
    soft = tiny(spoilt=Spoilt(blur_px=3.0))
    bare = takes.bare_stage(small, "overhead")
    mirrored = replace(small, spoilt=Spoilt(mirrored=True))
    first, flipped, blurred = (next(takes.frames(t, "overhead", bare)) for t in (small, mirrored, soft))
    assert (first[:, ::-1] == flipped).all()
    quiet = [cv2.Laplacian(cv2.GaussianBlur(p, (0, 0), 1.0), cv2.CV_32F).std() for p in (first, blurred)]
    assert quiet[1] < 0.6 * quiet[0]


def test_the_command_goes_on_where_it_stopped_and_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    takes.add_take_command(parser.add_subparsers())

    def call(*words: str) -> int:
        arguments = parser.parse_args(["takes", "--out", str(tmp_path), "--seconds", "1", "--fps", "2", *words])
        return int(arguments.run(arguments))

    assert call("--start", "998", "--size", "160x90") == 0
    before = (tmp_path / "take_998" / "take.json").stat().st_mtime_ns
    assert call("--start", "998", "--size", "160x90") == 0
    assert (tmp_path / "take_998" / "take.json").stat().st_mtime_ns == before
    for words in ("--size wide", "--size 161x90", "--size 0x90", "--start 1000", "--seconds 0", "--print-scale 0"):
        with pytest.raises(StudioError, match=words.split()[1]):
            call(*words.split())
    assert [folder.name for folder in tmp_path.iterdir()] == ["take_998"]
