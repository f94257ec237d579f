"""The sheets to print: the board for the lenses, the tag strips for the table's edge, the kit card."""

from __future__ import annotations

from functools import cache

from calibration.board import BoardSpec
from calibration.kit_card import KIT_IDS, KitCard, kit_card
from calibration.kit_card import VERSIONS as KIT_CARD_VERSIONS
from calibration.page import Fill, Line, Page, PlacedBoard, Rect, Shape, Tag, Text, board_corners_mm, tag_corners_mm
from calibration.paper import (
    A4,
    AREA_WIDTH_MM,
    LETTER,
    PAPERS,
    THIN_MM,
    VERSION,
    Paper,
    check_ruler,
    heading,
    tag_fill,
)
from calibration.raster import raster

__all__ = [
    "A4", "KIT_IDS", "LENS_BOARD", "LETTER", "PAPERS", "BoardSpec", "KitCard", "Page", "Paper", "board_corners_mm",
    "kit_card", "lens_board", "page_of_tag", "raster", "sheets", "tag_corners_mm", "tag_strips",
]  # fmt: skip

LENS_BOARD = BoardSpec()

STRIP_PAGES = 2
STRIPS_PER_PAGE = 6
TAGS_PER_STRIP = 4
TAG_MM = 28.0
QUIET_MM = 5.0  # white around a tag: more than a module, which is TAG_MM / 8
PITCH_MM = 48.0  # from tag to tag: the tag, its quiet zone and a label
STRIP_WIDTH_MM = TAGS_PER_STRIP * PITCH_MM
STRIP_HEIGHT_MM = TAG_MM + 2 * QUIET_MM
CUT_DASH_MM = 2.0
LABEL_MM = 2.3


def sheets(paper: Paper) -> dict[str, tuple[Page, ...]]:
    """Kind of sheet -> its pages, as they are printed."""
    return {
        "lens-board": (lens_board(paper),),
        "tag-strips": tag_strips(paper),
        "kit-card": (kit_card(paper).page,),
    }


def page_of_tag(tag_id: int) -> Page | None:
    """Which page a tag is from, whatever way it lies; None for a tag of nobody's."""
    return _pages_by_tag().get(tag_id)


@cache
def _pages_by_tag() -> dict[int, Page]:
    pages = [page for paper in PAPERS for kind in sheets(paper).values() for page in kind]
    pages += [kit_card(paper, version).page for paper in PAPERS for version in KIT_CARD_VERSIONS]
    return {tag.id: page for page in pages for tag in page.tags}


def lens_board(paper: Paper, spec: BoardSpec = LENS_BOARD) -> Page:
    """The ChArUco board that is moved before a camera to learn its lens."""
    x, y = paper.area.x_mm + (AREA_WIDTH_MM - spec.width_mm) / 2, paper.area.y_mm + 22.0
    loops = tuple(tuple((x + u, y + v) for u, v in loop) for loop in spec.loops_mm())
    squares = f"{spec.columns} x {spec.rows} squares of {spec.square_mm:g} mm, markers of {spec.marker_mm:g} mm"
    lines = (
        "Glue it flat on something stiff. Move and tilt it before each camera: near, far, in every part of the view.",
        f"{squares}, {spec.dictionary}{', inverted' if spec.inverted else ''}.",
    )
    shapes = (*heading(paper, "Lens board", lines), Fill(loops), *check_ruler(paper))
    board = PlacedBoard(spec, x, y)
    return Page(f"lens-board-{paper.name}", paper.width_mm, paper.height_mm, VERSION, shapes, board=board)


def tag_strips(paper: Paper) -> tuple[Page, ...]:
    """Strips to cut out that stay on the table's edge during play."""
    return tuple(_strip_page(paper, number) for number in range(STRIP_PAGES))


def _strip_page(paper: Paper, number: int) -> Page:
    left, top = paper.area.x_mm + (AREA_WIDTH_MM - STRIP_WIDTH_MM) / 2, paper.area.y_mm + 18.0
    lines = (
        "Cut along the dashed lines. Tape the strips flat along all four edges of the table, in any order, tags up;",
        "they stay there during play. At least one strip to an edge, and more on a large table.",
    )
    shapes = heading(paper, f"Tag strips, page {number + 1} of {STRIP_PAGES}", lines)
    tags: list[Tag] = []
    for row in range(STRIPS_PER_PAGE):
        strip = number * STRIPS_PER_PAGE + row
        for column in range(TAGS_PER_STRIP):
            corner = Rect(left + column * PITCH_MM + QUIET_MM, top + row * STRIP_HEIGHT_MM + QUIET_MM, TAG_MM, TAG_MM)
            tag = Tag(paper.first_id + strip * TAGS_PER_STRIP + column, corner)
            tags.append(tag)
            shapes += [tag_fill(tag), *_label(tag, f"strip {strip + 1}", f"v{VERSION} {paper.title}")]
    shapes += [*_cut_lines(left, top), *check_ruler(paper)]
    name = f"tag-strips-{paper.name}-{number + 1}"
    return Page(name, paper.width_mm, paper.height_mm, VERSION, tuple(shapes), tuple(tags))


def _label(tag: Tag, *lines: str) -> list[Shape]:
    x, y = tag.rect.right_mm + 4.5, tag.rect.y_mm + 11.4
    words = (f"tag {tag.id}", *lines)
    return [Text(x, y + 3.4 * n, line, LABEL_MM) for n, line in enumerate(words)]


def _cut_lines(left_mm: float, top_mm: float) -> list[Shape]:
    right, bottom = left_mm + STRIP_WIDTH_MM, top_mm + STRIPS_PER_PAGE * STRIP_HEIGHT_MM
    rows = [top_mm + row * STRIP_HEIGHT_MM for row in range(STRIPS_PER_PAGE + 1)]
    across = [Line((left_mm, y), (right, y), THIN_MM, CUT_DASH_MM) for y in rows]
    return [*across, *(Line((x, top_mm), (x, bottom), THIN_MM, CUT_DASH_MM) for x in (left_mm, right))]
