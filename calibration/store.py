"""Calibrations that are kept: lenses by camera and picture size, rigs by table; named, dated, versioned."""

from __future__ import annotations

import os
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
import platformdirs

from calibration.errors import CalibrationError
from calibration.lens import Lens
from calibration.rig_quality import SolvedRig
from referee.pieces import Kit

VERSION = 1
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}")

Solved = TypeVar("Solved", Lens, SolvedRig)


class Kept(msgspec.Struct, Generic[Solved], frozen=True):
    """A calibration as it lies in the store."""

    name: str
    made: str
    """When, in UTC, as ISO 8601."""
    value: Solved
    version: int = VERSION


def folder() -> Path:
    """Where calibrations are kept."""
    return platformdirs.user_data_path("highway-referee") / "calibrations"


def write_whole(path: Path, data: bytes) -> None:
    """A file appears whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(part, 0o644)
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise
    except OSError as error:
        raise CalibrationError(f"{path}: cannot be written ({(error.strerror or str(error)).lower()})") from None


def keep_lens(name: str, lens: Lens, root: Path | None = None) -> Path:
    """Put a lens away; the same camera at another size is another file, at the same size it is replaced."""
    return _keep(_lens_file(name, lens.width, lens.height, root), name, lens)


def keep_rig(name: str, rig: SolvedRig, root: Path | None = None) -> Path:
    """Put a rig away under the table's name."""
    return _keep((root or folder()) / f"rig {_checked(name)}.json", name, rig)


def keep_kit(name: str, kit: Kit, root: Path | None = None) -> Path:
    """Put a kit away; the file is a kit.json that every command takes."""
    file = (root or folder()) / f"kit {_checked(name)}.json"
    write_whole(file, msgspec.json.format(msgspec.json.encode(kit)))
    return file


def kits(root: Path | None = None) -> list[Path]:
    """Kits that were put away, as files."""
    return sorted((root or folder()).glob("kit *.json"))


def kept_lens(name: str, size: tuple[int, int], root: Path | None = None) -> Kept[Lens]:
    """The lens of a camera for pictures of this size."""
    file = _lens_file(name, *size, root)
    if not file.exists():
        others = [kept for kept in lenses(root) if kept.name == name]
        if others:
            sizes = ", ".join(f"{o.value.width} x {o.value.height}" for o in others)
            raise CalibrationError(
                f"the lens '{name}' was calibrated at {sizes}, the pictures have {size[0]} x {size[1]}: "
                "set the camera to that size, or calibrate it at this one"
            )
        known = ", ".join(sorted({kept.name for kept in lenses(root)})) or "none yet"
        raise CalibrationError(f"no lens is kept as '{name}'; kept are: {known}")
    return _read(file, Kept[Lens])


def kept_rig(name: str, root: Path | None = None) -> Kept[SolvedRig]:
    """The rig of a table."""
    file = (root or folder()) / f"rig {_checked(name)}.json"
    if not file.exists():
        known = ", ".join(kept.name for kept in rigs(root)) or "none yet"
        raise CalibrationError(f"no rig is kept as '{name}'; kept are: {known}")
    return _read(file, Kept[SolvedRig])


def lenses(root: Path | None = None) -> list[Kept[Lens]]:
    """All lenses, by name."""
    return [_read(file, Kept[Lens]) for file in sorted((root or folder()).glob("lens *.json"))]


def rigs(root: Path | None = None) -> list[Kept[SolvedRig]]:
    """All rigs, by name."""
    return [_read(file, Kept[SolvedRig]) for file in sorted((root or folder()).glob("rig *.json"))]


def _keep(file: Path, name: str, value: Lens | SolvedRig) -> Path:
    made = datetime.now(UTC).isoformat(timespec="seconds")
    fields = {"name": name, "made": made, "value": value, "version": VERSION}
    write_whole(file, msgspec.json.format(msgspec.json.encode(fields)))
    return file


def _lens_file(name: str, width: int, height: int, root: Path | None) -> Path:
    return (root or folder()) / f"lens {_checked(name)} {width}x{height}.json"


def _checked(name: str) -> str:
    if not NAME.fullmatch(name):
        raise CalibrationError(f"'{name}' is no name for a calibration: letters, digits, spaces, . _ -, at most 64")
    return name


KeptLens = Kept[Lens]
KeptRig = Kept[SolvedRig]
AnyKept = TypeVar("AnyKept", KeptLens, KeptRig)


def _read(file: Path, kind: type[AnyKept]) -> AnyKept:
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise CalibrationError(f"{file.name}: cannot be read ({error}); delete it and calibrate again") from None
    if kept.version != VERSION:
        raise CalibrationError(
            f"{file.name}: written by another version of the program ({kept.version}, this one reads {VERSION}); "
            "calibrate again"
        )
    return kept
