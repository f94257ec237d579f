"""Freed memory is used again: counted in page faults, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

ROUNDS = 20
COUNT = f"""
import resource
import numpy as np
{{first}}
np.ones(20_000_000, np.uint8)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range({ROUNDS}):
    np.ones(20_000_000, np.uint8)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc is asked")
def test_a_freed_picture_gives_its_memory_to_the_next() -> None:
    kept = _faults("from gui.memory import keep_freed_memory; keep_freed_memory()")
    assert kept < ROUNDS, "not one new page a picture"


def _faults(first: str) -> int:
    run = subprocess.run([sys.executable, "-c", COUNT.format(first=first)], capture_output=True, text=True, check=True)
    return int(run.stdout)
