"""Kept calibrations: by camera and size, refused with the way out where they do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.errors import CalibrationError
from calibration.lens import Lens
from calibration.store import keep_lens, kept_lens, kept_rig, lenses, write_whole

MATRIX = ((900.0, 0.0, 639.5), (0.0, 900.0, 359.5), (0.0, 0.0, 1.0))
LENS = Lens(1280, 720, MATRIX, (0.0, 0.0, 0.0, 0.0, 0.0), ((0.0,) * 9,) * 9, 0.2, 0.25, 40)


def test_a_lens_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    keep_lens("webcam", LENS, tmp_path)
    kept = kept_lens("webcam", (1280, 720), tmp_path)
    assert kept.value == LENS
    assert kept.name == "webcam"
    assert kept.made.startswith("20")
    assert [one.name for one in lenses(tmp_path)] == ["webcam"]


def test_another_size_is_refused_and_the_known_one_named(tmp_path: Path) -> None:
    keep_lens("webcam", LENS, tmp_path)
    with pytest.raises(CalibrationError, match="calibrated at 1280 x 720, the pictures have 1920 x 1080"):
        kept_lens("webcam", (1920, 1080), tmp_path)


def test_an_unknown_name_is_refused_and_known_ones_named(tmp_path: Path) -> None:
    keep_lens("webcam", LENS, tmp_path)
    with pytest.raises(CalibrationError, match="kept are: webcam"):
        kept_lens("phone", (1280, 720), tmp_path)
    with pytest.raises(CalibrationError, match="kept are: none yet"):
        kept_rig("kitchen", tmp_path)


@pytest.mark.parametrize("name", ["", "../up", "a/b", "x" * 65, ".hidden"])
def test_a_name_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CalibrationError, match="no name for a calibration"):
        keep_lens(name, LENS, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_version_or_a_broken_one_is_refused(tmp_path: Path) -> None:
    file = keep_lens("webcam", LENS, tmp_path)
    file.write_bytes(file.read_bytes().replace(b'"version": 1', b'"version": 2'))
    with pytest.raises(CalibrationError, match="another version of the program"):
        kept_lens("webcam", (1280, 720), tmp_path)
    file.write_bytes(b"{")
    with pytest.raises(CalibrationError, match="delete it and calibrate again"):
        kept_lens("webcam", (1280, 720), tmp_path)


def test_what_cannot_be_written_leaves_the_old_file_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(CalibrationError, match="cannot be written"):
        write_whole(tmp_path / "file" / "rig.json", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"
