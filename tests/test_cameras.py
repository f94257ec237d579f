"""Listing cameras: what can be held to its law without one plugged in."""

from __future__ import annotations

import struct

import pytest

from gui.cameras import lines
from vision.cameras import (
    CAPABILITIES,
    ENUMERATE_FORMATS,
    ENUMERATE_SIZES,
    FORMAT,
    QUERY_CAPABILITIES,
    SIZE,
    CameraFound,
    cameras,
)


@pytest.mark.parametrize(
    ("number", "layout"),
    [(QUERY_CAPABILITIES, CAPABILITIES), (ENUMERATE_FORMATS, FORMAT), (ENUMERATE_SIZES, SIZE)],
)
def test_each_question_is_as_long_as_its_number_says(number: int, layout: str) -> None:
    assert struct.calcsize(layout) == number >> 16 & 0x3FFF


def test_listing_answers_whatever_is_plugged_in() -> None:
    assert all(camera.device and camera.name for camera in cameras())


def test_a_camera_is_told_with_its_modes_or_its_trouble() -> None:
    modes = (("MJPG", ((1920, 1080), (1280, 720))), ("YUYV", ()))
    assert lines(CameraFound("0", "C920", modes)) == [
        "0  C920", "     MJPG  1920 x 1080, 1280 x 720", "     YUYV  any size",
    ]  # fmt: skip
    assert lines(CameraFound("2", "Phone", trouble="no permission")) == ["2  Phone  (no permission)"]
