"""One camera's pictures, small: since when nothing has moved in them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.play_masks import PlayMask, small_size
from vision.view import Floats, Picture

MOVED_LEVELS = 5.0
"""Less, in a blurred thumbnail, is noise or a video codec at work; in dim light noise raises it."""
NOISE_TIMES = 5.0
CREPT_TIMES = 2.0
"""Video codecs refine a still picture for half a second: against the first one more is allowed."""
MOVED_PX = 3
SAME_LIGHT = 0.5 / 255
"""A gain nearer to one changes no level."""


def thumbnail(picture: Picture, width_px: int) -> Picture:
    """A small picture to watch for movement: few of the pixels, blurred, at a fifth of the cost of them all."""
    height, width = picture.shape[:2]
    size = small_size((width, height), width_px)
    if width >= 4 * size[0]:
        picture = np.asarray(cv2.resize(picture, (2 * size[0], 2 * size[1]), interpolation=cv2.INTER_NEAREST), np.uint8)
    return np.asarray(cv2.blur(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), (3, 3)), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class _Lit:
    """A small picture and how bright it is, by channel, where it is watched."""

    picture: Picture
    light: Floats


class Stillness:
    """Compares each small picture with the last one, and with the one that the stillness began with."""

    def __init__(self, mask: PlayMask) -> None:
        self._mask = mask
        self._last: _Lit | None = None
        self._first: _Lit | None = None
        self._noise = 0.0
        self.since_s = 0.0

    def feed(self, small: Picture, time_s: float) -> bool:
        """Whether anything moved since the picture before, or has crept away since the stillness began."""
        new = _Lit(small, np.array(cv2.mean(small, self._mask.near)) + 1.0)
        moved = self._last is None or self._first is None
        if self._last is not None and self._first is not None:
            moved = self._differs(self._last, new, 1.0) or self._differs(self._first, new, CREPT_TIMES)
        if moved:
            self._first, self.since_s = new, time_s
        self._last = new
        return moved

    def forget(self) -> None:
        """Begin anew: what comes next is compared with nothing that came before."""
        self._last = self._first = None

    def _differs(self, old: _Lit, new: _Lit, times: float) -> bool:
        if old.picture.shape != new.picture.shape:
            return True
        region = self._mask.near
        # A change of all the light is none of the table: pictures are compared at the same brightness.
        gain = new.light / old.light
        is_as_bright = np.abs(gain - 1.0).max() < SAME_LIGHT
        apart_by_channel = cv2.absdiff(new.picture, old.picture if is_as_bright else cv2.multiply(old.picture, gain))
        limit = times * max(MOVED_LEVELS, NOISE_TIMES * self._noise)
        is_far = cv2.norm(apart_by_channel, cv2.NORM_INF) > limit
        if not is_far and old is not self._last:
            return False
        blue, green, red = cv2.split(apart_by_channel)
        apart = cv2.max(cv2.max(blue, green), red)
        changed = cv2.bitwise_and(cv2.threshold(apart, limit, 255, cv2.THRESH_BINARY)[1], region) if is_far else None
        if old is self._last:
            quiet = cv2.mean(apart, region if changed is None else cv2.subtract(region, changed))[0]
            self._noise = quiet if self._noise == 0.0 else 0.9 * self._noise + 0.1 * quiet
        return changed is not None and cv2.countNonZero(changed) >= MOVED_PX
