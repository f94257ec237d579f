"""Whether a camera was bumped between two pictures, told from all that stayed; and the later one brought back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import cv2
import numpy as np

from vision.at_once import at_once
from vision.view import Floats, Picture, Singles

LOOKED_AT_PX = 960
CORNERS = 300
LEAST_CORNERS = 12
LEAST_SHARE = 0.5
"""Of the tracked corners, how many must agree on one motion for it to be the camera's."""
AGREED_PX = 0.5
STILL_PX = 0.5
"""Full-size pixels that what stands still may seem to move before it is brought back."""
BUMPED_PX = 2.0
"""The same for a camera to have been moved, not shaken: then its calibration is off."""
SMOOTH_PX, FEWER = 12.0, 4


def steadied(before: Mapping[str, Picture], now: Mapping[str, Picture]) -> tuple[dict[str, Picture], set[str]]:
    """The later pictures as the cameras would have taken them where they were, and which cameras were bumped."""
    back: dict[str, Picture] = {}
    bumped = set()
    motions = at_once(lambda name: motion_px(before[name], now[name]) if name in before else None, now)
    for (name, picture), motion in zip(now.items(), motions, strict=True):
        if motion is None:
            back[name] = picture
            continue
        height, width = picture.shape[:2]
        flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
        moved = cv2.warpAffine(picture, motion, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        back[name] = np.asarray(moved, np.uint8)
        middle = np.array([width / 2, height / 2])
        if math.dist(motion[:, :2] @ middle + motion[:, 2], middle) > BUMPED_PX:
            bumped.add(name)
    return back, bumped


def motion_px(before: Picture, now: Picture) -> Floats | None:
    """The motion (2, 3) of the whole picture from before to now; None where it stood still or cannot be told."""
    if before.shape != now.shape:
        return None
    scale = min(LOOKED_AT_PX / before.shape[1], 1.0)
    was, is_ = (_relief(picture, scale) for picture in (before, now))
    corners: Any = cv2.goodFeaturesToTrack(was, CORNERS, 0.02, 8)
    if corners is None or len(corners) < LEAST_CORNERS:
        return None
    there, found = _tracked(was, is_, corners)
    back, returned = _tracked(is_, was, there)
    good = (found.ravel() > 0) & (returned.ravel() > 0) & (np.abs(back - corners).max(axis=(1, 2)) < AGREED_PX)
    if good.sum() < LEAST_CORNERS:
        return None
    motion, agreed = cv2.estimateAffinePartial2D(corners[good], there[good], ransacReprojThreshold=AGREED_PX)
    if motion is None or agreed.sum() < max(LEAST_CORNERS, LEAST_SHARE * good.sum()):
        return None
    full: Floats = np.array(motion, np.float64)
    # Pixel centres have whole numbers at either size.
    shift = (1 - scale) / 2
    full[:, 2] = (full[:, 2] + full[:, :2] @ (-shift, -shift) + shift) / scale
    # Told where corners were tracked, not at the picture's rim, to which a turn of a few of them would reach far.
    held = corners[good][agreed.ravel() > 0].reshape(-1, 2) / scale
    moved_px = np.median(np.hypot(*(held @ full[:, :2].T + full[:, 2] - held).T))
    return full if moved_px > STILL_PX else None


def _tracked(one: Picture, other: Picture, corners: Singles) -> tuple[Singles, Singles]:
    """Where corners (n, 1, 2) of a picture are in another one, and whether they were found."""
    guess = corners.copy()
    there, found, _ = cv2.calcOpticalFlowPyrLK(one, other, corners, guess, winSize=(15, 15), maxLevel=3)
    return np.asarray(there, np.float32), np.asarray(found, np.float32)


def _relief(picture: Picture, scale: float) -> Picture:
    """The picture's detail without its light."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32)
    # What is so smooth is as smooth on a few pixels, and there in a twentieth of the time.
    few = cv2.resize(grey, None, fx=1 / FEWER, fy=1 / FEWER, interpolation=cv2.INTER_AREA)
    smooth = cv2.resize(cv2.GaussianBlur(few, (0, 0), SMOOTH_PX / FEWER), grey.shape[::-1])
    return np.asarray(np.clip(128 + 160 * (grey - smooth) / (smooth + 12), 0, 255), np.uint8)
