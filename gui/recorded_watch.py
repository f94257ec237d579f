"""A table watched and recorded: every frame into the video, every settled state into the game."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator

from gui.recorded_table import Outcome, RecordedTable
from gui.state_lines import StateLines
from gui.table_keys import Typed
from gui.table_watch import NotSeen, Seen, TableWatch
from referee.errors import BadGame
from referee.notes import NO_NOTE
from vision.frame import FramePair
from vision.gate import GateReport
from vision.newest import newest

WAIT_S = 0.05


class RecordedWatch:
    """Feeds pairs to the watch and to the recorder. `begin_ns` is the moment that the sources' clock calls 0."""

    def __init__(
        self, table: RecordedTable, watch: TableWatch, begin_ns: int, is_live: bool, typed: Typed | None = None
    ) -> None:
        self._table, self._watch, self._typed = table, watch, typed
        self._begin_ns, self._is_live = begin_ns, is_live
        self._states = StateLines()
        accepted = table.accepted
        if accepted is not None:
            watch.accepted(accepted.layout, accepted.player, accepted.settled)
        elif table.said is not None and table.writer.match is None:
            watch.accepted(table.said, None)

    def outcomes(self, pairs: Iterable[FramePair]) -> Iterator[Outcome | str]:
        """What became of each settled state, and in words what kept it from being seen."""
        for pair in newest(pairs, self._film) if self._is_live else self._filmed(pairs):
            for line in self._typed.lines() if self._typed is not None else ():
                yield from self._said(line, pair.time_s)
            for news in self._watch.look(pair):
                yield from self._taken(news, pair.time_s)
        while self._watch.is_busy and not self._is_live:
            for news in self._watch.answers():
                yield from self._taken(news, news.settled.time_s)
            time.sleep(WAIT_S)

    def _filmed(self, pairs: Iterable[FramePair]) -> Iterator[FramePair]:
        for pair in pairs:
            self._film(pair)
            yield pair

    def _film(self, pair: FramePair) -> None:
        for camera, frames in pair.came.items():
            for frame in frames:
                at = self._ns(frame.time_s)
                self._table.writer.recorder.frame(camera, frame.picture, at, wait=not self._is_live)

    def _taken(self, news: GateReport | Seen | NotSeen, now_s: float) -> Iterator[Outcome | str]:
        match news:
            case GateReport(state, words):
                self._table.writer.remark(state.value, words, time_ns=self._ns(now_s))
                line = self._states.line(news) if self._is_live else None
                if line is not None:
                    print(line, file=sys.stderr, flush=True)
            case NotSeen(words):
                self._table.writer.remark("not seen", words, time_ns=self._ns(now_s))
                yield words
            case Seen(layout, settled):
                accepted = self._table.accepted
                if accepted is not None and layout == accepted.layout:
                    return
                try:
                    # By the time of the pair in a film, by the time of acceptance at a live table.
                    outcome = self._table.take(
                        layout, NO_NOTE, settled, self._ns(now_s if self._is_live else settled.time_s)
                    )
                except BadGame as error:
                    yield str(error)
                    return
                accepted = self._table.accepted
                if outcome.is_accepted and accepted is not None:
                    self._watch.accepted(accepted.layout, accepted.player, settled)
                yield outcome

    def _said(self, line: str, now_s: float) -> Iterator[Outcome]:
        turn = self._table.desk.turn
        outcome = self._table.say(line, self._ns(now_s))
        if outcome is None:
            return
        desk = self._table.desk
        if outcome.is_accepted:
            self._watch.accepted(desk.accepted, desk.mover)
            if desk.turn <= turn:
                self._watch.look_again()
        yield outcome

    def _ns(self, time_s: float) -> int:
        return self._begin_ns + round(time_s * 1e9)
