"""A printed page as vectors, in millimetres: x right and y down from its top-left corner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calibration.board import BoardSpec
from calibration.markers import Loop, Point

# Helvetica's advance widths from space to tilde, in thousandths of the size.
_ADVANCES = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
)  # fmt: skip
CAP_HEIGHT = 0.718  # of the size
DESCENT = 0.212


@dataclass(frozen=True, slots=True)
class Rect:
    """An upright rectangle."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float

    @property
    def right_mm(self) -> float:
        return self.x_mm + self.width_mm

    @property
    def bottom_mm(self) -> float:
        return self.y_mm + self.height_mm

    @property
    def centre_mm(self) -> Point:
        return self.x_mm + self.width_mm / 2, self.y_mm + self.height_mm / 2

    @property
    def corners_mm(self) -> tuple[Point, Point, Point, Point]:
        """Clockwise from the top-left one."""
        left, top, right, bottom = self.x_mm, self.y_mm, self.right_mm, self.bottom_mm
        return ((left, top), (right, top), (right, bottom), (left, bottom))

    def grown(self, by_mm: float) -> Rect:
        return Rect(self.x_mm - by_mm, self.y_mm - by_mm, self.width_mm + 2 * by_mm, self.height_mm + 2 * by_mm)

    def overlaps(self, other: Rect) -> bool:
        across = self.x_mm < other.right_mm and other.x_mm < self.right_mm
        return across and self.y_mm < other.bottom_mm and other.y_mm < self.bottom_mm


@dataclass(frozen=True, slots=True)
class Fill:
    """A black area: loops clockwise around black, the other way around its holes."""

    loops: tuple[Loop, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A straight black stroke with flat ends; dash_mm is the length of a dash and of a gap, 0 for none."""

    start_mm: Point
    end_mm: Point
    width_mm: float
    dash_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Outline:
    """The stroked border of a rectangle, centred on it; rounded corners up to a whole circle."""

    rect: Rect
    radius_mm: float
    width_mm: float


@dataclass(frozen=True, slots=True)
class Text:
    """A line of words in Helvetica; y is the baseline, and x where the anchor says."""

    x_mm: float
    y_mm: float
    words: str
    size_mm: float
    anchor: Literal["start", "middle", "end"] = "start"

    @property
    def box(self) -> Rect:
        """What the words cover."""
        width_mm = sum(_ADVANCES[ord(letter) - ord(" ")] for letter in self.words) * self.size_mm / 1000
        left_mm = self.x_mm - width_mm * {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor]
        height_mm = (CAP_HEIGHT + DESCENT) * self.size_mm
        return Rect(left_mm, self.y_mm - CAP_HEIGHT * self.size_mm, width_mm, height_mm)


Shape = Fill | Line | Outline | Text


@dataclass(frozen=True, slots=True)
class Tag:
    """A square tag, upright on its page; the rectangle is the outside of its black border."""

    id: int
    rect: Rect


@dataclass(frozen=True, slots=True)
class PlacedBoard:
    """A ChArUco board, upright on its page."""

    spec: BoardSpec
    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True)
class Page:
    """One sheet of paper, with what is drawn on it and the tags and board among that."""

    name: str
    width_mm: float
    height_mm: float
    version: int
    shapes: tuple[Shape, ...]
    tags: tuple[Tag, ...] = ()
    board: PlacedBoard | None = None


def tag_corners_mm(page: Page) -> dict[int, NDArray[np.float64]]:
    """Tag id -> its corners (4, 2) on the page, in OpenCV's order: clockwise from the tag's own top-left."""
    return {tag.id: np.array(tag.rect.corners_mm) for tag in page.tags}


def board_corners_mm(page: Page) -> NDArray[np.float64]:
    """The board's inner corners (n, 2) on the page by their ids; none if it holds no board."""
    if page.board is None:
        return np.empty((0, 2))
    corners: NDArray[np.float64] = page.board.spec.corners_mm() + np.array([page.board.x_mm, page.board.y_mm])
    return corners
