"""The board in pictures: corners to a few hundredths of a pixel, and a reason where there is no board."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from calibration.board import BoardSpec
from calibration.camera import Camera
from calibration.charuco import BoardSeen, Picture, find_board
from calibration.corners import BORDER_PX
from calibration.coverage import SIDES, Coverage
from calibration.errors import CalibrationError
from calibration.frames import length_s, pictures
from calibration.no_board import why_no_board
from calibration.self_test import LIMIT_PX, check_corners
from tests.board_pictures import USUAL, Look, board_picture, camera_of, corners_px, waved

SPEC = BoardSpec()
SMALL = BoardSpec(5, 4, 30.0, 22.0, "DICT_4X4_50")
THEIRS = BoardSpec(4, 5, 54.0, 40.5, "DICT_4X4_1000", inverted=True)
LEGACY = BoardSpec(5, 6, 30.0, 22.0, "DICT_6X6_250", legacy=True)
SIZE = (480, 360)
STRAIGHT = (0.0, 0.0, 0.0, 0.0, 0.0)


def camera_before(
    spec: BoardSpec, turn: tuple[float, float, float] = (0.2, -0.15, 0.1), far: float = 1.2, shift_mm: float = 0.0
) -> Camera:
    """A camera that has the board in the middle of its picture, or beside it."""
    at = np.array([shift_mm, 0.0, far * 420.0 * spec.height_mm / SIZE[1]])
    middle = np.array([spec.width_mm / 2, spec.height_mm / 2, 0.0])
    return camera_of(SIZE, 420.0, STRAIGHT, np.array(turn), at - cv2.Rodrigues(np.array(turn))[0] @ middle)


def picture_of(spec: BoardSpec, look: Look = USUAL) -> Picture:
    return board_picture(camera_before(spec), spec, look)


def off_px(camera: Camera, spec: BoardSpec, look: Look) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """How far (n, 2) found corners are from true ones."""
    seen = find_board(board_picture(camera, spec, look, seed=5), spec)
    assert seen is not None
    return seen.corners_px - corners_px(camera, spec)[seen.ids]


@pytest.mark.parametrize("spec", [SPEC, SMALL, THEIRS, LEGACY], ids=["ours", "small", "inverted", "legacy"])
def test_corners_of_any_board_come_back_unbiased(spec: BoardSpec) -> None:
    off = off_px(camera_before(spec), spec, USUAL)
    assert len(off) == (spec.columns - 1) * (spec.rows - 1)
    assert np.abs(off.mean(axis=0)).max() < 0.01
    assert np.linalg.norm(off, axis=1).mean() < 0.02


@pytest.mark.parametrize(
    ("look", "most_px"),
    [
        (Look(noise=0.0), 0.01),
        (Look(noise=6.0), 0.05),
        (Look(blur_px=1.2), 0.03),
        (Look(motion_px=3.0, motion_rad=0.6), 0.03),
    ],
    ids=["clean", "noisy", "blurred", "moving"],
)
def test_a_strong_lens_noise_and_motion_leave_corners_in_place(look: Look, most_px: float) -> None:
    camera = waved(SPEC, 1, seed=11, dist=(-0.3, 0.1, 0.001, -0.001, 0.0), far=(1.0, 1.0))[0]
    off = off_px(camera, SPEC, look)
    assert len(off) > 40
    assert np.linalg.norm(off, axis=1).mean() < most_px
    assert np.linalg.norm(off, axis=1).max() < 6 * most_px


def test_a_board_that_leaves_the_picture_gives_the_corners_that_are_well_inside() -> None:
    camera = camera_before(SPEC, shift_mm=150.0, far=1.0)
    seen = find_board(board_picture(camera, SPEC), SPEC)
    assert seen is not None
    true = corners_px(camera, SPEC)
    well_inside = set(np.flatnonzero(((true > 8) & (true < np.array(SIZE) - 9)).all(axis=1)).tolist())
    assert 8 <= len(well_inside) < len(true)
    assert well_inside <= set(seen.ids.tolist())
    assert seen.corners_px[:, 0].max() < SIZE[0] - 1 - BORDER_PX
    assert np.linalg.norm(seen.corners_px - true[seen.ids], axis=1).max() < 0.15


def test_a_covered_corner_is_left_out_and_the_others_stay() -> None:
    camera = camera_before(SPEC)
    true = corners_px(camera, SPEC)
    picture = board_picture(camera, SPEC)
    cv2.circle(picture, tuple(np.rint(true[20]).astype(int).tolist()), 9, (150,), -1)
    seen = find_board(picture, SPEC)
    assert seen is not None
    assert 20 not in seen.ids
    assert len(seen.ids) >= len(true) - 5
    assert np.linalg.norm(seen.corners_px - true[seen.ids], axis=1).max() < 0.3


def test_sharpness_falls_with_blur() -> None:
    found = [find_board(picture_of(SMALL, Look(blur_px=blur)), SMALL) for blur in (0.5, 1.0, 1.6)]
    sharp = [seen.sharpness for seen in found if seen is not None]
    assert sharp == sorted(sharp, reverse=True)
    assert len(sharp) == 3


def test_the_self_test_passes_here_and_names_an_opencv_that_is_off() -> None:
    assert check_corners() < LIMIT_PX / 2

    def shifted(by_px: float, picture: Picture, spec: BoardSpec) -> BoardSeen | None:
        seen = find_board(picture, spec)
        return seen and replace(seen, corners_px=seen.corners_px + by_px / np.sqrt(2))

    assert check_corners(lambda picture, spec: shifted(0.03, picture, spec)) < LIMIT_PX
    with pytest.raises(CalibrationError, match=f"OpenCV {cv2.__version__} puts corners 0.49 px"):
        check_corners(lambda picture, spec: shifted(0.49, picture, spec))
    with pytest.raises(CalibrationError, match=f"OpenCV {cv2.__version__} does not find"):
        check_corners(lambda picture, spec: None)


@pytest.mark.parametrize(
    ("picture", "spec", "reason"),
    [
        (picture_of(SMALL)[:, ::-1], SMALL, "mirrored"),
        (picture_of(replace(SMALL, inverted=True)), SMALL, "white on black"),
        (picture_of(SMALL), replace(SMALL, inverted=True), "black on white"),
        (picture_of(LEGACY), replace(LEGACY, legacy=False), "legacy"),
        (picture_of(SMALL), replace(SMALL, dictionary="DICT_5X5_100"), "looks like DICT_4X4_50"),
        (picture_of(SPEC), replace(SPEC, dictionary="DICT_APRILTAG_36h11"), "looks like DICT_5X5_50"),
        (picture_of(SMALL), BoardSpec(3, 12, 30.0, 22.0, "DICT_4X4_50"), "check columns and rows"),
        (picture_of(SMALL, Look(blur_px=5.0)), SMALL, "blurred"),
        (np.full((200, 300), 128, np.uint8), SMALL, "no picture shows the board"),
    ],
    ids=["mirrored", "inverted", "upright", "legacy", "4x4", "apriltag", "shape", "blur", "nothing"],
)
def test_a_missing_board_is_explained(picture: Picture, spec: BoardSpec, reason: str) -> None:
    upright = np.ascontiguousarray(picture)
    assert find_board(upright, spec) is None
    assert reason in why_no_board([upright], spec)


def test_the_meter_names_each_missing_tilt_and_forgets_it_once_shown() -> None:
    # Positive about x: the bottom goes away from the camera; positive about y: the left does.
    turns = {"left": (0.0, -0.4, 0.0), "right": (0.0, 0.4, 0.0), "top": (0.4, 0.0, 0.0), "bottom": (-0.4, 0.0, 0.0)}
    covered = Coverage(SPEC)
    for side in SIDES:
        assert f"tilt its {side} side towards the camera" in covered.missing
        seen = find_board(board_picture(camera_before(SPEC, turns[side]), SPEC), SPEC)
        assert seen is not None
        covered = covered.with_view(seen)
        assert f"tilt its {side} side towards the camera" not in covered.missing
    assert covered.views == 4
    assert not covered.enough


def test_a_waved_board_fills_the_meter_and_a_flat_one_never() -> None:
    def filled(tilt_deg: tuple[float, float]) -> Coverage:
        covered = Coverage(SPEC)
        for number, camera in enumerate(waved(SPEC, 40, 7, tilt_deg=tilt_deg)):
            true = corners_px(camera, SPEC)
            ids = np.flatnonzero(((true > 4) & (true < [635, 475])).all(axis=1))
            covered = covered.with_view(BoardSeen(ids, true[ids], (640, 480), str(number), 1.0))
        return covered

    waved_about = filled((12.0, 42.0))
    assert waved_about.missing == ()
    assert waved_about.enough
    assert waved_about.share == 1.0
    flat = filled((0.0, 4.0))
    assert [words for words in flat.missing if words.startswith("tilt")] == list(flat.missing)[:4]
    assert not flat.enough


def video(path: Path, frames: list[Picture], rate: int) -> Path:
    """An H.264 video of grey pictures."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=rate)
        stream.height, stream.width = frames[0].shape
        stream.pix_fmt = "yuv420p"
        for frame in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="gray")))
        container.mux(stream.encode(None))
    return path


def test_a_video_gives_its_frames_in_time_order_and_fewer_on_request(tmp_path: Path) -> None:
    frames = [np.full((48, 64), 8 * number, np.uint8) for number in range(24)]
    path = video(tmp_path / "take.mp4", frames, rate=12)
    every = list(pictures(path))
    assert [frame.time_s for frame in every] == pytest.approx([number / 12 for number in range(24)])
    assert [int(frame.picture.mean()) for frame in every] == pytest.approx(range(0, 192, 8), abs=3)
    assert every[0].picture.shape == (48, 64, 3)
    assert 4 <= len(list(pictures(path, every_s=0.5))) <= 5
    assert length_s(path) == pytest.approx(2.0, abs=0.1)


def test_a_folder_gives_its_stills_by_their_numbers(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        cv2.imwrite(str(tmp_path / f"view{number}.png"), np.full((4, 6), number, np.uint8))
    (tmp_path / "notes.txt").write_text("not a picture")
    assert [frame.name for frame in pictures(tmp_path)] == ["view1.png", "view2.png", "view10.png"]
    assert [frame.time_s for frame in pictures(tmp_path)] == [0.0, 1.0, 2.0]


def test_what_cannot_be_read_is_refused_with_its_name_and_reason(tmp_path: Path) -> None:
    png = cv2.imencode(".png", np.zeros((4, 6), np.uint8))[1].tobytes()
    contents = {
        "empty.mp4": b"", "noise.mp4": bytes(range(256)) * 40, "empty.png": b"", "cut.jpg": b"\xff\xd8\xff\xe0",
        "mixed/1.png": png, "mixed/2.png": cv2.imencode(".png", np.zeros((5, 6), np.uint8))[1].tobytes(),
        "bare/notes.txt": b"words", "words.txt": b"words",
    }  # fmt: skip
    for name, data in contents.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    whole = video(tmp_path / "whole.mp4", [np.zeros((48, 64), np.uint8)] * 3, rate=5).read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: len(whole) // 3])
    reasons = {
        "gone.mp4": "is not there", "empty.mp4": "is empty", "noise.mp4": "cannot be read", "empty.png": "is empty",
        "cut.jpg": "is no picture", "mixed": "2.png: 6 x 5 pixels, but 1.png has 6 x 4", "bare": "holds no pictures",
        "words.txt": "cannot be read|holds no video", "cut.mp4": "cannot be read",
    }  # fmt: skip
    for name, reason in reasons.items():
        with pytest.raises(CalibrationError, match=reason) as refusal:
            list(pictures(tmp_path / name))
        assert name.split("/")[0] in str(refusal.value) or name == "mixed"
        assert "\n" not in str(refusal.value)
