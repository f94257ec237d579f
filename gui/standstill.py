"""When the machine itself stood still: one process a processor that only sleeps notices when it wakes too late.

A virtual machine is stopped for tenths of a second whenever its host is busy. Nothing in it can help that, and a
measurement must not blame it on the program.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType

from vision.deaf import deaf_children

NAP_MS, NOTICED_MS = 1.0, 1.0
HAS_QUEUES = Path("/proc/self/schedstat").exists()


@dataclass(frozen=True, slots=True)
class Standstill:
    """A processor stood still between two moments of the monotonic clock, for so many ms in all."""

    cpu: int
    begin_ms: float
    end_ms: float
    stood_ms: float

    def within_ms(self, begin_ms: float, end_ms: float) -> float:
        """How much of it fell between two moments."""
        return max(min(min(self.end_ms, end_ms) - max(self.begin_ms, begin_ms), self.stood_ms), 0.0)


def stood_ms(stops: Sequence[Standstill], begin_ms: float, end_ms: float, cpu: int | None = None) -> float:
    """How long a processor stood still between two moments; of all of them (None) the one that did longest."""
    totals: dict[int, float] = {}
    for stop in stops:
        if cpu is None or stop.cpu == cpu:
            totals[stop.cpu] = totals.get(stop.cpu, 0.0) + stop.within_ms(begin_ms, end_ms)
    return max(totals.values(), default=0.0)


class Sleepers:
    """A sleeper on each processor that this process may use; none where waits in the queue cannot be told (no Linux).

    `stops` is what they noticed, once this was left.
    """

    def __init__(self) -> None:
        self.stops: tuple[Standstill, ...] = ()
        self._started: list[tuple[BaseProcess, Connection]] = []

    def __enter__(self) -> Sleepers:
        if not HAS_QUEUES:
            return self
        context = get_context("spawn")
        for cpu in sorted(os.sched_getaffinity(0)):
            here, there = context.Pipe()
            process = context.Process(target=_sleep, args=(cpu, there), daemon=True)
            with deaf_children():
                process.start()
            there.close()
            self._started.append((process, here))
        for _, line in self._started:
            with suppress(EOFError):  # it ended before it slept
                line.recv()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        found: list[Standstill] = []
        for process, line in self._started:
            with suppress(EOFError, OSError):  # killed: then it noticed nothing
                line.send(None)
                found += line.recv()
            line.close()
            process.join()
        self.stops = tuple(found)


def _sleep(cpu: int, line: Connection) -> None:
    """What runs in each process: until the other end says a word or is closed."""
    os.sched_setaffinity(0, {cpu})
    found: list[Standstill] = []
    line.send(None)
    before_ms, queued_before_ms = time.monotonic() * 1000, _queued_ms()
    is_over = False
    while not is_over:
        is_over = line.poll(0)  # and one nap more: it may have stood still while it looked
        time.sleep(NAP_MS / 1000)
        now_ms, queued_ms = time.monotonic() * 1000, _queued_ms()
        stood = now_ms - before_ms - NAP_MS - (queued_ms - queued_before_ms)
        if stood > NOTICED_MS:
            found.append(Standstill(cpu, before_ms, now_ms, stood))
        before_ms, queued_before_ms = now_ms, queued_ms
    with suppress(EOFError, OSError):
        line.recv()
        line.send(found)


def _queued_ms() -> float:
    """How long this process has stood ready while others had its processor."""
    return int(Path("/proc/self/schedstat").read_bytes().split()[1]) / 1e6
