"""Whether a camera does what it should: how often, how old, how many missed, and what is wrong in words."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum

from vision.frame import Frame

STALE_S = 1.2
"""A frame older than this is not judged. People see it within two seconds: it is looked for a few times a second, on
machines that have other things to do too."""
SAME_S = 1.0
"""The same picture for longer is told, also of a camera that may send a still table so and is gone on with."""
RATE_OVER_S = 2.0


class Condition(Enum):
    """What a camera is doing."""

    STARTING = "starting"
    RUNNING = "running"
    FROZEN = "frozen"
    """Delivery stopped, or the same picture comes again and again."""
    RESIZED = "resized"
    """It sends another size than it was calibrated at."""
    DISCONNECTED = "disconnected"
    ENDED = "ended"
    """A file that was played to its end."""


@dataclass(frozen=True, slots=True)
class Health:
    """One camera at one moment."""

    condition: Condition
    words: str
    fps: float
    age_s: float
    """Since the last frame came, or since the start."""
    dropped: int
    """Frames that a newer one replaced before anybody looked."""
    size: tuple[int, int] | None
    restarts: int
    doubt: str = ""
    """What people should know of a camera that is fit."""

    @property
    def is_fit(self) -> bool:
        return self.condition is Condition.RUNNING


@dataclass(slots=True)
class Pulse:
    """What the frames of one camera say about it, kept up frame by frame."""

    repeats_s: float
    wanted: tuple[int, int] | None
    begun_s: float
    last: Frame | None = None
    same_since_s: float = 0.0
    dropped: int = 0
    restarts: int = 0
    trouble: str | None = None
    """Why the camera cannot be read, while it cannot."""
    ended: bool = False
    _beats: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=128))

    def beat(self, frame: Frame, same_since_s: float) -> None:
        """A frame came."""
        if self.last is not None:
            self.dropped += max(0, frame.number - self.last.number - 1)
        self.last, self.same_since_s, self.trouble = frame, same_since_s, None
        self._beats.append((frame.time_s, frame.number))

    def health(self, now_s: float) -> Health:
        """How the camera is now."""
        condition, words = self._told(now_s)
        size = self.last.size if self.last is not None else None
        fps, age_s = self._fps(now_s), self._age_s(now_s)
        doubt = self._doubt() if condition is Condition.RUNNING else ""
        return Health(condition, words, fps, age_s, self.dropped, size, self.restarts, doubt)

    def _doubt(self) -> str:
        return f"the same picture for {self._same_s:.0f} s" if self._same_s > SAME_S else ""

    @property
    def _same_s(self) -> float:
        return self.last.time_s - self.same_since_s if self.last is not None else 0.0

    def _told(self, now_s: float) -> tuple[Condition, str]:
        age_s = self._age_s(now_s)
        if self.ended:
            return Condition.ENDED, "the video is over"
        if self.trouble is not None:
            return Condition.DISCONNECTED, self.trouble
        if self.last is None:
            return Condition.STARTING, f"no picture yet, for {age_s:.0f} s" if age_s > STALE_S else "starting"
        if age_s > STALE_S:
            return Condition.FROZEN, f"no picture for {age_s:.0f} s"
        if self._same_s > self.repeats_s:
            return Condition.FROZEN, f"the same picture for {self._same_s:.0f} s: it hangs"
        if self.wanted is not None and self.last.size != self.wanted:
            sent, asked = (f"{width} x {height}" for width, height in (self.last.size, self.wanted))
            return Condition.RESIZED, f"sends {sent} pixels, calibrated at {asked}: set it back, or calibrate again"
        return Condition.RUNNING, "running"

    def _age_s(self, now_s: float) -> float:
        return now_s - (self.last.time_s if self.last is not None else self.begun_s)

    def _fps(self, now_s: float) -> float:
        beats = [beat for beat in self._beats if beat[0] > now_s - RATE_OVER_S]
        if len(beats) < 2 or beats[-1][0] <= beats[0][0]:
            return 0.0
        return (beats[-1][1] - beats[0][1]) / (beats[-1][0] - beats[0][0])
