"""Vision, asked what a settled pair shows: at once, or in a process of its own so that nothing waits for it."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Protocol

from calibration.camera import Rig
from referee.layout import Layout, with_city
from referee.pieces import Kit
from vision.buildings import city_of
from vision.deaf import deaf_children
from vision.errors import VisionError
from vision.gate import Settled
from vision.moved_camera import pictures_moved
from vision.set_up import table_of
from vision.view import Picture
from vision.watch import explain

AFTER_THE_WINDOW = 5
"""How far vision stands back where processors are scarce: the window and the cameras go first."""


@dataclass(frozen=True, slots=True, eq=False)
class Accepted:
    """What the next settled pair is explained against: a layout, the pair it was accepted on, and who moves now."""

    layout: Layout
    settled: Settled
    player: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What does this pair show? `accepted` is None while nothing is known of the table."""

    settled: Settled
    accepted: Accepted | None
    rig: Rig
    kit: Kit
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CityQuestion:
    """Which cards and buildings lie beside the pieces of this layout? The answer has them, and no others."""

    settled: Settled
    layout: Layout
    rig: Rig
    kit: Kit


Asked = Question | CityQuestion


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What vision says: a layout, or why there is none."""

    layout: Layout | None
    trouble: str | None = None


class Explainer(Protocol):
    """Answers one question at a time."""

    def ask(self, question: Question) -> None: ...

    def answer(self) -> Answer | None:
        """To the last question, once it is there; each is given once."""

    def close(self) -> None: ...


class AtOnce:
    """In this process, while the asker waits: for files, where every run must be the same."""

    def __init__(self) -> None:
        self._answer: Answer | None = None

    def ask(self, question: Asked) -> None:
        self._answer = answered(question)

    def answer(self) -> Answer | None:
        answer, self._answer = self._answer, None
        return answer

    def close(self) -> None:
        return


class Beside:
    """In a process of its own: for live tables, where frames and health must not wait. A lost one is started again."""

    def __init__(self) -> None:
        self._open: Asked | None = None
        self._sending: threading.Thread | None = None
        self._start()

    def ask(self, question: Asked) -> None:
        self._open = question
        # Pictures fill the line, and a process that is just starting does not empty it yet: nobody waits for that.
        self._sending = threading.Thread(target=_sent, args=(self._line, question), daemon=True)
        self._sending.start()

    def answer(self) -> Answer | None:
        if self._open is None:
            return None
        try:
            if not self._line.poll():
                return None
            found: Answer = self._line.recv()
        except (EOFError, ConnectionResetError):
            return self._lost()
        self._open = None
        return found

    def close(self) -> None:
        self._process.kill()  # it holds nothing, and may be seconds from its answer
        self._process.join()
        self._process.close()
        if self._sending is not None:  # with nobody to read, it breaks off by itself
            self._sending.join()
        self._line.close()

    def _start(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._line, theirs = spawn.Pipe()
        self._process = spawn.Process(target=answer_all, args=(theirs,), name="explains", daemon=True)
        with deaf_children():
            self._process.start()
        theirs.close()

    def _lost(self) -> Answer:
        """The process died over a question: that is told, and the next question gets a new one."""
        self.close()
        self._start()
        self._open = None
        return Answer(None, "what was looking at the pictures broke off; it is started again, move something slightly")


def _sent(line: Connection, question: Asked) -> None:
    """Pictures go as they lie in memory: packing them would hold up every other thread meanwhile."""
    pictures: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(question, protocol=5, buffer_callback=pictures.append)
    with suppress(OSError):  # a process that is gone shows when its answer is asked for
        line.send((packed, len(pictures)))
        for picture in pictures:
            line.send_bytes(picture.raw())


def _received(line: Connection) -> Asked:
    packed, pictures = line.recv()
    question: Asked = pickle.loads(packed, buffers=[bytearray(line.recv_bytes()) for _ in range(pictures)])
    return question


def answer_all(line: Connection) -> None:
    """What runs in the process: questions until the line is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(AFTER_THE_WINDOW)
    try:
        while True:
            line.send(answered(_received(line)))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def answered(question: Asked) -> Answer:
    """What the pair shows, by the rig as it is now; the old pair is seen as from where the cameras stand now."""
    settled, rig = question.settled, question.settled.rig or question.rig
    try:
        if isinstance(question, CityQuestion):
            bare = with_city(question.layout, ())
            areas, buildings = city_of(settled.pictures, rig, question.kit, bare)
            return Answer(with_city(bare, (*buildings, *areas)))
        accepted = question.accepted
        if accepted is None:
            return Answer(table_of(settled.pictures, rig, question.kit, question.players))
        before = _as_from(accepted.settled, rig, question.rig)
        both = [name for name in settled.pictures if name in before]
        old, now = ({name: pictures[name] for name in both} for pictures in (before, settled.pictures))
        return Answer(explain(accepted.layout, old, now, rig, question.kit, question.players, accepted.player))
    except VisionError as error:
        return Answer(None, str(error))


def _as_from(settled: Settled, rig: Rig, first: Rig) -> Mapping[str, Picture]:
    """The pictures of a pair as they would look by another rig."""
    was = settled.rig or first
    return {
        name: picture if was.cameras[name] == rig.cameras[name]
        else pictures_moved(picture, was.cameras[name], rig.cameras[name])
        for name, picture in settled.pictures.items()
    }  # fmt: skip
