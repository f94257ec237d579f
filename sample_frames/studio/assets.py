"""Light and surfaces from photographs, fetched from the package registries when first needed, never committed.

HDR environments come in npm's `@pmndrs/assets` (CC0), photographs of wood, cloth and stone in Debian's `gimp-data` and
`mate-backgrounds`, rigged hands in npm's `@webxr-input-profiles/assets` (MIT). They lie in the user's cache; delete it
and they are fetched again.
"""

from __future__ import annotations

import base64
import re
import shutil
import struct
import subprocess
import tarfile
from pathlib import Path

import cv2
import numpy as np
import platformdirs
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

HDRIS = "@pmndrs/assets"
HANDS = "@webxr-input-profiles/assets"
SIDES = ("left", "right")
DEBIAN = ("gimp-data", "mate-backgrounds")


class StudioError(RuntimeError):
    """The studio cannot work here; the message says what to do."""


def cache() -> Path:
    """Where fetched things lie."""
    folder = platformdirs.user_cache_path("highway-referee") / "studio"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def environments() -> dict[str, Path]:
    """HDR environments by name, as EXR files."""
    folder = cache() / "hdri"
    if not folder.is_dir():
        _unpack_environments(_npm(HDRIS), folder)
    return {file.stem: file for file in sorted(folder.glob("*.exr"))}


def patterns() -> dict[str, Picture]:
    """Small photographed surfaces by name (BGR), that tile."""
    files = sorted(_debian("gimp-data").rglob("*.pat"))
    found = {file.stem: _read_pattern(file) for file in files}
    return {name: picture for name, picture in found.items() if picture is not None}


def photographs() -> dict[str, Picture]:
    """Large photographed surfaces by name (BGR)."""
    files = sorted(_debian("mate-backgrounds").rglob("*.jpg"))
    return {file.stem: np.asarray(cv2.imread(str(file)), dtype=np.uint8) for file in files if file.stem == "Wood"}


def hand_models() -> dict[str, Path]:
    """The rigged left and right hand, as binary glTF files."""
    folder = cache() / "hands"
    if not folder.is_dir():
        part = _fresh(folder.with_name(folder.name + ".part"))
        with tarfile.open(_npm(HANDS)) as tar:
            for side in SIDES:
                (part / f"{side}.glb").write_bytes(_member(tar, f"package/dist/profiles/generic-hand/{side}.glb"))
        part.rename(folder)
    return {side: folder / f"{side}.glb" for side in SIDES}


def _member(tar: tarfile.TarFile, name: str) -> bytes:
    try:
        file = tar.extractfile(name)
    except KeyError:
        file = None
    if file is None:
        raise StudioError(f"the package {HANDS} holds no {name} any more")
    return file.read()


def _npm(package: str) -> Path:
    """An npm package's archive."""
    folder = cache() / "npm" / package.replace("/", "-")
    if not list(folder.glob("*.tgz")):
        _run("npm", "pack", package, "--silent", "--pack-destination", str(_fresh(folder)))
    return next(folder.glob("*.tgz"))


def _unpack_environments(archive: Path, folder: Path) -> None:
    """The package holds each EXR as base64 in a script."""
    part = _fresh(folder.with_name(folder.name + ".part"))
    with tarfile.open(archive) as tar:
        for member in tar:
            name = re.fullmatch(r"package/hdri/(\w+)\.exr\.js", member.name)
            script = tar.extractfile(member) if name else None
            if name and script is not None:
                data = re.search(rb"base64,([A-Za-z0-9+/=]+)", script.read())
                if data:
                    (part / f"{name[1]}.exr").write_bytes(base64.b64decode(data[1]))
    part.rename(folder)


def _debian(package: str) -> Path:
    """A Debian package's files, unpacked and not installed."""
    folder = cache() / "debian" / package
    if not folder.is_dir():
        part = _fresh(folder.with_name(package + ".part"))
        _run("apt-get", "download", package, cwd=part)
        for archive in part.glob("*.deb"):
            _run("dpkg-deb", "-x", str(archive), str(part / "files"))
            archive.unlink()
        part.rename(folder)
    return folder


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _run(*command: str, cwd: Path | None = None) -> None:
    if shutil.which(command[0]) is None:
        raise StudioError(f"the studio fetches surfaces and light with {command[0]}, which is not installed here")
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StudioError(f"{' '.join(command[:3])} failed: {done.stderr.strip()[-300:]}")


def _read_pattern(file: Path) -> Picture | None:
    """A GIMP pattern: a header of five big-endian numbers, then rows of pixels; grey ones become BGR."""
    data = file.read_bytes()
    start, _, width, height, channels = struct.unpack(">5I", data[:20])
    if channels not in (1, 3):
        return None
    pixels = np.frombuffer(data[start : start + width * height * channels], np.uint8).reshape(height, width, channels)
    rgb = np.repeat(pixels, 3, axis=2) if channels == 1 else pixels
    return np.ascontiguousarray(rgb[:, :, ::-1])
