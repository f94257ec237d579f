"""`highway watch` on videos and live cameras: settled states become lines, what happens between them does not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
import pytest

from gui.cli import main
from gui.mjpeg_server import MjpegServer
from referee.layout import Layout
from tests.test_gate import Film, with_arm
from tests.test_sources import video
from tests.test_vision_watch import FIRST, SECOND
from tests.vision_drawing import RIG, drawn
from vision.scoring import score
from vision.view import Picture

Pair = dict[str, Picture]


@pytest.fixture(scope="module")
def scenes() -> tuple[Pair, list[Pair], Pair]:
    """A table, an arm that passes over it, and the table after a turn."""
    first, second = drawn(FIRST, seed=1), drawn(SECOND, seed=2)
    arms = [dict(with_arm(first, x_mm=x, rig=RIG)) for x in (-150.0, -90.0, -20.0, -60.0)]
    return first, arms, second


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, scenes: tuple[Pair, list[Pair], Pair]) -> Path:
    """Two videos of a turn, ten frames a second."""
    made = tmp_path_factory.mktemp("videos")
    (made / "rig.json").write_bytes(msgspec.json.encode(RIG))
    first, arms, second = scenes
    film = Film()
    shots = [(first, 1.0), *((arm, 0.1) for arm in arms), (second, 1.1)]
    frames = [pair for scene, seconds in shots for pair in film.shoot(scene, seconds)]
    for name in RIG.cameras:
        video(made / f"{name}.mp4", [pair.frames[name].picture for pair in frames], 10)
    return made


def grainy(picture: Picture) -> list[Picture]:
    """A still table as a sensor sees it: no picture equals another."""
    rng = np.random.default_rng(3)
    return [cv2.add(picture, rng.integers(0, 5, picture.shape, dtype=np.uint8)) for _ in range(7)]  # type: ignore[misc]


def watch(folder: Path, *more: str) -> list[str]:
    return ["watch", "--rig", str(folder / "rig.json"), *more]


def told_right(line: dict[str, Any]) -> bool:
    """Whether a line has the turn as it is; which way a road runs that no entrance leads to is asked for."""
    faults = score(msgspec.convert(line["layout"], Layout), SECOND).faults
    return {(fault.piece, fault.sure) for fault in faults} <= {("r1", False)}


def test_two_videos_give_a_line_for_each_settled_state(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(watch(folder, "--frames", str(folder), "--debug", str(tmp_path))) == 0
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["turn"], line["player"], line["complete"]) for line in lines] == [
        (0, None, True),
        (1, "purple", True),
    ]
    assert [line["time_s"] for line in lines] == [0.7, 2.1]
    assert told_right(lines[1])
    assert err.count("drift of the cameras goes unseen") == 1
    assert len(list(tmp_path.iterdir())) == 2


def test_live_cameras_give_the_same_lines_and_tell_what_happens(
    folder: Path, scenes: tuple[Pair, list[Pair], Pair]
) -> None:
    first, arms, second = scenes
    servers = {name: MjpegServer(grainy(first[name]), fps=8, jitter=0.3) for name in RIG.cameras}
    addresses = [server.address for server in servers.values()]
    command = [sys.executable, "-m", "gui.cli", *watch(folder, "--live", *addresses)]
    root = Path(__file__).parents[1]
    with (
        servers["overhead"],
        servers["side"],
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root) as running,
    ):
        assert running.stdout is not None
        assert running.stderr is not None
        assert json.loads(running.stdout.readline())["turn"] == 0
        for name, server in servers.items():
            server.show([arm[name] for arm in arms])
        said = ""
        while "moves" not in said and "hands" not in said:
            said = running.stderr.readline()
            assert said, "it ended"
        servers["side"].hung_up.set()
        while "judging paused" not in said:
            said = running.stderr.readline()
            assert said, "it ended"
        assert said.startswith("side: ")
        servers["side"].hung_up.clear()
        for name, server in servers.items():
            server.show(grainy(second[name]))
        line = json.loads(running.stdout.readline())
        running.terminate()
    assert (line["turn"], line["player"]) == (1, "purple")
    assert told_right(line)
