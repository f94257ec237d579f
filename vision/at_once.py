"""Work side by side: NumPy and OpenCV let go of Python while they compute, so two threads use two cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

THREADS = min(os.cpu_count() or 1, 4)

Item = TypeVar("Item")
Result = TypeVar("Result")


def at_once(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """What the work makes of each item, in their order."""
    todo = list(items)
    threads = min(THREADS, len(todo))
    if threads < 2:
        return [work(item) for item in todo]
    # Threads that are kept would be dead in a process that was forked off; starting them takes 0.1 ms.
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, todo))
