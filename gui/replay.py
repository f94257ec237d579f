"""A recorded session played back: a clock over its time, with the pictures and the game as they were then."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from pathlib import Path

from gui.session import Begun, Step, load
from referee.match import Match
from referee.ruling import Ruling
from vision.frame import Frame, FramePair
from vision.playback import Video, still_pair
from vision.session_scan import Progress
from vision.view import Picture
from vision.views import CAMERAS

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
STEP_BACK_NS = 5_000_000_000


class Replay:
    """Where the playback is. Nothing moves by itself: whoever shows it calls `advance` as time passes."""

    def __init__(self, path: Path, progress: Progress | None = None) -> None:
        self.file, self.recorded = load(path, progress)
        self._videos = {camera: Video(self.file, camera) for camera in CAMERAS}
        times = [time_ns for time_ns, _ in self.recorded.steps]
        begin, end = self.file.span_ns()
        self.begin_ns, self.end_ns = begin, max([end, *times])
        self.now_ns = self.begin_ns
        self.speed = 1.0
        self._step_times = times
        self._match_after = lru_cache(None)(self._fold)

    @property
    def time_s(self) -> float:
        """Seconds since the recording began."""
        return (self.now_ns - self.begin_ns) / 1e9

    @property
    def duration_s(self) -> float:
        return (self.end_ns - self.begin_ns) / 1e9

    @property
    def is_over(self) -> bool:
        return self.now_ns >= self.end_ns

    def turn_times_s(self) -> list[float]:
        """When each turn of the finished game was accepted: marks for a time line."""
        return [(turn.time_ns - self.begin_ns) / 1e9 for turn in self.recorded.turns]

    def seek_s(self, time_s: float) -> None:
        """Go to a time, as far as there is one."""
        self.now_ns = min(max(self.begin_ns + round(time_s * 1e9), self.begin_ns), self.end_ns)

    def seek_turn(self, turn: int) -> None:
        """Go to the moment that a turn was accepted."""
        turns = self.recorded.turns
        if turns:
            self.now_ns = turns[min(max(turn, 0), len(turns) - 1)].time_ns

    def advance(self, passed_s: float) -> None:
        """Let time pass at the speed that is set."""
        self.seek_s(self.time_s + passed_s * min(max(self.speed, SPEEDS[0]), SPEEDS[-1]))

    def step(self, pictures: int) -> None:
        """Go so many pictures on, or back where it is below zero."""
        for _ in range(abs(pictures)):
            video = next((video for video in self._videos.values() if video.is_there), None)
            if video is None:
                return
            reach = STEP_BACK_NS
            while True:
                window = (
                    (self.now_ns + 1, self.now_ns + reach) if pictures > 0 else (self.now_ns - reach, self.now_ns - 1)
                )
                times = video.times_ns(max(window[0], 0), window[1])
                if times or self.begin_ns > window[0] or window[1] > self.end_ns:
                    break
                reach *= 4
            if times:
                self.now_ns = times[0] if pictures > 0 else times[-1]

    def frames(self) -> FramePair:
        """What both cameras showed: video where there is some, else the last settled pair."""
        shown = {camera: video.at(self.now_ns) for camera, video in self._videos.items()}
        pictures = {camera: picture for camera, picture in shown.items() if picture is not None} or self._still()
        number = round(self.time_s * 1000)
        return FramePair({c: Frame(p, self.time_s, number) for c, p in pictures.items()}, self.time_s)

    @property
    def steps_done(self) -> int:
        """How many events of the match had happened."""
        return bisect_right(self._step_times, self.now_ns)

    @property
    def match(self) -> Match | None:
        """The match as it stood then; None before it began."""
        return self._match_after(self.steps_done)

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """The rulings as they stood then, from the record."""
        rulings: tuple[Ruling, ...] = ()
        for _, step in self.recorded.steps[: self.steps_done]:
            rulings = (*rulings[: step.kept], *step.rulings)
        return rulings

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> Replay:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _fold(self, steps: int) -> Match | None:
        if steps == 0:
            return None
        step: Step = self.recorded.steps[steps - 1][1]
        if isinstance(step.event, Begun):
            return Match.begin(self.recorded.head.setup(step.event.layout))
        before = self._match_after(steps - 1)
        return before.apply(step.event) if before is not None else None

    def _still(self) -> dict[str, Picture]:
        settled = [(t, s) for t, s in self.recorded.settled if t <= self.now_ns]
        return still_pair(self.file, settled[-1][1].number, settled[-1][0]) if settled else {}
