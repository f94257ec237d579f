"""A filmed game recorded as at a live table: gate, vision, referee, and players who answer by what they built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from gui.desk import Desk
from gui.explaining import AtOnce
from gui.film import FilmFeed, FilmState
from gui.film_players import accepted_step, players_step
from gui.session import Head, solved
from gui.session_writer import SessionWriter
from gui.table_watch import NotSeen, Seen, TableWatch, gate_for
from referee.game import play
from referee.layout import BARE_TABLE
from referee.notes import NO_NOTE
from referee.ruling import Ruling
from vision.frame import FramePair
from vision.gate import GateReport
from vision.h264 import SMALL, Quality
from vision.scoring import score
from vision.sources import Recorded, in_step
from vision.views import CAMERAS

MOST_STEPS = 60
"""So many things players do about one turn at most; more of them are a fault of theirs or ours."""
START_NS = 1_790_000_000_000_000_000
"""A film has no date; with a fixed one the same film gives the same session."""


@dataclass(slots=True)
class FilmTurn:
    """What became of one turn of the film."""

    turn: int
    faults: tuple[str, ...]
    """What vision saw wrong of the finished turn."""
    wrong_and_sure: bool
    """Whether it did not mark one of them as unsure."""
    questions: int = 0
    put_right: int = 0
    ruling: Literal["same", "open", "other"] = "other"
    """Against the one of the exact layouts; `open` where nothing is wrong but something too close to call."""


@dataclass(slots=True)
class FilmFigures:
    """How the recording went, held against what is true of the film."""

    states: int = 0
    opened: int = 0
    opened_elsewhere: int = 0
    missed: list[int] = field(default_factory=list)
    """Turns that the gate never opened for; the players entered them by hand."""
    turns: list[FilmTurn] = field(default_factory=list)

    def lines(self) -> list[str]:
        """For people: the counts, then every turn that did not go by itself."""
        seen = [turn for turn in self.turns if not turn.faults]
        return [
            f"the gate opened for {self.opened} of {self.states} settled states, {self.opened_elsewhere} times besides",
            f"{len(seen)} of {len(self.turns)} turns were seen as they are, the set-up among them; "
            f"{sum(turn.wrong_and_sure for turn in self.turns)} were wrong and sure",
            f"the players answered {sum(turn.questions for turn in self.turns)} questions "
            f"and put {sum(turn.put_right > 0 for turn in self.turns)} turns right",
            f"{sum(turn.ruling == 'same' for turn in self.turns)} rulings are those of the exact layouts, "
            f"{sum(turn.ruling == 'open' for turn in self.turns)} too close to call instead, "
            f"{sum(turn.ruling == 'other' for turn in self.turns)} others",
            *(f"turn {turn.turn}: {'; '.join(turn.faults)}" for turn in self.turns if turn.faults),
            *(f"turn {turn}: was never seen settled" for turn in self.missed),
        ]


class FilmTable:
    """One film on its way into a session."""

    def __init__(self, folder: Path, session: Path, warn: Callable[[str], None], quality: Quality = SMALL) -> None:
        self._feed = FilmFeed(folder)
        game, rig = self._feed.game, solved(self._feed.rig)
        head = Head.of_game(game, rig)
        self._writer = SessionWriter.begin(session, head, warn, lambda: START_NS, quality)
        self._desk = Desk.begin(head.setup(BARE_TABLE))
        self._watch = TableWatch(gate_for(rig), rig, game.kit, game.players, AtOnce())
        self._true: tuple[Ruling, ...] = play(game).rulings
        self.figures = FilmFigures()

    def record(self, turns: int | None, progress: Callable[[float], None]) -> None:
        """The film up to the end of a turn, or all of it."""
        states = [s for s in self._feed.film.states if turns is None or s.turn <= turns]
        self.figures.states = len(states)
        videos = {camera: Recorded(self._feed.folder / f"{camera}.mp4") for camera in CAMERAS}
        for number, pair in enumerate(in_step(videos)):
            if number > states[-1].last_frame:
                break
            self._film(pair)
            for news in self._watch.look(pair):
                match news:
                    case GateReport(state, words):
                        self._writer.remark(state.value, words, time_ns=_ns(pair.time_s))
                    case NotSeen(words):
                        self._writer.remark("not seen", words, time_ns=_ns(pair.time_s))
                    case Seen():
                        self._settled(news, next((s for s in states if s.first_frame <= number <= s.last_frame), None))
            progress((number + 1) / (states[-1].last_frame + 1))

    def close(self) -> None:
        self._watch.close()
        self._writer.close()

    def _film(self, pair: FramePair) -> None:
        for camera, frames in pair.came.items():
            for frame in frames:
                self._writer.recorder.frame(camera, frame.picture, _ns(frame.time_s), wait=True)

    def _settled(self, news: Seen, state: FilmState | None) -> None:
        if state is None:
            self.figures.opened_elsewhere += 1
            return
        self.figures.opened += 1
        at = _ns(news.settled.time_s)
        while self._desk.turn < state.turn:
            self._missed(self._desk.turn, at)
        self._desk = self._desk.settled(news.layout)
        number = self._writer.settled(news.layout, self._desk.mover, self._desk.ruling, news.settled, at)
        if state.complete and self._desk.turn == state.turn:
            self._played(news, state, number, at)
            self._watch.accepted(self._desk.accepted, self._desk.mover, news.settled)

    def _played(self, news: Seen, state: FilmState, number: int, at: int) -> None:
        marks = score(news.layout, state.layout)
        turn = FilmTurn(state.turn, tuple(f"{f.piece}: {f.text}" for f in marks.faults), marks.wrong_and_sure)
        note = self._feed.game.note(state.turn) if state.turn else NO_NOTE
        for _ in range(MOST_STEPS):
            if self._desk.turn > state.turn:
                break
            before, step = self._desk, players_step(self._desk, state.layout, note)
            if step is None:
                break
            self._act(step(before), number, at)
            turn.questions += before.phase == "asked" and not self._desk.by_hand
            turn.put_right += self._desk.by_hand and not before.by_hand
        afterwards = accepted_step(self._desk, state.turn, state.layout)
        if afterwards is not None:
            self._act(afterwards(self._desk), number, at)
            turn.put_right += 1
        if self._desk.match is not None and self._desk.turn > state.turn:
            turn.ruling = _compared(self._desk.match.rulings[state.turn], self._true[state.turn])
        self.figures.turns.append(turn)

    def _missed(self, turn: int, at: int) -> None:
        """A turn that nobody saw settled: the players enter it."""
        self.figures.missed.append(turn)
        built = next(s.layout for s in self._feed.film.states if s.turn == turn and s.complete)
        number = self._writer.settled(built, self._desk.mover, None, None, at)
        for _ in range(MOST_STEPS):
            step = players_step(self._desk, built, self._feed.game.note(turn) if turn else NO_NOTE)
            if self._desk.turn > turn or step is None:
                return
            self._act(step(self._desk), number, at)

    def _act(self, desk: Desk, number: int, at: int) -> None:
        if desk.match is not None and desk.match is not self._desk.match:
            self._writer.follow(desk.match, number, at)
        self._desk = desk


def _compared(ruling: Ruling, true: Ruling) -> Literal["same", "open", "other"]:
    """What players would argue about: verdict, broken rules, cars and penalties."""
    if _gist(ruling) == _gist(true):
        return "open" if any(v.verdict == "too_close" for v in ruling.violations) else "same"
    return "other"


def _gist(ruling: Ruling) -> tuple[object, ...]:
    owed = sorted((p.by, p.owner, p.grey, p.yellow) for p in ruling.penalties)
    broken = sorted({v.rule for v in ruling.violations if v.verdict == "illegal"})
    return ruling.earned, ruling.placed, owed, broken


def _ns(time_s: float) -> int:
    return START_NS + round(time_s * 1e9)
