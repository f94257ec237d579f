"""Something large on the table that was not there before and is no piece: a hand at rest, a sleeve, a telephone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from vision.hands import Box
from vision.play_masks import PlayMask
from vision.view import Picture, Singles

COMPARED_WIDTH_PX = 640
"""How wide pictures are when a still one is compared with the last scene."""
DARK = 16.0
"""Added before taking logarithms, so that noise in the dark is not blown up."""
CHROMA, STRONG, LIGHT, EDGE = 0.06, 0.2, 0.15, 0.03
"""How much colour, brightness and edges must change to count, as logarithms of ratios."""
NOISE_TIMES = 4.0
GAP_MM, PIECE_MM, LEAST_MM2 = 8.0, 28.0, 4_500.0
"""Nothing that is laid in a turn is as thick as this, and as large."""
GRID = (32, 18)
BAND_PX = 3


@dataclass(frozen=True, slots=True)
class Foreign:
    """Where something large changed, and what speaks for a thing that has come."""

    box: Box
    area_mm2: float
    sharp: float
    """Edges along its outline that were not there before."""
    left: float
    """Edges along its outline that were there before and are gone."""
    colour: float

    @property
    def is_there(self) -> bool:
        """A shadow has soft sides and leaves colours as they are; what was taken away has taken its sides with it."""
        return self.sharp > self.left and (self.sharp > EDGE or self.colour > STRONG)


def log_light(small: Picture) -> Singles:
    """What comparisons are made on: a lightly blurred picture as logarithms."""
    blurred = cv2.GaussianBlur(small, (0, 0), 0.8)
    return np.asarray(np.log(blurred.astype(np.float32) + np.float32(DARK)), dtype=np.float32)


def changes(before: Singles, now: Singles, mask: PlayMask) -> tuple[Singles, Singles]:
    """By how much colour and brightness changed, other light set aside: it changes smoothly over the picture."""
    ratio = now - before
    ratio -= _smooth(ratio, mask)
    light = ratio.mean(axis=2)
    colour = np.linalg.norm(ratio - light[..., None], axis=2).astype(np.float32)
    return colour, light


def foreign(before: Singles, now: Singles, mask: PlayMask, from_above: bool = False) -> list[Foreign]:
    """What is large, reaches into the play area and has come; largest first.

    From above, what reaches in is looked at whole too, however little of it is near: a hand that has only begun to.
    """
    ways = (False, True) if from_above else (False,)
    found = [thing for whole in ways for thing in large_changes(before, now, mask, whole) if thing.is_there]
    return sorted(found, key=lambda thing: -thing.area_mm2)


def large_changes(before: Singles, now: Singles, mask: PlayMask, whole: bool = False) -> Iterator[Foreign]:
    """Whatever changed over more than a piece's size: as far as it is near the play area, or the whole of it."""
    colour, light = changes(before, now, mask)
    # A camera that changes its exposure shifts colours a little everywhere.
    level = max(CHROMA, NOISE_TIMES * float(np.median(colour[mask.near > 0])))
    changed = ((colour > level) | (np.abs(light) > LIGHT)).astype(np.uint8) * 255
    # From the side much is seen beyond the table that moves as it likes; from above little is.
    reached = mask.near if whole else mask.inside
    changed = changed if whole else changed & mask.near
    solid = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, _disc(mask.px(GAP_MM)))
    solid = cv2.morphologyEx(solid, cv2.MORPH_OPEN, _disc(mask.px(PIECE_MM)))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid)
    come, gone = _new_edges(before, now), _new_edges(now, before)
    height, width = labels.shape
    for k in range(1, count):
        # What stands near a low camera looks large: it is measured where it meets the table.
        foot = min(int(stats[k, cv2.CC_STAT_TOP] + stats[k, cv2.CC_STAT_HEIGHT]), height) - 1
        area_mm2 = float(stats[k, cv2.CC_STAT_AREA]) / mask.scale_by_row[foot] ** 2
        blob = labels == k
        if area_mm2 < LEAST_MM2 or not (reached[blob] > 0).any():
            continue
        rim = _rim(blob)
        x, y, w, h = (int(v) for v in stats[k, :4])
        yield Foreign(
            (x / width, y / height, w / width, h / height), area_mm2,
            float(come[rim].mean()), float(gone[rim].mean()), float(np.median(colour[blob])),
        )  # fmt: skip


def _smooth(ratio: Singles, mask: PlayMask) -> Singles:
    """The light's own change: a quadratic over the picture, fitted to most of it and not to what stands out."""
    height, width = ratio.shape[:2]
    coarse = cv2.resize(ratio, GRID, interpolation=cv2.INTER_AREA).reshape(-1, 3)
    seen = cv2.resize(mask.near, GRID, interpolation=cv2.INTER_AREA).reshape(-1) > 127
    y, x = (v.ravel() for v in np.mgrid[-1 : 1 : GRID[1] * 1j, -1 : 1 : GRID[0] * 1j])
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)
    seen = seen if seen.sum() > 3 * terms.shape[1] else np.ones_like(seen)
    fit = np.zeros((6, 3))
    fit[0] = np.median(coarse[seen], axis=0)
    for _ in range(6):
        off = np.linalg.norm(coarse - terms @ fit, axis=1)
        weighed = terms * (seen / (1 + (off / 0.12) ** 2) ** 2)[:, None]
        fit = np.linalg.solve(weighed.T @ terms + 1e-3 * np.eye(6), weighed.T @ coarse)
    level = (terms @ fit).reshape(GRID[1], GRID[0], 3).astype(np.float32)
    return np.asarray(cv2.resize(level, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def _new_edges(before: Singles, now: Singles) -> Singles:
    """Edges that are there now and were not before."""
    new = _edges(now) - cv2.dilate(_edges(before), np.ones((3, 3), np.uint8))
    return np.asarray(np.maximum(new, 0), dtype=np.float32)


def _edges(light: Singles) -> Singles:
    grey = light.mean(axis=2)
    across, down = (cv2.Sobel(grey, cv2.CV_32F, dx, 1 - dx, scale=0.25) for dx in (1, 0))
    return np.asarray(cv2.magnitude(across, down), dtype=np.float32)


def _rim(blob: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """A band along the outline of a blob, the picture's own border left out."""
    whole = blob.astype(np.uint8)
    kernel = np.ones((BAND_PX, BAND_PX), np.uint8)
    band = cv2.dilate(whole, kernel) - cv2.erode(whole, kernel, borderType=cv2.BORDER_CONSTANT, borderValue=1)
    return band > 0


def _disc(across: int) -> Picture:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across)), dtype=np.uint8)
