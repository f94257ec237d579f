"""Calibrating before running cameras: a real MJPEG stream over loopback."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from calibration.board import BoardSpec
from calibration.camera import Rig
from calibration.coverage import Coverage
from calibration.frames import pictures
from calibration.lens import Lens
from calibration.live import collect_tags, collect_views
from gui.live_frames import live_frames
from gui.mjpeg_server import MjpegServer
from vision.errors import VisionError

TAKE = Path(__file__).resolve().parent.parent / "sample_frames" / "calibration_take"


def true_lens(name: str) -> Lens:
    camera = msgspec.json.decode((TAKE / "rig.json").read_bytes(), type=Rig).cameras[name]
    return Lens(camera.width, camera.height, camera.K, camera.dist, ((0.0,) * 9,) * 9, 0.0, 0.0, 0)


def test_the_tags_of_a_streamed_table_are_those_of_the_picture() -> None:
    (shown,) = pictures(TAKE / "overhead_table_0.jpg")
    with MjpegServer([shown.picture]) as server:
        frames = live_frames(server.address, 20.0, every_s=0.05)
        tags = collect_tags(frames, true_lens("overhead"), "overhead", looks=2)
    true = msgspec.json.decode((TAKE / "tags.json").read_bytes(), type=dict[int, list[list[float]]])
    camera = msgspec.json.decode((TAKE / "rig.json").read_bytes(), type=Rig).overhead
    assert len(tags) >= 4
    for tag, seen in tags.items():
        assert np.abs(seen.corners_px - camera.project(np.array(true[tag]))).max() < 1.0


def test_a_camera_that_is_not_there_is_refused() -> None:
    with pytest.raises(VisionError, match="nothing answers at this port"):
        next(live_frames("http://127.0.0.1:9/video", 1.0))


def test_the_meter_grows_with_every_view_and_stops_when_nothing_is_missing() -> None:
    told: list[Coverage] = []
    views = collect_views(pictures(TAKE / "side_lens.mp4", 1.0), BoardSpec(), told.append)
    assert len(told) == len(views) > 3
    shares = [covered.share for covered in told]
    assert shares == sorted(shares)
    assert not any(covered.enough for covered in told[:-1])
