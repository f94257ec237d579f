"""A table being watched: pairs of frames go in; what the gate says, and what vision sees, come out.

    cameras = LiveCameras(sources, sizes)             # or in_step(...) for videos, or a recorded session
    watch = TableWatch(gate_for(rig), rig, kit, players, Beside())       # AtOnce() for files
    for pair in cameras:
        for news in watch.look(pair):
            match news:
                case GateReport(state, words): ...    # only when it changed: moving, hands, open, paused ...
                case Seen(layout, settled): ...       # what a settled pair shows against what was accepted
                case NotSeen(words, settled): ...     # why vision cannot tell
        watch.accepted(layout, player, settled)       # whenever the match has moved on (or back)

It knows no rules and no turns: whoever uses it tells it what was accepted, and who moves next. An answer that came too
late, because something else was accepted meanwhile, is thrown away and the pair explained anew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from calibration.camera import Rig
from calibration.drift import LEAST_TAGS, Watcher
from calibration.kit_card import KIT_IDS
from calibration.rig_quality import SolvedRig
from calibration.self_test import check_corners
from gui.explaining import Accepted, Explainer, Question
from referee.layout import Layout
from referee.pieces import Kit
from vision.frame import FramePair
from vision.gate import Gate, GateReport, GateState, Settled
from vision.hands import HandFinder

UNDONE = 6
"""So many accepted pairs are kept for turns that are taken back."""
UNSEEN = "no tags are watched: drift of the cameras goes unseen"


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What a settled pair shows."""

    layout: Layout
    settled: Settled


@dataclass(frozen=True, slots=True, eq=False)
class NotSeen:
    """Why nobody can tell what a settled pair shows."""

    words: str
    settled: Settled


News = GateReport | Seen | NotSeen


class TableWatch:
    """Gate and vision of one table, joined."""

    def __init__(self, gate: Gate, rig: Rig, kit: Kit, players: tuple[str, ...], explainer: Explainer) -> None:
        self._gate, self._rig, self._kit, self._players = gate, rig, kit, players
        self._explainer = explainer
        self._accepted: Accepted | None = None
        self._said: tuple[Layout, str | None] | None = None
        self._told: tuple[GateState, str] | None = None
        self._asked: Question | None = None
        self._waiting: Settled | None = None
        self._last: Settled | None = None
        self._seen: Settled | None = None
        self._history: deque[Accepted] = deque(maxlen=UNDONE)

    @property
    def is_busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._asked is not None or self._waiting is not None

    def accepted(self, layout: Layout, player: str | None, settled: Settled | None = None) -> None:
        """This stands on the table, as seen on this pair, and this player moves next.

        Without a pair: the one that the layout was accepted on before, where a turn was taken back, else the last seen;
        before anything was seen people have said it, and the first settled pair shows it.
        """
        before = next((old.settled for old in reversed(self._history) if old.layout == layout), None)
        shown = settled or before or self._seen
        if shown is None:
            self._said = layout, player
            return
        self._said, self._accepted = None, Accepted(layout, shown, player)
        self._history.append(self._accepted)

    def look(self, pair: FramePair) -> Iterator[News]:
        """What is new with this pair."""
        report = self._gate.look(pair)
        if (report.state, report.words) != self._told or report.settled is not None:
            self._told = report.state, report.words
            yield report
        if report.settled is not None:
            self._last = self._waiting = report.settled
            if self._said is not None:
                self.accepted(*self._said, report.settled)
        yield from self.answers()

    def look_again(self) -> None:
        """Explain the last settled pair anew: after a correction, or an undo."""
        self._waiting = self._last

    def answers(self) -> Iterator[Seen | NotSeen]:
        """What vision has found meanwhile; `look` gives it too."""
        if self._asked is None:
            self._ask()
        answer = self._explainer.answer() if self._asked is not None else None
        if answer is None or self._asked is None:
            return
        asked, self._asked = self._asked, None
        if asked.accepted is not self._accepted:
            self._waiting = self._waiting or asked.settled
        elif answer.layout is None:
            yield NotSeen(answer.trouble or "nothing can be told from these pictures", asked.settled)
        else:
            self._seen = asked.settled
            yield Seen(answer.layout, asked.settled)
        self._ask()

    def close(self) -> None:
        self._explainer.close()

    def _ask(self) -> None:
        """The newest settled pair; one that came between was overtaken."""
        if self._asked is None and self._waiting is not None:
            self._asked = Question(self._waiting, self._accepted, self._rig, self._kit, self._players)
            self._waiting = None
            self._explainer.ask(self._asked)


def gate_for(rig: Rig) -> Gate:
    """The gate for a rig, with hands and, where the rig knows tags, drift."""
    watcher = None
    if isinstance(rig, SolvedRig) and sum(tag % 100 not in KIT_IDS for tag in rig.tags) >= LEAST_TAGS:
        check_corners()
        watcher = Watcher.of(rig)
    return Gate(rig, watcher, HandFinder())
