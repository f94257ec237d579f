"""Settled pairs and what belongs to them, from files: pictures, rig.json, kit.json."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

import cv2
import msgspec
import numpy as np

from vision.errors import VisionError
from vision.view import Picture

STILL = re.compile(r"turn_(\d+)_(overhead|side)\.(?:jpg|jpeg|png)", re.IGNORECASE)
TRAILING_BYTES = 4096
"""What some cameras write behind a picture's end."""
Value = TypeVar("Value", bound=msgspec.Struct)


def settled_stills(folder: Path) -> dict[int, dict[str, Path]]:
    """Files by turn and camera; empty where there are none."""
    if not folder.is_dir():
        raise VisionError(f"{folder}: is no folder; name one with turn_00_overhead.jpg, turn_00_side.jpg and so on")
    found: dict[int, dict[str, Path]] = {}
    for file in sorted(folder.iterdir()):
        if named := STILL.fullmatch(file.name):
            found.setdefault(int(named[1]), {})[named[2].lower()] = file
    return dict(sorted(found.items()))


def read_picture(file: Path) -> Picture:
    """A colour picture, refused where it cannot be read."""
    try:
        data = np.fromfile(file, dtype=np.uint8)
    except OSError as error:
        raise VisionError(f"{file}: {(error.strerror or str(error)).lower()}") from None
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    if picture is None:
        raise VisionError(f"{file}: is no picture that can be read; take or copy it again")
    if _is_cut_off(data.tobytes()):
        raise VisionError(f"{file}: is cut off before its end; take or copy it again")
    return np.asarray(picture, dtype=np.uint8)


def _is_cut_off(data: bytes) -> bool:
    """Whether a JPEG or PNG lacks its end; decoders fill up the rest in grey."""
    if data.startswith(b"\xff\xd8"):
        return b"\xff\xd9" not in data[-TRAILING_BYTES:]
    return data.startswith(b"\x89PNG") and b"IEND" not in data[-TRAILING_BYTES:]


def read_struct(file: Path, kind: type[Value]) -> Value:
    """A rig, a kit or the like from its JSON file."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except OSError as error:
        raise VisionError(f"{file}: {(error.strerror or str(error)).lower()}") from None
    except msgspec.DecodeError as error:
        raise VisionError(f"{file}: {error}") from None
