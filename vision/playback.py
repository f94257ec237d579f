"""The pictures of a recorded session: settled stills by number, video by time."""

from __future__ import annotations

from collections.abc import Iterator

from vision import foxglove
from vision.errors import BadSession
from vision.h264 import KEY_EVERY_S, Decoder, begins_stream
from vision.session_file import SessionFile
from vision.session_index import STILLS
from vision.session_scan import Entries
from vision.still import Still
from vision.view import Picture
from vision.views import CAMERAS

SECOND = 1_000_000_000
WINDOW_NS = int((KEY_EVERY_S + 0.5) * SECOND)
"""A key picture lies at most this far back, unless the camera was away."""
AHEAD_NS = 4 * SECOND
"""Up to here going on decoding is cheaper than beginning anew."""


class Video:
    """One camera's video, at any time; going forward decodes each picture once."""

    def __init__(self, file: SessionFile, camera: str) -> None:
        self._file = file
        self._topic = f"/{camera}"
        self._decoder = Decoder()
        self._at_ns = -1
        self._shown: Picture | None = None

    @property
    def is_there(self) -> bool:
        return self._topic in self._file.topics

    def at(self, time_ns: int) -> Picture | None:
        """The picture that was the newest at this time; None before the first one."""
        if not self.is_there:
            return None
        if not self._at_ns <= time_ns <= self._at_ns + AHEAD_NS or self._shown is None:
            packets = self._since_key(time_ns)
            self._decoder, self._shown = Decoder(), None
        else:
            packets = [(t, p) for t, p in self._packets(self._at_ns + 1, time_ns)]
        if packets:
            self._shown = self._decoder.last(packet for _, packet in packets)
            self._at_ns = packets[-1][0]
        return self._shown

    def times_ns(self, begin_ns: int, end_ns: int) -> list[int]:
        """When pictures were taken, between two times."""
        return [entry.time_ns for entry in self._file.entries(self._topic, begin_ns, end_ns)]

    def pictures(self, begin_ns: int, end_ns: int) -> Iterator[tuple[int, Picture]]:
        """All pictures between two times."""
        for time_ns in self.times_ns(begin_ns, end_ns):
            picture = self.at(time_ns)
            if picture is not None:
                yield time_ns, picture

    def _packets(self, begin_ns: int, end_ns: int) -> Iterator[tuple[int, bytes]]:
        for entry in self._file.entries(self._topic, begin_ns, end_ns):
            data, video_format = foxglove.unpack(foxglove.VIDEO, entry.data)
            if video_format != "h264":
                raise BadSession(f"{self._file.path}: its video is '{video_format[:20]}', this program reads h264")
            yield entry.time_ns, data

    def _since_key(self, time_ns: int) -> list[tuple[int, bytes]]:
        """Packets from the last key picture up to a time."""
        window = WINDOW_NS
        while True:
            packets = list(self._packets(max(time_ns - window, 0), time_ns))
            keys = [number for number, (_, packet) in enumerate(packets) if begins_stream(packet)]
            if keys:
                return packets[keys[-1] :]
            if time_ns - window <= self._file.span_ns(self._topic)[0]:
                return []
            window *= 4


def still_pair(file: Entries, number: int, time_ns: int) -> dict[str, Picture]:
    """The settled pair of this number and time, as vision saw it; empty where it was not stored."""
    return {
        camera: Still.read(foxglove.unpack(foxglove.IMAGE, entry.data)[0], f"{file.path}: a still in it").picture
        for camera in CAMERAS
        for entry in file.entries(STILLS + camera, time_ns, time_ns)
        if entry.number == number
    }
