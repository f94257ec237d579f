"""Live cameras, each read by a process of its own that can be killed and is started again."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection, wait
from types import TracebackType

from vision.deaf import deaf_children
from vision.frame import Frame, FramePair
from vision.health import Condition, Health, Pulse
from vision.reading import BACK_OFF_S, ENDED, TOLD, TROUBLE, read_camera
from vision.ring import MOST_PX, FrameRing
from vision.sources import FrameSource

SILENT_S = 12.0
"""A process that neither sends a frame nor tells of trouble for so long hangs, and is killed."""
LEAVE_S = 1.0
LOOK_EVERY_S = 0.25
"""So often a pair is given out even when no frame comes, so that troubles show."""


class CameraReader:
    """One camera and the process that reads it."""

    def __init__(self, source: FrameSource, wanted: tuple[int, int] | None = None) -> None:
        """`wanted` is the size it was calibrated at; None where any will do."""
        self._source = source
        self._ring = FrameRing.create(max(MOST_PX, wanted[0] * wanted[1] if wanted else 0))
        self._pulse = Pulse(source.repeats_s, wanted, time.monotonic())
        self.notes: list[str] = []
        """What the camera's process told, once each; take them out as they are shown."""
        self._tries = 0
        self._start()

    @property
    def line(self) -> Connection | None:
        """Becomes readable when there is something new; None while no process is at its other end."""
        return self._line if self._is_connected else None

    @property
    def process_id(self) -> int | None:
        return self._process.pid

    @property
    def newest(self) -> Frame | None:
        """The last frame that was looked at."""
        return self._pulse.last

    def look(self, now_s: float) -> list[Frame]:
        """Hear what the process says and see to it that it runs; the frames that came since the last look."""
        self._hear(now_s)
        came = []
        for frame, same_since_s in self._ring.since(self._pulse.last.number if self._pulse.last else 0):
            self._pulse.beat(frame, same_since_s)
            self._heard_s, self._tries = now_s, 0
            came.append(frame)
        self._keep_alive(now_s)
        return came

    def health(self, now_s: float) -> Health:
        return self._pulse.health(now_s)

    def close(self) -> None:
        """Stop reading and leave nothing behind."""
        self._stop()
        self._ring.close()

    def _start(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._line, theirs = spawn.Pipe()
        self._is_connected = True
        self._ring.answered()
        self._heard_s = time.monotonic()
        self._process = spawn.Process(
            target=read_camera,
            args=(self._source, self._ring.name, self._ring.most_px, theirs),
            name=f"reads {self._source.name}",
            daemon=True,
        )
        with deaf_children():
            self._process.start()
        theirs.close()

    def _stop(self) -> None:
        self._line.close()
        self._process.join(LEAVE_S)
        if self._process.is_alive():
            self._process.kill()  # it may hang in a driver, where nothing milder reaches it
            self._process.join()
        self._process.close()

    def _hear(self, now_s: float) -> None:
        try:
            while self._is_connected and self._line.poll():
                kind, words = self._line.recv()
                self._heard_s = now_s
                self._ring.answered()
                if kind == TROUBLE:
                    self._pulse.trouble = words
                elif kind == TOLD:
                    self.notes.append(words)
                elif kind == ENDED:
                    self._pulse.ended = True
        except (EOFError, ConnectionResetError):
            self._is_connected = False

    def _keep_alive(self, now_s: float) -> None:
        if self._pulse.ended:
            return
        died, hangs = not self._process.is_alive(), now_s - self._heard_s > SILENT_S
        if not died and not hangs:
            return
        if self._pulse.trouble is None:
            self._pulse.trouble = (
                f"{self._source.name}: its reader {'was lost' if died else 'hangs'}, starting it again"
            )
        # A reader that dies at once, again and again, is started ever more slowly.
        if now_s - self._heard_s >= (
            BACK_OFF_S[min(self._tries, len(BACK_OFF_S) - 1)] if died and self._tries else 0.0
        ):
            self._stop()
            self._tries += 1
            self._pulse.restarts += 1
            self._start()


class LiveCameras:
    """The cameras of a table; iterate for pairs of their newest frames, for as long as they are open.

    A camera that sends nothing fresh is left out of the pair, with its trouble in words, and is tried again without
    touching the other.
    """

    def __init__(self, sources: Mapping[str, FrameSource], wanted: Mapping[str, tuple[int, int]] | None = None) -> None:
        self.readers = {name: CameraReader(source, (wanted or {}).get(name)) for name, source in sources.items()}
        self._doubted: set[str] = set()

    def __enter__(self) -> LiveCameras:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        for reader in self.readers.values():
            reader.close()

    def health(self) -> dict[str, Health]:
        now_s = time.monotonic()
        return {name: reader.health(now_s) for name, reader in self.readers.items()}

    def notes(self) -> list[str]:
        """What the cameras' processes told since the last time, with the camera's name."""
        told = [f"{name}: {words}" for name, reader in self.readers.items() for words in reader.notes]
        for reader in self.readers.values():
            reader.notes.clear()
        return told

    def __iter__(self) -> Iterator[FramePair]:
        while True:
            pair, over = self._pair()
            yield pair
            if over:
                return
            lines = [reader.line for reader in self.readers.values() if reader.line is not None]
            if lines:
                wait(lines, LOOK_EVERY_S)
            else:
                time.sleep(LOOK_EVERY_S)

    def _pair(self) -> tuple[FramePair, bool]:
        """What there is now, and whether a file that stands for a camera is over."""
        now_s = time.monotonic()
        came = {name: reader.look(now_s) for name, reader in self.readers.items()}
        health = {name: reader.health(now_s) for name, reader in self.readers.items()}
        over = {name for name, one in health.items() if one.condition is Condition.ENDED}
        fit = over | {name for name, one in health.items() if one.condition is Condition.RUNNING}
        newest = {name: reader.newest for name, reader in self.readers.items() if name in fit}
        frames = {name: frame for name, frame in newest.items() if frame is not None}
        troubles = {name: one.words for name, one in health.items() if name not in fit}
        doubts = {name: one.doubt for name, one in health.items() if one.doubt}
        self._note_new(doubts)
        return FramePair(frames, now_s, troubles, doubts, {name: came[name] for name in frames}), bool(over)

    def _note_new(self, doubts: Mapping[str, str]) -> None:
        for name in doubts.keys() - self._doubted:
            self.readers[name].notes.append(f"{doubts[name]}: a still table that is sent so, or it hangs")
        self._doubted = set(doubts)
