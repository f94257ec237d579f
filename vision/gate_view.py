"""One camera at the gate: its small pictures, its newest frames, and the scene that came through last."""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np

from calibration.camera import Camera, Rig
from vision.foreign import CHROMA, COMPARED_WIDTH_PX, LIGHT, Foreign, changes, foreign, log_light
from vision.frame import Frame
from vision.hands import Box
from vision.median import MOST
from vision.moved_camera import pictures_moved
from vision.play_masks import PlayMask, play_mask, smaller
from vision.stillness import Stillness, thumbnail
from vision.view import Picture, Singles

MOTION_WIDTH_PX = 320
"""How wide pictures are when they are watched for movement."""
FASTEST_S = 0.06
"""Frames that follow sooner are passed over: their noise is the same, and they cost as much."""
HAND_MM = (60.0, 350.0)
"""How long a hand looks on the table: a child's fist, and a large hand half way up to the camera."""
FINGERS_MM, SOLID_MM2 = 22.0, 1_200.0
"""Two fingers are thicker than any piece, and a hand has more of them."""
TILE = 0.6
MOST_WINDOWS = 3
FINGER_MM2 = 250.0


class GateView:
    """What the gate remembers of one camera."""

    def __init__(self, rig: Rig | None, name: str) -> None:
        self._rig, self._name = rig, name
        self._mask: PlayMask | None = None
        self._stillness: Stillness | None = None
        self._last: Frame | None = None
        self.recent: deque[Frame] = deque(maxlen=MOST)
        """The newest frames of the stillness."""
        self.reference: Singles | None = None
        """The scene that came through last, as logarithms of its small picture."""

    @property
    def still_s(self) -> float:
        if self._last is None or self._stillness is None:
            return 0.0
        return self._last.time_s - self._stillness.since_s

    def feed(self, frame: Frame, is_open: bool = False) -> bool:
        """Whether this frame shows that something moved; while the gate is open no frames are kept."""
        if self._last is not None and frame.number == self._last.number:
            return False
        if self._last is not None and 0 <= frame.time_s - self._last.time_s < FASTEST_S:
            return False
        if self._stillness is None or self._last is None or frame.size != self._last.size:
            self._mask = play_mask(frame.size, self._rig, self._name, COMPARED_WIDTH_PX)
            self._stillness = Stillness(play_mask(frame.size, self._rig, self._name, MOTION_WIDTH_PX))
            self.reference = None
        self._last = frame
        moved = self._stillness.feed(thumbnail(frame.picture, MOTION_WIDTH_PX), frame.time_s)
        if moved or is_open:
            self.recent.clear()
        if moved or not is_open:
            self.recent.append(frame)
        return moved

    def forget_motion(self) -> None:
        """After a pause: stillness begins anew."""
        if self._stillness is not None:
            self._stillness.forget()
        self.recent.clear()

    def accept(self, picture: Picture) -> None:
        """This is the scene that the next one is compared with."""
        self.reference = log_light(smaller(picture, COMPARED_WIDTH_PX))

    def camera_moved(self, was: Camera, now: Camera) -> None:
        """The camera has moved a little: the scene is kept as it would look from there."""
        if self.reference is not None and was != now:
            self.reference = pictures_moved(self.reference, was, now)

    def foreign(self, picture: Picture) -> list[Foreign]:
        """Large things that were not in the scene before."""
        if self.reference is None or self._mask is None:
            return []
        now = log_light(smaller(picture, COMPARED_WIDTH_PX))
        return foreign(self.reference, now, self._mask, self._name == "overhead")

    def may_be_hand(self, picture: Picture, box: Box) -> bool:
        """Whether what MediaPipe calls a hand is as large as one, near the play area, and solid where it is new.

        MediaPipe sees hands in heaps of pieces and printed cards: those are too small, or were there before.
        """
        if self._mask is None:
            return True
        height, width = self._mask.near.shape
        left, top = max(0, int(box[0] * width)), max(0, int(box[1] * height))
        part = np.s_[top : top + int(box[3] * height) + 1, left : left + int(box[2] * width) + 1]
        if not (self._mask.near[part] > 0).any():
            return False
        foot = min(int((box[1] + box[3]) * height), height - 1)
        scale = float(self._mask.scale_by_row[max(foot, 0)])
        if not HAND_MM[0] < max(box[2] * width, box[3] * height) / scale < HAND_MM[1]:
            return False
        changed = self._changed(picture)
        if changed is None:
            return True
        across = self._mask.px(FINGERS_MM)
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across))
        solid = cv2.morphologyEx(changed, cv2.MORPH_OPEN, kernel)
        return cv2.countNonZero(np.ascontiguousarray(solid[part])) > SOLID_MM2 * scale**2

    def changed_windows(self, picture: Picture) -> list[Box]:
        """Where a hand may be that is too small in the whole picture: where it changed, or in overlapping tiles."""
        changed = self._changed(picture)
        if changed is None or self._mask is None:
            corners = (0.0, 1.0 - TILE)
            return [(x, y, TILE, TILE) for x in corners for y in corners]
        height, width = changed.shape
        count, _, stats, _ = cv2.connectedComponentsWithStats(changed)
        least_px = FINGER_MM2 * self._mask.px_per_mm**2
        large = sorted((k for k in range(1, count) if stats[k, 4] > least_px), key=lambda k: -stats[k, 4])
        return [
            (stats[k, 0] / width, stats[k, 1] / height, stats[k, 2] / width, stats[k, 3] / height)
            for k in large[:MOST_WINDOWS]
        ]

    def _changed(self, picture: Picture) -> Picture | None:
        """255 where colour or light is not as it was in the last scene."""
        if self.reference is None or self._mask is None:
            return None
        colour, light = changes(self.reference, log_light(smaller(picture, COMPARED_WIDTH_PX)), self._mask)
        return ((colour > CHROMA) | (np.abs(light) > LIGHT)).astype(np.uint8) * 255 & self._mask.near
