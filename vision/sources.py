"""Where frames come from: one seam for cameras, addresses, videos and folders of pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from calibration.errors import CalibrationError
from calibration.frames import frames_in
from vision.errors import VisionError
from vision.frame import Frame, FramePair
from vision.stream import SCHEMES, NetworkStream
from vision.usb import UsbCamera

Tell = Callable[[str], None]
MOST_FPS = 15.0
TOGETHER_S = 0.001
"""Frames of two videos that lie no further apart belong to one moment."""


class FrameSource(Protocol):
    """Something that sends frames. It can be pickled: cameras are read in processes of their own."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def is_live(self) -> bool:
        """Whether frames come when they will (and may be missed), or wait to be read."""

    @property
    def repeats_s(self) -> float:
        """How long byte-identical frames may come before the camera counts as frozen."""

    def frames(self, tell: Tell) -> Iterator[Frame]:
        """Frames in order; `tell` hears what people should know. Raises VisionError where it cannot be read."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A video, a picture or a folder of pictures; every frame, in order, by its own time."""

    path: Path
    is_live: bool = False
    repeats_s: float = float("inf")

    @property
    def name(self) -> str:
        return str(self.path)

    def frames(self, tell: Tell) -> Iterator[Frame]:
        try:
            for number, frame in enumerate(frames_in(self.path)):
                yield Frame(frame.picture, frame.time_s, number)
        except CalibrationError as error:
            raise VisionError(str(error)) from None


def source_of(text: str, size: tuple[int, int] | None = None, most_fps: float = MOST_FPS) -> FrameSource:
    """What a person means by a camera's number or device, an address, a file or a folder.

    A camera on this machine is asked for `size` (width, height), the one that it was calibrated at.
    """
    if text.isdigit() or text.startswith("/dev/"):
        return UsbCamera(text, size, most_fps)
    scheme, colon, _ = text.partition("://")
    if colon:
        if scheme.lower() not in SCHEMES:
            raise VisionError(f"{text}: addresses begin with {', '.join(SCHEMES)}; copy the one the phone app shows")
        return NetworkStream(text, most_fps)
    path = Path(text)
    if path.suffix == ".mcap" and path.is_file():
        raise VisionError(f"{text}: is a recorded session, both cameras in one; give it as --frames {text} instead")
    if not path.exists():
        raise VisionError(
            f"{text}: is no file, no folder and no camera; give a camera's number (`highway cameras` lists them), "
            "an address such as http://192.168.1.20:8080/video, or a video"
        )
    return Recorded(path)


def refuse_unreadable(sources: Iterable[FrameSource]) -> None:
    """Raise VisionError for a file that gives no picture: it will not come back, as a camera may."""
    for source in sources:
        if not source.is_live:
            next(source.frames(lambda words: None), None)


def in_step(sources: Mapping[str, FrameSource]) -> Iterator[FramePair]:
    """Every frame of all sources by their own clocks: the same pairs on every run. Ends with the shortest."""
    told: list[str] = []
    running = {name: source.frames(told.append) for name, source in sources.items()}
    ahead = {name: next(frames) for name, frames in running.items()}
    now: dict[str, Frame] = {}
    came: dict[str, list[Frame]] = {}
    while len(ahead) == len(sources):
        time_s = min(frame.time_s for frame in ahead.values())
        for name in [name for name, frame in ahead.items() if frame.time_s <= time_s + TOGETHER_S]:
            now[name] = ahead.pop(name)
            came.setdefault(name, []).append(now[name])
            following = next(running[name], None)
            if following is not None:
                ahead[name] = following
        if len(now) == len(sources):
            yield FramePair(dict(now), time_s, came=came)
            came = {}
