"""City areas proposed from the overhead view: flat cards that stand out from the table, told by colour and shape."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Rig
from referee.layout import BARE_TABLE, Area, AreaKind, Layout
from referee.pieces import Kit
from vision.depth import depth_map
from vision.printed import printed
from vision.region import play_box
from vision.solids import solids
from vision.view import Floats, Picture, Singles, sampled, view_of

GRID_MM = 1.0
STANDS_OUT, SPREADS = 9.0, 3.5
"""Distance in Lab from the table's colour: in units, and in how far the table itself spreads."""
WEAVE = 0.4
"""Disc diameters over which a table's pattern is smoothed."""
COLOURS, OF_TABLE, SPOTS = 8, 0.12, 20_000
SHIFT = (0.0, 128.0, 128.0)
LEAST_SIDE, MOST_SIDE, LEAST_FILLED = 2.2, 7.0, 0.8
"""Sides of a card in disc diameters, and the share of its rectangle that must stand out."""
BRIDGED, HOUSE = 1.5, 1.8
"""Diameters of gaps that are bridged where a piece lies, and of what may stick out of a card."""
LONG = 1.45
"""A card at least this much longer than wide is the airport's."""
GREEN = 12.0


def areas_of(overhead: Picture, rig: Rig, kit: Kit, layout: Layout = BARE_TABLE) -> tuple[Area, ...]:
    """Cards on the table as the overhead picture shows them beside the pieces of a layout, for people to correct."""
    view = view_of(overhead, rig.overhead, "overhead")
    box = play_box(BARE_TABLE, rig, kit)
    xs, ys = np.arange(box.left, box.right, GRID_MM), np.arange(box.bottom, box.top, GRID_MM)
    points = np.stack([*np.meshgrid(xs, ys), np.zeros((len(ys), len(xs)))], axis=-1)
    pixels = view.lens.project(points)
    flat = sampled(view.light, pixels)
    lab = np.asarray(cv2.cvtColor(np.ascontiguousarray(flat / 255.0), cv2.COLOR_BGR2Lab), np.float32)
    hidden = np.zeros(view.picture.shape[:2], np.uint8)
    hidden[depth_map(solids(layout, kit), view.lens).number >= 0] = 1
    for paper in printed(view):
        cv2.fillConvexPoly(hidden, np.rint(paper).astype(np.int32), 1)
    taken = sampled(hidden.astype(np.float32), pixels) > 0.5
    seen = (pixels > 1).all(axis=-1) & (pixels < np.array(view.picture.shape[1::-1]) - 2).all(axis=-1) & ~taken
    away, limit = _away_from_table(lab, seen, 2 * round(WEAVE * kit.disc_diameter_mm / GRID_MM / 2) + 1)
    found: list[Area] = []
    for corners, slender in _rectangles(np.asarray((away > limit) & seen, np.uint8), taken, kit.disc_diameter_mm):
        inside = cv2.fillConvexPoly(np.zeros(seen.shape, np.uint8), np.rint(corners).astype(np.int32), 1)
        kind = _kind(lab[(inside > 0) & ~taken], slender)
        outline = tuple((float(x * GRID_MM + box.left), float(y * GRID_MM + box.bottom)) for x, y in corners)
        found.append(Area(f"a{len(found) + 1}", kind, outline))
    return tuple(found)


def _rectangles(stands_out: Picture, taken: NDArray[np.bool_], disc_mm: float) -> Iterator[tuple[Floats, float]]:
    """Corners (4, 2) of what is as large and as rectangular as a card, and how much longer than wide it is."""
    # Pieces cover cards, and houses stick out over them: neither is part of the outline.
    bridged = _shaped(stands_out, cv2.MORPH_CLOSE, BRIDGED * disc_mm)
    cards = _shaped(np.where(taken, bridged, stands_out), cv2.MORPH_CLOSE, 0.5 * disc_mm)
    cards = _shaped(cards, cv2.MORPH_OPEN, HOUSE * disc_mm)
    for contour in cv2.findContours(cards, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        rectangle = cv2.minAreaRect(contour)
        short, long = sorted(side * GRID_MM / disc_mm for side in rectangle[1])
        filled = cv2.contourArea(contour) / max(rectangle[1][0] * rectangle[1][1], 1.0)
        if short >= LEAST_SIDE and long <= MOST_SIDE and filled >= LEAST_FILLED:
            yield np.asarray(cv2.boxPoints(rectangle), np.float64), long / short


def _away_from_table(lab: Singles, seen: NDArray[np.bool_], weave_px: int) -> tuple[Singles, float]:
    """How far in Lab each place is from the nearest of the table's own colours, and from where on it is no table.

    Cloth is woven and wood has grain: that is smoothed away. Whatever covers much of the picture is table.
    """
    smooth = np.dstack(
        [cv2.medianBlur(np.clip(lab[..., n] + SHIFT[n], 0, 255).astype(np.uint8), weave_px) for n in range(3)]
    )
    plain = smooth.astype(np.float32) - np.array(SHIFT, np.float32)
    spots = plain[seen]
    spots = np.ascontiguousarray(spots[:: max(1, len(spots) // SPOTS)])
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
    cv2.setRNGSeed(1)
    _, labels, centres = cv2.kmeans(spots, COLOURS, np.empty(0), stop, 2, cv2.KMEANS_PP_CENTERS)
    shares = np.bincount(labels.ravel(), minlength=COLOURS) / len(spots)
    table = centres[shares > min(OF_TABLE, float(shares.max()) * 0.99)]
    away = np.linalg.norm(plain[:, :, None] - table[None, None], axis=3).min(axis=2)
    return away, max(STANDS_OUT, SPREADS * float(np.median(away[seen])))


def _shaped(mask: Picture, how: int, diameter_mm: float) -> Picture:
    """A mask opened or closed by a disc."""
    size = 2 * round(diameter_mm / GRID_MM / 2) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    return np.asarray(cv2.morphologyEx(mask, how, disc), np.uint8)


def _kind(colours: np.ndarray, slender: float) -> AreaKind:
    """What a card is: green ones are lawns, long ones airports, all others land to build on."""
    if float(np.median(colours[:, 1])) < -GREEN:
        return "green"
    return "airport" if slender > LONG else "development"
