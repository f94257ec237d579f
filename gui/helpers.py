"""Processes that help with a long job, one per core, and leave Ctrl-C to the one who started them."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

TIDY_S = 1.0


def helpers(count: int | None = None) -> ProcessPoolExecutor:
    """So many processes (None: one per core); `dismiss` them."""
    # A copy of a process that runs threads or a window may hang.
    return ProcessPoolExecutor(count or os.cpu_count(), get_context("spawn"), _begin)


def dismiss(pool: ProcessPoolExecutor, broken_off: bool) -> None:
    """Let the processes go: when they have done what they are at, or at once where the job is broken off."""
    if broken_off:
        at_work = list(pool._processes.values())  # with a name of its own only from Python 3.14 on
        for process in at_work:
            process.terminate()
        for process in at_work:
            process.join(TIDY_S)
            process.kill()
    pool.shutdown(cancel_futures=True)


def _begin() -> None:
    from vision import at_once  # here: whoever starts helpers need not know pictures

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    at_once.THREADS = 1


def _leave(*_: object) -> None:
    """Break off what is being done, so that it takes away what is half-written."""
    sys.exit(1)
