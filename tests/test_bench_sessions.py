"""The sessions' bench measures what it says: a long session that was cut, indexed, opened and sought in."""

from __future__ import annotations

from pathlib import Path

import pytest

from gui import bench_sessions
from tests.sessions import picture


def test_a_long_session_is_made_cut_indexed_and_sought_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_sessions, "HOURS", 0.01)
    figures = bench_sessions._two_hours(tmp_path, [picture(number) for number in range(4)])
    assert figures["megabytes"] > 0.5
    assert 0 < figures["seek_s"] <= figures["worst_seek_s"]
    assert {file.name for file in tmp_path.iterdir()} == {"long.mcap"}


def test_the_table_names_every_figure() -> None:
    recording = {
        "asked_fps": 15, "cores": 0.61, "gate_cores": 0.23, "dropped": 3, "sent": 1800, "reading_cores": 0.2,
        "mbit_per_s": 1.7, "memory_mb": [900.0, 905.0], "minutes": 1.0,
    }  # fmt: skip
    lost = {what: [(0.3, 2.0), (1.7, 0.9)] for what in ("killed", "silent", "same picture")}
    result = {
        "turns": 28, "layouts_times": 77.0, "vision_times": 6.5, "megabytes": 3476.0, "index_s": 20.0, "open_s": 0.15,
        "seek_s": 0.18, "worst_seek_s": 0.33, "film_s": 94.6, "vision_cpu_s": 43.0, "layouts_cpu_s": 0.5,
        "differences": 0, "record_s": 120.0, "film": ["29 of 29 turns were seen as they are"],
        "recording": recording, "lost": lost,
    }  # fmt: skip
    told = bench_sessions.table(result)
    for figure in (
        "77.0 times",
        "6.5 times",
        "2.2 by",
        "3476 MB",
        "0.15 s",
        "0.33 s",
        "0.61 cores",
        "3 of 1800",
        "905 MB",
        "29 of 29",
        "1.7 s, 2.0 s",
    ):
        assert figure in told
