"""The printed sheets: found again in pictures of them where the code says they are, on paper as on screen."""

from __future__ import annotations

from itertools import combinations, pairwise

import cv2
import numpy as np
import pytest
from fpdf import FPDF
from numpy.typing import NDArray

from calibration.board import BoardSpec
from calibration.kit_card import BANK_CARD_MM, COLOURS, VERSIONS, card_with, kit_card
from calibration.markers import TAG_DICTIONARY, marker_dictionary, trace
from calibration.page import Fill, Line, Outline, Page, Rect, Shape, Text
from calibration.sheets import (
    A4,
    LETTER,
    PAPERS,
    Paper,
    board_corners_mm,
    lens_board,
    page_of_tag,
    raster,
    sheets,
    tag_corners_mm,
    tag_strips,
)
from referee.pieces import CAR_TYPES, Kit

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]

PX_PER_MM = 10.0
CLOSE_MM = 0.05
MARGIN_MM = 8.0
PAGES = {page.name: page for paper in PAPERS for kind in sheets(paper).values() for page in kind}
TAGGED = {name: page for name, page in PAGES.items() if page.tags}
BOARDS = {name: page for name, page in PAGES.items() if page.board}


def in_mm(pixels: Points, px_per_mm: float = PX_PER_MM) -> Points:
    """Page points of pixels: the centre of the first pixel, (0, 0), is half a pixel inside the page."""
    points: Points = (pixels + 0.5) / px_per_mm
    return points


def find_tags(picture: Picture) -> dict[int, Points]:
    """Tag id -> its corners in pixels, as OpenCV finds them."""
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(marker_dictionary(TAG_DICTIONARY), settings)
    corners, ids, _ = detector.detectMarkers(picture)
    assert ids is not None, "no tags found"
    return {int(i): np.array(c, dtype=np.float64).reshape(4, 2) for i, c in zip(ids.ravel(), corners, strict=True)}


def find_board(picture: Picture, spec: BoardSpec) -> tuple[Points, list[int]]:
    corners, ids, _, _ = cv2.aruco.CharucoDetector(spec.charuco()).detectBoard(picture)
    assert ids is not None, "no board found"
    return np.array(corners, dtype=np.float64).reshape(-1, 2), [int(i) for i in np.ravel(ids)]


def turned(picture: Picture, degrees: float) -> tuple[Picture, Points]:
    """The picture turned about its middle on a larger white ground, and the map (2, 3) from old pixels to new."""
    height, width = picture.shape
    size = int(np.hypot(width, height)) + 2
    turn: Points = np.array(cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), degrees, 1.0))
    turn[:, 2] += ((size - width) / 2, (size - height) / 2)
    return np.asarray(cv2.warpAffine(picture, turn, (size, size), borderValue=(255,)), dtype=np.uint8), turn


def assert_close(found: Points, true: Points) -> None:
    """Every point near, and all of them together not shifted: half a pixel here is 0.05 mm."""
    errors = found - true
    assert np.abs(errors).max() < CLOSE_MM
    assert np.abs(errors.mean(axis=0)).max() < 0.01


# --- what a camera would find ---


@pytest.mark.parametrize("page", TAGGED.values(), ids=TAGGED)
def test_every_tag_is_found_where_the_page_says(page: Page) -> None:
    found, true = find_tags(raster(page, PX_PER_MM)), tag_corners_mm(page)
    assert found.keys() == true.keys()
    assert_close(in_mm(np.concatenate([found[i] for i in true])), np.concatenate([true[i] for i in true]))


@pytest.mark.parametrize("page", BOARDS.values(), ids=BOARDS)
def test_every_corner_of_the_board_is_found_where_the_page_says(page: Page) -> None:
    assert page.board is not None
    corners, ids = find_board(raster(page, PX_PER_MM), page.board.spec)
    assert ids == list(range(48))
    assert_close(in_mm(corners), board_corners_mm(page))


@pytest.mark.parametrize(
    "spec",
    [
        BoardSpec(4, 5, 40.0, 30.0, "DICT_4X4_1000", inverted=True),
        BoardSpec(6, 8, 22.0, 16.0, "DICT_6X6_250", legacy=True),
        BoardSpec(6, 8, 22.0, 16.0, "DICT_6X6_250"),
    ],
    ids=["inverted", "legacy", "even"],
)
def test_other_peoples_boards_are_drawn_as_opencv_reads_them(spec: BoardSpec) -> None:
    page = lens_board(A4, spec)
    picture = raster(page, PX_PER_MM)
    corners, ids = find_board(255 - picture if spec.inverted else picture, spec)
    assert ids == list(range((spec.columns - 1) * (spec.rows - 1)))
    assert_close(in_mm(corners), board_corners_mm(page))


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_is_recognised_whatever_way_it_lies(page: Page) -> None:
    px_per_mm = 5.0
    upright = raster(page, px_per_mm)
    for degrees in (90.0, 180.0, 270.0, 17.0, 131.5, 244.0):
        picture, turn = turned(upright, degrees)
        if page.board is not None:
            corners, ids = find_board(picture, page.board.spec)
            assert len(ids) == 48
            true = board_corners_mm(page)[ids]
        else:
            found, places = find_tags(picture), tag_corners_mm(page)
            assert found.keys() == places.keys()
            assert all(page_of_tag(i) == page for i in found)
            corners, true = np.concatenate(list(found.values())), np.concatenate([places[i] for i in found])
        expected = (true * px_per_mm - 0.5) @ turn[:, :2].T + turn[:, 2]
        assert np.linalg.norm(corners - expected, axis=1).max() < 0.1 * px_per_mm


def test_a_tag_of_nobodys_belongs_to_no_page() -> None:
    assert page_of_tag(586) is None


def test_the_grey_of_a_pixel_is_the_white_in_its_area() -> None:
    hole = ((1.5, 1.5), (1.5, 2.5), (2.5, 2.5), (2.5, 1.5))
    square = ((0.25, 0.5), (3.0, 0.5), (3.0, 3.0), (0.25, 3.0))
    picture = raster(Page("test", 4.0, 4.0, 1, (Fill((square, hole)),)), 1.0)
    black = np.array([[0.375, 0.5, 0.5, 0], [0.75, 0.75, 0.75, 0], [0.75, 0.75, 0.75, 0], [0, 0, 0, 0]])
    assert np.abs(picture - 255 * (1 - black)).max() <= 0.5
    disc = Page("test", 20.0, 20.0, 1, (Outline(Rect(5.0, 5.0, 10.0, 10.0), 5.0, 2.0),))
    area_mm2 = (255.0 - raster(disc, 8.0)).sum() / 255 / 64
    assert area_mm2 == pytest.approx(np.pi * (6**2 - 4**2), rel=2e-3)


def test_traced_outlines_enclose_exactly_the_black_cells() -> None:
    random = np.random.default_rng(7)
    for _ in range(50):
        black = random.random((6, 7)) < 0.5
        loops = tuple(tuple((float(x), float(y)) for x, y in loop) for loop in trace(black))
        assert np.array_equal(raster(Page("test", 7.0, 6.0, 1, (Fill(loops),)), 1.0) == 0, black)


# --- the layout of the pages ---


def extent(shape: Shape) -> Rect:
    match shape:
        case Text():
            return shape.box
        case Outline(rect, _, width_mm):
            return rect.grown(width_mm / 2)
        case Fill(loops):
            points, aside = np.concatenate([np.array(loop) for loop in loops]), 0.0
        case Line(start, end, width_mm):
            points, aside = np.array([start, end]), width_mm / 2
    (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return Rect(left, top, right - left, bottom - top).grown(aside)


def within(inner: Rect, outer: Rect) -> bool:
    across = outer.x_mm <= inner.x_mm and inner.right_mm <= outer.right_mm
    return across and outer.y_mm <= inner.y_mm and inner.bottom_mm <= outer.bottom_mm


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_everything_lies_inside_the_margins_and_no_words_on_a_tag_or_on_other_words(page: Page) -> None:
    inside = Rect(0.0, 0.0, page.width_mm, page.height_mm).grown(-MARGIN_MM + 1e-6)
    assert not [shape for shape in page.shapes if not within(extent(shape), inside)]
    boxes = [shape.box for shape in page.shapes if isinstance(shape, Text)]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    for tag in page.tags:
        quiet = tag.rect.grown(tag.rect.width_mm / 8)
        drawn = [shape for shape in page.shapes if extent(shape).overlaps(quiet)]
        assert len(drawn) == 1, "only the tag itself lies in its quiet zone"
    if page.board is not None:
        board = Rect(page.board.x_mm, page.board.y_mm, page.board.spec.width_mm, page.board.spec.height_mm)
        assert not any(box.overlaps(board.grown(3.0)) for box in boxes)


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_every_page_tells_its_version_and_paper_and_has_a_ruler_of_100_mm(page: Page) -> None:
    words = [shape for shape in page.shapes if isinstance(shape, Text)]
    told = " ".join(text.words for text in words)
    assert f"sheet v{page.version}, {'A4' if 'a4' in page.name else 'Letter'}" in told
    assert "must measure 100 mm" in told
    assert "100 % (actual size)" in told
    zero, hundred = (next(text for text in words if text.words == number) for number in ("0", "100"))
    assert hundred.x_mm - zero.x_mm == pytest.approx(100, abs=1e-9)
    ticks = {shape.start_mm[0] for shape in page.shapes if isinstance(shape, Line)}
    assert {zero.x_mm, hundred.x_mm} <= ticks


def test_all_ids_are_unique_over_all_pages() -> None:
    ids = [tag.id for page in PAGES.values() for tag in page.tags]
    assert len(ids) == len(set(ids)) == 2 * (48 + 4)


def test_the_board_has_the_same_squares_on_both_papers() -> None:
    a4, letter = (board_corners_mm(lens_board(paper)) for paper in (A4, LETTER))
    assert np.allclose(a4 - a4[0], letter - letter[0])


def test_there_are_strips_for_four_edges_with_tags_of_25_to_30_mm() -> None:
    for paper in PAPERS:
        tags = [tag for page in tag_strips(paper) for tag in page.tags]
        assert all(25 <= tag.rect.width_mm == tag.rect.height_mm <= 30 for tag in tags)
        assert len(tags) // 4 >= 4 * 2


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_kit_cards_of_every_version_have_tags_and_ids_of_their_own(paper: Paper) -> None:
    cards = [kit_card(paper, version) for version in VERSIONS]
    ids = [tag.id for card in cards for tag in card.page.tags]
    assert len(ids) == len(set(ids)) == 4 * len(cards)
    for card in cards:
        assert all(page_of_tag(tag.id) == card.page for tag in card.page.tags)
        assert card_with(tag.id for tag in card.page.tags[:3]) == card
    assert card_with([cards[0].page.tags[0].id, cards[1].page.tags[0].id]) is None


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_the_stick_lies_on_black_with_five_millimetres_of_it_round_its_place(paper: Paper) -> None:
    card = kit_card(paper)
    place, printed = card.places["stick"], raster(card.page, 4.0)

    def lightest(rect: Rect) -> int:
        rows, columns = (rect.y_mm, rect.bottom_mm), (rect.x_mm, rect.right_mm)
        return int(printed[slice(*(round(4 * v) for v in rows)), slice(*(round(4 * v) for v in columns))].max())

    assert lightest(place.grown(4.7)) == 0
    assert lightest(place.grown(10.5)) == 255
    assert card.fields["stick"].height_mm == place.height_mm + 10.0


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_the_kit_card_has_room_for_every_piece_a_fifth_larger(paper: Paper) -> None:
    card, kit = kit_card(paper), Kit()
    cars = {f"car_type_{kind}": kit.cars[kind] for kind in CAR_TYPES} | {
        f"car_colour_{colour}": max(kit.cars.values()) for colour in COLOURS
    }
    sizes = {name: (length, width) for name, (length, width, _) in cars.items()}
    sizes |= dict.fromkeys(("disc_grey", "disc_yellow"), (kit.disc_diameter_mm, kit.disc_diameter_mm))
    sizes["stick"] = (kit.road_length_mm, kit.road_width_mm)
    assert card.places.keys() == sizes.keys()
    for name, (length, width) in sizes.items():
        assert card.places[name].width_mm > 1.2 * length + 3
        assert card.places[name].height_mm > 1.2 * width + 3
    assert (card.bank_card.width_mm, card.bank_card.height_mm) == BANK_CARD_MM == (85.60, 53.98)
    assert not any(a.overlaps(b) for a, b in combinations([*card.places.values(), card.bank_card], 2))
    ticks = sorted({s.start_mm[0] for s in card.page.shapes if isinstance(s, Line) and s.start_mm[0] == s.end_mm[0]})
    assert len(ticks) == 151
    assert all(b - a == pytest.approx(1.0) for a, b in pairwise(ticks))


def test_words_are_as_wide_as_the_pdf_writer_makes_them() -> None:
    document = FPDF(unit="mm")
    for text in (shape for page in PAGES.values() for shape in page.shapes if isinstance(shape, Text)):
        document.set_font("Helvetica", size=text.size_mm * 72 / 25.4)
        assert text.box.width_mm == pytest.approx(document.get_string_width(text.words), abs=0.01)
