"""Vision on stored stills: look after look, or many at once where the record tells what was accepted before."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Protocol

from calibration.camera import Rig
from gui.explaining import Accepted, Answer, Question, answered
from gui.helpers import dismiss, helpers
from gui.session import Head
from gui.session import Settled as State
from referee.layout import Layout
from vision.at_once import alone
from vision.deaf import deaf_children
from vision.gate import Settled
from vision.playback import still_pair
from vision.session_file import SessionFile, open_session


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a settled pair lies in a session."""

    number: int
    time_ns: int
    rig: Rig | None

    @staticmethod
    def of(settled: tuple[int, State]) -> Spot:
        time_ns, state = settled
        return Spot(state.number, time_ns, state.rig)


@dataclass(frozen=True, slots=True)
class Known:
    """What was accepted before a look, on which pair, and who moves."""

    layout: Layout
    spot: Spot
    player: str | None


@dataclass(frozen=True, slots=True)
class Look:
    """One question to vision: what does this pair show, by what was known?"""

    spot: Spot
    known: Known | None


class Eyes(Protocol):
    """Answers looks."""

    def see(self, look: Look) -> Answer | None:
        """What a pair shows; None where its stills were not stored."""


class OwnEyes:
    """Looks in this process, when asked."""

    def __init__(self, file: SessionFile, head: Head) -> None:
        self._file, self._head = file, head

    def see(self, look: Look) -> Answer | None:
        return _seen(self._file, self._head, look)


class ManyEyes:
    """Looks on many cores, at what it was told to expect, in this process and in others; anything else here.

    The answer to a look hangs on nothing but the look, so it is the same whoever gives it.
    """

    def __init__(self, file: SessionFile, head: Head, workers: int | None = None) -> None:
        self._own = OwnEyes(file, head)
        self._path, self._head = file.path, head
        self._helpers = max((workers or os.cpu_count() or 2) - 1, 1)
        self._pool = helpers(self._helpers)
        self._waiting: dict[int, Look] = {}
        self._begun: dict[int, tuple[Look, Future[Answer | None]]] = {}

    def expect(self, look: Look) -> None:
        """Begin to look, as soon as somebody is free."""
        self._waiting[look.spot.number] = look
        self._hand_out()

    def see(self, look: Look) -> Answer | None:
        number = look.spot.number
        self._hand_out()
        while number in self._waiting:
            self._look_here()
        expected, answer = self._begun.get(number, (None, None))
        if answer is not None and expected == look:
            while not answer.done() and self._waiting:
                self._look_here()
            del self._begun[number]
            with contextlib.suppress(BrokenProcessPool):  # a helper was killed: then it is looked at here
                return answer.result()
            return self._own.see(look)
        # The game took another way, on which nothing that was expected comes true.
        self._waiting.clear()
        return self._own.see(look)

    def __enter__(self) -> ManyEyes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        dismiss(self._pool, kind is not None)

    def _hand_out(self) -> None:
        """Give each helper a look and one more: what it has been given cannot be taken back, and none may be idle."""
        open_looks = sum(not answer.done() for _, answer in self._begun.values())
        while self._waiting and open_looks < 2 * self._helpers:
            number, look = self._next()
            try:
                with deaf_children():
                    self._begun[number] = look, self._pool.submit(_seen_at, self._path, self._head, look)
            except BrokenProcessPool:
                self._helpers, self._waiting = 0, {number: look, **self._waiting}
                return
            open_looks += 1

    def _look_here(self) -> None:
        """The next look, in this process: waiting for the others would waste a core."""
        number, look = self._next()
        here: Future[Answer | None] = Future()
        try:
            with alone():
                here.set_result(self._own.see(look))
        except Exception as error:  # for whoever asks for this one, which may never be asked for
            here.set_exception(error)
        self._begun[number] = look, here
        self._hand_out()

    def _next(self) -> tuple[int, Look]:
        number = next(iter(self._waiting))
        return number, self._waiting.pop(number)


class AsRecorded:
    """Says what was seen then, and tells every look that it is asked for."""

    def __init__(self, states: dict[int, State], tell: Callable[[Look], None]) -> None:
        self._states, self._tell = states, tell

    def see(self, look: Look) -> Answer | None:
        self._tell(look)
        return Answer(self._states[look.spot.number].layout)


def _seen(file: SessionFile, head: Head, look: Look) -> Answer | None:
    pair = _pair(file, look.spot)
    if pair is None or head.rig is None:
        return None
    accepted = None
    if look.known is not None:
        before = _pair(file, look.known.spot)
        if before is None:
            return None
        accepted = Accepted(look.known.layout, before, look.known.player)
    return answered(Question(pair, accepted, head.rig, head.kit, head.players))


def _pair(file: SessionFile, spot: Spot) -> Settled | None:
    """The stored stills of a settled state; None where there are none."""
    pictures = still_pair(file, spot.number, spot.time_ns)
    return Settled(pictures, spot.time_ns / 1e9, spot.rig) if pictures else None


def _seen_at(path: Path, head: Head, look: Look) -> Answer | None:
    """What runs in each process."""
    return _seen(_opened(path), head, look)


@cache
def _opened(path: Path) -> SessionFile:
    return open_session(path)
