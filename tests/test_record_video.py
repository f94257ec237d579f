"""Recording two videos through the gate: turns are seen, judged, accepted and stored; cut off, it goes on."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from gui.cli import main
from gui.record_sources import _after
from gui.session import load
from tests.drawn_films import FPS, HAND_FRAMES, STILL_FRAMES, write_film
from tests.test_vision_watch import FIRST, SECOND
from tests.vision_drawing import RIG
from vision.frame import Frame, FramePair
from vision.playback import Video
from vision.views import CAMERAS

WHOLE = 2 * STILL_FRAMES + HAND_FRAMES


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session of the film's first half: the set-up, and a hand on its way."""
    folder = write_film(tmp_path_factory.mktemp("half"), [FIRST, SECOND], STILL_FRAMES + HAND_FRAMES // 2)
    (folder / "rig.json").write_bytes(msgspec.json.encode(RIG))
    (folder / "setup.json").write_bytes(msgspec.json.encode(FIRST))
    assert main([*_record(folder), "--setup", str(folder / "setup.json")]) == 0
    return folder


def _record(folder: Path) -> list[str]:
    rig, edition = ["--rig", str(folder / "rig.json")], ["--edition", "second-edition"]
    return ["record", str(folder / "a.mcap"), "--frames", str(folder), *rig, *edition, "--accept", "complete"]


def test_the_set_up_is_accepted_on_its_stills_and_every_frame_is_in_the_video(half: Path) -> None:
    file, found = load(half / "a.mcap")
    with file:
        assert len(found.rulings) == 1
        assert len(found.turns[0].record.layout.columns) == 2
        video = Video(file, "side")
        times = video.times_ns(*file.span_ns("/side"))
        assert len(times) == STILL_FRAMES + HAND_FRAMES // 2
        assert times[-1] - times[0] == pytest.approx((len(times) - 1) / FPS * 1e9)
        assert {remark.kind for _, remark in found.remarks} >= {"open", "moving"}


def test_going_on_with_a_video_records_the_rest_once(
    half: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    write_film(tmp_path, [FIRST, SECOND])
    session = tmp_path / "a.mcap"
    session.write_bytes((half / "a.mcap").read_bytes())
    assert main(["record", str(session), "--resume", "--frames", str(tmp_path), "--accept", "complete"]) == 0
    out = capfdbinary.readouterr().out.decode()
    assert "recovered to turn 0, nothing lost" in out
    file, found = load(session)
    with file:
        assert len(Video(file, "overhead").times_ns(*file.span_ns("/overhead"))) == WHOLE
        assert len(found.rulings) == 2
        assert len(found.turns[1].record.layout.roads) == 2
    assert main(["replay", str(session), "--vision", "--json"]) == 0
    last = capfdbinary.readouterr().out.splitlines()[-1]
    assert json.loads(last) == {"differences": []}


def test_a_crash_between_two_cameras_costs_no_frame_and_none_comes_twice() -> None:
    black = np.zeros((2, 2, 3), np.uint8)
    frames = [Frame(black, number / 30, number) for number in range(6)]
    pairs = [FramePair({}, frame.time_s, came={camera: [frame] for camera in CAMERAS}) for frame in frames]
    recorded_ns = {"overhead": round(2 / 30 * 1e9), "side": round(3 / 30 * 1e9)}
    came = [pair.came for pair in _after(pairs, recorded_ns)]
    assert [[frame.number for one in came for frame in one[camera]] for camera in CAMERAS] == [[3, 4, 5], [4, 5]]


def test_a_set_up_that_is_none_is_being_built(half: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """FIRST has one entrance too few: by itself no game begins from it."""
    for name in ("overhead.mp4", "side.mp4", "rig.json"):
        (tmp_path / name).write_bytes((half / name).read_bytes())
    assert main(_record(tmp_path)) == 0
    said = capsys.readouterr().out
    assert "S2" in said
    assert "being built" in said
    file, found = load(tmp_path / "a.mcap")
    file.close()
    assert found.turns == ()


def test_a_film_without_its_second_camera_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "overhead.mp4").write_bytes(b"")
    assert main(["record", str(tmp_path / "a.mcap"), "--frames", str(tmp_path)]) == 2
    assert "no two videos" in capsys.readouterr().err
    assert not (tmp_path / "a.mcap").exists()


@pytest.mark.parametrize("command", [["record", "b.mcap", "--edition", "second-edition"], ["watch"]])
@pytest.mark.parametrize(("name", "said"), [("film.mp4", "copy it again"), ("a.mcap", "give it as --frames")])
def test_a_file_that_is_no_video_does_not_stand_in_for_a_camera(
    half: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    name: str,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(b"this is no video")
    assert main([*command, "--rig", str(half / "rig.json"), "--live", name, name]) == 2
    assert said in capsys.readouterr().err
    assert not Path("b.mcap").exists()
