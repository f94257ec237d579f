"""Turns of a replay without a window: from a turn or a time on, as fast as they come, in time, or one by one."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gui.replay import SPEEDS
from vision.errors import BadSession


@dataclass(frozen=True, slots=True)
class Pace:
    """Where to begin, and what to wait for between turns; nothing, where neither speed nor steps are asked for."""

    turn: int | None = None
    at_s: float | None = None
    speed: float | None = None
    steps: bool = False

    def check(self, turns: int, length_s: float) -> None:
        """Refuse what this session does not have."""
        if self.turn is not None and not 0 <= self.turn < turns:
            there = f"the game has the turns 0 to {turns - 1}" if turns else "no turn was accepted in this session"
            raise BadSession(f"--turn {self.turn}: {there}")
        if self.at_s is not None and not 0 <= self.at_s <= length_s:
            raise BadSession(f"--at {self.at_s:g}: the session lasts {length_s:.1f} s")
        if self.speed is not None and not SPEEDS[0] <= self.speed <= SPEEDS[-1]:
            raise BadSession(f"--speed {self.speed:g}: choose one from {SPEEDS[0]:g} to {SPEEDS[-1]:g}")

    def turns(self, times_s: Sequence[float]) -> Iterator[int]:
        """The numbers of the turns, each when it is due."""
        first = self.turn or 0
        if self.at_s is not None:
            first = next((n for n, time_s in enumerate(times_s) if time_s >= self.at_s), len(times_s))
        start_s = self.at_s if self.at_s is not None else times_s[first] if first < len(times_s) else 0.0
        begun_s = time.monotonic()
        for number in range(first, len(times_s)):
            if self.steps and number > first:
                print("Enter: the next turn ", end="", file=sys.stderr, flush=True)
                sys.stdin.readline()
            elif self.speed is not None and not self.steps:
                time.sleep(max(0.0, begun_s + (times_s[number] - start_s) / self.speed - time.monotonic()))
            yield number
