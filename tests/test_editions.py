"""Editions are data: all of them load, none is named in code, and every option is explained."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gui.cli import main
from referee import edition as edition_module
from referee.edition import OPTION_WORDS, Options, editions, option_values, rules_for
from referee.errors import BadGame
from referee.pieces import CAR_TYPES

IDS = {"second-edition", "summary-2019", "four-player", "rainbow-city", "two-player-2024", "rainbow-city-6"}
REFEREE = Path(edition_module.__file__).parent


def test_all_editions_are_there() -> None:
    assert set(editions()) == IDS


def test_the_code_never_asks_for_an_editions_name() -> None:
    named = re.compile("|".join(re.escape(name) for name in IDS))
    for file in REFEREE.rglob("*.py"):
        code = re.sub(r'"""(?:.|\n)*?"""', "", file.read_text("utf-8"))
        assert not named.search(code), file.name


def test_every_option_is_explained_and_has_its_values_named() -> None:
    assert tuple(OPTION_WORDS) == Options.__struct_fields__
    for key in OPTION_WORDS:
        assert option_values(key)


@pytest.mark.parametrize(
    ("edition", "players", "mission", "dealt"),
    [
        ("second-edition", 2, False, (10, 30, 3, 15)),
        ("four-player", 3, False, (8, 25, 2, 12)),
        ("summary-2019", 4, False, (7, 20, 2, 9)),
        ("rainbow-city", 4, False, (7, 20, 2, 9)),
        ("rainbow-city", 4, True, (10, 20, 2, 9)),
        ("rainbow-city-6", 6, False, (7, 20, 2, 9)),
        ("rainbow-city-6", 5, True, (10, 20, 2, 9)),
    ],
)
def test_s1_materials(edition: str, players: int, mission: bool, dealt: tuple[int, ...]) -> None:
    found = rules_for(edition, players, mission).dealt
    assert (found.cars, found.grey, found.yellow, found.roads) == dealt


def test_table_options_win_over_mission_mode_and_mission_mode_over_the_edition() -> None:
    assert not rules_for("rainbow-city", 2).options.same_type
    assert rules_for("rainbow-city", 2, True).options.same_type
    assert not rules_for("rainbow-city", 2, True, {"same_type": False}).options.same_type


def test_types_in_play() -> None:
    assert rules_for("two-player-2024", 2).car_types() == CAR_TYPES
    assert rules_for("second-edition", 2).car_types() is None
    assert rules_for("rainbow-city", 4).car_types() is None
    few = rules_for("rainbow-city", 2, options={"types": ["sedan", "limousine"]})
    assert (few.car_types(), few.dealt.cars) == (("sedan", "limousine"), 2)


@pytest.mark.parametrize(
    ("edition", "players", "mission", "options", "fragment"),
    [
        ("third-edition", 2, False, {}, "edition: 'third-edition' is unknown"),
        ("second-edition", 3, False, {}, "players: second-edition is for 2 players, not 3"),
        ("rainbow-city-6", 4, False, {}, "5 to 6 players, not 4"),
        ("second-edition", 2, True, {}, "mission: true, but second-edition has no mission mode"),
        ("second-edition", 2, False, {"junktions": False}, "options.junktions: no such option"),
        ("second-edition", 2, False, {"first_rule": "last"}, "options.first_rule: 'last' is not one of"),
        ("second-edition", 2, False, {"cars": 0}, "options.cars: 0"),
        ("second-edition", 2, False, {"push_mm": -1.0}, "options.push_mm: -1.0"),
        ("two-player-2024", 2, False, {"types": ["limousine"]}, "options.types"),
        ("two-player-2024", 2, False, {"types": ["sedan", "hovercraft"]}, "options.types"),
    ],
)
def test_what_does_not_fit_is_refused(
    edition: str, players: int, mission: bool, options: dict[str, object], fragment: str
) -> None:
    with pytest.raises(BadGame, match=re.escape(fragment)):
        rules_for(edition, players, mission, options)


def test_highway_editions_lists_what_each_sets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["editions"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in IDS)
    assert all(key in text for key in OPTION_WORDS)
    assert main(["editions", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert set(listed["editions"]) == IDS
    assert listed["editions"]["two-player-2024"]["options"]["own_crossing_voids"] is True
    assert listed["options"]["first_rule"]["values"] == '"first", "next"'
    assert main(["editions", "nope"]) == 2
