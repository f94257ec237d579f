"""Frames of a running camera for calibration: the same cameras, opened the same way, as those that watch the game."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from calibration.frames import Frame
from vision.errors import VisionError
from vision.sources import source_of

EVERY_S = 0.25
ASKED = (1920, 1080)
"""The size a webcam is asked for; one that cannot sends its nearest."""


def live_frames(source: str, seconds: float, every_s: float = EVERY_S) -> Iterator[Frame]:
    """What a camera sends, by its number or address: a frame so often, for so long. One that stops ends it early."""
    begun_s: float | None = None
    try:
        for frame in source_of(source, ASKED, 1 / every_s).frames(lambda words: print(words, file=sys.stderr)):
            begun_s = frame.time_s if begun_s is None else begun_s
            since_s = frame.time_s - begun_s
            if since_s >= seconds:
                return
            yield Frame(frame.picture, f"camera {source} at {since_s:.1f} s", since_s)
    except VisionError:
        if begun_s is None:
            raise
