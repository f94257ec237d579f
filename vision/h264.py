"""Pictures to H.264 packets and back: one packet per picture, each key picture able to begin a stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import av
import cv2
import numpy as np
from av.codec.context import ThreadType
from av.video.frame import PictureType

from vision.errors import BadSession
from vision.view import Picture

KEY_EVERY_S = 2.0
"""How far apart key pictures lie at most: seeking decodes this much at most."""
SPS = 7


@dataclass(frozen=True, slots=True)
class Quality:
    """How video is coded, in x264's own words."""

    preset: str
    crf: int


LIVE = Quality("ultrafast", 26)
"""Two 1080p streams must leave room for the gate on two cores; a bigger file is the price."""
PATIENT = Quality("veryfast", 26)
"""For sources that wait: two thirds of the size, at twice the time."""
SMALL = Quality("medium", 35)
"""For a session that is sent round: a quarter of the size, and softer."""


class Encoder:
    """One camera's pictures. Packets are Annex B without look-ahead, as Foxglove asks for."""

    def __init__(self, width: int, height: int, quality: Quality = LIVE) -> None:
        self.size = width, height
        # Colour is stored for every second pixel: an odd last row or column is left out.
        self._codec = av.CodecContext.create("libx264", "w")
        self._codec.width, self._codec.height = width - width % 2, height - height % 2
        self._codec.pix_fmt = "yuv420p"
        self._codec.time_base = Fraction(1, 15)
        self._codec.thread_count = 1
        self._codec.gop_size = 10_000
        self._codec.options = {
            "preset": quality.preset, "crf": str(quality.crf), "tune": "zerolatency", "forced-idr": "1",
        }  # fmt: skip
        self._count = 0
        self._key_due_s = -np.inf

    def packet(self, picture: Picture, time_s: float) -> bytes:
        """The picture as one packet."""
        even = picture[: self._codec.height, : self._codec.width]
        # OpenCV's conversion takes a third of the time of FFmpeg's, and gives the same colours.
        planes = np.asarray(cv2.cvtColor(even, cv2.COLOR_BGR2YUV_I420), np.uint8)
        frame = av.VideoFrame.from_ndarray(planes, format="yuv420p")
        frame.pts = self._count
        self._count += 1
        if time_s >= self._key_due_s:
            frame.pict_type = PictureType.I
            self._key_due_s = time_s + KEY_EVERY_S
        return b"".join(bytes(packet) for packet in self._codec.encode(frame))


def begins_stream(packet: bytes) -> bool:
    """Whether a packet holds a key picture with all that a decoder needs to begin there."""
    at = packet.find(b"\0\0\1")
    while at >= 0 and at + 3 < len(packet) and at < 256:
        if packet[at + 3] & 31 == SPS:
            return True
        at = packet.find(b"\0\0\1", at + 3)
    return False


class Decoder:
    """Packets to pictures, from a key picture on."""

    def __init__(self) -> None:
        self._codec = av.CodecContext.create("h264", "r")
        self._codec.thread_type = ThreadType.SLICE  # no picture waits for the next one

    def last(self, packets: Iterable[bytes]) -> Picture | None:
        """The picture of the last of these packets; the others are only gone through."""
        frames = deque(self._frames(packets), maxlen=1)
        return _picture(frames[0]) if frames else None

    def all(self, packets: Iterable[bytes]) -> Iterator[Picture]:
        """The pictures of all these packets."""
        return (_picture(frame) for frame in self._frames(packets))

    def _frames(self, packets: Iterable[bytes]) -> Iterator[av.VideoFrame]:
        try:
            for data in packets:
                yield from self._codec.decode(av.Packet(data))
        except (av.FFmpegError, ValueError) as error:
            raise BadSession(f"its video cannot be decoded ({error}); the file is damaged, copy it again") from None


def _picture(frame: av.VideoFrame) -> Picture:
    return np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)
