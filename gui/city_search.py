"""A city sought in the pictures: in a process of its own, told when it is found, broken off when nobody waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from PyQt6.QtCore import QObject, pyqtSignal

from gui.explaining import Answer, CityQuestion
from gui.long_work import Work

POLL_S = 0.05


class CityReader(Protocol):
    """Answers which city a pair shows."""

    def ask(self, question: CityQuestion) -> None: ...

    def answer(self) -> Answer | None:
        """Once it is there."""

    def close(self) -> None: ...


class CitySearch(QObject):
    """One search at a time; an answer that comes after it was broken off is never told."""

    answered = pyqtSignal(object)
    """An Answer."""
    _ended = pyqtSignal(object, object)

    def __init__(self, reader: Callable[[], CityReader]) -> None:
        super().__init__()
        self._reader = reader
        self._work: Work | None = None
        self._ended.connect(self._tell)

    @property
    def is_on(self) -> bool:
        return self._work is not None

    def begin(self, question: CityQuestion) -> None:
        self.cancel()
        self._work = Work(lambda share: None)
        threading.Thread(target=self._run, args=(self._work, question), name="city", daemon=True).start()

    def cancel(self) -> None:
        """Break it off; its process is gone soon."""
        if self._work is not None:
            self._work.cancel()
            self._work = None

    def _run(self, work: Work, question: CityQuestion) -> None:
        reader = self._reader()
        try:
            reader.ask(question)
            answer = reader.answer()
            while answer is None and not work.is_cancelled:
                time.sleep(POLL_S)
                answer = reader.answer()
        finally:
            reader.close()
        with suppress(RuntimeError):  # the window is gone
            self._ended.emit(work, answer)

    def _tell(self, work: Work, answer: Answer | None) -> None:
        """In the window's thread."""
        if work is self._work and answer is not None:
            self._work = None
            self.answered.emit(answer)
