"""`highway bench --only vision`: figures and failures on any folder of frames with truth."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import msgspec
import pytest
from msgspec.structs import replace

from gui.bench_baseline import baseline_change
from gui.cli import main
from referee.layout import Column, Layout
from referee.pieces import Kit
from tests.test_vision_watch import FIRST, PLAYERS, SECOND, pictures
from tests.vision_drawing import RIG
from vision.shown import shown_shares


def frames(folder: Path, truth: Layout) -> Path:
    """A table with one turn on it, drawn, said to have ended as `truth`."""
    folder.mkdir()
    for turn, which in ((0, "first"), (1, "second")):
        for name, picture in pictures(which).items():
            cv2.imwrite(str(folder / f"turn_{turn:02d}_{name}.png"), picture)
    (folder / "rig.json").write_bytes(msgspec.json.encode(RIG))
    game = {"players": PLAYERS, "layouts": [FIRST, truth], "label": {"kind": "turn", "turn": 1}}
    (folder / "truth.json").write_bytes(msgspec.json.encode(game))
    return folder


def test_every_failure_is_listed_and_drawn_and_the_rest_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frames(tmp_path / "true", SECOND)
    frames(tmp_path / "false", replace(SECOND, columns=(*SECOND.columns[:2], replace(SECOND.columns[2], height=5))))
    out = tmp_path / "out.json"
    call = ["bench", "--only", "vision", "--mode", "given", "--frames", str(tmp_path), "--json", str(out)]
    assert main([*call, "--debug", str(tmp_path / "debug")]) == 0
    printed = capsys.readouterr().out
    result = json.loads(out.read_text("utf-8"))["vision"]["sets"][0]
    assert json.loads(printed.splitlines()[-1])["vision"]["sets"][0] == result
    seen = result["ways"]["app: given"]
    assert (seen["layouts"], seen["right"], seen["wrong_and_sure"]) == (2, 0.5, 0.5)
    assert seen["heights_right_when_sure"] == 0.5
    assert [failure["frame"] for failure in result["failures"]] == ["false turn 1"]
    assert "c2 height 2, is 5 (sure)" in printed
    drawn = {file.name for file in (tmp_path / "debug" / tmp_path.name).iterdir()}
    assert drawn == {"right_given_true_turn_01.jpg", "sure_and_wrong_given_false_turn_01.jpg"}


def test_a_folder_without_truth_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--only", "vision", "--frames", str(tmp_path)]) == 2
    assert "truth.json" in capsys.readouterr().err


def test_truth_must_reach_as_far_as_the_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = frames(tmp_path / "table", SECOND)
    (folder / "truth.json").write_bytes(msgspec.json.encode({"players": PLAYERS, "layouts": [FIRST]}))
    assert main(["bench", "--only", "vision", "--frames", str(folder)]) == 2
    assert "has no layout 1" in capsys.readouterr().err


def test_the_baseline_sees_something_of_a_plain_turn() -> None:
    seen = baseline_change(FIRST, pictures("first"), pictures("second"), RIG, Kit(), PLAYERS, "purple")
    assert set(FIRST.columns) <= set(seen.columns)
    assert len(seen.roads) == 2


def test_a_piece_in_the_open_shows_whole_and_one_behind_a_wall_does_not() -> None:
    lone = Column("c0", 0.0, 0.0, 1, False, None)
    toward = RIG.side.centre_in_table()[:2] / (RIG.side.centre_in_table()[:2] ** 2).sum() ** 0.5
    x, y = (float(v) for v in 20 * toward)
    wall = [Column(f"w{i}", x + i * 17.0, y, 6, False, None) for i in (-1, 0, 1)]
    open_, hidden = (shown_shares(Layout(c, (), ()), {"c0"}, RIG, Kit())["c0"] for c in ((lone,), (lone, *wall)))
    assert open_ == {"overhead": 1.0, "side": 1.0}
    assert hidden["side"] < 0.3
