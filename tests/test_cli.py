"""The command line as outside programs and people meet it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from gui.cli import main
from gui.files import load_game, sample_game
from gui.terminal import Paint
from referee.game import play
from referee.notation import read_game, write_game
from tests.test_match import GAME

ROOT = Path(__file__).parent.parent


@pytest.fixture
def notation(tmp_path: Path) -> Path:
    file = tmp_path / "game.hwy"
    file.write_text(GAME, "utf-8")
    return file


def test_judge_prints_one_json_line_per_turn_with_the_fields_of_the_contract(
    notation: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", str(notation)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["turn"], line["player"]) for line in lines] == [(0, None), (1, "purple"), (2, "green"), (3, "purple")]
    assert lines[2].keys() >= {
        "turn", "player", "verdict", "complete", "violations", "crossings", "earned", "placed", "penalties", "events",
        "state",
    }  # fmt: skip
    crossing = lines[2]["crossings"][0]
    assert {k: crossing[k] for k in ("road", "side", "earns", "why")} == {
        "road": "r1", "side": "over", "earns": True, "why": "first",
    }  # fmt: skip
    state = lines[3]["state"]
    assert state["players"]["purple"].keys() >= {
        "cars", "grey", "yellow", "roads", "put_away", "types", "points", "missions", "out", "rank",
    }  # fmt: skip
    assert (state["next"], state["over"], state["winner"]) == ("green", False, None)


def test_json_and_notation_give_the_same_rulings(
    notation: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["notation", str(notation), "--json"]) == 0
    as_json = tmp_path / "game.json"
    as_json.write_text(capsys.readouterr().out, "utf-8")
    main(["judge", str(notation)])
    from_notation = capsys.readouterr().out
    main(["judge", str(as_json)])
    assert capsys.readouterr().out == from_notation
    main(["notation", str(as_json)])
    assert read_game(capsys.readouterr().out) == load_game(str(notation))


def test_a_violation_has_every_field_of_the_contract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.hwy"
    file.write_text(GAME.replace("column a1 purple 2 from", "column a1 purple 4 from"), "utf-8")
    assert main(["judge", str(file)]) == 0
    violation = json.loads(capsys.readouterr().out.splitlines()[1])["violations"][0]
    assert violation.keys() == {"rule", "verdict", "pieces", "measured_mm", "limit_mm", "sigma_mm", "text"}
    assert (violation["rule"], violation["verdict"]) == ("T3", "illegal")


def test_another_edition_can_judge_the_same_game(notation: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", str(notation), "--edition", "second-edition"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["state"]["players"]["green"]["types"] is None


def test_standard_input_and_exit_codes_of_the_real_program(notation: Path) -> None:
    run = [sys.executable, "-m", "gui.cli", "judge", "-"]
    good = subprocess.run(run, input=notation.read_bytes(), capture_output=True, cwd=ROOT, check=False)
    assert (good.returncode, good.stderr) == (0, b"")
    assert len(good.stdout.splitlines()) == 4
    bad = subprocess.run(run, input=b"edition nope", capture_output=True, cwd=ROOT, check=False)
    assert (bad.returncode, bad.stdout) == (2, b"")
    assert bad.stderr == b"highway: turn 0: missing\n"


@pytest.mark.parametrize("call", [["nope"], ["judge"], ["judge", "a", "b"], ["bench", "--only", "luck"], ["--nope"]])
def test_a_wrong_call_is_one_line_and_exit_2(call: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(call)
    assert stop.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("highway: ")
    assert said.err.count("\n") == 1
    assert "--help" in said.err


def test_names_of_any_script_pass_through_a_terminal_that_has_only_ascii(notation: Path) -> None:
    game = notation.read_bytes().replace(b"green", "\u7dd1".encode())
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    run = [sys.executable, "-m", "gui.cli", "judge", "-"]
    lines = subprocess.run(run, input=game, capture_output=True, cwd=ROOT, env=environment, check=True).stdout
    assert json.loads(lines.splitlines()[2])["player"] == "\u7dd1"
    shown = subprocess.run([*run, "--text"], input=game, capture_output=True, cwd=ROOT, env=environment, check=True)
    assert b"\\u7dd1" in shown.stdout
    assert shown.stderr == b""


def test_a_reader_that_goes_away_is_no_fault(notation: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "gui.cli", "judge", str(notation)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 0


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = capsys.readouterr().out
    for command in ("demo", "judge", "notation", "editions", "bench"):
        assert command in listed
        with pytest.raises(SystemExit) as stop:
            main([command, "--help"])
        assert stop.value.code == 0


def test_the_demo_judges_the_whole_sample_game_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--headless"]) == 0
    shown = capsys.readouterr().out
    match = play(sample_game())
    assert match.position.over
    assert shown.count("Turn ") == len(match.rulings)
    assert f"{match.position.winners[0]} wins." in shown
    assert "\x1b" not in shown


def test_the_sample_game_is_a_real_game() -> None:
    game = sample_game()
    match = play(game)
    kinds = {event.kind for ruling in match.rulings for event in ruling.events}
    assert len(match.rulings) > 15
    assert {"finished", "game_over"} <= kinds
    assert any(column.junction for column in match.position.layout.columns)
    assert any(road.kind == "exit" for road in match.position.layout.roads)
    assert write_game(read_game(write_game(game))) == write_game(game)


class Terminal(io.StringIO):
    """A stream that says it is a terminal of some encoding."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return True


def test_colour_only_where_it_can_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert Paint.for_stream(Terminal("utf-8")).sign("legal") == "\x1b[38;5;34m✔ LEGAL\x1b[0m"
    assert not Paint.for_stream(io.StringIO()).colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert Paint.for_stream(Terminal("utf-8")).sign("illegal") == "✘ ILLEGAL"
    assert Paint.for_stream(Terminal("ascii")).sign("too_close") == "TOO CLOSE TO CALL"


def test_rulings_read_back_as_they_were_written(notation: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rulings = play(load_game(str(notation))).rulings
    main(["judge", str(notation)])
    again = [msgspec.json.decode(line, type=type(rulings[0])) for line in capsys.readouterr().out.splitlines()]
    assert tuple(again) == rulings
