"""`highway cameras`: which cameras there are, for people and as JSON."""

from __future__ import annotations

import argparse
import dataclasses
import json

from vision.cameras import CameraFound, cameras

NONE = (
    "no camera is plugged in. Phones need no cable: start a webcam app (MJPEG or RTSP) and give the address it shows,\n"
    "such as http://192.168.1.20:8080/video, wherever a camera is asked for."
)


def run(arguments: argparse.Namespace) -> int:
    """List what there is."""
    found = cameras()
    if arguments.json:
        print(json.dumps([dataclasses.asdict(camera) for camera in found]))
        return 0
    print("\n".join(line for camera in found for line in lines(camera)) or NONE)
    return 0


def lines(camera: CameraFound) -> list[str]:
    """One camera for people."""
    head = f"{camera.device}  {camera.name}"
    if camera.trouble is not None:
        return [f"{head}  ({camera.trouble})"]
    modes = [
        f"     {code:<5} {', '.join(f'{w} x {h}' for w, h in sizes) or 'any size'}" for code, sizes in camera.modes
    ]
    return [head, *modes]
