"""`highway bench --only calibration` on the bundled take: figures, a table, and failures by name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from gui.bench_calibration import BUNDLED, table
from gui.cli import main


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Of two takes, one of which shows nothing."""
    root = tmp_path_factory.mktemp("takes")
    shutil.copytree(BUNDLED, root / "good")
    shutil.copytree(BUNDLED, root / "spoilt")
    (root / "spoilt" / "side_lens.mp4").write_bytes(b"")
    out = root / "figures.json"
    assert main(["bench", "--only", "calibration", "--takes", str(root), "--json", str(out)]) == 0
    loaded: dict[str, object] = json.loads(out.read_text())["calibration"]
    return loaded


def test_the_bundled_take_keeps_to_the_limits(figures: dict[str, object]) -> None:
    takes = figures["takes"]
    assert isinstance(takes, list)
    (take,) = takes
    assert take["name"] == "good"
    assert take["xy_median_mm"] <= 0.10
    assert take["xy_p95_mm"] <= 0.30
    assert take["z_median_mm"] <= 0.15
    assert 0.5 < take["error_over_sigma"] < 2.0


def test_a_take_that_fails_is_listed_with_its_reason(figures: dict[str, object]) -> None:
    assert "failed: spoilt: " in table(figures)
    assert "is empty" in table(figures)


def test_a_folder_without_takes_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--only", "calibration", "--takes", str(tmp_path)]) == 2
    assert "holds no takes" in capsys.readouterr().err


def test_the_table_says_where_two_programs_differ(figures: dict[str, object]) -> None:
    lens = {"name": "cam_0", "views": 9, "ours_px": 0.07, "theirs_px": 0.11, "stated_px": 0.54}
    pair = dict.fromkeys(("ours_px", "theirs_px", "as_filmed_ours_px", "as_filmed_theirs_px"), 0.5)
    pair |= {"solved_from": 20, "held_out": 5, "side_later_s": -0.118, "turn_apart_deg": 1.9}
    pair |= {"place_apart_mm": 11.0, "baseline_mm": float(np.hypot(1000.0, 500.0))}
    told = table(figures | {"real": {"lenses": [lens], "pair": pair}, "two_minutes": {"wall_s": 50.0, "cpu_s": 80.0}})
    assert "taken 118 ms apart" in told
    assert "50 s, 80 s of CPU" in told
