"""Pictures out of files: a video, a picture, or a folder of pictures, in the order of time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import CalibrationError

STILLS = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture in BGR, what to call it, and when it was taken: seconds into a video, the number of a still."""

    picture: NDArray[np.uint8]
    name: str
    time_s: float


def pictures(path: Path, every_s: float = 0.0) -> Iterator[Frame]:
    """What a file or folder holds, all of one size; of a video one frame in every so many seconds, of 0.0 all."""
    first: Frame | None = None
    for frame in frames_in(path, every_s):
        first = first or frame
        if frame.picture.shape != first.picture.shape:
            raise CalibrationError(
                f"{frame.name}: {_size(frame)} pixels, but {first.name} has {_size(first)}; "
                "a lens is solved at one size, so take all pictures alike"
            )
        yield frame


def frames_in(path: Path, every_s: float = 0.0) -> Iterator[Frame]:
    """What a file or folder holds, of whatever sizes; at least one frame."""
    if not path.exists():
        raise CalibrationError(f"{path}: is not there; name a video, a picture or a folder of pictures")
    empty = True
    for frame in _in_folder(path) if path.is_dir() else _in_file(path, every_s):
        empty = False
        yield frame
    if empty:
        raise CalibrationError(f"{path}: holds no picture that can be read; record it again")


def length_s(path: Path) -> float:
    """How long a video says it is, or how many stills there are; 0.0 where nobody knows."""
    if path.is_dir():
        return float(len(_stills(path)))
    if path.suffix.lower() in STILLS:
        return 1.0
    try:
        with av.open(str(path)) as container:
            return (container.duration or 0) / av.time_base
    except (OSError, ValueError):
        return 0.0


def _size(frame: Frame) -> str:
    height, width = frame.picture.shape[:2]
    return f"{width} x {height}"


def _stills(folder: Path) -> list[Path]:
    """The pictures of a folder; 2 comes before 10."""
    named = [file for file in folder.iterdir() if file.suffix.lower() in STILLS and not file.name.startswith(".")]
    return sorted(named, key=lambda file: [part.zfill(12) for part in re.split(r"(\d+)", file.name)])


def _in_folder(folder: Path) -> Iterator[Frame]:
    files = _stills(folder)
    if not files:
        raise CalibrationError(f"{folder}: holds no pictures; known are {', '.join(sorted(STILLS))}")
    for number, file in enumerate(files):
        yield Frame(_still(file), file.name, float(number))


def _in_file(file: Path, every_s: float) -> Iterator[Frame]:
    if file.stat().st_size == 0:
        raise CalibrationError(f"{file}: is empty; record it again")
    if file.suffix.lower() in STILLS:
        yield Frame(_still(file), file.name, 0.0)
        return
    try:
        with av.open(str(file)) as container:
            if not container.streams.video:
                raise CalibrationError(f"{file}: holds no video; name a video, a picture or a folder of pictures")
            yield from _sampled(container, file.name, every_s)
    except (av.FFmpegError, OSError) as error:
        raise CalibrationError(f"{file}: cannot be read ({_reason(error)}); record or copy it again") from None


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error).lower()


def _sampled(container: av.container.InputContainer, name: str, every_s: float) -> Iterator[Frame]:
    stream = container.streams.video[0]
    stream.thread_type = "AUTO"
    if every_s > 0:
        stream.codec_context.skip_frame = "NONREF"  # frames that no other builds on: as good as free to leave out
    due_s = 0.0
    start_s: float | None = None
    for number, frame in enumerate(container.decode(stream)):
        at_s = number / float(stream.average_rate or 30) if frame.pts is None else float(frame.time)
        start_s = at_s if start_s is None else start_s
        if at_s - start_s < due_s - 1e-6:
            continue
        due_s = at_s - start_s + every_s
        picture = np.rot90(frame.to_ndarray(format="bgr24"), round(frame.rotation / 90))
        yield Frame(np.ascontiguousarray(picture), f"{name} at {at_s - start_s:.1f} s", at_s - start_s)


def _still(file: Path) -> NDArray[np.uint8]:
    try:
        data = np.fromfile(file, dtype=np.uint8)
    except OSError as error:
        raise CalibrationError(f"{file}: {_reason(error)}; name a picture that can be read") from None
    if data.size == 0:
        raise CalibrationError(f"{file}: is empty; take it again")
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if picture is None:
        raise CalibrationError(f"{file}: is no picture that can be read; take or copy it again")
    return np.asarray(picture, dtype=np.uint8)
