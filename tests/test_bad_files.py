"""Bad files as the program itself meets them: huge ones at once, and each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gui.cli import BAD_INPUT
from tests.bad_games import HEAD, ROOT, text_with, valid_game
from tests.conftest import refusal

MOST_SECONDS = 2.0


def many_columns(count: int) -> str:
    game = valid_game()
    column = {"height": 1, "owner": "purple"}
    game["layouts"][0]["columns"] += [{"id": f"x{i}", "x": i * 0.1, "y": 0.0, **column} for i in range(count)]
    return json.dumps(game)


HUGE: dict[str, Callable[[], tuple[str | bytes, str]]] = {
    "10,000 columns": lambda: (many_columns(10_000), "layouts[0].columns"),
    "10,000 columns in the notation": lambda: (
        HEAD + "".join(f"column x{i} purple 1 ({i}, 0)\n" for i in range(10_000)),
        "",
    ),
    "10,000 turns": lambda: (text_with("layouts", valid_game()["layouts"][:1] * 10_000), "layouts"),
    "10,000 turns in the notation": lambda: (
        "edition two-player-2024\nplayers purple green\n" + "".join(f"turn {i}\n" for i in range(10_000)),
        "turn 501",
    ),
    "10,000 players": lambda: (text_with("players", [f"p{i}" for i in range(10_000)]), "players"),
    "10,000 corners": lambda: (
        text_with("layouts.0.areas.0.outline", [[i, i % 7] for i in range(10_000)]),
        "layouts[0].areas[0].outline",
    ),
    "10,000 notes": lambda: (text_with("turns", [None] * 10_000), "turns"),
    "40 MB of JSON": lambda: (text_with("edition", "x" * 40_000_000), "bytes"),
    "40 MB of spaces": lambda: (b" " * 40_000_000, "bytes"),
    "40 MB of notation": lambda: ("edition two-player-2024\n" * 1_700_000, "bytes"),
    "lists 100,000 deep": lambda: ("[" * 100_000 + "]" * 100_000, "deep"),
    "objects 100,000 deep": lambda: ('{"edition": ' * 100_000 + "1" + "}" * 100_000, "deep"),
    "a field 100,000 deep": lambda: (
        text_with("edition", "deeply").replace('"deeply"', "[" * 100_000 + "]" * 100_000),
        "deep",
    ),
    "a deep option": lambda: ("option types = " + "[" * 100_000, "line 1"),
    "deep notation": lambda: (HEAD + "column c1 purple 1 (0, 0) " + '{"a": ' * 100_000, "line 5"),
    "a number of a million digits": lambda: (
        text_with("layouts.0.columns.0.height", 777).replace("777", "7" * 1_000_000),
        "",
    ),
    "a line of 150,000 words": lambda: ("edition " + "word " * 150_000, "line 1"),
    "a million open brackets": lambda: (HEAD + "(" * 1_000_000, "line 5"),
    "a million quotes": lambda: (HEAD + 'gone "' + "\\" * 1_000_001, "line 5"),
}


@pytest.mark.parametrize("name", HUGE)
def test_huge_input_is_refused_at_once(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    contents, told = HUGE[name]()
    file = tmp_path / "game"
    file.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    start = time.process_time()  # the wall clock would time the machine's other work too
    line = refusal(["judge", str(file)], capsys)
    assert time.process_time() - start < MOST_SECONDS
    assert told in line
    assert len(line) < 1_000


def run_judge(*arguments: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "gui.cli", "judge", *arguments]
    return subprocess.run(command, capture_output=True, input=stdin, env=environment, timeout=60)


@pytest.mark.parametrize(
    ("contents", "told"),
    [
        (b"{", b"line 1"),
        (b"\xff\xfe\x00", b"UTF-8"),
        (b"[" * 100_000, b"deep"),
        (text_with("layouts.0.columns.0.x", float("nan")).encode(), b"layouts[0].columns[0]"),
        (text_with("edition", "\ud800 \x1b[31m\r\n").encode(), b"edition"),
        (b"edition two-player-2024\nplayers purple green\nturn 7\n", b"line 3"),
    ],
)
def test_the_program_itself_refuses(contents: bytes, told: bytes, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_bytes(contents)
    assert_refused(run_judge(str(file)), told)


def assert_refused(done: subprocess.CompletedProcess[bytes], told: bytes) -> None:
    assert (done.returncode, done.stdout) == (BAD_INPUT, b"")
    assert done.stderr.count(b"\n") == 1, done.stderr
    assert b"Traceback" not in done.stderr
    assert told in done.stderr


def test_the_program_refuses_what_comes_on_standard_input() -> None:
    assert_refused(run_judge("-", stdin=text_with("players", ["purple"]).encode()), b"players")
    assert_refused(run_judge("-", stdin=b""), b"empty")


def test_the_program_refuses_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for name in (tmp_path, tmp_path / "nothing.json"):
        assert_refused(run_judge(str(name)), f"highway: {name}: ".encode())
