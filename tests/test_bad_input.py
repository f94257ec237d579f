"""Bad input on the command line: exit code 2, one line that names the field and the value, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gui.cli import main
from referee.errors import BadGame
from referee.game import Game, play, read_json
from tests.bad_games import Json, text_with, valid_game
from tests.conftest import refusal


def test_the_valid_game_is_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(valid_game()))
    assert main(["judge", str(file)]) == 0
    out, err = capsys.readouterr()
    assert (len(out.splitlines()), err) == (3, "")


LAYOUT = "layouts.0"
WRONG: list[tuple[str, Json, list[str]]] = [
    # edition, players, options
    ("edition", "third-edition", ["edition", "third-edition"]),
    ("edition", None, ["edition"]),
    ("edition", 7, ["edition", "7"]),
    ("edition", ..., ["edition", "missing"]),
    ("players", ..., ["players", "missing"]),
    ("players", "purple", ["players", "purple"]),
    ("players", ["purple"], ["players", "1"]),
    ("players", [], ["players", "0"]),
    ("players", ["purple", "green", "orange"], ["players", "3"]),
    ("players", ["purple", "purple"], ["players", "purple"]),
    ("players", ["purple", 4], ["players[1]", "4"]),
    ("players", ["purple", ""], ["players[1]"]),
    ("players", ["purple", "g" * 1000], ["players[1]", "ggg"]),
    ("first", "orange", ["first", "orange"]),
    ("first", 3, ["first", "3"]),
    ("mission", True, ["mission", "two-player-2024"]),
    ("mission", "yes", ["mission", "yes"]),
    ("options.colour", "red", ["options.colour", "red"]),
    ("options.penalty", "none", ["options.penalty", "none"]),
    ("options.penalty", None, ["options.penalty", "None"]),
    ("options.same_type", "yes", ["options.same_type", "yes"]),
    ("options.cars", 0, ["options.cars", "0"]),
    ("options.cars", -3, ["options.cars", "-3"]),
    ("options.cars", 2.5, ["options.cars", "2.5"]),
    ("options.cars", True, ["options.cars", "True"]),
    ("options.push_mm", -1, ["options.push_mm", "-1"]),
    ("options.push_mm", float("nan"), ["options.push_mm", "nan"]),
    ("options.push_mm", float("inf"), ["options.push_mm", "inf"]),
    ("options.spacing_mm", -0.5, ["options.spacing_mm", "-0.5"]),
    ("options.types", ["limousine"], ["options.types", "limousine"]),
    ("options.types", ["sedan", "sedan"], ["options.types", "sedan"]),
    ("options.types", ["sedan", "hovercraft"], ["options.types", "hovercraft"]),
    ("options", [], ["options"]),
    ("options", "none", ["options", "none"]),
    # the kit
    ("kit.disc_diameter_mm", 0, ["kit.disc_diameter_mm", "0"]),
    ("kit.disc_height_mm", -10, ["kit.disc_height_mm", "-10"]),
    ("kit.disc_height_mm", float("nan"), ["kit.disc_height_mm", "nan"]),
    ("kit.disc_height_mm", float("inf"), ["kit.disc_height_mm", "inf"]),
    ("kit.disc_height_mm", "ten", ["kit.disc_height_mm", "ten"]),
    ("kit.disc_height_mm", None, ["kit.disc_height_mm"]),
    ("kit.cars.sedan", [15, 7], ["kit.cars"]),
    ("kit.cars.sedan", [15, 7, -5], ["kit.cars.sedan[2]", "-5"]),
    ("kit", 5, ["kit", "5"]),
    # layouts
    ("layouts", ..., ["layouts", "missing"]),
    ("layouts", [], ["layouts"]),
    ("layouts", {}, ["layouts"]),
    ("layouts", None, ["layouts"]),
    ("layouts.1", None, ["layouts[1]"]),
    ("layouts.1", 12, ["layouts[1]", "12"]),
    (f"{LAYOUT}.columns", {"c0": 1}, ["layouts[0].columns"]),
    (f"{LAYOUT}.columns.0", "c0", ["layouts[0].columns[0]", "c0"]),
    (f"{LAYOUT}.columns.0.id", ..., ["layouts[0].columns[0]", "id"]),
    (f"{LAYOUT}.columns.0.id", 5, ["layouts[0].columns[0].id", "5"]),
    (f"{LAYOUT}.columns.0.id", "", ["layouts[0].columns[0].id"]),
    (f"{LAYOUT}.columns.0.id", "c" * 100, ["layouts[0].columns[0].id", "ccc"]),
    (f"{LAYOUT}.columns.0.id", "d0", ["layouts[0].columns[1].id", "d0"]),
    (f"{LAYOUT}.roads.0.id", "c0", ["layouts[0].roads[0].id", "c0"]),
    (f"{LAYOUT}.columns.0.x", ..., ["layouts[0].columns[0]", "x"]),
    (f"{LAYOUT}.columns.0.x", None, ["layouts[0].columns[0].x"]),
    (f"{LAYOUT}.columns.0.x", "left", ["layouts[0].columns[0].x", "left"]),
    (f"{LAYOUT}.columns.0.x", True, ["layouts[0].columns[0].x", "True"]),
    (f"{LAYOUT}.columns.0.x", float("nan"), ["layouts[0].columns[0]", "x", "nan"]),
    (f"{LAYOUT}.columns.0.y", float("inf"), ["layouts[0].columns[0]", "y", "inf"]),
    (f"{LAYOUT}.columns.0.y", -1e30, ["layouts[0].columns[0]", "y", "-1e+30"]),
    (f"{LAYOUT}.columns.0.height", 0, ["layouts[0].columns[0].height", "0"]),
    (f"{LAYOUT}.columns.0.height", -2, ["layouts[0].columns[0].height", "-2"]),
    (f"{LAYOUT}.columns.0.height", 1.5, ["layouts[0].columns[0].height", "1.5"]),
    (f"{LAYOUT}.columns.0.height", 10**400, ["layouts[0].columns[0].height", "1000"]),
    (f"{LAYOUT}.columns.0.height", 1_000_000, ["layouts[0].columns[0].height", "1000000"]),
    (f"{LAYOUT}.columns.0.junction", "no", ["layouts[0].columns[0].junction", "no"]),
    (f"{LAYOUT}.columns.0.owner", "white", ["layouts[0].columns[0].owner", "white"]),
    (f"{LAYOUT}.columns.0.owner", 1, ["layouts[0].columns[0].owner", "1"]),
    (f"{LAYOUT}.columns.0.sigma", [-1, 1], ["layouts[0].columns[0].sigma[0]", "-1"]),
    (f"{LAYOUT}.columns.0.sigma", [1], ["layouts[0].columns[0].sigma"]),
    (f"{LAYOUT}.columns.0.sigma", [float("nan"), 1], ["layouts[0].columns[0].sigma[0]", "nan"]),
    (f"{LAYOUT}.columns.0.unsure", 1, ["layouts[0].columns[0].unsure", "1"]),
    (f"{LAYOUT}.columns.0.candidates", [{"height": 0}], ["layouts[0].columns[0].candidates[0].height", "0"]),
    (f"{LAYOUT}.roads.0.a", [0, 0], ["layouts[0].roads[0].a"]),
    (f"{LAYOUT}.roads.0.a", [0, 0, "z"], ["layouts[0].roads[0].a[2]", "z"]),
    (f"{LAYOUT}.roads.0.a", [0, float("-inf"), 0], ["layouts[0].roads[0].a[1]", "-inf"]),
    (f"{LAYOUT}.roads.0.b", ..., ["layouts[0].roads[0]", "b"]),
    (f"{LAYOUT}.roads.0.b", [0, -91.5, 11.25], ["layouts[0].roads[0]", "-91.5"]),
    (f"{LAYOUT}.roads.0.kind", "bridge", ["layouts[0].roads[0].kind", "bridge"]),
    (f"{LAYOUT}.roads.0.to", "c9", ["layouts[0].roads[0].to", "c9"]),
    (f"{LAYOUT}.roads.0.from", "c0", ["layouts[0].roads[0]", "c0"]),
    (f"{LAYOUT}.roads.0.owner", "blue", ["layouts[0].roads[0].owner", "blue"]),
    ("layouts.1.roads.2.from", "c9", ["layouts[1].roads[2].from", "c9"]),
    ("layouts.1.roads.2.to", "c9", ["layouts[1].roads[2].to", "c9"]),
    ("layouts.1.roads.2.to", "c0", ["layouts[1].roads[2].to", "c0"]),
    ("layouts.1.roads.2.kind", "exit", ["layouts[1].roads[2].to", "c1"]),
    ("layouts.1.roads.2.sigma", {"a": [1, 1, 1]}, ["layouts[1].roads[2].sigma", "b"]),
    ("layouts.1.roads.2.sigma.b", [1, -1, 1], ["layouts[1].roads[2].sigma.b[1]", "-1"]),
    ("layouts.1.joint.order", ["c1.x", "z9.x"], ["layouts[1].joint.order[1]", "z9.x"]),
    ("layouts.1.joint.factors", [[0.1], [0.1, 0.2]], ["layouts[1].joint.factors"]),
    ("layouts.1.joint.factors", [[0.1], [0.1], [0.1]], ["layouts[1].joint.factors", "3"]),
    ("layouts.1.joint.factors", [[0.1], [float("nan")]], ["layouts[1].joint.factors[1]", "nan"]),
    (f"{LAYOUT}.cars.0.road", "r9", ["layouts[0].cars[0].road", "r9"]),
    (f"{LAYOUT}.cars.0.road", "c0", ["layouts[0].cars[0].road", "c0"]),
    (f"{LAYOUT}.cars.0.owner", "blue", ["layouts[0].cars[0].owner", "blue"]),
    (f"{LAYOUT}.cars.0.yaw", float("inf"), ["layouts[0].cars[0]", "yaw", "inf"]),
    (f"{LAYOUT}.cars.0.x", ..., ["layouts[0].cars[0]", "x"]),
    (f"{LAYOUT}.areas.0.kind", "lake", ["layouts[0].areas[0].kind", "lake"]),
    (f"{LAYOUT}.areas.0.outline", [[0, 0], [1, 1]], ["layouts[0].areas[0].outline", "2"]),
    (f"{LAYOUT}.areas.0.outline", [[0, 0], [9, 9], [9, 0], [0, 9]], ["layouts[0].areas[0].outline"]),
    (f"{LAYOUT}.areas.0.outline.1", [float("nan"), 0], ["layouts[0].areas[0].outline[1]", "nan"]),
    (f"{LAYOUT}.buildings.0.height_mm", -5, ["layouts[0].buildings[0].height_mm", "-5"]),
    (f"{LAYOUT}.buildings.0.height_mm", ..., ["layouts[0].buildings[0]", "height_mm"]),
    (f"{LAYOUT}.buildings.0.id", "c0", ["layouts[0].buildings[0].id", "c0"]),
    # notes
    ("turns", [None] * 3, ["turns", "3"]),
    ("turns", 4, ["turns", "4"]),
    ("turns.0", "pass", ["turns[0]", "pass"]),
    ("turns.0.pass", "yes", ["turns[0].pass", "yes"]),
    ("turns.0.knocked.0.by", "blue", ["turns[0].knocked[0].by", "blue"]),
    ("turns.0.knocked.0.owner", "blue", ["turns[0].knocked[0].owner", "blue"]),
    ("turns.0.knocked.0.by", ..., ["turns[0].knocked[0]", "by"]),
    ("turns.0.knocked.0.discs", -1, ["turns[0].knocked[0].discs", "-1"]),
    ("turns.0.knocked.0.discs", 10**9, ["turns[0].knocked[0].discs", "1000000000"]),
    ("turns.0.knocked.0.discs", 1.5, ["turns[0].knocked[0].discs", "1.5"]),
    ("turns.0.paid.0.from", "blue", ["turns[0].paid[0].from", "blue"]),
    ("turns.0.paid.0.to", 5, ["turns[0].paid[0].to", "5"]),
    ("turns.0.paid.0.grey", -1, ["turns[0].paid[0].grey", "-1"]),
    ("turns.0.overruled", "maybe", ["turns[0].overruled", "maybe"]),
    ("turns.0.rebuilt", "d0", ["turns[0].rebuilt", "d0"]),
    ("turns.0.rebuilt", ["d9"], ["turns[0].rebuilt", "d9"]),
]


@pytest.mark.parametrize(("path", "value", "told"), WRONG, ids=[f"{p}={str(v)[:20]}" for p, v, _ in WRONG])
def test_a_wrong_field_is_named_with_its_value(
    path: str, value: Json, told: list[str], refused: Callable[..., str]
) -> None:
    line = refused(text_with(path, value))
    assert all(part in line for part in told), line


def test_1e999_is_no_number(refused: Callable[..., str]) -> None:
    line = refused(text_with("layouts.0.columns.0.x", 123456.5).replace("123456.5", "1e999"))
    assert "layouts[0].columns[0]" in line
    assert "inf" in line


def test_a_set_up_that_runs_in_a_ring(refused: Callable[..., str]) -> None:
    game = valid_game()
    road = {"owner": "purple", "kind": "road", "a": [0, 0, 11], "b": [90, 0, 11]}
    game["layouts"][0]["roads"] += [
        {"id": "r1", **road, "from": "c0", "to": "d0"},
        {"id": "r2", **road, "from": "d0", "to": "c0"},
    ]
    line = refused(json.dumps(game))
    assert "layouts[0].roads" in line
    assert "cycle" in line
    assert "c0" in line


@pytest.mark.parametrize("at", [0, 1])
def test_a_road_back_to_where_it_starts(at: int, refused: Callable[..., str]) -> None:
    game = valid_game()
    loop = {"id": "x1", "owner": "purple", "kind": "road", "a": [0, 0, 11], "b": [9, 9, 11], "from": "c0", "to": "c0"}
    game["layouts"][at]["roads"].append(loop)
    line = refused(json.dumps(game))
    assert f"layouts[{at}].roads[{2 + at}].to" in line
    assert "c0" in line


@pytest.mark.parametrize(
    ("contents", "told"),
    [
        ("", "empty"),
        (" \n\t ", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        ("{", "line 1"),
        ('{"edition": "two-player-2024",\n "players": [}', "line 2"),
        ("{'edition': 1}", "line 1"),
        ('{"edition": "two-player-2024"} trailing', "line 1"),
        ("[]", "expected"),
        ("[1, 2]", "expected"),
        ("null", "null"),
        ('"game"', "game"),
        (b'{"edition": "\xff\xfe"}', "UTF-8"),
        (b"edition \xff\xfe", "UTF-8"),
        (b"\x00\x01\x02", ""),
        ("{}", "edition"),
    ],
)
def test_what_is_no_json_game(contents: str | bytes, told: str, refused: Callable[..., str]) -> None:
    assert told in refused(contents)


@pytest.mark.parametrize("word", ["purple", "c0", "k0", "limousine", "blurred", "two-player-2024", "same_type", "a1"])
def test_half_a_character_is_refused_wherever_it_stands(word: str) -> None:
    """JSON can spell a lone surrogate, which no UTF-8 output can hold."""
    text = json.dumps(valid_game()).replace(f'"{word}"', f'"{word}\\ud800"')
    with pytest.raises(BadGame):
        play(read_json(text.encode(), Game))


def test_a_folder_a_missing_file_and_an_impossible_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert str(tmp_path) in refusal(["judge", str(tmp_path)], capsys)
    missing = str(tmp_path / "nowhere" / "game.json")
    assert missing in refusal(["judge", missing], capsys)
    assert "x" * 40 in refusal(["judge", "x" * 100_000], capsys)
    assert "null byte" in refusal(["judge", "a\0b"], capsys)
    assert "third-edition" in refusal(["editions", "third-edition"], capsys)


def test_another_edition_that_does_not_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(valid_game()))
    assert "nowhere" in refusal(["judge", str(file), "--edition", "nowhere"], capsys)


@pytest.mark.parametrize("command", ["judge", "notation"])
def test_a_game_that_breaks_off_writes_nothing(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fault stands in the last layout: the good turns before it are not printed either."""
    file = tmp_path / "game.json"
    file.write_text(text_with("layouts.2.cars.2.road", "r9"))
    assert "layouts[2].cars[2].road" in refusal([command, str(file)], capsys)
