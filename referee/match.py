"""A match: an immutable fold over events. Undo, redo, and any past turn corrected, with all after it judged again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import msgspec

from .check import check_layout, check_no_cycle
from .correction import Edit, Record, Timeline, corrected
from .edition import Rules
from .errors import BadGame
from .judge import judge_setup, judge_turn
from .layout import Layout
from .notes import NO_NOTE, Note, check_note
from .pieces import Kit
from .position import Position
from .ruling import Ruling


class Setup(msgspec.Struct, frozen=True):
    """Who plays, by which rules, with which pieces, from which first layout."""

    rules: Rules
    kit: Kit
    players: tuple[str, ...]
    first: str
    layout: Layout


class Played(msgspec.Struct, frozen=True, tag="played"):
    """A turn was accepted (T8)."""

    layout: Layout
    note: Note = NO_NOTE


class Corrected(msgspec.Struct, frozen=True, tag="corrected"):
    """A past turn was corrected; turn 0 is the set-up."""

    turn: int
    edits: tuple[Edit, ...]


class Undone(msgspec.Struct, frozen=True, tag="undone"):
    """The last turn or correction was taken back."""


class Redone(msgspec.Struct, frozen=True, tag="redone"):
    """What was taken back last holds again."""


MatchEvent = Played | Corrected | Undone | Redone


@dataclass(frozen=True, slots=True)
class Match:
    """A game so far. `log` keeps everything that happened; `rulings` and `positions` are what follows from it."""

    setup: Setup
    log: tuple[MatchEvent, ...]
    versions: tuple[Timeline, ...]
    """Timelines that undo goes back through; the last one holds."""
    undone: tuple[Timeline, ...]
    rulings: tuple[Ruling, ...]
    positions: tuple[Position, ...]

    @staticmethod
    def begin(setup: Setup) -> Match:
        if setup.first not in setup.players:
            raise BadGame(f"first: '{setup.first}' is not one of {', '.join(setup.players)}")
        timeline = (Record(setup.layout),)
        return _judged(Match(setup, (), (timeline,), (), (), ()), ())

    @property
    def timeline(self) -> Timeline:
        return self.versions[-1]

    @property
    def position(self) -> Position:
        return self.positions[-1]

    def play(self, layout: Layout, note: Note = NO_NOTE) -> Match:
        """Accept a turn."""
        return self.apply(Played(layout, note))

    def observe(self, layout: Layout, note: Note = NO_NOTE) -> Ruling:
        """What the referee would say of this layout now, finished or not; the match stays as it is."""
        _check(self.setup, Record(layout, note), len(self.timeline))
        return judge_turn(self.setup.rules, self.setup.kit, self.position, layout, note, finished=False)[0]

    def correct(self, turn: int, *edits: Edit) -> Match:
        return self.apply(Corrected(turn, edits))

    def undo(self) -> Match:
        return self.apply(Undone())

    def redo(self) -> Match:
        return self.apply(Redone())

    def apply(self, event: MatchEvent) -> Match:
        """The match after one more event."""
        logged = replace(self, log=(*self.log, event))
        match event:
            case Undone():
                if len(self.versions) == 1:
                    raise BadGame("there is nothing to undo")
                undone = (*self.undone, self.timeline)
                return _judged(replace(logged, versions=self.versions[:-1], undone=undone), self.timeline)
            case Redone():
                if not self.undone:
                    raise BadGame("there is nothing to redo")
                versions = (*self.versions, self.undone[-1])
                return _judged(replace(logged, versions=versions, undone=self.undone[:-1]), self.timeline)
            case Played(layout, note):
                timeline = (*self.timeline, Record(layout, note))
            case Corrected(turn, edits):
                timeline = corrected(self.timeline, turn, edits)
        return _judged(replace(logged, versions=(*self.versions, timeline), undone=()), self.timeline)


def fold(setup: Setup, log: Iterable[MatchEvent]) -> Match:
    """The match that a log of events leads to."""
    return reduce(Match.apply, log, Match.begin(setup))


def _judged(match: Match, old: Timeline) -> Match:
    """The match with rulings for its timeline; `old` is the one its rulings were for, and what is alike keeps them."""
    setup, timeline = match.setup, match.timeline
    same = 0
    while same < min(len(old), len(timeline)) and old[same] == timeline[same]:
        same += 1
    positions, rulings = list(match.positions[:same]), list(match.rulings[:same])
    for number in range(same, len(timeline)):
        record = timeline[number]
        _check(setup, record, number)
        if number == 0:
            ruling, position = judge_setup(setup.rules, setup.kit, setup.players, setup.first, record.layout)
        else:
            ruling, position = judge_turn(setup.rules, setup.kit, positions[-1], record.layout, record.note)
        positions.append(position)
        rulings.append(ruling)
    return replace(match, rulings=tuple(rulings), positions=tuple(positions))


def _check(setup: Setup, record: Record, number: int) -> None:
    check_layout(record.layout, f"layouts[{number}]", setup.players)
    if number == 0:
        check_no_cycle(record.layout, "layouts[0]")
    check_note(record.note, f"turns[{number - 1}]", setup.players)
    standing = {piece.id for piece in record.layout.pieces()}
    for index, piece_id in enumerate(record.note.rebuilt):
        if piece_id not in standing:
            raise BadGame(f"turns[{number - 1}].rebuilt[{index}]: there is no piece '{piece_id}'")


def differences(before: Match, after: Match) -> tuple[str, ...]:
    """What a correction changed in the rulings, a line for each turn."""
    return ruling_differences(before.rulings, after.rulings)


def ruling_differences(before: Sequence[Ruling], after: Sequence[Ruling]) -> tuple[str, ...]:
    """What differs between two judgements of one game, a line for each turn."""
    lines = []
    for number in range(max(len(before), len(after))):
        if number >= len(after):
            lines.append(f"turn {number}: is gone")
        elif number >= len(before):
            lines.append(f"turn {number}: is new, {after[number].verdict}")
        elif changed := _changed(before[number], after[number]):
            lines.append(f"turn {number}: {', '.join(changed)}")
    return tuple(lines)


STOCK_WORDS = {
    "cars": "cars left", "grey": "grey discs", "yellow": "yellow discs", "roads": "roads left",
    "put_away": "cars put away", "points": "points",
}  # fmt: skip
OTHERWISE = {"crossings": "crossings", "penalties": "penalties", "events": "what happened"}


def _changed(was: Ruling, now: Ruling) -> list[str]:
    """What people would say of the difference."""
    found = []
    if was.player != now.player:
        found.append(f"{now.player}'s turn, not {was.player}'s")
    if was.verdict != now.verdict:
        found.append(f"{now.verdict}, not {was.verdict}")
    rules_was, rules_now = {v.rule for v in was.violations}, {v.rule for v in now.violations}
    found += [f"against {rule} now" for rule in sorted(rules_now - rules_was)]
    found += [f"no longer against {rule}" for rule in sorted(rules_was - rules_now)]
    found += [
        f"cars {name}: {getattr(now, name)}, not {getattr(was, name)}"
        for name in ("earned", "placed")
        if getattr(was, name) != getattr(now, name)
    ]
    for player, state in now.state.players.items():
        before = was.state.players.get(player)
        if before is None:
            continue
        for name, words in STOCK_WORDS.items():
            if getattr(before, name) != getattr(state, name):
                found.append(f"{player}'s {words}: {getattr(state, name)}, not {getattr(before, name)}")
        if before.rank != state.rank:
            found.append(f"{player}'s rank: {state.rank or 'none'}, not {before.rank or 'none'}")
        if before.out != state.out:
            found.append(f"{player} is {'out' if state.out else 'no longer out'}")
    found += _types_changed(was, now)
    if was.state.winners != now.state.winners:
        found.append(f"{now.state.winner or 'nobody'} wins, not {was.state.winner or 'nobody'}")
    found += [f"{words} otherwise" for name, words in OTHERWISE.items() if getattr(was, name) != getattr(now, name)]
    if was.violations != now.violations and rules_was == rules_now:
        found.append("measured otherwise")
    if not found and was != now:
        found.append("something else")
    return found


def _types_changed(was: Ruling, now: Ruling) -> list[str]:
    """Types of cars in stock, once for all players where they are alike."""
    both = [
        (player, before.types, state.types)
        for player, state in now.state.players.items()
        if (before := was.state.players.get(player)) is not None and before.types != state.types
    ]
    if both and all(types is None for _, _, types in both):
        return ["car types do not count"]
    if both and all(types is None for _, types, _ in both):
        return ["car types count"]
    return [f"{player}'s car types" for player, _, _ in both]
