"""Long work in the background: told how far it is, and broken off when nobody wants it any more. Qt-free."""

from __future__ import annotations

import threading

from vision.session_scan import Progress


class Cancelled(Exception):
    """Somebody does not want it any more; whatever was half done is taken away on the way out."""


class Work:
    """One long job. It calls `progress` with the share that is done, and hears of a cancellation there."""

    def __init__(self, tell: Progress) -> None:
        self._tell, self._cancelled = tell, threading.Event()

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    def progress(self, share: float) -> None:
        if self._cancelled.is_set():
            raise Cancelled
        self._tell(share)

    def part(self, low: float, high: float) -> Progress:
        """The progress of a part of the job that takes it from one share to another."""
        return lambda share: self.progress(low + (high - low) * share)

    def cancel(self) -> None:
        self._cancelled.set()
