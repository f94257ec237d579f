"""The printed sheets as PDFs: the very shapes at 100 %, the same bytes every time, refusals in one line."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.board import BoardSpec
from calibration.errors import CalibrationError
from calibration.page import Fill, Line, Outline, Page
from calibration.pdf import pdf_bytes
from calibration.sheets import (
    PAPERS,
    Paper,
    board_corners_mm,
    sheets,
    tag_corners_mm,
)
from gui.cli import main
from tests.test_sheets import (
    CLOSE_MM,
    PAGES,
    PX_PER_MM,
    Points,
    find_board,
    find_tags,
    in_mm,
)


def contents(pdf: bytes) -> list[list[bytes]]:
    """The words of each page's content stream; the writer leaves them uncompressed."""
    streams: list[bytes] = re.findall(rb"\nstream\n(.*?)\nendstream\n", pdf, re.DOTALL)
    return [re.sub(rb"BT .*? ET", b"", stream).split() for stream in streams]


def painted(words: list[bytes], height_mm: float) -> Iterator[tuple[str, Points]]:
    """Painting operator and the points of its path in page mm, for every path of a content stream."""
    numbers: list[float] = []
    points: list[tuple[float, float]] = []
    maps = [np.eye(3)]
    for word in words:
        match word:
            case b"q":
                maps.append(maps[-1])
            case b"Q":
                maps.pop()
            case b"cm":
                a, b, c, d, e, f = numbers[-6:]
                maps[-1] = np.array([[a, b, 0], [c, d, 0], [e, f, 1]]) @ maps[-1]
            case b"m" | b"l" | b"c":
                points.append((numbers[-2], numbers[-1]))
            case b"f*" | b"S":
                in_points = np.array([(x, y, 1.0) for x, y in points]) @ maps[-1]
                yield word.decode(), in_points[:, :2] * (25.4 / 72) * (1, -1) + (0, height_mm)
                points = []
            case b"Do" | b"BI":
                pytest.fail("a picture is drawn")
            case _ if re.fullmatch(rb"-?[0-9.]+", word):
                numbers.append(float(word))


@pytest.mark.parametrize("kind", ["lens-board", "tag-strips", "kit-card"])
@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_the_pdf_draws_the_very_shapes_as_vectors_at_100_percent(paper: Paper, kind: str) -> None:
    pages = sheets(paper)[kind]
    pdf = pdf_bytes(kind, pages)
    assert not re.search(rb"/Subtype\s*/Image|/XObject", pdf)
    assert b"/PrintScaling /None" in pdf
    boxes = re.findall(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", pdf)
    size = (paper.width_mm * 72 / 25.4, paper.height_mm * 72 / 25.4)
    assert all((float(w), float(h)) == pytest.approx(size, abs=0.01) for w, h in boxes)
    streams = contents(pdf)
    assert len(streams) == len(pages)
    for page, words in zip(pages, streams, strict=True):
        paths = list(painted(words, paper.height_mm))
        fills = [points for operator, points in paths if operator == "f*"]
        drawn = [shape for shape in page.shapes if isinstance(shape, Fill)]
        assert len(fills) == len(drawn)
        for points, fill in zip(fills, drawn, strict=True):
            assert np.abs(points - np.concatenate([np.array(loop) for loop in fill.loops])).max() < 0.01
        strokes = [points for operator, points in paths if operator == "S"]
        stroked = [shape for shape in page.shapes if isinstance(shape, Line | Outline)]
        assert len(strokes) == len(stroked)
        for points, shape in zip(strokes, stroked, strict=True):
            if isinstance(shape, Line):
                assert np.abs(points - np.array([shape.start_mm, shape.end_mm])).max() < 0.01


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="poppler's pdftoppm is not installed")
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_viewer_shows_the_tags_and_the_board_where_the_page_says(page: Page, tmp_path: Path) -> None:
    (tmp_path / "page.pdf").write_bytes(pdf_bytes(page.name, [page]))
    command = ["pdftoppm", "-gray", "-singlefile", "-r", str(25.4 * PX_PER_MM), "page.pdf", "page"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)
    picture = cv2.imread(str(tmp_path / "page.pgm"), cv2.IMREAD_GRAYSCALE)
    assert picture is not None
    shown = np.asarray(picture, dtype=np.uint8)
    if page.board is not None:
        corners, ids = find_board(shown, page.board.spec)
        assert len(ids) == 48
        assert np.abs(in_mm(corners) - board_corners_mm(page)).max() < CLOSE_MM
    else:
        found, true = find_tags(shown), tag_corners_mm(page)
        assert found.keys() == true.keys()
        assert (
            np.abs(in_mm(np.concatenate([found[i] for i in true])) - np.concatenate(list(true.values()))).max()
            < CLOSE_MM
        )


def test_print_writes_the_same_bytes_every_time_and_tells_how_to_print(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["print", str(tmp_path / "a" / "new")]) == 0
    told = capsys.readouterr().out
    assert main(["print", str(tmp_path / "b"), "--paper", "letter"]) == 0
    first, second = ({f.name: f.read_bytes() for f in (tmp_path / d).iterdir()} for d in ("a/new", "b"))
    kinds = ("lens-board", "tag-strips", "kit-card")
    assert first.keys() == {f"{kind}-{paper}.pdf" for kind in kinds for paper in ("a4", "letter")}
    assert second.items() <= first.items()
    assert second.keys() == {f"{kind}-letter.pdf" for kind in kinds}
    assert all(name in told for name in first)
    assert "100 %" in told
    assert "not fit to page" in told


def test_a_bad_folder_is_one_line_and_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "taken" / "kit-card-letter.pdf").mkdir(parents=True)
    for folder in ("file", "file/under", "taken", "nul\0"):
        assert main(["print", str(tmp_path / folder)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("highway: ")
        assert err.count("\n") == 1
    assert (tmp_path / "file").read_text() == "mine"
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["kit-card-letter.pdf"]


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ({"columns": 2}, "at least 3 x 3"),
        ({"marker_mm": 25.0}, "does not fit"),
        ({"dictionary": "DICT_7"}, "known are DICT_4X4_100,"),
        ({"dictionary": "DICT_4X4_50", "rows": 30}, "needs 105 markers"),
    ],
)
def test_a_board_that_cannot_be_is_refused(numbers: dict[str, float], told: str) -> None:
    with pytest.raises(CalibrationError, match=told):
        BoardSpec(**numbers)  # type: ignore[arg-type]
