"""Pairs that come when they will, in a thread of their own: every one is filmed, whoever looks gets the newest."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator

from vision.frame import FramePair


def newest(pairs: Iterable[FramePair], each: Callable[[FramePair], None]) -> Iterator[FramePair]:
    """The newest pair not looked at yet, one after the other; `each` gets all of them, however long a look takes."""
    coming = _Coming(pairs, each)
    try:
        while (pair := coming.next()) is not None:
            yield pair
    finally:
        coming.stop()


class _Coming:
    """The thread, and the one pair that waits."""

    def __init__(self, pairs: Iterable[FramePair], each: Callable[[FramePair], None]) -> None:
        self._pairs, self._each = pairs, each
        self._changed = threading.Condition()
        self._waiting: FramePair | None = None
        self._over = self._stopped = False
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="films", daemon=True)
        self._thread.start()

    def next(self) -> FramePair | None:
        """Waits for a pair; None when no more come. What broke the thread is raised here."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is not None or self._over)
            pair, self._waiting = self._waiting, None
        if pair is None and self._error is not None:
            raise self._error
        return pair

    def stop(self) -> None:
        self._stopped = True
        self._thread.join()

    def _run(self) -> None:
        try:
            for pair in self._pairs:
                if self._stopped:
                    break
                self._each(pair)
                with self._changed:
                    self._waiting = pair
                    self._changed.notify()
        except BaseException as error:  # whoever iterates hears of it
            self._error = error
        with self._changed:
            self._over = True
            self._changed.notify()
