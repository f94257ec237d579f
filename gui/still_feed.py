"""A feed that shows one pair of pictures and waits: for screenshots, tests, and tables entered by hand."""

from __future__ import annotations

import threading

from calibration.camera import Rig
from gui.desk import Desk
from gui.feed import Pictures, Shown, Tell


class StillFeed:
    """Pictures that stand still."""

    def __init__(self, rig: Rig, pictures: Pictures) -> None:
        self.rig, self.pictures = rig, pictures
        self._stopped = threading.Event()

    def run(self, tell: Tell) -> None:
        if self.pictures:
            tell(Shown(self.pictures, 0.0))
        self._stopped.wait()

    def follow(self, desk: Desk) -> None:
        """Nothing follows from what is accepted."""

    def pause(self, paused: bool) -> None:
        """It stands still already."""

    def stop(self) -> None:
        self._stopped.set()
