"""Frames from a camera on this machine: MJPG, and nothing automatic where the driver allows."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from vision.errors import VisionError
from vision.frame import Frame
from vision.pace import Pace

BACKENDS = {"linux": cv2.CAP_V4L2, "win32": cv2.CAP_DSHOW, "darwin": cv2.CAP_AVFOUNDATION}
SETTLE_S = 2.0
"""So long the camera may choose its exposure, focus and white balance before they are locked."""
HANGS_S = 1.0
AUTOMATIC = {
    "exposure": (cv2.CAP_PROP_AUTO_EXPOSURE, cv2.CAP_PROP_EXPOSURE),
    "focus": (cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_FOCUS),
    "white balance": (cv2.CAP_PROP_AUTO_WB, cv2.CAP_PROP_WB_TEMPERATURE),
}
V4L2_MANUAL_EXPOSURE = 1.0


class Controls(Protocol):
    """What a driver lets us set; `cv2.VideoCapture` is one."""

    def get(self, property_id: int, /) -> float: ...

    def set(self, property_id: int, value: float, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class UsbCamera:
    """A camera by its number or device path, asked for a size and a rate."""

    device: str
    wanted: tuple[int, int] | None
    most_fps: float

    @property
    def name(self) -> str:
        return f"camera {self.device}"

    @property
    def is_live(self) -> bool:
        return True

    @property
    def repeats_s(self) -> float:
        return HANGS_S

    def frames(self, tell: Callable[[str], None]) -> Iterator[Frame]:
        capture = self._opened(tell)
        begun_s = time.monotonic()
        pace, number, locked = Pace(self.most_fps), 0, False
        try:
            while capture.grab():
                now_s = time.monotonic()
                if not pace.is_due(now_s):
                    continue
                done, picture = capture.retrieve()
                if not done:
                    break
                pace.take(now_s)
                yield Frame(np.asarray(picture, dtype=np.uint8), now_s, number)
                number += 1
                if not locked and now_s - begun_s > SETTLE_S:
                    locked = True
                    tell(words_of(lock(capture, _backend())))
        finally:
            capture.release()
        if number == 0:
            raise VisionError(f"{self.name}: sends no picture; another program may be using it, close that one")
        raise VisionError(f"{self.name}: has stopped sending pictures; plug it in again")

    def _opened(self, tell: Callable[[str], None]) -> cv2.VideoCapture:
        self._check_device()
        capture = cv2.VideoCapture()
        # What OpenCV says of a camera that does not open, we say in a sentence.
        loud = cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
        is_open = capture.open(int(self.device) if self.device.isdigit() else self.device, _backend())
        cv2.utils.logging.setLogLevel(loud)
        if not is_open:
            raise VisionError(
                f"{self.name}: cannot be opened; is it plugged in, and is no other program using it? "
                "`highway cameras` lists what is there"
            )
        # MJPG first: raw pictures of two webcams are more than one bus carries, and drivers reset sizes by format.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        if self.wanted is not None:
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, self.wanted[0])
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self.wanted[1])
        capture.set(cv2.CAP_PROP_FPS, self.most_fps)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        size = round(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
        if self.wanted is not None and size != self.wanted:
            width, height = self.wanted
            tell(f"asked for {width} x {height}, sends {size[0]} x {size[1]}")
        return capture

    def _check_device(self) -> None:
        """What Linux can say before the camera is opened."""
        path = f"/dev/video{self.device}" if self.device.isdigit() else self.device
        if sys.platform != "linux":
            return
        if not os.path.exists(path):
            raise VisionError(f"{self.name}: {path} is not there; plug it in (`highway cameras` lists what is there)")
        if not os.access(path, os.R_OK | os.W_OK):
            raise VisionError(
                f"{self.name}: no permission for {path}; add yourself to its group, usually with "
                "`sudo usermod -aG video $USER`, and log in again"
            )


def lock(controls: Controls, backend: int) -> dict[str, bool]:
    """Switch off what a camera does by itself, at the value it has chosen; whether each of them is off now."""
    locked = {}
    for what, (automatic, value) in AUTOMATIC.items():
        off = V4L2_MANUAL_EXPOSURE if what == "exposure" and backend == cv2.CAP_V4L2 else 0.0
        chosen = controls.get(value)
        locked[what] = controls.set(automatic, off) and controls.get(automatic) == off
        if locked[what] and chosen > 0:
            controls.set(value, chosen)
    return locked


def words_of(locked: dict[str, bool]) -> str:
    """What was locked and what was not, for people."""
    done = [what for what, is_off in locked.items() if is_off]
    left = [what for what, is_off in locked.items() if not is_off]
    words = [f"{_listed(done)} locked"] if done else []
    if left:
        words.append(f"{_listed(left)} cannot be locked by this driver: keep the light even and the focus set")
    return "; ".join(words)


def _listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _backend() -> int:
    return BACKENDS.get(sys.platform, cv2.CAP_ANY)
