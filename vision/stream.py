"""Frames from an address, as phone apps and network cameras give them: MJPEG over HTTP, or RTSP."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import av
import numpy as np

from vision.errors import VisionError
from vision.frame import Frame
from vision.pace import Pace

SCHEMES = ("http", "https", "rtsp", "rtsps")
OPEN_S, READ_S = 5.0, 3.0
RTSP = {"rtsp_flags": "prefer_tcp", "analyzeduration": "500000"}
"""Half a second is enough to learn what is sent; by itself FFmpeg takes three, and seven where nothing is buffered."""
STILL_CODED_S = 1.0
"""Codecs that send each picture whole show the sensor's noise: so long without any, and the camera hangs."""
CHANGE_CODED_S = 6.0
"""Codecs that send changes may leave a still table out altogether, until the next whole picture."""
REASONS = {
    "HTTPUnauthorizedError": "asks for a name and a password; write them into the address: ...://name:password@...",
    "HTTPForbiddenError": "does not let this machine in",
    "HTTPNotFoundError": "there is no video at this path; copy the whole address that the app shows",
    "ConnectionRefusedError": "nothing answers at this port; start the app's server, and check the number",
    "ExitError": f"sends nothing for {READ_S:.0f} s; is the phone awake, and in this Wi-Fi?",
    "TimeoutError": "does not answer; is the phone awake, and in this Wi-Fi?",
}
PASSWORD = re.compile(r"(?<=://)([^/@:]*:)[^/@]*(?=@)")
HIDDEN = "***"
ENDED = "has stopped sending; start it again"
NO_VIDEO = "there is no video to be had; copy the address of the video as the app shows it, not of the app's page"


@dataclass(frozen=True, slots=True)
class NetworkStream:
    """A stream over the network; frames that come faster than `most_fps` are passed over undecoded where that can be.

    Read by FFmpeg in PyAV and not in OpenCV, which tells no reason when an address cannot be opened.
    """

    address: str
    most_fps: float

    @property
    def name(self) -> str:
        """The address without its password: it is shown, and goes into recordings that people share."""
        return without_password(self.address)

    @property
    def is_live(self) -> bool:
        return True

    @property
    def repeats_s(self) -> float:
        return CHANGE_CODED_S if self.address.lower().startswith("rtsp") else STILL_CODED_S

    def frames(self, tell: Callable[[str], None]) -> Iterator[Frame]:
        options = RTSP if self.address.lower().startswith("rtsp") else {}
        reason, begun = ENDED, False
        try:
            with av.open(self.address, options=options, timeout=(OPEN_S, READ_S)) as container:
                if not container.streams.video:
                    raise VisionError(f"{self.name}: {NO_VIDEO}")
                for frame in self._decoded(container):
                    begun = True
                    yield frame
        except (av.FFmpegError, OSError) as error:
            reason = REASONS.get(type(error).__name__, ENDED if begun else NO_VIDEO)
        raise VisionError(f"{self.name}: {reason}")

    def _decoded(self, container: av.container.InputContainer) -> Iterator[Frame]:
        stream = container.streams.video[0]
        whole_pictures = stream.codec_context.name == "mjpeg"
        pace, number = Pace(self.most_fps), 0
        for packet in container.demux(stream):
            arrived_s = time.monotonic()
            due = pace.is_due(arrived_s)
            if whole_pictures and not due:
                continue
            try:
                decoded = packet.decode()
            except av.InvalidDataError:
                continue  # one spoilt picture on the way: the next one will do
            if not decoded or not due:
                continue
            pace.take(arrived_s)
            picture = np.rot90(decoded[-1].to_ndarray(format="bgr24"), round(decoded[-1].rotation / 90))
            yield Frame(np.ascontiguousarray(picture), arrived_s, number)
            number += 1


def without_password(address: str) -> str:
    """An address as people may see it."""
    return PASSWORD.sub(rf"\1{HIDDEN}", address)
