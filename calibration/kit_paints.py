"""The colours of paints on the card, in this light and as white light would show them."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, Floats
from calibration.tag_sides import decoded, encoded

PAPER_REFLECTS = 0.8
"""Of the light that falls on it: office paper, near enough."""
COLOURLESS = 0.12
WORDS = {
    "purple": "#7d2e9b", "green": "#2f9e4f", "orange": "#f07820", "blue": "#2456c8", "pink": "#f06fae",
    "red": "#cc2229", "yellow": "#f2c81e", "white": "#f2f2f2", "black": "#202020", "grey": "#8c8c8c",
}  # fmt: skip


class Paint(msgspec.Struct, frozen=True):
    """One paint as a camera saw it."""

    code: str
    """As white light would show it, the card's paper being white: #rrggbb."""
    seen_bgr: tuple[int, int, int]
    """In this picture's light."""
    spread: float
    """Standard deviation over the piece, as a share of white."""


def paint_at(picture: NDArray[np.uint8], camera: Camera, points: Floats, paper_points: Floats) -> Paint:
    """The paint that most of the points (n, 3) on a piece show, beside points on bare paper."""
    shown, paper = _sampled(picture, camera, points), np.median(_sampled(picture, camera, paper_points), axis=0)
    # Windows and lamps of a car have no colour; of a white one they are dark.
    colourful = np.ptp(shown, axis=1)
    key = colourful if np.percentile(colourful, 75) > COLOURLESS * 255 else shown.max(axis=1)
    most = shown[key >= np.median(key)]
    middle = np.median(most, axis=0)
    share = np.clip(_light(middle) / np.maximum(_light(paper), 1e-3) * PAPER_REFLECTS, 0.0, 1.0)
    spread = float(np.mean(np.std(_light(most) / np.maximum(_light(paper), 1e-3), axis=0)))
    blue, green, red = (round(255 * float(v)) for v in encoded(share))
    b, g, r = (round(float(v)) for v in middle)
    return Paint(f"#{red:02x}{green:02x}{blue:02x}", (b, g, r), spread)


def looks_like(code: str) -> str:
    """The word for a colour."""
    own = _leaning(code)
    return min(WORDS, key=lambda word: float(np.linalg.norm(own - _leaning(WORDS[word]))))


def _leaning(code: str) -> Floats:
    rgb = np.array([[[int(code[i : i + 2], 16) for i in (1, 3, 5)]]], np.uint8)
    light, a, b = cv2.cvtColor(rgb, cv2.COLOR_RGB2LAB)[0, 0].astype(np.float64)
    # How light it is says least: pictures are exposed as they like.
    return np.array([light / 4, a, b])


def _light(levels: Floats) -> Floats:
    return decoded(np.clip(np.rint(levels), 0, 255).astype(np.uint8))


def _sampled(picture: NDArray[np.uint8], camera: Camera, points: Floats) -> Floats:
    at = camera.project(points).astype(np.float32)
    seen = cv2.remap(picture, at[:, :1], at[:, 1:], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return seen.reshape(-1, 3).astype(np.float64)
