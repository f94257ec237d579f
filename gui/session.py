"""What a session says, as types: who plays, what was settled, what was accepted, and what became of it."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from calibration.camera import Rig
from calibration.rig_quality import SolvedRig
from gui.origin import Origin
from referee.check import check_kit
from referee.correction import DeleteTurn, Edit, InsertTurn, Record, corrected
from referee.edition import rules_for
from referee.errors import BadGame
from referee.game import Game
from referee.layout import Layout
from referee.match import Corrected, Match, Played, Redone, Setup, Undone
from referee.pieces import Kit
from referee.ruling import Ruling
from vision.errors import BadSession
from vision.session_file import SessionFile, open_session
from vision.session_log import Topic
from vision.session_scan import Entries, Progress

MOST_JSON_BYTES = 16_000_000


class Head(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who plays by which rules, with which pieces, before which cameras."""

    edition: str
    players: tuple[str, ...]
    first: str
    mission: bool = False
    options: dict[str, Any] = {}
    kit: Kit = Kit()
    rig: SolvedRig | None = None
    app: str = ""
    origin: Origin | None = None

    @staticmethod
    def of_game(game: Game, rig: SolvedRig | None = None) -> Head:
        """Who plays a game.json."""
        first = game.first or game.players[0]
        return Head(game.edition, game.players, first, game.mission, game.options, game.kit, rig)

    def setup(self, layout: Layout) -> Setup:
        """The set-up that the match begins from."""
        rules = rules_for(self.edition, len(self.players), self.mission, self.options)
        check_kit(self.kit)
        return Setup(rules, self.kit, self.players, self.first, layout)


class Settled(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a settled pair showed; stills with the same number are what it was seen in."""

    number: int
    player: str | None
    layout: Layout
    ruling: Ruling | None = None
    rig: SolvedRig | None = None
    """The cameras as they stood then, where they had moved since the set-up."""
    said: bool = False
    """Whether people said that this stands there: vision was not asked, and is not when it looks again."""


class Begun(msgspec.Struct, frozen=True, tag="begun"):
    """The match began from this layout."""

    layout: Layout


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event of the match, and the rulings from turn `kept` on as they are after it."""

    event: Begun | Played | Corrected | Undone | Redone
    kept: int
    rulings: tuple[Ruling, ...]
    settled: int | None = None


class Remark(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that happened to the recording: a camera's health, a full disk, going on after a crash."""

    kind: str
    text: str
    camera: str | None = None


Message = TypeVar("Message", Head, Settled, Step, Remark)
HEAD, SETTLED, STEP, REMARK = "/setup", "/settled", "/match", "/remarks"
_KINDS: dict[str, type[msgspec.Struct]] = {HEAD: Head, SETTLED: Settled, STEP: Step, REMARK: Remark}


def event_topics() -> tuple[Topic, ...]:
    """The event streams of a session with their JSON schemas."""
    return tuple(
        Topic(name, f"highway.{kind.__name__}", msgspec.json.encode(msgspec.json.schema(kind)))
        for name, kind in _KINDS.items()
    )


def solved(rig: Rig) -> SolvedRig:
    """The rig with what is known of its error, which is nothing where it is a plain one."""
    return rig if isinstance(rig, SolvedRig) else SolvedRig(rig.cameras, rig.play_area)


def app_version() -> str:
    """The version of this program."""
    return importlib.metadata.version("highway-referee")


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the game as it stands at the end of the record."""

    time_ns: int
    settled: int | None
    """The number of the settled pair that it was accepted on."""
    record: Record


@dataclass(frozen=True, slots=True)
class Recorded:
    """The events of a session."""

    head: Head
    settled: tuple[tuple[int, Settled], ...]
    """What was settled, with its time in ns."""
    steps: tuple[tuple[int, Step], ...]
    remarks: tuple[tuple[int, Remark], ...]

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """The rulings as they were recorded."""
        rulings: tuple[Ruling, ...] = ()
        for _, step in self.steps:
            rulings = (*rulings[: step.kept], *step.rulings)
        return rulings

    def match(self, head: Head | None = None) -> Match | None:
        """The game judged again, by this or another edition; None where it has not begun."""
        match: Match | None = None
        for _, step in self.steps:
            if isinstance(step.event, Begun):
                match = Match.begin((head or self.head).setup(step.event.layout))
            elif match is not None:
                match = match.apply(step.event)
            else:
                said = type(step.event).__name__.lower()
                raise BadGame(f"the record says '{said}' before the match began: it is damaged, copy the session again")
        return match

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The game as it stood at the end: each turn, and when it was accepted on which pair."""
        try:
            return self._turns()
        except IndexError:
            raise BadGame(
                "the record undoes or corrects what never was: it is damaged, copy the session again"
            ) from None

    def _turns(self) -> tuple[Turn, ...]:
        versions: list[tuple[Turn, ...]] = []
        undone: list[tuple[Turn, ...]] = []
        for time_ns, step in self.steps:
            match step.event:
                case Begun(layout):
                    versions, undone = [(Turn(time_ns, step.settled, Record(layout)),)], []
                case Undone():
                    undone.append(versions.pop())
                case Redone():
                    versions.append(undone.pop())
                case Played(layout, note):
                    turn = Turn(time_ns, step.settled, Record(layout, note))
                    versions, undone = [*versions, (*versions[-1], turn)], []
                case Corrected(at, edits):
                    versions, undone = [*versions, _corrected(versions[-1], at, edits, time_ns)], []
        return versions[-1] if versions else ()


def _corrected(turns: tuple[Turn, ...], at: int, edits: Sequence[Edit], time_ns: int) -> tuple[Turn, ...]:
    """The turns with one of them corrected; a turn put in by hand has the time of the correction."""
    for edit in edits:
        records = corrected(tuple(turn.record for turn in turns), at, (edit,))
        marks = [(turn.time_ns, turn.settled) for turn in turns]
        if isinstance(edit, InsertTurn):
            marks.insert(at, (time_ns, None))
        elif isinstance(edit, DeleteTurn):
            del marks[at]
        turns = tuple(Turn(*mark, record) for mark, record in zip(marks, records, strict=True))
    return turns


def read_recorded(file: Entries) -> Recorded:
    """All events of a session."""
    heads = tuple(_decoded(file, HEAD, Head))
    if not heads:
        raise BadSession(f"{file.path}: holds no game, the recording ended before it began; record it again")
    steps = tuple(_decoded(file, STEP, Step))
    return Recorded(heads[-1][1], tuple(_decoded(file, SETTLED, Settled)), steps, tuple(_decoded(file, REMARK, Remark)))


def load(path: Path, progress: Progress | None = None) -> tuple[SessionFile, Recorded]:
    """Open a session and read its events."""
    file = open_session(path, progress)
    try:
        return file, read_recorded(file)
    except BaseException:
        file.close()
        raise


def _decoded(file: Entries, topic: str, kind: type[Message]) -> Iterator[tuple[int, Message]]:
    for entry in file.entries(topic):
        if len(entry.data) > MOST_JSON_BYTES:
            raise BadSession(f"{file.path}: an event of {len(entry.data)} bytes is no event; copy the file again")
        try:
            yield entry.time_ns, msgspec.json.decode(entry.data, type=kind)
        except (msgspec.DecodeError, RecursionError) as error:
            raise BadSession(f"{file.path}: an event in {topic} cannot be read ({error}); copy it again") from None


def kept_rulings(before: Sequence[Ruling], after: Sequence[Ruling]) -> int:
    """How many rulings from the beginning are the same."""
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    return same
