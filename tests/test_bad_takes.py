"""Takes that cannot become a rig, through the command line: one plain sentence each, exit code 2, and no rig.json."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.board import BoardSpec
from calibration.frames import pictures
from gui.cli import main
from tests.board_pictures import Look, board_picture, waved
from tests.test_charuco import video

TAKE = Path(__file__).resolve().parent.parent / "sample_frames" / "calibration_take"
NAMES = ("overhead", "side")
SMALL = (640, 360)

Grey = NDArray[np.uint8]
Spoil = Callable[[Grey], Grey]


@cache
def filmed(name: str) -> list[Grey]:
    """A few frames of the bundled take, half as large."""
    frames = list(pictures(TAKE / f"{name}_lens.mp4", 2.5))[:8]
    return [grey_half(frame.picture) for frame in frames]


def grey_half(picture: NDArray[np.uint8]) -> Grey:
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.resize(grey, SMALL, interpolation=cv2.INTER_AREA), dtype=np.uint8)


@cache
def table(name: str) -> Grey:
    picture = cv2.imread(str(TAKE / f"{name}_table_0.jpg"))
    assert picture is not None
    return grey_half(np.asarray(picture, dtype=np.uint8))


def take(folder: Path, spoil: Spoil = lambda grey: grey) -> Path:
    """A small take with its lens videos spoilt."""
    for name in NAMES:
        video(folder / f"{name}_lens.mp4", [spoil(grey) for grey in filmed(name)], rate=4)
        cv2.imwrite(str(folder / f"{name}_table.png"), table(name))
    return folder


def refused(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> str:
    out = folder / "rig.json"
    assert main(["calibrate", str(folder), "--ruler", "100", "-o", str(out), *arguments]) == 2
    assert not out.exists()
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (cv2.imread(str(TAKE / "overhead_table_0.jpg"), cv2.IMREAD_GRAYSCALE), "the tag strips are seen, but not the"),
        (np.full((720, 1280), 128, np.uint8), "no picture shows the board (7 x 9 squares, DICT_5X5_100)"),
    ],
    ids=["strips", "nothing"],
)
def test_videos_without_the_board_are_told_what_they_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shown: Grey, words: str
) -> None:
    for name in NAMES:
        video(tmp_path / f"{name}_lens.mp4", [shown] * 3, rate=4)
        shutil.copy(TAKE / f"{name}_table_0.jpg", tmp_path)
    assert words in refused(capsys, tmp_path)


def test_another_dictionary_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(capsys, take(tmp_path), "--dictionary", "DICT_6X6_250")
    assert "no markers of DICT_6X6_250; this looks like DICT_5X5_" in told


def test_mirrored_videos_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(capsys, take(tmp_path, lambda grey: np.ascontiguousarray(grey[:, ::-1])))
    assert "the pictures are mirrored; switch off the camera's mirror or selfie mode" in told


def test_blurred_videos_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(capsys, take(tmp_path, lambda grey: np.asarray(cv2.GaussianBlur(grey, (0, 0), 4.0), np.uint8)))
    assert "blurred by" in told
    assert "focus" in told


def test_too_few_views_are_told_with_what_is_missing_and_in_which_video(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = take(tmp_path)
    for name in NAMES:
        video(folder / f"{name}_lens.mp4", filmed("overhead")[:6], rate=4)
    told = refused(capsys, folder)
    assert "_lens.mp4: " in told
    assert "it takes 8; missing: " in told


def test_a_bent_board_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = BoardSpec()
    bent = [board_picture(camera, spec, Look(bow_mm=2.0), n) for n, camera in enumerate(waved(spec, 12, seed=4))]
    for name in NAMES:
        video(tmp_path / f"{name}_lens.mp4", bent, rate=4)
        cv2.imwrite(str(tmp_path / f"{name}_table.png"), bent[0])
    assert "the board is bent by 2" in refused(capsys, tmp_path)


def test_pictures_of_other_sizes_are_refused_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = take(tmp_path)
    shutil.copy(TAKE / "side_table_0.jpg", folder / "side_table_2.jpg")
    told = refused(capsys, folder)
    assert "side_table_2.jpg has 1280 x 720 pixels, side_lens.mp4 640 x 360: take everything of the side camera" in told


@pytest.mark.parametrize(
    ("file", "data", "words"),
    [
        ("side_lens.mp4", b"", "is empty"),
        ("overhead_lens.mp4", b"not a video", "cannot be read"),
        ("side_table.png", b"not a picture", "is no picture that can be read"),
        ("overhead_table.png", b"", "is empty"),
    ],
)
def test_files_that_hold_nothing_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, data: bytes, words: str
) -> None:
    folder = take(tmp_path)
    (folder / file).write_bytes(data)
    told = refused(capsys, folder)
    assert file in told
    assert words in told


def test_a_video_cut_off_in_the_middle_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = take(tmp_path)
    whole = (folder / "side_lens.mp4").read_bytes()
    (folder / "side_lens.mp4").write_bytes(whole[: len(whole) // 2])
    assert "side_lens.mp4: cannot be read" in refused(capsys, folder)


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        ("side_*", "there is nothing of the side camera"),
        ("side_table*", "there is no picture of the table from the side camera"),
        ("*_table*", "there is no picture of the table from the overhead camera"),
        ("overhead_lens*", "the overhead camera's lens is not known"),
    ],
)
def test_what_is_missing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], gone: str, words: str) -> None:
    folder = take(tmp_path)
    for file in folder.glob(gone):
        file.unlink()
    assert words in refused(capsys, folder)
