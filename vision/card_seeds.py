"""Where cards may lie: whatever is not of the table's colours, at every limit that may tell it from them."""

from __future__ import annotations

import cv2
import numpy as np

from vision.ground import GRID_MM, Mask
from vision.seek import Box
from vision.view import Floats, Picture, Singles

LIMITS = (4.0, 6.0, 9.0, 13.0, 18.0, 26.0)
"""Distances in Lab from the table's colour: a pale card on a pale table needs another than a lawn on wood."""
WEAVE, AROUND = 0.4, 7.0
"""Disc diameters over which a table's pattern is smoothed, and over which its colour is taken."""
COLOURS, OF_TABLE, SPOTS = 8, 0.12, 20_000
SHIFT = (0.0, 128.0, 128.0)
BRIDGED, CLOSED, OPENED = 1.5, 0.4, 1.3
"""Diameters of gaps that are bridged where a piece lies and elsewhere, and of what may stick out of a card."""
LEAST_SIDE, MOST_SIDE, LEAST_FILLED = 1.6, 8.0, 0.55
COARSE = 5
ALIKE_MM, ALIKE = 8.0, 0.2
"""Seeds as near to each other, and as like in size, lead to the same card."""
WOVEN_RAD, WOVEN, MOST_WOVEN = 0.05, 0.12, 12
"""How little the squares of a cloth differ in turn and, as a logarithm, in size, and how many of them are no cards."""
LONGER = 1.5
"""A print on a card hides where it ends: seeds are tried longer too."""


def card_seeds(lab: Singles, seen: Mask, box: Box, disc_mm: float) -> Floats:
    """Rectangles (n, 5) about what stands out from the table: middle, yaw and sides in mm."""
    weave = 2 * round(WEAVE * disc_mm / GRID_MM / 2) + 1
    smooth = np.dstack(
        [cv2.medianBlur(np.clip(lab[..., n] + SHIFT[n], 0, 255).astype(np.uint8), weave) for n in range(3)]
    )
    plain = smooth.astype(np.float32)
    found: list[Floats] = []
    for away in (_from_around(smooth, disc_mm), _from_table(plain, seen)):
        for limit in LIMITS:
            for seed in _rectangles(np.asarray((away > limit) & seen, np.uint8), ~seen, disc_mm):
                seed[:2] += (box.left, box.bottom)
                if not any(is_alike(seed, other) for other in found):
                    found.append(seed)
    found = _unwoven(found)
    longer = [np.array([*s[:3], s[3] * a, s[4] * b]) for s in found for a, b in ((LONGER, 1.0), (1.0, LONGER))]
    return np.array([*found, *longer]).reshape(-1, 5)


def is_alike(one: Floats, other: Floats) -> bool:
    """Whether two cards are about the same: seeds like that lead to one."""
    sizes = np.abs(np.log(np.sort(one[3:]) / np.sort(other[3:])))
    return bool(np.hypot(*(one - other)[:2]) < ALIKE_MM and sizes.max() < ALIKE)


def _unwoven(seeds: list[Floats]) -> list[Floats]:
    """Seeds without a cloth's squares, which share turn and size with more others than a box has cards."""
    rows = np.array(seeds).reshape(-1, 5)
    turns = np.abs((rows[:, None, 2] - rows[None, :, 2] + np.pi / 4) % (np.pi / 2) - np.pi / 4)
    sizes = np.log(np.sort(rows[:, 3:], axis=1))
    same = (turns < WOVEN_RAD) & (np.abs(sizes[:, None] - sizes[None]).max(axis=2) < WOVEN)
    return [seed for seed, others in zip(seeds, same.sum(axis=1) - 1, strict=True) if others < MOST_WOVEN]


def _from_around(smooth: Picture, disc_mm: float) -> Singles:
    """How far in Lab each place is from what is most common around it."""
    height, width = smooth.shape[:2]
    small = cv2.resize(smooth, (width // COARSE, height // COARSE), interpolation=cv2.INTER_AREA)
    size = 2 * round(AROUND * disc_mm / GRID_MM / COARSE / 2) + 1
    around = cv2.merge([cv2.medianBlur(channel, size) for channel in cv2.split(small)])
    table = cv2.resize(around, (width, height)).astype(np.float32)
    return np.asarray(np.linalg.norm(smooth.astype(np.float32) - table, axis=2), np.float32)


def _from_table(plain: Singles, seen: Mask) -> Singles:
    """How far in Lab each place is from the nearest of the colours that cover much of the picture."""
    spots = plain[seen]
    spots = np.ascontiguousarray(spots[:: max(1, len(spots) // SPOTS)])
    if len(spots) < COLOURS:
        return np.zeros(plain.shape[:2], np.float32)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
    cv2.setRNGSeed(1)
    _, labels, centres = cv2.kmeans(spots, COLOURS, np.empty(0), stop, 2, cv2.KMEANS_PP_CENTERS)
    shares = np.bincount(labels.ravel(), minlength=COLOURS) / len(spots)
    table = centres[shares > min(OF_TABLE, float(shares.max()) * 0.99)]
    away = [np.linalg.norm(plain - colour, axis=2) for colour in table]
    return np.asarray(np.min(away, axis=0), np.float32)


def _rectangles(stands_out: Picture, taken: Mask, disc_mm: float) -> list[Floats]:
    """What is about as large and as rectangular as a card; middles in mm from the grid's corner."""
    # Pieces cover cards, and houses stick out over them: neither is part of the outline.
    bridged = _shaped(stands_out, cv2.MORPH_CLOSE, BRIDGED * disc_mm)
    cards = _shaped(np.where(taken, bridged, stands_out), cv2.MORPH_CLOSE, CLOSED * disc_mm)
    cards = _shaped(cards, cv2.MORPH_OPEN, OPENED * disc_mm)
    found = []
    for contour in cv2.findContours(cards, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        (x, y), (length, width), turn_deg = cv2.minAreaRect(contour)
        short, long = sorted(side * GRID_MM / disc_mm for side in (length, width))
        filled = cv2.contourArea(contour) / max(length * width, 1.0)
        if short >= LEAST_SIDE and long <= MOST_SIDE and filled >= LEAST_FILLED:
            found.append(np.array([x, y, np.deg2rad(turn_deg) / GRID_MM, length, width]) * GRID_MM)
    return found


def _shaped(mask: Picture, how: int, diameter_mm: float) -> Picture:
    """A mask opened or closed by a disc."""
    size = 2 * round(diameter_mm / GRID_MM / 2) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    return np.asarray(cv2.morphologyEx(mask, how, disc), np.uint8)
