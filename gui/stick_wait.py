"""Waiting until somebody has put a stick down and taken the hand away, then measuring it. Qt-free."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.camera import Rig
from calibration.errors import CalibrationError
from calibration.touched import TouchedStick, touched_stick
from gui.feed import Picture, Pictures
from referee.pieces import Kit

SMALL_PX = 640
STEP = 14.0
MOST_MOVING = 0.0002
"""Share of a small picture that may differ from the last one while the table counts as still: less than a stick."""
STILL_LOOKS = 2
INK_BGR = (216, 196, 56)


class StickWait:
    """Feed it pairs as they come; the first one is the table without the stick."""

    def __init__(self, rig: Rig, kit: Kit) -> None:
        self._rig, self._kit = rig, kit
        self._before: Pictures | None = None
        self._last: Picture | None = None
        self._tried: Picture | None = None
        self._still = 0
        self.words = "looking at the table without the stick"

    def look(self, pair: Pictures) -> TouchedStick | None:
        """The stick, once it lies still; `words` say what is waited for."""
        small = _small(pair["overhead"])
        moving = self._last is not None and _differs(small, self._last)
        self._last, self._still = small, 0 if moving else self._still + 1
        if self._before is None:
            if self._still >= STILL_LOOKS:
                self._before, self._tried = pair, small
                self.words = "now lay a stick flat on the table, and take your hand away"
            return None
        if self._still < STILL_LOOKS or (self._tried is not None and not _differs(small, self._tried)):
            return None
        self._tried = small
        try:
            return touched_stick(self._before, pair, self._rig, self._kit)
        except CalibrationError as error:
            self.words = str(error)
            return None


def drawn_on(picture: Picture, stick: TouchedStick, rig: Rig) -> Picture:
    """The overhead picture with the stick's middle line, its ends marked."""
    tips = np.array([(*tip, 0.0) for tip in stick.tips_mm])
    (a, b) = rig.overhead.project(tips).round().astype(int).tolist()
    drawn = picture.copy()
    cv2.line(drawn, a, b, INK_BGR, 2, cv2.LINE_AA)
    for tip in (a, b):
        cv2.circle(drawn, tip, 7, INK_BGR, 2, cv2.LINE_AA)
    return drawn


def _small(picture: Picture) -> Picture:
    height, width = picture.shape[:2]
    size = (SMALL_PX, round(SMALL_PX * height / width))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _differs(one: Picture, other: Picture) -> bool:
    return float((cv2.absdiff(one, other).max(axis=2) > STEP).mean()) > MOST_MOVING
