"""Pictures are taken at a rate: none is lost of a camera that keeps to it, and none too many of a faster one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.pace import SAVED, Pace

FPS = st.floats(1.0, 60.0)
SEEDS = st.integers(0, 2**32 - 1)


def _taken(arrivals_s: np.ndarray, most_fps: float) -> int:
    pace, count = Pace(most_fps), 0
    for now_s in arrivals_s:
        if pace.is_due(float(now_s)):
            pace.take(float(now_s))
            count += 1
    return count


@given(FPS, SEEDS)
def test_a_camera_that_keeps_to_the_rate_loses_nothing_to_jitter(fps: float, seed: int) -> None:
    jitter = np.random.default_rng(seed).uniform(0.0, 0.9, 300)
    assert _taken(1000.0 + (np.arange(300) + jitter) / fps, fps) == 300


@given(FPS, st.floats(1.5, 8.0))
def test_a_faster_camera_gives_no_more_than_the_rate(fps: float, times: float) -> None:
    seconds = 300 / (fps * times)
    taken = _taken(1000.0 + np.arange(300) / (fps * times), fps)
    assert seconds * fps - 1 <= taken <= seconds * fps + SAVED + 1


def test_a_pause_saves_no_more_than_a_few_pictures() -> None:
    burst = 2000.0 + np.arange(100) * 1e-4
    assert _taken(np.concatenate([1000.0 + np.arange(10) / 15, burst]), 15.0) <= 10 + SAVED + 2
