"""Processes that do not hear Ctrl-C, not even while they load: it is for the one who started them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker


@contextmanager
def deaf_children() -> Iterator[None]:
    """Whatever is started meanwhile is deaf; on Windows, which has no such thing, from when it has loaded."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # it opens our ears again when it is started along with the first process
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
