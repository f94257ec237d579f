"""Labels on debug pictures: none lies on another, and none is lost."""

from __future__ import annotations

import numpy as np

from vision.labels import COLUMN_PX, ROW_PX, draw_labels, text_panel

INK = (0, 255, 255)


def inked(labels: list[tuple[str, tuple[int, int], tuple[int, int, int]]]) -> int:
    canvas = np.full((200, 300, 3), 128, np.uint8)
    draw_labels(canvas, labels)
    return int((canvas[..., 1] > 170).sum())


def test_labels_of_one_spot_are_all_to_be_read() -> None:
    alone = inked([("c12", (150, 100), INK)])
    assert alone > 20
    # A line leads to those that had to go aside.
    assert inked([("c12", (150, 100), INK)] * 4) >= 4 * alone


def test_a_label_at_the_rim_is_moved_into_the_picture() -> None:
    assert inked([("c12", (299, 199), INK)]) >= inked([("c12", (150, 100), INK)])


def test_where_there_is_no_room_labels_are_written_all_the_same() -> None:
    assert inked([("a long label that takes much room", (150, 100), INK)] * 60) > 0


def test_lines_of_text_fill_columns_from_above() -> None:
    lines = [("one", INK), ("two", INK), ("three", INK)]
    assert text_panel(lines, COLUMN_PX).shape == (4 * ROW_PX, COLUMN_PX, 3)
    assert text_panel(lines, 2 * COLUMN_PX).shape == (3 * ROW_PX, 2 * COLUMN_PX, 3)
    assert text_panel([], COLUMN_PX).shape == (0, COLUMN_PX, 3)
