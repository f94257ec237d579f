"""Which cameras are on this machine: their names, and what they can send."""

from __future__ import annotations

import os
import platform
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2

from vision.usb import BACKENDS

LISTED = Path("/sys/class/video4linux")
PROBED = 5
"""Where the system lists none, so many numbers are tried."""
# Linux' video ioctls, their numbers and layouts as in linux/videodev2.h.
QUERY_CAPABILITIES, CAPABILITIES = 0x80685600, "16s32s32sIII12x"
ENUMERATE_FORMATS, FORMAT = 0xC0405602, "III32sII12x"
ENUMERATE_SIZES, SIZE = 0xC02C564A, "IIIII16x8x"
IS_CAPTURE, IS_DISCRETE = 0x1, 1
VIDEO_CAPTURE = 1


@dataclass(frozen=True, slots=True)
class CameraFound:
    """A camera by what `source_of` calls it, its name, and the sizes it offers by format."""

    device: str
    name: str
    modes: tuple[tuple[str, tuple[tuple[int, int], ...]], ...] = ()
    trouble: str | None = None


def cameras() -> list[CameraFound]:
    """What the system lists; where it lists nothing, what opens."""
    if platform.system() == "Linux":
        found = [_listed(entry) for entry in sorted(LISTED.glob("video*"), key=lambda e: int(e.name[5:]))]
        return [camera for camera in found if camera is not None]
    return [camera for camera in map(_probed, range(PROBED)) if camera is not None]


def _listed(entry: Path) -> CameraFound | None:
    """A camera of Linux; None for its companions that send no pictures."""
    number = entry.name[5:]
    name = (entry / "name").read_text("utf-8", "replace").strip()
    try:
        handle = os.open(f"/dev/{entry.name}", os.O_RDWR | os.O_NONBLOCK)
    except PermissionError:
        return CameraFound(number, name, trouble="no permission: add yourself to the group `video`")
    except OSError as error:
        return CameraFound(number, name, trouble=(error.strerror or str(error)).lower())
    try:
        *_, own = struct.unpack(CAPABILITIES, _asked(handle, QUERY_CAPABILITIES, bytes(104)))
        return CameraFound(number, name, modes_of(handle)) if own & IS_CAPTURE else None
    except OSError as error:
        return CameraFound(number, name, trouble=(error.strerror or str(error)).lower())
    finally:
        os.close(handle)


def modes_of(handle: int) -> tuple[tuple[str, tuple[tuple[int, int], ...]], ...]:
    """Formats with their sizes, as the driver lists them."""
    modes = []
    for index in range(64):
        try:
            answer = _asked(handle, ENUMERATE_FORMATS, struct.pack(FORMAT, index, VIDEO_CAPTURE, 0, b"", 0, 0))
        except OSError:
            break  # the end of the list
        code = struct.unpack(FORMAT, answer)[4]
        modes.append((struct.pack("<I", code).decode("ascii", "replace").strip(), _sizes(handle, code)))
    return tuple(modes)


def _sizes(handle: int, code: int) -> tuple[tuple[int, int], ...]:
    sizes = []
    for index in range(64):
        try:
            answer = _asked(handle, ENUMERATE_SIZES, struct.pack(SIZE, index, code, 0, 0, 0))
        except OSError:
            break
        _, _, kind, width, height = struct.unpack(SIZE, answer)
        if kind != IS_DISCRETE:
            break  # any size between two limits: nothing to list
        sizes.append((width, height))
    return tuple(sizes)


def _asked(handle: int, number: int, question: bytes) -> bytes:
    import fcntl  # not on Windows

    return fcntl.ioctl(handle, number, question)


def _probed(number: int) -> CameraFound | None:
    """A camera that opens, with the one mode that it starts with: other systems tell OpenCV no names."""
    capture = cv2.VideoCapture()
    try:
        if not capture.open(number, BACKENDS.get(sys.platform, cv2.CAP_ANY)):
            return None
        size = round(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
        return CameraFound(str(number), f"camera {number}", (("", (size,)),))
    finally:
        capture.release()
