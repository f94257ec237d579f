"""Work side by side: NumPy and OpenCV let go of Python while they compute, so two threads use two cores."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

THREADS = min(os.cpu_count() or 1, 4)

Item = TypeVar("Item")
Result = TypeVar("Result")

_HERE = threading.local()
"""Whether a thread is at work on an item: what that one splits up is done in its own thread."""
_POOL: list[ThreadPoolExecutor] = []
if hasattr(os, "register_at_fork"):  # Threads do not follow into a process that is forked off.
    os.register_at_fork(after_in_child=_POOL.clear)


@contextmanager
def alone() -> Iterator[None]:
    """Within it this thread does its work by itself: where other processes keep the other cores busy."""
    before, _HERE.is_busy = getattr(_HERE, "is_busy", False), True
    try:
        yield
    finally:
        _HERE.is_busy = before


def at_once(work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """What the work makes of each item, in their order."""
    todo = list(items)
    helpers = min(THREADS, len(todo)) - 1
    if helpers < 1 or getattr(_HERE, "is_busy", False):
        return [work(item) for item in todo]
    done: list[Any] = [None] * len(todo)
    turns = itertools.count()

    def some() -> None:
        with alone():
            while (i := next(turns)) < len(todo):
                done[i] = work(todo[i])

    helping = [_helpers().submit(some) for _ in range(helpers)]
    try:
        some()
    finally:
        wait(helping)
    for helper in helping:
        helper.result()
    return done


def both_at_once(one: Callable[[], Item], other: Callable[[], Result]) -> tuple[Item, Result]:
    """What two pieces of work come to that do not wait for each other."""
    both: list[Callable[[], Any]] = [one, other]
    first, second = at_once(lambda work: work(), both)
    return first, second


def _helpers() -> ThreadPoolExecutor:
    if not _POOL:
        _POOL.append(ThreadPoolExecutor(THREADS))
    return _POOL[0]
