"""The printed sheets as things: the lens board on a stiff card, the strips on the table with their true places."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.page import Page, PlacedBoard, tag_corners_mm
from calibration.raster import raster
from calibration.sheets import (
    QUIET_MM,
    STRIP_HEIGHT_MM,
    STRIP_WIDTH_MM,
    TAGS_PER_STRIP,
    Paper,
    lens_board,
    tag_strips,
)

from .mesh import moved
from .strip_places import strip_places
from .take_warp import Floats, Sheet, Texture

PX_PER_MM = (1, 2, 4, 8)
PAPER = np.array([0.74, 0.75, 0.76])
INK = np.array([0.035, 0.035, 0.038])
GAP_MM = (4.0, 18.0)
PAPER_MM = 0.12
"""How high above the table a strip's print lies."""
CARDS = ((0.62, 0.62, 0.60), (0.35, 0.23, 0.12), (0.02, 0.02, 0.02), (0.45, 0.30, 0.16))
"""Foam board, cardboard, black foam board, plywood; linear RGB."""


@dataclass(frozen=True, slots=True, eq=False)
class Card:
    """The lens board as it was printed and glued: its front, its bare back, and how its print is scaled."""

    board: PlacedBoard
    front: Sheet
    back: Sheet
    colour: Floats
    thick_mm: float
    print_scale: float

    def page_from_board(self) -> Floats:
        """From the board's true mm to the page's nominal ones."""
        matrix = np.diag([1 / self.print_scale, 1 / self.print_scale, 1 / self.print_scale, 1.0])
        matrix[:2, 3] = self.board.x_mm, self.board.y_mm
        return matrix

    def corners_in_board(self) -> Floats:
        """The board's inner corners (n, 3) by their ids, in true mm, as far as the card is flat or bowed."""
        flat = self.board.spec.corners_mm() + np.array([self.board.x_mm, self.board.y_mm])
        return self._in_board(np.column_stack([flat, self.front.z_mm(flat[:, 1])]))

    def outline_in_board(self) -> Floats:
        """The card's own corners (4, 3), in true mm."""
        return self._in_board(self.front.outline_mm)

    def _in_board(self, on_page: Floats) -> Floats:
        return _apply(np.linalg.inv(self.page_from_board()).astype(np.float64), on_page)


def random_card(rng: np.random.Generator, paper: Paper, print_scale: float, bow_mm: float) -> Card:
    """The board on one paper, glued on some card."""
    page = lens_board(paper)
    assert page.board is not None
    margin_mm = int(rng.integers(0, 13))
    colour = np.array(CARDS[int(rng.integers(len(CARDS)))]) * float(rng.uniform(0.85, 1.15))
    width, height = page.width_mm, page.height_mm
    fronts = {level: _front(page, level, margin_mm, colour) for level in PX_PER_MM}
    plain = np.empty((int(height + 2 * margin_mm), int(width + 2 * margin_mm), 4), dtype=np.uint8)
    plain[:] = (*np.rint(colour * 255).tolist(), 255)
    front = Sheet(fronts, width, height, margin_mm, bow_mm / print_scale)
    back = Sheet({1: plain}, width, height, margin_mm, bow_mm / print_scale)
    return Card(page.board, front, back, colour, float(rng.uniform(1.5, 6.0)), print_scale)


def _front(page: Page, px_per_mm: int, margin_mm: int, colour: Floats) -> Texture:
    whole = int(page.height_mm * px_per_mm), int(page.width_mm * px_per_mm)
    edge = margin_mm * px_per_mm
    printed = _printed(_drawn(page, px_per_mm)[: whole[0], : whole[1]])
    card = (*(colour * 255).tolist(), 255)
    return np.asarray(
        cv2.copyMakeBorder(printed, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=card), dtype=np.uint8
    )


def _printed(grey: NDArray[np.uint8]) -> Texture:
    """Ink on paper, RGBA, from how white a page is."""
    shades = INK + np.linspace(0.0, 1.0, 256)[:, None] * (PAPER - INK)
    return np.column_stack([np.rint(shades * 255), np.full(256, 255)]).astype(np.uint8)[grey]


def _apply(matrix: Floats, points: Floats) -> Floats:
    moved_points: Floats = points @ matrix[:3, :3].T + matrix[:3, 3]
    return moved_points


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """A strip that lies on the table: its picture, where it lies, and each tag's corners (4, 3) in the table frame."""

    sheet: Sheet
    table_from_sheet: Floats
    tags: dict[int, Floats]


def random_strips(
    rng: np.random.Generator, paper: Paper, centre: Floats, clear_mm: float, print_scale: float
) -> tuple[Strip, ...]:
    """Strips round the play area, a little crooked."""
    return tuple(
        _strip(place.page, place.first, moved(place.x_mm, place.y_mm, PAPER_MM, place.yaw_rad), print_scale)
        for place in strip_places(rng, tag_strips(paper), centre, clear_mm, GAP_MM)
    )


def _strip(page: Page, first: int, table_from_middle: Floats, print_scale: float) -> Strip:
    """One strip of a page, its middle laid at a pose."""
    rect = page.tags[first].rect
    left, top = rect.x_mm - QUIET_MM, rect.y_mm - QUIET_MM
    levels = {level: _cut(page, left, top, level) for level in PX_PER_MM[1:]}
    turned = np.diag([print_scale, -print_scale, -print_scale, 1.0])  # the sheet's y runs down and its z into it
    shift = np.eye(4)
    shift[:2, 3] = -STRIP_WIDTH_MM / 2, -STRIP_HEIGHT_MM / 2
    table_from_sheet = table_from_middle @ turned @ shift
    flat = {tag.id: tag_corners_mm(page)[tag.id] - [left, top] for tag in page.tags[first : first + TAGS_PER_STRIP]}
    tags = {tag: _apply(table_from_sheet, np.column_stack([at, np.zeros(4)])) for tag, at in flat.items()}
    return Strip(Sheet(levels, STRIP_WIDTH_MM, STRIP_HEIGHT_MM), table_from_sheet, tags)


def _cut(page: Page, left_mm: float, top_mm: float, px_per_mm: int) -> Texture:
    """The strip cut out of its page."""
    corner = np.array([left_mm, top_mm]) * px_per_mm
    size = (round(STRIP_WIDTH_MM * px_per_mm), round(STRIP_HEIGHT_MM * px_per_mm))
    move = np.column_stack([np.eye(2), corner])
    cut = cv2.warpAffine(_drawn(page, px_per_mm), move, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    return _printed(np.asarray(cut, dtype=np.uint8))


_drawn = cache(raster)
