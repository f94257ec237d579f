"""Paper to print on, and what every printed page has: a heading, its version, and a ruler to check the scale."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.markers import TAG_DICTIONARY, marker_loops
from calibration.page import Fill, Line, Rect, Shape, Tag, Text

VERSION = 1
THIN_MM = 0.2
TEXT_MM = 3.2
SMALL_MM = 2.6

# Every page is laid out on this area, which both papers hold with margins for any printer.
AREA_WIDTH_MM = 194.0
AREA_HEIGHT_MM = 263.4


@dataclass(frozen=True, slots=True)
class Paper:
    """A size of paper, and the tag ids that its sheets of this version may use."""

    name: str
    title: str
    width_mm: float
    height_mm: float
    first_id: int

    @property
    def area(self) -> Rect:
        """Where the layout lies, in the middle of the page."""
        left, top = (self.width_mm - AREA_WIDTH_MM) / 2, (self.height_mm - AREA_HEIGHT_MM) / 2
        return Rect(left, top, AREA_WIDTH_MM, AREA_HEIGHT_MM)


# A hundred ids for each paper and version, out of the 587 of the dictionary.
A4 = Paper("a4", "A4", 210.0, 297.0, 200 * (VERSION - 1))
LETTER = Paper("letter", "Letter", 215.9, 279.4, 200 * (VERSION - 1) + 100)
PAPERS = (A4, LETTER)


def heading(
    paper: Paper, title: str, lines: tuple[str, ...], inset_mm: float = 0.0, version: int = VERSION
) -> list[Shape]:
    """Title and instructions at the top, version and paper at the right."""
    area = paper.area
    left, right, top = area.x_mm + inset_mm, area.right_mm - inset_mm, area.y_mm
    shapes: list[Shape] = [Text(left, top + 4.6, title, 6.4)]
    shapes.append(Text(right, top + 4.6, f"sheet v{version}, {paper.title}", TEXT_MM, "end"))
    shapes += [Text(left, top + 10.0 + 4.2 * n, line, TEXT_MM) for n, line in enumerate(lines)]
    return shapes


def ruler(x_mm: float, y_mm: float, length_mm: int, finest_mm: int) -> list[Shape]:
    """A ruler whose zero is the middle of its first tick, numbers below."""
    shapes: list[Shape] = []
    for at in range(0, length_mm + 1, finest_mm):
        tick_mm = 4.0 if at % 10 == 0 else 3.0 if at % 5 == 0 else 2.0
        x = x_mm + at
        shapes.append(Line((x, y_mm), (x, y_mm + tick_mm), THIN_MM))
        if at % 10 == 0:
            shapes.append(Text(x, y_mm + 6.6, str(at), SMALL_MM, "middle"))
    half = THIN_MM / 2
    return [Line((x_mm - half, y_mm), (x_mm + length_mm + half, y_mm), THIN_MM), *shapes]


def check_ruler(paper: Paper) -> list[Shape]:
    """The 100 mm ruler at the foot of a page, and what it is for."""
    x, y = paper.area.x_mm + 2.0, paper.area.bottom_mm - 8.6
    words = (
        "This ruler must measure 100 mm from 0 to 100.",
        "If it does not: print at 100 % (actual size),",
        "not fit to page.",
    )
    lines = [Text(x + 108.0, y + 0.4 + 3.6 * n, line, TEXT_MM) for n, line in enumerate(words)]
    return [*ruler(x, y, 100, 5), *lines]


def tag_fill(tag: Tag) -> Fill:
    """The black of a tag."""
    return Fill(marker_loops(TAG_DICTIONARY, tag.id, tag.rect.x_mm, tag.rect.y_mm, tag.rect.width_mm))
