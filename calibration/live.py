"""Calibrating before running cameras: the board until enough of it was seen, then the still table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.charuco import BoardSeen, find_board
from calibration.coverage import Coverage
from calibration.errors import CalibrationError
from calibration.frames import Frame
from calibration.lens import Lens
from calibration.tags import TagSeen, find_tags, mean_tags

OPEN_MS, READ_MS = 5_000, 3_000
EVERY_S = 0.25
TABLE_LOOKS = 8

Tell = Callable[[Coverage], None]


def live_frames(source: str, seconds: float, every_s: float = EVERY_S) -> Iterator[Frame]:
    """What a camera sends, by its number or address: the newest frame, so often, for so long."""
    capture = cv2.VideoCapture()
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_MS]
    opened = capture.open(int(source)) if source.isdigit() else capture.open(source, cv2.CAP_FFMPEG, limits)
    if not opened:
        raise CalibrationError(f"camera {source}: cannot be opened; is it plugged in, switched on, used elsewhere?")
    begun_s = time.monotonic()
    due_s = 0.0
    try:
        while (now_s := time.monotonic() - begun_s) < seconds:
            if not capture.grab():
                if due_s == 0.0:
                    raise CalibrationError(f"camera {source}: sends no picture; start it again")
                return
            if now_s < due_s:
                continue
            done, picture = capture.retrieve()
            if done:
                due_s = now_s + every_s
                yield Frame(np.asarray(picture, dtype=np.uint8), f"camera {source} at {now_s:.1f} s", now_s)
    finally:
        capture.release()


def collect_views(frames: Iterator[Frame], spec: BoardSpec, tell: Tell) -> list[BoardSeen]:
    """Views of the board until nothing is missing or the frames end; `tell` is told after each one."""
    covered = Coverage(spec)
    views = []
    for frame in frames:
        seen = find_board(frame.picture, spec, frame.name)
        if seen is None:
            continue
        views.append(seen)
        covered = covered.with_view(seen)
        tell(covered)
        if covered.enough:
            break
    return views


def collect_tags(frames: Iterator[Frame], lens: Lens, where: str, looks: int = TABLE_LOOKS) -> dict[int, TagSeen]:
    """The tags of a still table, averaged over some frames."""
    found = []
    for frame in frames:
        grey = np.asarray(cv2.cvtColor(frame.picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        found.append(find_tags(grey, lens, where))
        if len(found) == looks:
            break
    return mean_tags(found)
