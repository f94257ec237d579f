"""Bad notation: refused with the number of the line, or the field, and what stands there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.bad_games import HEAD


@pytest.mark.parametrize(
    ("contents", "told"),
    [
        ("hello", ["line 1", "hello"]),
        ("edition two-player-2024\nplayers purple green\ncolumn c0 purple 1 (0, 0)", ["line 3", "column"]),
        ("edition two-player-2024\nplayers purple green\nturn 1", ["line 3", "turn 1"]),
        ("edition two-player-2024\nplayers purple green\n", ["turn 0", "missing"]),
        ("players purple green\nturn 0\n", ["edition", "missing"]),
        ("edition nowhere\nplayers purple green\nturn 0\n", ["edition", "nowhere"]),
        ("edition two-player-2024\nturn 0\n", ["players", "0"]),
        ("edition two-player-2024\nplayers purple green\nturn zero", ["line 3", "zero"]),
        ("edition two-player-2024 now\nturn 0", ["line 1", "now"]),
        ("edition", ["line 1", "edition"]),
        ("option penalty", ["line 1", "option"]),
        ("option penalty = none", ["line 1", "penalty", "none"]),
        ("kit disc_height_mm = -", ["line 1", "disc_height_mm", "-"]),
        ('kit disc_height_mm = "a"', ["disc_height_mm", "'a'"]),
    ],
)
def test_broken_notation_names_the_line(contents: str, told: list[str], refused: Callable[..., str]) -> None:
    line = refused(contents)
    assert all(part in line for part in told), line


@pytest.mark.parametrize(
    ("fifth", "told"),
    [
        ("house h0", "house"),
        ("column c1", "owner"),
        ("column c1 purple tall (0, 0)", "height"),
        ("column c1 purple 1 (0, 0, 0)", "(0, 0, 0)"),
        ("column c1 purple 1 (0, zero)", "(0, zero)"),
        ("column c1 purple 1 (0, 0", "(0, 0"),
        ("column c1 purple 1 (0, 0) more", "more"),
        ("column c1 purple 1", "from"),
        ("column c1 purple 1 from c9 heading 0", "c9"),
        ("column c1 purple 1 from c0 heading north", "north"),
        ("column c1 purple 1 from c0 heading 0 reach far", "far"),
        ("column c1 purple 1 from c0 heading 1e999", "heading"),
        ("exit r1 purple c0 > heading -inf", "heading"),
        ('column c1 purple 1 (0, 0) {"sigma": [1, }', "JSON"),
        ("road r1 purple c0 > c9", "c9"),
        ("road r1 purple c0 c9", ">"),
        ("exit r1 purple c9 > heading 0", "c9"),
        ("exit r1 purple c0 >", "heading"),
        ("car k0 purple sedan on r9", "r9"),
        ("gone c9", "c9"),
        ("building b1 tall (0, 0) (1, 0) (1, 1)", "tall"),
        ("knocked purple green discs two", "two"),
        ("paid purple green grey 1", ">"),
        ('column "c1 purple 1 (0, 0)', '"c1'),
    ],
)
def test_a_broken_line_is_named_by_its_number(fifth: str, told: str, refused: Callable[..., str]) -> None:
    line = refused(HEAD + fifth + "\n")
    assert "line 5" in line
    assert told in line


@pytest.mark.parametrize(
    ("fifth", "told"),
    [
        ("column c1 purple 0 (0, 0)", ["height", "0"]),
        ("column c1 purple 1 (nan, 0)", ["x", "nan"]),
        ("column c1 purple 1 (1e999, 0)", ["x", "inf"]),
        ("column c1 white 1 (9, 9)", ["owner", "white"]),
        ('column c1 purple 1 (0, 0) {"sigma": "wide"}', ["sigma", "wide"]),
        ("area lake a1 (0, 0) (1, 0) (1, 1)", ["kind", "lake"]),
        ("area green a1 (0, 0) (1, 0)", ["outline", "2"]),
        ("building b1 -5 (0, 0) (1, 0) (1, 1)", ["height_mm", "-5"]),
        ("knocked purple green wheels 4", ["wheels"]),
        ("overruled perhaps", ["overruled", "perhaps"]),
        ('joint {"order": ["c9.x"], "factors": [[1]]}', ["order[0]", "c9.x"]),
    ],
)
def test_a_wrong_value_in_the_notation_is_named(fifth: str, told: list[str], refused: Callable[..., str]) -> None:
    line = refused(HEAD + "turn 1\n" + fifth + "\n")
    assert all(part in line for part in told), line


def test_a_kit_too_large_to_reckon_with_is_named(refused: Callable[..., str]) -> None:
    line = refused("kit road_length_mm = 1e200\n" + HEAD + "column c1 purple 2 from c0 heading 0\n")
    assert "road_length_mm" in line
    assert "1e+200" in line
