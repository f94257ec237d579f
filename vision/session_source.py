"""A recorded session as a source of frames: each camera's video, by the time since the recording began."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vision.errors import BadSession
from vision.frame import Frame
from vision.playback import Video
from vision.session_file import open_session
from vision.sources import Tell
from vision.views import CAMERAS


@dataclass(frozen=True, slots=True)
class SessionVideo:
    """The video of one camera in a session; every frame, in order."""

    path: Path
    camera: str
    is_live: bool = False
    repeats_s: float = float("inf")

    @property
    def name(self) -> str:
        return f"{self.path} ({self.camera})"

    def frames(self, tell: Tell) -> Iterator[Frame]:
        with open_session(self.path) as file:
            begin_ns, end_ns = file.span_ns()
            for number, (time_ns, picture) in enumerate(Video(file, self.camera).pictures(begin_ns, end_ns)):
                yield Frame(picture, (time_ns - begin_ns) / 1e9, number)


def session_videos(path: Path) -> dict[str, SessionVideo]:
    """Both cameras of a session."""
    with open_session(path) as file:
        missing = [camera for camera in CAMERAS if f"/{camera}" not in file.topics]
    if missing:
        raise BadSession(f"{path}: holds no {' and no '.join(missing)} video; judge it again with `highway replay`")
    return {camera: SessionVideo(path, camera) for camera in CAMERAS}
