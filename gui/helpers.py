"""Processes that help with a long job, one per core, and leave Ctrl-C to the one who started them."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context


def helpers(count: int | None = None) -> ProcessPoolExecutor:
    """So many processes (None: one per core). Shut them down with `cancel_futures` or what waits is done first."""
    # A copy of a process that runs threads or a window may hang.
    return ProcessPoolExecutor(count or os.cpu_count(), get_context("spawn"), _begin)


def _begin() -> None:
    import cv2  # here: whoever starts helpers need not know pictures

    from vision import at_once

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    cv2.setNumThreads(1)
    at_once.THREADS = 1
