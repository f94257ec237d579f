"""Why no board is found: mirrored pictures, another print or dictionary, blur; said in one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.charuco import Picture, find_board, find_markers, grey_of
from calibration.errors import CalibrationError
from calibration.markers import TAG_DICTIONARY
from calibration.sheets import page_of_tag

LEAST_MARKERS = 4
BLURRED_PX = 2.0  # sigma of the sharpest edges
EDGE_REACH_PX = 31
FAMILIES = ("4X4", "5X5", "6X6", "7X7")
HOLD = (50, 100, 250, 1000)
OTHERS = ("ARUCO_ORIGINAL", "ARUCO_MIP_36h12", "APRILTAG_16h5", "APRILTAG_25h9", "APRILTAG_36h10", "APRILTAG_36h11")


def why_no_board(pictures: Sequence[Picture], spec: BoardSpec) -> str:
    """The likeliest reason, and the way out."""
    if _found([np.ascontiguousarray(picture[:, ::-1]) for picture in pictures], spec):
        return "the pictures are mirrored; switch off the camera's mirror or selfie mode and take them again"
    if _found(pictures, replace(spec, inverted=not spec.inverted)):
        tone = ("black on white", "not inverted") if spec.inverted else ("white on black", "inverted")
        return f"the board is printed {tone[0]}; say that it is {tone[1]}"
    if _found(pictures, replace(spec, legacy=not spec.legacy)):
        return f"the board has {'todays' if spec.legacy else 'the legacy'} pattern; switch legacy"
    other = _other_dictionary(pictures, spec)
    if other == TAG_DICTIONARY and any(page_of_tag(tag) for tag in _markers(pictures, other, inverted=False)):
        return "the tag strips are seen, but not the lens board; hold that before the camera"
    if other:
        return f"no markers of {spec.dictionary}; this looks like {other}"
    ids = {int(i) for p in pictures for i in np.ravel(find_markers(grey_of(p, spec.inverted), spec.dictionary)[1])}
    if len(ids) >= LEAST_MARKERS:
        shape = f"{spec.columns} x {spec.rows}"
        seen = f"markers up to number {max(ids)} are seen, but never enough of a board of {shape} squares"
        return f"{seen}; show all of it, or check columns and rows"
    blurred = blurred_words([grey_of(picture) for picture in pictures])
    if blurred:
        return f"{blurred}, hold the board still, or light it better"
    shape = f"{spec.columns} x {spec.rows} squares, {spec.dictionary}"
    return f"no picture shows the board ({shape}); hold it flat before the camera, or say what board it is"


def no_board(name: str, pictures: Sequence[Picture], spec: BoardSpec) -> CalibrationError:
    """The refusal of a take that shows no board."""
    return CalibrationError(f"{name}: {why_no_board(pictures, spec)}")


def _found(pictures: Sequence[Picture], spec: BoardSpec) -> bool:
    return any(find_board(picture, spec) is not None for picture in pictures)


def _other_dictionary(pictures: Sequence[Picture], spec: BoardSpec) -> str | None:
    """The name of the dictionary with the most markers in any one picture, if it beats the board's own."""
    own = len(_markers(pictures, spec.dictionary, spec.inverted))
    largest = [f"DICT_{family}_{HOLD[-1]}" for family in FAMILIES] + [f"DICT_{name}" for name in OTHERS]
    best, most = None, max(own, LEAST_MARKERS - 1)
    for name in largest:
        for inverted in (spec.inverted, not spec.inverted):
            seen = _markers(pictures, name, inverted)
            if len(seen) > most:
                best, most = _smallest(name, max(seen)), len(seen)
    return best


def _markers(pictures: Sequence[Picture], dictionary: str, inverted: bool) -> set[int]:
    """The ids in the picture that shows the most of them."""
    every = (set(np.ravel(find_markers(grey_of(p, inverted), dictionary)[1]).tolist()) for p in pictures)
    return max(every, key=len, default=set())


def _smallest(name: str, highest: int) -> str:
    """The smallest dictionary of a family that has this id; they share their first markers."""
    family = name.removeprefix("DICT_").removesuffix(f"_{HOLD[-1]}")
    if family not in FAMILIES:
        return name
    return f"DICT_{family}_{next(hold for hold in HOLD if highest < hold)}"


def blurred_words(greys: Sequence[Picture]) -> str:
    """How blurred pictures are, and what to do first; nothing if they are sharp."""
    typical_px = float(np.median([blur_px(grey) for grey in greys]))
    return f"the pictures are blurred by {typical_px:.1f} px; focus" if typical_px > BLURRED_PX else ""


def blur_px(grey: Picture) -> float:
    """The sigma of a picture's clearest edges: their contrast over their steepest slope."""
    box = np.ones((EDGE_REACH_PX, EDGE_REACH_PX), np.uint8)
    contrast = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, box).astype(np.float64)
    slope = np.hypot(*(cv2.Sobel(grey, cv2.CV_64F, dx, dy, scale=1 / 8) for dx, dy in ((1, 0), (0, 1))))
    steepest = cv2.dilate(slope, box)
    clear = contrast >= 0.7 * contrast.max()
    return float(np.median(contrast[clear] / np.maximum(steepest[clear], 1e-6))) / math.sqrt(2 * math.pi)
