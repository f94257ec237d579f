"""Plays every scene in tests/cases and holds each turn's ruling against the turn's `expect` lines.

There is a file for each rule, and one for the examples of each rulebook; a scene is a small game.

A line may hold several of these, one after another:

    legal | illegal R3 | too_close R5      the verdict, and every rule named in the violations
    complete | incomplete
    earned 2   placed 1                    cars
    crossing r4 over earns                 or `under`; or `no` where it earns nothing
    stock purple cars 9 grey 27 yellow 3 roads 13 put_away 0     any of these
    types purple sedan limousine           all types left in stock
    penalty purple green grey 1 yellow 0   who paid whom; roads where they were paid
    event nudged c2                        with these among its pieces and people
    next green   out green   rank purple 1   points purple 7   mission purple M3 2
    over [winner purple [green]]
    no event nudged | no penalty | no crossing | no out green | no over
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from referee.game import play
from referee.notation import read_script
from referee.ruling import EventKind, PlayerState, Ruling


class Case(NamedTuple):
    """One scene of a file of cases."""

    file: str
    title: str
    text: str


def scenes(file: Path) -> Iterator[Case]:
    """A file's scenes: `=== title` begins one, `=== table 1` a set-up that `use table 1` puts into others."""
    parts = re.split(r"^=== (.+)\n", file.read_text("utf-8"), flags=re.MULTILINE)[1:]
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    assert len(texts) == len(parts) // 2, f"{file.name}: a title is used twice"
    for title, text in texts.items():
        if not title.startswith("table "):
            expanded = re.sub(r"^use (table \d+)$", lambda found: texts[found[1]], text, flags=re.MULTILINE)
            yield Case(file.stem, title, expanded)


CASES = [case for file in sorted((Path(__file__).parent / "cases").glob("*.hwy")) for case in scenes(file)]
RULES = [
    f"{letter}{number}"
    for letter, count in {"S": 7, "T": 8, "R": 7, "C": 8, "E": 3, "P": 3, "V": 1, "W": 4, "M": 11}.items()
    for number in range(1, count + 1)
]
VERDICTS = ("legal", "illegal", "too_close")
STOCK = ("cars", "grey", "yellow", "roads", "put_away")
WORDS = {
    *VERDICTS, "complete", "incomplete", "earned", "placed", "crossing", "stock", "types", "penalty", "event", "next",
    "over", "points", "mission", "rank", "out", "no",
}  # fmt: skip


class Expected:
    """What is left of one `expect` line."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = list(words)

    def take(self) -> str:
        assert self.words, "the expect line ends too early"
        return self.words.pop(0)

    def rest(self) -> list[str]:
        """All words up to the next thing that is expected."""
        taken = []
        while self.words and self.words[0] not in WORDS:
            taken.append(self.words.pop(0))
        return taken

    def counts(self, names: tuple[str, ...]) -> dict[str, int]:
        found = {}
        while self.words and self.words[0] in names:
            name = self.take()
            found[name] = int(self.take())
        assert found, f"one of {', '.join(names)} is missing"
        return found


def check_line(words: tuple[str, ...], ruling: Ruling) -> None:
    """Assert everything that one `expect` line says of a ruling."""
    expected = Expected(words)
    assert expected.words, "an expect line that expects nothing"
    while expected.words:
        head = expected.take()
        if head in VERDICTS:
            rules = {v.rule for v in ruling.violations}
            wanted = set(expected.rest())
            assert wanted <= set(RULES), f"no such rules: {wanted - set(RULES)}"
            said = [f"{v.rule} {v.verdict}: {v.text}" for v in ruling.violations]
            assert (ruling.verdict, rules) == (head, wanted), said
        elif head in ("complete", "incomplete"):
            assert ruling.complete == (head == "complete")
        elif head in ("earned", "placed"):
            assert getattr(ruling, head) == int(expected.take()), (head, ruling.crossings)
        elif head in ("crossing", "penalty", "event"):
            getattr(_Lists, head)(expected, ruling)
        elif head == "no":
            _absent(expected, ruling)
        else:
            _standing(head, expected, ruling)


class _Lists:
    """Expectations of something in one of a ruling's lists."""

    @staticmethod
    def crossing(expected: Expected, ruling: Ruling) -> None:
        road, side, earns = expected.take(), expected.take(), expected.take()
        assert side in ("over", "under")
        assert earns in ("earns", "no")
        assert (road, side, earns == "earns") in {(c.road, c.side, c.earns) for c in ruling.crossings}, ruling.crossings

    @staticmethod
    def penalty(expected: Expected, ruling: Ruling) -> None:
        by, owner, paid = expected.take(), expected.take(), expected.counts(("grey", "yellow", "roads"))
        found = [p for p in ruling.penalties if (p.by, p.owner) == (by, owner)]
        assert any(all(getattr(p, name) == count for name, count in paid.items()) for p in found), ruling.penalties

    @staticmethod
    def event(expected: Expected, ruling: Ruling) -> None:
        kind, named = _event_kind(expected.take()), set(expected.rest())
        found = [{*e.pieces, e.player, e.by, e.owner, e.type, *e.winners} for e in ruling.events if e.kind == kind]
        assert any(named <= parts for parts in found), ruling.events


def _event_kind(word: str) -> str:
    assert word in get_args(EventKind), f"no such event: {word}"
    return word


def _absent(expected: Expected, ruling: Ruling) -> None:
    what = expected.take()
    if what == "event":
        kind = _event_kind(expected.take())
        assert not [e for e in ruling.events if e.kind == kind]
    elif what == "penalty":
        assert not ruling.penalties
    elif what == "crossing":
        assert not ruling.crossings
    elif what == "out":
        assert not _player(expected, ruling).out
    else:
        assert what == "over", f"unknown word: no {what}"
        assert not ruling.state.over


def _player(expected: Expected, ruling: Ruling) -> PlayerState:
    return ruling.state.players[expected.take()]


def _standing(head: str, expected: Expected, ruling: Ruling) -> None:
    """Expectations of the state after the turn."""
    state = ruling.state
    match head:
        case "stock":
            player = _player(expected, ruling)
            wanted = expected.counts(STOCK)
            assert {name: getattr(player, name) for name in wanted} == wanted
        case "types":
            player = _player(expected, ruling)
            assert player.types is not None
            assert sorted(player.types) == sorted(expected.rest())
        case "next":
            player_id = expected.take()
            assert state.next == (None if player_id == "none" else player_id)
        case "over":
            assert state.over
            if expected.words[:1] == ["winner"]:
                expected.take()
                winners = expected.rest()
                assert set(state.winners) == set(winners)
                assert state.winner == (winners[0] if len(winners) == 1 else None)
        case "points":
            player = _player(expected, ruling)
            assert player.points == int(expected.take()), player.missions
        case "mission":
            player, mission = _player(expected, ruling), expected.take()
            assert mission in RULES
            assert player.missions is not None
            assert player.missions[mission] == int(expected.take()), player.missions
        case "rank":
            assert _player(expected, ruling).rank == int(expected.take())
        case "out":
            assert _player(expected, ruling).out
        case _:
            pytest.fail(f"unknown word: {head}")


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.file}: {case.title}") for case in CASES])
def test_case(case: Case) -> None:
    script = read_script(case.text)
    assert script.expects, "the scene expects nothing"
    rulings = play(script.game).rulings
    for turn, lines in script.expects.items():
        for words in lines:
            try:
                check_line(words, rulings[turn])
            except (AssertionError, ValueError) as error:
                raise AssertionError(f"turn {turn}: expect {' '.join(words)}\n{error}") from error


def test_every_scene_begins_by_saying_what_it_shows_and_no_title_is_used_twice() -> None:
    assert [case for case in CASES if not case.text.startswith("# ")] == []
    assert len({(case.file, case.title) for case in CASES}) == len(CASES)


def test_every_rule_has_a_file() -> None:
    assert {*RULES} <= {case.file for case in CASES}
