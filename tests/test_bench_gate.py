"""`highway bench --only gate` on a small drawn film: what it counts, and that it can count something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gui import bench_gate
from gui.cli import main
from tests.test_gate import RIG, Film, table, with_arm
from tests.test_sources import video


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two settled states with an arm between them."""
    made = tmp_path_factory.mktemp("films") / "drawn"
    made.mkdir()
    arms = [(with_arm(table("first"), x_mm=x), 0.1) for x in (-120.0, -60.0, 0.0, -60.0, -120.0)]
    shots = Film()
    scenes = [(table("first"), 1.2), *arms, (table("second"), 1.2)]
    frames = [pair for scene, seconds in scenes for pair in shots.shoot(scene, seconds)]
    for name in RIG.cameras:
        video(made / f"{name}.mp4", [pair.frames[name].picture for pair in frames], 10)
    states = [{"first_frame": 0, "last_frame": 11}, {"first_frame": 17, "last_frame": 28}]
    hands = {"overhead": [[12, 16]], "side": [[13, 16]]}
    truth = {"fps": 10, "states": states, "hands": hands, "hands_over_play_area": [[13, 15]]}
    (made / "film.json").write_text(json.dumps(truth))
    (made / "rig.json").write_bytes(msgspec.json.encode(RIG))
    return made


@pytest.fixture(scope="module")
def figures(film: Path) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench_gate, "STREAM_S", 1)
        patch.setattr(bench_gate, "HELD_EVERY", 2)
        out = film.parent / "figures.json"
        assert main(["bench", "--only", "gate", "--films", str(film), "--hands", str(film), "--json", str(out)]) == 0
    loaded: dict[str, Any] = json.loads(out.read_text())["gate"]
    return loaded


def test_a_film_is_held_against_what_its_truth_says(figures: dict[str, Any]) -> None:
    (found,) = figures["films"]
    assert (found["hand_frames"], found["passed"]) == (3, 0)
    assert (found["beside"]["hand_frames"], found["beside"]["passed"]) == (2, 0)
    assert (found["states"], found["opened"], found["extra"]) == (2, 2, 0)
    assert found["delay_most_s"] <= 1.0
    assert (found["held"], found["held_passed"]) == (1, 0)
    assert found["beside"]["held"] == 2


def test_frames_that_pass_are_counted(figures: dict[str, Any]) -> None:
    """The same videos taken for clips that are full of hands: their settled stretches pass."""
    assert [clip["name"] for clip in figures["clips"]] == ["overhead.mp4", "side.mp4"]
    assert all(0 < clip["passed"] < clip["frames"] for clip in figures["clips"])


def test_the_cost_of_watching_is_told_beside_that_of_decoding(figures: dict[str, Any]) -> None:
    told = bench_gate.table(figures)
    for codec in ("H.264", "MJPEG"):
        assert [sorted(one) for one in figures["cpu"][codec]] == [["decode", "gate", "times"]] * bench_gate.ROUNDS
        assert codec in told


def test_a_folder_without_a_film_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--only", "gate", "--films", str(tmp_path)]) == 2
    assert "film.json" in capsys.readouterr().err
