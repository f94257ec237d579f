"""How many pictures a second are taken from a camera that sends more."""

from __future__ import annotations

from dataclasses import dataclass

SAVED = 30.0
"""Pictures that may come early for others that came late: a camera that keeps to the rate loses none to jitter, nor
where the network or this machine was held up for two seconds and they come all at once."""


@dataclass(slots=True)
class Pace:
    """At most so many pictures a second, by when they arrive."""

    most_fps: float
    _due_s: float = 0.0

    def is_due(self, now_s: float) -> bool:
        return now_s >= self._due_s

    def take(self, now_s: float) -> None:
        """A picture that was due was taken."""
        self._due_s = max(self._due_s, now_s - SAVED / self.most_fps) + 1 / self.most_fps
