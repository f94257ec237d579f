"""A table without a window: what vision asks is answered by a key and Enter, and goes into the record."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from gui.recorded_table import RecordedTable
from gui.session import Head, load
from gui.session_writer import SessionWriter
from gui.table_keys import Typed, hints
from referee.game import Game
from referee.layout import Candidate, Layout
from referee.notation import read_game
from referee.notes import NO_NOTE
from tests.test_match import GAME


@pytest.fixture(scope="module")
def game() -> Game:
    return read_game(GAME)


@pytest.fixture
def table(game: Game, tmp_path: Path) -> RecordedTable:
    """A recorded table after its set-up."""
    writer = SessionWriter.begin(tmp_path / "a.mcap", Head.of_game(game), pytest.fail)
    made = RecordedTable(writer, "sure", said=game.layouts[0])
    assert made.take(game.layouts[0], NO_NOTE, None).is_accepted
    return made


def unsure(layout: Layout, column_id: str, *heights: int) -> Layout:
    """The layout with a column that may be one of these heights, the first most likely."""
    candidates = tuple(Candidate(p=1 / (n + 2), height=height) for n, height in enumerate(heights))
    columns = (replace(c, unsure="height", candidates=candidates) if c.id == column_id else c for c in layout.columns)
    return replace(layout, columns=tuple(columns))


def test_a_question_is_answered_by_its_number_and_the_turn_is_accepted(table: RecordedTable, game: Game) -> None:
    true = next(c for c in game.layouts[1].columns if c.id == "a1").height
    assert not table.take(unsure(game.layouts[1], "a1", true + 1, true), NO_NOTE, None).is_accepted
    question, keys = hints(table.desk)
    assert question == f"Is this column {true + 1} or {true} high?"
    assert f"2: {true}" in keys
    outcome = table.say("2")
    assert outcome is not None
    assert outcome.is_accepted
    path = table.writer.recorder.path
    table.writer.close()
    file, found = load(path)
    file.close()
    assert [c.height for c in found.turns[1].record.layout.columns if c.id == "a1"] == [true]


def test_enter_takes_the_likeliest_and_what_means_nothing_changes_nothing(table: RecordedTable, game: Game) -> None:
    true = next(c for c in game.layouts[1].columns if c.id == "a1").height
    table.take(unsure(game.layouts[1], "a1", true, true + 1), NO_NOTE, None)
    for nonsense in ("3", "0", "x", "help"):
        assert table.say(nonsense) is None
    outcome = table.say("")
    assert outcome is not None
    assert outcome.is_accepted
    table.writer.close()


def test_a_turn_is_taken_back_and_the_record_says_so(table: RecordedTable, game: Game) -> None:
    assert table.take(game.layouts[1], NO_NOTE, None).is_accepted
    assert table.desk.turn == 2
    assert table.say("u") is not None
    assert table.desk.turn == 1
    path = table.writer.recorder.path
    table.writer.close()
    file, found = load(path)
    file.close()
    assert len(found.turns) == 1


@pytest.mark.skipif(os.name != "posix", reason="Windows cannot tell without waiting")
def test_lines_are_read_as_they_are_finished_and_nobody_waits() -> None:
    reading, writing = os.pipe()
    typed = Typed(reading)
    assert typed.lines() == []
    os.write(writing, b"2\nU")
    assert typed.lines() == ["2"]
    os.write(writing, b"\n\n")
    assert typed.lines() == ["u", ""]
    os.close(writing)
    assert typed.lines() == []
    assert typed.lines() == []
    os.close(reading)
