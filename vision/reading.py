"""What runs in a camera's own process: read, publish, ring; on trouble tell it, wait, and try again."""

from __future__ import annotations

import signal
import time
import zlib
from collections.abc import Iterator
from multiprocessing.connection import Connection

import numpy as np

from vision.errors import VisionError
from vision.frame import Frame
from vision.ring import FrameRing
from vision.sources import FrameSource

FRAME, TOLD, TROUBLE, ENDED = "frame", "told", "trouble", "ended"
"""What the process says: a pair of one of these and words."""
BACK_OFF_S = (0.5, 1.0, 2.0, 4.0)
SAMPLE = 4
"""Every so many pixels, across and down, are compared to tell whether a picture is the last one again."""


def read_camera(source: FrameSource, ring_name: str, most_px: int, line: Connection) -> None:
    """Until the other end of the line is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started us: it closes the line
    ring = FrameRing.attach(ring_name, most_px)
    try:
        _Reading(source, ring, line).run()
    except (BrokenPipeError, ConnectionResetError, EOFError):
        return  # nobody is there to look any more
    finally:
        ring.close()


class _Reading:
    """One camera being read."""

    def __init__(self, source: FrameSource, ring: FrameRing, line: Connection) -> None:
        self._source, self._ring, self._line = source, ring, line
        self._print: tuple[tuple[int, ...], int] | None = None
        self._same_since_ns = 0

    def run(self) -> None:
        tries = 0
        while True:
            try:
                for frame in self._frames():
                    self._publish(frame)
                    tries = 0
                self._line.send((ENDED, ""))
                self._pause(None)
            except VisionError as error:
                self._line.send((TROUBLE, str(error)))
            self._pause(BACK_OFF_S[min(tries, len(BACK_OFF_S) - 1)])
            tries += 1

    def _frames(self) -> Iterator[Frame]:
        """The source's frames as they come; those of a file at the pace they were taken."""
        begun_s: float | None = None
        for frame in self._source.frames(lambda words: self._line.send((TOLD, words))):
            if self._source.is_live:
                yield frame
                continue
            now_s = time.monotonic()
            begun_s = now_s - frame.time_s if begun_s is None else begun_s
            self._pause(max(0.0, begun_s + frame.time_s - now_s))
            yield Frame(frame.picture, time.monotonic(), frame.number)

    def _publish(self, frame: Frame) -> None:
        self._pause(0.0)
        width, height = frame.size
        if width * height > self._ring.most_px:
            raise VisionError(
                f"{self._source.name}: sends {width} x {height} pixels, more than there is room for; set it to less"
            )
        if self._print is None or self._print[0] != frame.picture.shape:
            self._reserve(frame)
        time_ns = round(frame.time_s * 1e9)
        now = frame.picture.shape, zlib.crc32(np.ascontiguousarray(frame.picture[::SAMPLE, ::SAMPLE]).data)
        if now != self._print:
            self._print, self._same_since_ns = now, time_ns
        self._ring.publish(frame.picture, time_ns, self._same_since_ns)
        if self._ring.ring_once():
            self._line.send((FRAME, ""))

    def _reserve(self, frame: Frame) -> None:
        try:
            self._ring.reserve(frame.picture.nbytes)
        except OSError as error:
            width, height = frame.size
            raise VisionError(
                f"{self._source.name}: this machine has no room in shared memory for pictures of {width} x {height} "
                f"pixels ({(error.strerror or str(error)).lower()}); give /dev/shm more, or set the camera to less"
            ) from None

    def _pause(self, seconds: float | None) -> None:
        """Wait; EOFError ends it, and the process, when the other end of the line is closed."""
        if self._line.poll(seconds):
            self._line.recv()
