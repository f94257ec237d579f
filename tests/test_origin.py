"""Where a session comes from is kept in it, so that `highway record --resume` alone goes on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gui.cli import main
from gui.files import SAMPLE_GAME, sample_game
from gui.origin import Origin
from gui.session import Head, load
from gui.session_writer import SessionWriter
from vision.errors import VisionError

CAMERA = "rtsp://10.0.0.7/live"


def _cut(path: Path, origin: Origin | None) -> None:
    """A session of the sample game that was left after its set-up."""
    game = sample_game()
    writer = SessionWriter.begin(path, Head.of_game(game), print)
    writer.comes_from(origin)
    writer.start(game.layouts[0])
    writer.recorder.cut()


def test_the_last_session_goes_on_from_where_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gui.sessions_folder.folder", lambda: tmp_path)
    _cut(tmp_path / "a.mcap", Origin("game", (str(SAMPLE_GAME),)).kept())
    assert main(["record", "--resume"]) == 0
    assert "a.mcap: recovered to turn 0, nothing lost" in capsys.readouterr().out
    file, recorded = load(tmp_path / "a.mcap")
    file.close()
    assert len(recorded.turns) == len(sample_game().layouts)


def test_a_session_gone_on_with_from_elsewhere_keeps_the_new_place(tmp_path: Path) -> None:
    _cut(tmp_path / "a.mcap", Origin("live", ("0", "1")))
    assert main(["record", str(tmp_path / "a.mcap"), "--resume", "--game", str(SAMPLE_GAME)]) == 0
    file, recorded = load(tmp_path / "a.mcap")
    file.close()
    assert recorded.head.origin == Origin("game", (str(SAMPLE_GAME),))


def test_a_session_that_does_not_know_where_it_came_from_asks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _cut(tmp_path / "a.mcap", None)
    before = (tmp_path / "a.mcap").read_bytes()
    assert main(["record", str(tmp_path / "a.mcap"), "--resume"]) == 2
    assert "give --live OVERHEAD SIDE" in capsys.readouterr().err
    assert (tmp_path / "a.mcap").read_bytes() == before


@pytest.mark.parametrize("told", [["--edition", "city-2024"], ["--players", "purple,green"], ["--mission"]])
def test_a_session_does_not_go_on_as_another_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], told: list[str]
) -> None:
    _cut(tmp_path / "a.mcap", Origin("game", (str(SAMPLE_GAME),)).kept())
    before = (tmp_path / "a.mcap").read_bytes()
    assert main(["record", str(tmp_path / "a.mcap"), "--resume", *told]) == 2
    err = capsys.readouterr().err
    assert f"{told[0]}: a session goes on with the game that is in it" in err
    assert err.count("\n") == 1
    assert (tmp_path / "a.mcap").read_bytes() == before


def test_a_password_is_not_kept_and_asked_for_again() -> None:
    origin = Origin("live", ("rtsp://me:secret@10.0.0.7/live", "1")).kept()
    assert origin is not None
    assert origin.names == ("rtsp://me:***@10.0.0.7/live", "1")
    with pytest.raises(VisionError, match=re.escape("give both cameras again by --live")):
        origin.taken_up(None)


def test_files_are_kept_by_their_whole_path_and_cameras_by_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("side.mp4", "0"):
        Path(name).touch()
    origin = Origin("live", ("0", "side.mp4")).kept()
    assert origin == Origin("live", ("0", str(tmp_path / "side.mp4")))
    assert Origin("live", (CAMERA, "/dev/video7")).kept() == Origin("live", (CAMERA, "/dev/video7"))


def test_what_was_typed_cannot_be_gone_on_with() -> None:
    assert Origin("game", ("-",)).kept() is None


def test_turns_are_accepted_as_before_unless_it_is_said_anew() -> None:
    origin = Origin("live", ("0", "1"), "complete")
    assert origin.taken_up(None).accept == "complete"
    assert origin.taken_up("sure").accept == "sure"
