"""`highway calibrate --kit-card`: the card with the pieces on it becomes kit.json, with spreads and doubts in words."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from calibration.camera import Rig
from calibration.errors import CalibrationError
from calibration.store import write_whole
from gui.calibrate_options import CAMERAS
from gui.stills import read_struct

if TYPE_CHECKING:
    from calibration.kit_register import RegisteredKit

Pictures = Mapping[str, Any]
LIVE_S = 20.0
KIT_FILE = "kit.json"


def run_kit(arguments: argparse.Namespace) -> int:
    """Register the kit in the pictures that were named, in a folder, or before live cameras."""
    if arguments.rig is None:
        raise CalibrationError("--kit-card needs the rig that took the pictures: name it with --rig rig.json")
    rig = read_struct(arguments.rig, Rig)
    write_kit(registered(_pictures(arguments), rig), arguments.out or Path(KIT_FILE))
    return 0


def registered(pictures: Pictures, rig: Rig) -> RegisteredKit:
    """The kit on the card; its engine is loaded when it is first needed."""
    from calibration.kit_register import register

    return register(pictures, rig)


def write_kit(kit: RegisteredKit, out: Path) -> None:
    """Write the file, and say what was found."""
    write_whole(out, msgspec.json.format(msgspec.json.encode(kit)))
    for line in kit_report(kit):
        print(line)
    print(f"{out}: written")


def kit_report(kit: RegisteredKit) -> list[str]:
    """What was measured, for people."""

    def size(name: str) -> str:
        return f"{getattr(kit, name):.1f} (± {kit.spreads_mm[name]:.1f})"

    lines = [
        f"disc: {size('disc_diameter_mm')} mm across, {size('disc_height_mm')} mm high",
        f"stick: {size('road_length_mm')} x {size('road_width_mm')} x {size('road_thickness_mm')} mm",
    ]
    if kit.car_spreads_mm:
        lines.append(f"cars: {len(kit.car_spreads_mm)} types measured")
    if kit.colours:
        lines.append("colours: " + ", ".join(f"{name} {code}" for name, code in kit.colours.items()))
    return lines + [f"note: {note}" for note in kit.notes]


def kit_files(folder: Path) -> dict[str, Path]:
    """The pictures of the kit card in a take's folder by camera; none where there are not both."""
    found = {name: next(iter(sorted(folder.glob(f"{name}_kit*"))), None) for name in CAMERAS}
    return {name: file for name, file in found.items() if file is not None} if all(found.values()) else {}


def read_pictures(files: Mapping[str, Path]) -> Pictures:
    """The first picture of each file."""
    from calibration.frames import pictures

    return {name: next(iter(pictures(file))).picture for name, file in files.items()}


def _pictures(arguments: argparse.Namespace) -> Pictures:
    if arguments.live:
        from gui.live_frames import live_frames

        print("lay the kit card with its pieces in sight of both cameras, and leave the table still")
        sources = zip(CAMERAS, arguments.live, strict=True)
        return {name: _last(live_frames(source, LIVE_S), source).picture for name, source in sources}
    if arguments.take is not None:
        files = kit_files(arguments.take) if arguments.take.is_dir() else {}
        if not files:
            raise CalibrationError(f"{arguments.take}: holds no overhead_kit.* and side_kit.*; take both")
        return read_pictures(files)
    if len(arguments.kit_card) != len(CAMERAS):
        raise CalibrationError("--kit-card takes two pictures, the overhead camera's first: --kit-card A.jpg B.jpg")
    return read_pictures(dict(zip(CAMERAS, arguments.kit_card, strict=True)))


def _last(frames: Any, source: str) -> Any:
    """A frame after some: the first ones of a camera are often too dark."""
    last = None
    for number, frame in enumerate(frames):
        last = frame
        if number >= 4:
            break
    if last is None:
        raise CalibrationError(f"camera {source}: sends no picture; start it again")
    return last
