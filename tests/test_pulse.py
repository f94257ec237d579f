"""How long the window's thread was held up, and what of that was the machine's doing."""

import os
import signal
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.pulse import Beat
from gui.standstill import HAS_QUEUES, NAP_MS, Sleepers, Standstill, stood_ms

STOPS_TRIED = 40
needs_queues = pytest.mark.skipif(not HAS_QUEUES, reason="waits for a processor are told on Linux alone")


def beat(late_ms: float, busy_ms: float, queued_ms: float = 0.0) -> Beat:
    """A beat that came at 1000 ms on processor 0."""
    return Beat(late_ms, busy_ms, queued_ms, 1000.0, 0)


@pytest.mark.parametrize(
    ("late_ms", "busy_ms", "queued_ms", "held_ms"),
    [
        (60.0, 60.0, 0.0, 60.0),  # it worked all the time
        (60.0, 2.0, 0.0, 60.0),  # it waited for a thread that was at work
        (60.0, 2.0, 55.0, 5.0),  # every processor was taken
        (60.0, 40.0, 55.0, 40.0),  # ... but for what it did itself
        (0.0, 4.0, 0.0, 0.0),  # not late
    ],
)
def test_the_program_is_blamed_for_work_and_waits(
    late_ms: float, busy_ms: float, queued_ms: float, held_ms: float
) -> None:
    assert beat(late_ms, busy_ms, queued_ms).held_ms() == pytest.approx(held_ms)


def test_a_standstill_of_its_own_processor_is_no_work() -> None:
    stops = [Standstill(0, 950.0, 990.0, 40.0)]
    assert beat(60.0, 60.0).held_ms(stops) == pytest.approx(20.0)


def test_a_standstill_of_the_other_processor_excuses_a_wait_but_no_work() -> None:
    stops = [Standstill(1, 950.0, 990.0, 40.0)]
    assert beat(60.0, 2.0).held_ms(stops) == pytest.approx(20.0)
    assert beat(60.0, 60.0).held_ms(stops) == pytest.approx(60.0)


def test_a_standstill_at_another_time_excuses_nothing() -> None:
    stops = [Standstill(0, 800.0, 900.0, 100.0), Standstill(0, 1000.0, 1100.0, 100.0)]
    assert beat(60.0, 2.0).held_ms(stops) == pytest.approx(60.0)


TIMES = st.floats(0.0, 2000.0)
STANDSTILLS = st.lists(
    st.builds(lambda cpu, at, long, share: Standstill(cpu, at, at + long, share * long),
              st.integers(0, 1), TIMES, st.floats(0.1, 300.0), st.floats(0.1, 1.0)),
    max_size=6,
)  # fmt: skip


@given(STANDSTILLS, TIMES, st.floats(0.0, 500.0), st.floats(0.0, 500.0))
def test_standstills_never_add_to_the_blame(
    stops: list[Standstill], end_ms: float, late_ms: float, busy_ms: float
) -> None:
    one = Beat(late_ms, busy_ms, 0.0, end_ms, 0)
    assert 0.0 <= one.held_ms(stops) <= one.held_ms() + 1e-9


@given(STANDSTILLS, TIMES, st.floats(0.0, 500.0))
def test_one_processor_stood_no_longer_than_the_one_that_did_longest(
    stops: list[Standstill], begin_ms: float, long_ms: float
) -> None:
    each = [stood_ms(stops, begin_ms, begin_ms + long_ms, cpu) for cpu in (0, 1)]
    assert stood_ms(stops, begin_ms, begin_ms + long_ms) == max(each)


def test_without_beats_on_a_known_processor_work_is_work() -> None:
    stops = [Standstill(0, 900.0, 1000.0, 100.0)]
    assert Beat(60.0, 60.0, 0.0, 1000.0, None).held_ms(stops) == pytest.approx(60.0)


def _wait_until_it_naps_again(schedule: Path) -> None:
    """Until it has had the processor twice more: then it has counted what it waited for that since it was stopped."""
    enough, latest_s = int(schedule.read_bytes().split()[2]) + 2, time.monotonic() + 10.0
    while int(schedule.read_bytes().split()[2]) < enough:
        assert time.monotonic() < latest_s, "the sleeper does not run again"


@needs_queues
def test_a_sleeper_that_is_stopped_tells_for_how_long() -> None:
    stopped: list[tuple[float, float]] = []
    queued_ms: list[float] = []
    with Sleepers() as sleepers:
        process, _ = sleepers._started[0]
        assert process.pid is not None
        schedule = Path(f"/proc/{process.pid}/schedstat")
        for _ in range(STOPS_TRIED):
            queued_ms.append(int(schedule.read_bytes().split()[1]) / 1e6)
            os.kill(process.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED)
            begin_ms = time.monotonic() * 1000
            time.sleep(0.03)
            stopped.append((begin_ms, time.monotonic() * 1000))
            os.kill(process.pid, signal.SIGCONT)
            os.waitid(os.P_PID, process.pid, os.WCONTINUED)
            _wait_until_it_naps_again(schedule)
        queued_ms.append(int(schedule.read_bytes().split()[1]) / 1e6)
    cpu = min(os.sched_getaffinity(0))
    missed = [end - begin - stood_ms(sleepers.stops, begin, end, cpu) for begin, end in stopped]
    # Where other processes want the processor Linux takes some of it, or all, for a wait in the queue.
    untold = [ms - (after - before) for ms, (before, after) in zip(missed, pairwise(queued_ms), strict=True)]
    assert median(untold) < 2 * NAP_MS
    assert min(missed) >= 0.0


@needs_queues
def test_a_sleeper_that_is_killed_noticed_nothing() -> None:
    with Sleepers() as sleepers:
        for process, _ in sleepers._started:
            process.kill()
    assert sleepers.stops == ()
