"""Pages as vector PDF at 100 %, the same bytes every time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from errno import EISDIR
from pathlib import Path

from fpdf import FPDF, ViewerPreferences
from fpdf.drawing import PaintedPath
from fpdf.drawing_primitives import DeviceGray
from fpdf.enums import PathPaintRule, StrokeCapStyle

from calibration.errors import CalibrationError
from calibration.page import Fill, Line, Outline, Page, Shape, Text
from calibration.paper import Paper
from calibration.sheets import sheets

POINTS_PER_MM = 72 / 25.4
_DATED = datetime(2026, 1, 1, tzinfo=UTC)  # the format demands a date; the clock's would change the file
_BLACK = DeviceGray(0)


def pdf_bytes(title: str, pages: Sequence[Page]) -> bytes:
    """One document of these pages, which asks the viewer not to scale it when printing."""
    document = FPDF(unit="mm", format=(pages[0].width_mm, pages[0].height_mm))
    document.set_title(title)
    document.set_producer("Highway Referee")
    document.set_creation_date(_DATED)
    document.set_compression(False)  # a few kilobytes, and no zlib to make two machines differ
    document.set_auto_page_break(False)
    document.viewer_preferences = ViewerPreferences(display_doc_title=True, print_scaling="None")
    for page in pages:
        document.add_page(format=(page.width_mm, page.height_mm))
        for shape in page.shapes:
            _draw(document, shape)
    return bytes(document.output())


def write_sheets(folder: Path, papers: Sequence[Paper]) -> list[Path]:
    """Write a PDF per kind and paper into the folder, all of them or none, and tell their paths."""
    ready = {
        folder / f"{kind}-{paper.name}.pdf": pdf_bytes(
            f"Highway Referee: {kind.replace('-', ' ')}, {paper.title}", pages
        )
        for paper in papers
        for kind, pages in sheets(paper).items()
    }
    drafts = {path: path.with_name(f".{path.name}.{os.getpid()}") for path in ready}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, draft in drafts.items():
            draft.write_bytes(ready[path])
            if path.is_dir():
                raise IsADirectoryError(EISDIR, f"{path.name} is a folder")
        for path, draft in drafts.items():
            draft.replace(path)
    except FileExistsError:
        raise CalibrationError(f"{folder}: is a file; name a folder") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise CalibrationError(f"{folder}: {reason}; name a folder that can be written to") from None
    finally:
        for draft in drafts.values():
            with suppress(OSError, ValueError):
                draft.unlink(missing_ok=True)
    return list(ready)


def _draw(document: FPDF, shape: Shape) -> None:
    match shape:
        case Text(words=words, size_mm=size_mm):
            document.set_font("Helvetica", size=size_mm * POINTS_PER_MM)
            document.text(shape.box.x_mm, shape.y_mm, words)
        case Fill(loops):
            with document.new_path(paint_rule=PathPaintRule.FILL_EVENODD) as path:
                path.style.fill_color = _BLACK
                for loop in loops:
                    path.move_to(*loop[0])
                    for point in loop[1:]:
                        path.line_to(*point)
                    path.close()
        case Line(start, end, width_mm, dash_mm):
            with document.new_path(paint_rule=PathPaintRule.STROKE) as path:
                _pen(path, width_mm, dash_mm)
                path.move_to(*start)
                path.line_to(*end)
        case Outline(rect, radius_mm, width_mm):
            with document.new_path(paint_rule=PathPaintRule.STROKE) as path:
                _pen(path, width_mm)
                path.rectangle(rect.x_mm, rect.y_mm, rect.width_mm, rect.height_mm, radius_mm, radius_mm)


def _pen(path: PaintedPath, width_mm: float, dash_mm: float = 0.0) -> None:
    path.style.stroke_color = _BLACK
    path.style.stroke_width = width_mm
    path.style.stroke_cap_style = StrokeCapStyle.BUTT
    path.style.auto_close = False
    path.style.stroke_dash_pattern = [dash_mm, dash_mm] if dash_mm else None
