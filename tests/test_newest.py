"""Filming beside a slow look: every pair is filmed, the look gets the newest, and nothing breaks in silence."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from vision.errors import VisionError
from vision.frame import FramePair
from vision.newest import newest


def test_every_pair_is_filmed_while_one_is_looked_at() -> None:
    """The look at the first pair ends only after the last one was filmed; the next look is at the last."""
    filmed: list[float] = []
    all_filmed = threading.Event()

    def film(pair: FramePair) -> None:
        filmed.append(pair.time_s)
        if pair.time_s == 9:
            all_filmed.set()

    coming = newest((FramePair({}, float(n)) for n in range(10)), film)
    looked = [next(coming).time_s]
    assert all_filmed.wait(60)
    looked += [pair.time_s for pair in coming]
    assert filmed == [float(n) for n in range(10)]
    assert looked == sorted(set(looked))
    assert looked[-1] == 9


def test_what_breaks_the_source_reaches_the_one_who_looks() -> None:
    def broken() -> Iterator[FramePair]:
        yield FramePair({}, 0.0)
        raise VisionError("the camera is gone")

    with pytest.raises(VisionError, match="the camera is gone"):
        list(newest(broken(), lambda _: None))


def test_whoever_stops_looking_stops_the_source() -> None:
    taken = []

    def endless() -> Iterator[FramePair]:
        while True:
            taken.append(1)
            yield FramePair({}, float(len(taken)))

    coming = newest(endless(), lambda _: None)
    next(coming)
    coming.close()  # type: ignore[attr-defined]
    after = len(taken)
    assert not any(thread.name == "films" for thread in threading.enumerate())
    assert len(taken) == after
