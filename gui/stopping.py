"""Ctrl-C at a live table: heard between two pairs, where nothing is half done."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def stop_asked_for() -> Iterator[threading.Event]:
    """Set by Ctrl-C or by being told to end; a second Ctrl-C, for those in a hurry, breaks off as ever."""
    stop = threading.Event()
    kinds = (signal.SIGINT, signal.SIGTERM)

    def ask(kind: int, _: object) -> None:
        stop.set()
        signal.signal(kind, before[signal.Signals(kind)])

    before = {kind: signal.signal(kind, ask) for kind in kinds}
    try:
        yield stop
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
