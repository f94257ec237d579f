"""Recording a session: video of both cameras, settled stills as vision saw them, and events as named JSON."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import av

from vision import foxglove
from vision.errors import BadSession
from vision.h264 import LIVE, Encoder, Quality
from vision.session_index import STILLS, index
from vision.session_log import DiskFull, SessionLog, Topic
from vision.session_scan import Progress, Scan
from vision.still import Still
from vision.view import Picture
from vision.views import CAMERAS

WAITING = 16
"""Pictures per camera that may wait for the encoder, all that come at once after a hold-up among them; more are
dropped, so that nothing grows."""
LOOK_EVERY_S = 1.0

Warn = Callable[[str], None]
PICTURES = (
    *(Topic(f"/{camera}", "foxglove.CompressedVideo", foxglove.schema(foxglove.VIDEO), False) for camera in CAMERAS),
    *(Topic(STILLS + c, "foxglove.CompressedImage", foxglove.schema(foxglove.IMAGE), False) for c in CAMERAS),
)


class Recorder:
    """Writes one session. Events never wait for pictures; a full disk stops the pictures, not the events."""

    def __init__(self, log: SessionLog, warn: Warn, quality: Quality = LIVE) -> None:
        self._log = log
        self._warn = warn
        self.quality = quality
        self._stopped = threading.Event()
        self._lines = {camera: _Line(self, camera) for camera in CAMERAS}

    @staticmethod
    def begin(
        path: Path, events: Sequence[Topic], facts: Mapping[str, str], warn: Warn, quality: Quality = LIVE
    ) -> Recorder:
        """Record into a new file."""
        return Recorder(SessionLog.create(path, (*events, *PICTURES), facts), warn, quality)

    @staticmethod
    def go_on(found: Scan, events: Sequence[Topic], warn: Warn) -> Recorder:
        """Record on at the end of a session, cut off or closed."""
        return Recorder(SessionLog.extend(found.path, found.end, (*events, *PICTURES)), warn)

    @property
    def path(self) -> Path:
        return self._log.path

    @property
    def dropped(self) -> dict[str, int]:
        """Pictures per camera that came faster than they could be encoded."""
        return {camera: line.dropped for camera, line in self._lines.items()}

    @property
    def has_pictures(self) -> bool:
        """Whether any picture was handed in."""
        return any(line.has_begun for line in self._lines.values())

    def event(self, topic: str, data: bytes, time_ns: int, number: int = 0, durable: bool = False) -> None:
        """Write an event; a durable one lies on the disk when this returns."""
        self._log.append(topic, data, time_ns, number)
        if durable:
            self._log.sync()

    def frame(self, camera: str, picture: Picture, time_ns: int, wait: bool = False) -> None:
        """Hand a picture to the encoder; `wait` for it where the source is a file and nothing may be lost."""
        if not self._stopped.is_set():
            self._lines[camera].take(picture, time_ns, wait)

    def still(self, camera: str, still: Still, time_ns: int, number: int) -> None:
        """Store a settled picture exactly as vision saw it."""
        packed = foxglove.pack(foxglove.IMAGE, still.data, still.format, camera, time_ns)
        self._put(STILLS + camera, packed, time_ns, number)

    def drain(self) -> None:
        """Return when every picture handed in so far is written."""
        for line in self._lines.values():
            line.drain()

    def cut(self) -> None:
        """Stop without giving the session its index: whoever opens it next does."""
        for line in self._lines.values():
            line.end()
        self._log.close()

    def close(self, progress: Progress | None = None) -> None:
        """End the session and give it its index."""
        self.cut()
        index(self._log.path, progress)

    def put_packet(self, camera: str, packet: bytes, time_ns: int) -> None:
        """Write an encoded picture."""
        self._put(f"/{camera}", foxglove.pack(foxglove.VIDEO, packet, "h264", camera, time_ns), time_ns)

    def _put(self, topic: str, data: bytes, time_ns: int, number: int = 0) -> None:
        if self._stopped.is_set():
            return
        try:
            self._log.append(topic, data, time_ns, number, vital=False)
        except DiskFull:
            self.stop_pictures("the disk is full")

    def stop_pictures(self, why: str) -> None:
        """From now on only events are recorded."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._warn(f"{why}: video stops here, the game goes on being recorded in {self.path.name}")


class _Line:
    """One camera's encoder in a thread of its own."""

    def __init__(self, recorder: Recorder, camera: str) -> None:
        self.dropped = 0
        self.has_begun = False
        self._recorder = recorder
        self._camera = camera
        self._waiting: queue.Queue[tuple[Picture, int] | None] = queue.Queue(WAITING)
        self._thread: threading.Thread | None = None

    def take(self, picture: Picture, time_ns: int, wait: bool) -> None:
        self.has_begun = True
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=f"encode {self._camera}", daemon=True)
            self._thread.start()
        try:
            self._waiting.put((picture, time_ns), block=wait)
        except queue.Full:
            self.dropped += 1

    def drain(self) -> None:
        self._waiting.join()

    def end(self) -> None:
        if self._thread is not None:
            self._waiting.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        encoder: Encoder | None = None
        while (item := self._next()) is not None:
            try:
                encoder = self._encode(encoder, *item)
            except (av.FFmpegError, BadSession) as error:
                # Goes on taking pictures in, or whoever hands them over would wait for ever.
                self._recorder.stop_pictures(f"the {self._camera} video cannot be recorded ({error})")
            finally:
                self._waiting.task_done()
        self._waiting.task_done()

    def _next(self) -> tuple[Picture, int] | None:
        """Looks by itself now and then: Ctrl-C in the midst of a `put` can swallow its wake-up call."""
        while True:
            with contextlib.suppress(queue.Empty):
                return self._waiting.get(timeout=LOOK_EVERY_S)

    def _encode(self, encoder: Encoder | None, picture: Picture, time_ns: int) -> Encoder:
        height, width = picture.shape[:2]
        if encoder is None or encoder.size != (width, height):
            encoder = Encoder(width, height, self._recorder.quality)
        self._recorder.put_packet(self._camera, encoder.packet(picture, time_ns / 1e9), time_ns)
        return encoder
