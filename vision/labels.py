"""Words on debug pictures: labels that do not lie on each other, and lines of text below."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from vision.view import Picture

Colour = tuple[int, int, int]
FONT, SIZE, STEP_PX = cv2.FONT_HERSHEY_SIMPLEX, 0.45, 14
PAD_PX, RINGS, TURNS = 3, 9, 12
"""Free room about a label, and in how many rings about its piece, at how many places of each, room is looked for."""
PAPER: Colour = (28, 26, 24)
COLUMN_PX, ROW_PX = 760, 18


def draw_labels(canvas: Picture, labels: Sequence[tuple[str, tuple[int, int], Colour]]) -> None:
    """Write each label as near to its spot as there is room, with a line to the spot where that is not beside it."""
    height, width = canvas.shape[:2]
    taken = np.zeros((height, width), bool)
    for text, (x, y), colour in labels:
        (wide, high), _ = cv2.getTextSize(text, FONT, SIZE, 1)
        left, top = _free_place(taken, (x, y), (wide + 2 * PAD_PX, high + 2 * PAD_PX))
        taken[max(top, 0) : top + high + 2 * PAD_PX, max(left, 0) : left + wide + 2 * PAD_PX] = True
        corner = (left + PAD_PX, top + PAD_PX + high)
        middle = (left + PAD_PX + wide // 2, top + PAD_PX + high // 2)
        if math.dist(middle, (x, y)) > wide:
            cv2.line(canvas, (x, y), middle, colour, 1, cv2.LINE_AA)
        for thickness, ink in ((3, (0, 0, 0)), (1, colour)):
            cv2.putText(canvas, text, corner, FONT, SIZE, ink, thickness, cv2.LINE_AA)


def _free_place(taken: np.ndarray, spot: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    """Left and top of the free room nearest to a spot; where there is none, about the spot itself."""
    height, width = taken.shape
    first = (spot[0] - size[0] // 2, spot[1] - size[1] // 2)
    for ring in range(RINGS):
        for turn in range(TURNS if ring else 1):
            angle = 2 * math.pi * turn / TURNS
            left = first[0] + round(ring * STEP_PX * 1.6 * math.cos(angle))
            top = first[1] + round(ring * STEP_PX * math.sin(angle))
            inside = left >= 0 and top >= 0 and left + size[0] <= width and top + size[1] <= height
            if inside and not taken[top : top + size[1], left : left + size[0]].any():
                return left, top
    return first


def text_panel(lines: Sequence[tuple[str, Colour]], width: int) -> Picture:
    """Lines of text in as many columns as a width takes."""
    columns = max(width // COLUMN_PX, 1)
    rows = math.ceil(len(lines) / columns)
    panel = np.full((rows * ROW_PX + (ROW_PX if rows else 0), width, 3), PAPER, np.uint8)
    for i, (text, colour) in enumerate(lines):
        corner = (10 + (i // rows) * COLUMN_PX, ROW_PX + (i % rows) * ROW_PX)
        cv2.putText(panel, text, corner, FONT, SIZE, colour, 1, cv2.LINE_AA)
    return panel
