"""A look through one camera: its newest picture, how it does, and what people should set on a phone. Qt-free."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.markers import TAG_DICTIONARY, marker_dictionary
from gui.feed import Picture
from vision.errors import VisionError
from vision.frame import FramePair
from vision.health import Condition
from vision.reader import LiveCameras
from vision.sources import FrameSource, source_of

LOW_FPS = 8.0
MIRROR_EVERY = 15
APPS: tuple[tuple[str, str], ...] = (
    ("Android", "IP Webcam: Start server, then the address it shows with /video behind it"),
    ("Android", "DroidCam: the address it shows with /video behind it"),
    ("iPhone", "IP Camera Lite, or any app that serves MJPEG or RTSP"),
    ("Any phone", "as a USB webcam: then its number, such as 1"),
)
ADVICE = (
    "Lock the rotation, and put the phone on its side.",
    "Use the back camera: the selfie camera mirrors the picture.",
    "Lock focus and exposure, if the app can.",
    "Keep the screen awake and the phone on its charger.",
)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One picture and what can be said of the camera."""

    picture: Picture | None
    words: str
    warnings: tuple[str, ...]
    fit: bool
    scanned: str = ""
    """An address read from a QR code in the picture."""


class CameraLook:
    """Reads one camera in a process of its own and tells what it sees, until stopped."""

    def __init__(self, text: str) -> None:
        self.source: FrameSource = source_of(text)
        self._stopped = threading.Event()

    def run(self, tell: Callable[[Look], None]) -> None:
        """Blocks; called in a thread."""
        codes, mirrored, sizes, count = cv2.QRCodeDetector(), False, set[tuple[int, int]](), 0
        scanned = ""
        try:
            with LiveCameras({"camera": self.source}) as cameras:
                for pair in cameras:
                    if self._stopped.is_set():
                        return
                    picture = _picture(pair)
                    if picture is not None and count % MIRROR_EVERY == 0:
                        mirrored = is_mirrored(picture)
                        found = codes.detectAndDecode(picture)[0]
                        scanned = found if "://" in found else scanned
                    if picture is not None:
                        sizes.add((picture.shape[1], picture.shape[0]))
                        count += 1
                    health = cameras.health()["camera"]
                    warnings = warnings_for(picture, health.fps, mirrored, len(sizes) > 1, count)
                    size = f"{picture.shape[1]} x {picture.shape[0]}, " if picture is not None else ""
                    fit = health.condition in (Condition.RUNNING, Condition.ENDED)
                    words = f"{size}{health.fps:.0f} pictures a second" if fit else health.words
                    tell(Look(picture, words, warnings, fit, scanned))
        except VisionError as error:
            tell(Look(None, str(error), (), False))

    def stop(self) -> None:
        self._stopped.set()


def _picture(pair: FramePair) -> Picture | None:
    return next(iter(pair.pictures().values()), None)


def warnings_for(picture: Picture | None, fps: float, mirrored: bool, turned: bool, count: int) -> tuple[str, ...]:
    """What stands in the way of measuring with this camera."""
    found = []
    if picture is not None and picture.shape[0] > picture.shape[1]:
        found.append("The picture stands upright: put the phone on its side and lock the rotation.")
    if turned:
        found.append("The picture turned while it ran: lock the rotation.")
    if mirrored:
        found.append("The picture is mirrored: use the back camera, or switch mirroring off.")
    if count > 30 and fps < LOW_FPS:
        found.append(f"Only {fps:.0f} pictures a second: come nearer to the router, or choose a smaller size.")
    return tuple(found)


def is_mirrored(picture: Picture) -> bool:
    """Whether the printed tags read only in a mirror."""
    detector = cv2.aruco.ArucoDetector(marker_dictionary(TAG_DICTIONARY))
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    if len(detector.detectMarkers(grey)[0]):
        return False
    return len(detector.detectMarkers(np.ascontiguousarray(grey[:, ::-1]))[0]) > 1
