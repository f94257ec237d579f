"""A picture with its time, and what both cameras saw at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vision.view import Picture


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture in BGR, when it came (seconds of one clock: a file's own, or this machine's), and its number."""

    picture: Picture
    time_s: float
    number: int

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        height, width = self.picture.shape[:2]
        return width, height


@dataclass(frozen=True, slots=True, eq=False)
class FramePair:
    """The newest frame of each camera, by its name. One that sends nothing fresh is left out, and its trouble told."""

    frames: Mapping[str, Frame]
    time_s: float
    """When the pair was put together, by the clock of its frames."""
    troubles: Mapping[str, str] = field(default_factory=dict)
    doubts: Mapping[str, str] = field(default_factory=dict)
    """Words on cameras whose frames are here all the same."""
    came: Mapping[str, Sequence[Frame]] = field(default_factory=dict)
    """Every frame since the pair before, oldest first: for the film, which has them all; judging takes `frames`."""

    def pictures(self) -> dict[str, Picture]:
        return {name: frame.picture for name, frame in self.frames.items()}
