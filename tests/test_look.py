"""`highway layout` and `highway watch` from files to lines, and every bad input as one plain sentence."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from gui.cli import main
from gui.stills import read_picture
from referee.layout import Layout
from tests.test_vision_watch import SECOND
from tests.vision_drawing import RIG, drawn


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one settled pair, drawn, and its rig."""
    folder = tmp_path_factory.mktemp("frames")
    for name, picture in drawn(SECOND, seed=6).items():
        cv2.imwrite(str(folder / f"turn_00_{name}.png"), picture)
    (folder / "rig.json").write_bytes(msgspec.json.encode(RIG))
    return folder


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err.strip().splitlines()[-1]


def watch(folder: Path, *more: str) -> tuple[str, ...]:
    return ("watch", "--rig", str(folder / "rig.json"), "--frames", str(folder), *more)


def test_layout_writes_what_it_sees(frames: Path, tmp_path: Path) -> None:
    out = tmp_path / "layout.json"
    views = [f"--{name}={frames / f'turn_00_{name}.png'}" for name in ("overhead", "side")]
    debug = tmp_path / "debug"
    assert main(["layout", "--rig", str(frames / "rig.json"), *views, "-o", str(out), "--debug", str(debug)]) == 0
    layout = msgspec.json.decode(out.read_bytes(), type=Layout)
    assert (len(layout.columns), len(layout.roads), len(layout.cars)) == (3, 2, 2)
    assert min(read_picture(debug / "layout.png").shape[:2]) > 400


def test_watch_gives_a_line_for_each_pair_with_the_turn_of_its_file(frames: Path, tmp_path: Path) -> None:
    for file in frames.iterdir():
        (tmp_path / file.name.replace("turn_00", "turn_07")).write_bytes(file.read_bytes())
    for name, picture in drawn(SECOND, seed=7).items():
        cv2.imwrite(str(tmp_path / f"turn_08_{name}.png"), picture)
    out = tmp_path / "out.jsonl"
    assert main(watch(tmp_path, "-o", str(out), "--debug", str(tmp_path / "debug"))) == 0
    first, second = (json.loads(line) for line in out.read_text("utf-8").splitlines())
    assert (first["turn"], first["player"], first["ruling"]) == (7, None, None)
    assert (second["turn"], second["player"], second["complete"]) == (8, "purple", True)
    assert second["layout"] == first["layout"]
    assert {file.name for file in (tmp_path / "debug").iterdir()} == {"turn_07.png", "turn_08.png"}


def test_a_folder_without_stills_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rig.json").write_bytes(msgspec.json.encode(RIG))
    assert "neither settled stills" in refused(capsys, *watch(tmp_path))
    assert "is no folder" in refused(
        capsys, "watch", "--rig", str(tmp_path / "rig.json"), "--frames", str(tmp_path / "none")
    )
    for name in ("overhead.mp4", "side.mp4"):
        (tmp_path / name).touch()
    assert "is empty; record it again" in refused(capsys, *watch(tmp_path))


def test_a_picture_that_is_none_or_of_another_size_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rig.json").write_bytes(msgspec.json.encode(RIG))
    still = tmp_path / "turn_00_overhead.jpg"
    still.write_bytes(b"\xff\xd8 cut off")
    assert "is no picture that can be read" in refused(capsys, *watch(tmp_path))
    cv2.imwrite(str(still), np.zeros((100, 100, 3), dtype=np.uint8))
    assert "100" in refused(capsys, *watch(tmp_path))


def test_a_rig_that_is_none_is_refused(frames: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rig = tmp_path / "rig.json"
    rig.write_text("{}", "utf-8")
    told = refused(capsys, "watch", "--rig", str(rig), "--frames", str(frames))
    assert "cameras" in told


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--players", "purple"), "at least two"),
        (("--first", "blue"), "none of the players"),
        (("--edition", "third"), "unknown"),
        (("--edition", "second-edition", "--options", "{"), "--options"),
    ],
)
def test_a_wrong_option_is_refused(
    frames: Path, capsys: pytest.CaptureFixture[str], option: tuple[str, ...], words: str
) -> None:
    assert words in refused(capsys, *watch(frames, *option))
