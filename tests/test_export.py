"""Exports: what a session says, as files for people, browsers and other programs."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import av
import cv2
import msgspec
import numpy as np
import pytest

from calibration.camera import Rig
from gui.cli import main
from gui.export_command import write_export
from gui.files import SAMPLE_GAME, load_game, sample_game
from gui.look_palette import SIGNS
from gui.session import solved
from gui.session_writer import SessionWriter
from referee.game import play
from referee.layout import Layout
from tests.sessions import FRAMES, START_NS, head_of, play_into, recorded
from tests.vision_drawing import camera_at

SVG = "{http://www.w3.org/2000/svg}"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
SIZE = (160, 120)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five turns before two small cameras."""
    path = tmp_path_factory.mktemp("export") / "Friday <night>.mcap"
    rig = Rig(
        {"overhead": camera_at((25.0, -60.0, 640.0), 160.0, SIZE), "side": camera_at((-130, -520, 190), 160.0, SIZE)}
    )
    game = sample_game()
    head = msgspec.structs.replace(head_of(game), rig=solved(rig))
    writer = SessionWriter.begin(path, head, print, lambda: START_NS)
    list(play_into(writer, game, 0, 5))
    writer.close()
    return path


@pytest.fixture(scope="module")
def report(session: Path) -> Path:
    out = session.with_suffix(".html")
    assert main(["export", str(session), "report"]) == 0
    return out


class _Tags(HTMLParser):
    """Tags by name, and every address that the page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.count: dict[str, int] = {}
        self.addresses: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.words += data


def test_a_report_needs_nothing_but_itself(report: Path) -> None:
    tags = _Tags()
    tags.feed(report.read_text("utf-8"))
    assert tags.count["section"] == 6
    assert tags.count["img"] == 12
    assert all(address.startswith(("data:image/jpeg;base64,", "#t")) for address in tags.addresses)
    assert "script" not in tags.count
    assert "link" not in tags.count
    assert "Friday <night>" in tags.words


def test_a_report_says_each_ruling_and_score(report: Path) -> None:
    tags = _Tags()
    tags.feed(report.read_text("utf-8"))
    for ruling in play(sample_game()).rulings[:6]:
        assert SIGNS[ruling.verdict].word in tags.words
        for crossing in ruling.crossings:
            assert f"{crossing.side} {crossing.road}" in tags.words


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here to open the report with")
def test_a_browser_shows_the_report_with_its_pictures(report: Path, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    shot = tmp_path / "report.png"
    command = [CHROMIUM, *QUIET, f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1000,1400"]
    subprocess.run([*command, f"--screenshot={shot}", report.as_uri()], check=True, capture_output=True, timeout=300)
    seen = cv2.imread(str(shot))
    assert seen is not None
    sign = np.array([int(SIGNS["legal"].ground[at : at + 2], 16) for at in (5, 3, 1)])
    assert (np.abs(seen.astype(int) - sign).max(axis=2) < 3).sum() > 3000
    # The test's pictures are noise, and nothing else on the page is.
    assert len(np.unique(seen.reshape(-1, 3), axis=0)) > 3000


def test_a_plan_draws_every_piece_once_by_name(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "plan.svg"
    assert main(["export", str(session), "plan", "--turn", "4", "-o", str(out)]) == 0
    titles = [title.text or "" for title in ElementTree.parse(out).iter(f"{SVG}title")]
    named = [re.split(",| from ", title)[0].split()[-1] for title in titles]
    assert sorted(named) == sorted(piece.id for piece in sample_game().layouts[4].pieces())


def test_a_plan_becomes_a_picture_of_the_same_size(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "plan.png"
    assert main(["export", str(session), "plan", "-o", str(out)]) == 0
    assert main(["export", str(session), "plan", "-o", str(out.with_suffix(".svg"))]) == 0
    picture = cv2.imread(str(out))
    root = ElementTree.parse(out.with_suffix(".svg")).getroot()
    assert picture is not None
    assert picture.shape[:2] == (int(root.attrib["height"]), int(root.attrib["width"]))
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20


def test_all_plans_come_at_once(session: Path, tmp_path: Path) -> None:
    assert main(["export", str(session), "plan", "--turn", "all", "-o", str(tmp_path / "plans")]) == 0
    assert [file.name for file in sorted((tmp_path / "plans").iterdir())] == [f"turn_{n:02d}.svg" for n in range(6)]


def test_the_exported_game_is_the_game_that_was_played(tmp_path: Path) -> None:
    path = tmp_path / "whole.mcap"
    assert main(["record", str(path), "--game", str(SAMPLE_GAME)]) == 0
    for ending in ("hwy", "json"):
        out = tmp_path / f"game.{ending}"
        assert main(["export", str(path), "game", "-o", str(out)]) == 0
        assert play(load_game(str(out))).rulings == play(sample_game()).rulings


def test_scores_are_the_same_as_csv_and_as_json(session: Path, tmp_path: Path) -> None:
    for ending in ("csv", "json"):
        assert main(["export", str(session), "scores", "-o", str(tmp_path / f"s.{ending}")]) == 0
    with (tmp_path / "s.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = json.loads((tmp_path / "s.json").read_text("utf-8"))
    assert rows == [{key: "" if value is None else str(value) for key, value in row.items()} for row in found]
    state = play(sample_game()).rulings[5].state.players
    assert {row["player"]: row["cars_left"] for row in found[-2:]} == {name: has.cars for name, has in state.items()}


@pytest.mark.parametrize(("what", "ending"), [("scores", "csv"), ("scores", "json"), ("game", "hwy"), ("game", "json")])
def test_an_ending_means_the_same_in_capitals(session: Path, tmp_path: Path, what: str, ending: str) -> None:
    small, large = tmp_path / f"small.{ending}", tmp_path / f"LARGE.{ending.upper()}"
    for out in (small, large):
        assert main(["export", str(session), what, "-o", str(out)]) == 0
    assert small.read_bytes() == large.read_bytes()


def test_a_clip_shows_the_turn_and_then_its_ruling(session: Path, tmp_path: Path) -> None:
    out = tmp_path / "turn.mp4"
    assert main(["export", str(session), "clip", "--turn", "2", "--camera", "side", "-o", str(out)]) == 0
    with av.open(str(out)) as container:
        frames = list(container.decode(video=0))
    assert len(frames) == FRAMES + 2
    assert (frames[0].width, frames[0].height) == SIZE
    assert float(frames[-1].time - frames[0].time) == pytest.approx(FRAMES - 0.5 + 3.0, abs=0.6)
    first, last = (frame.to_ndarray(format="rgb24").astype(int) for frame in (frames[0], frames[-1]))
    is_green = [((f[..., 1] > f[..., 0] + 40) & (f[..., 1] > f[..., 2] + 15)).mean() for f in (first, last)]
    assert is_green[1] > is_green[0] + 0.05


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["plan", "--turn", "6"], "the game has the turns 0 to 5"),
        (["plan", "--turn", "-1"], "expected one argument|0 to 5"),
        (["clip", "--turn", "²"], "the game has the turns 0 to 5"),
        (["plan", "-o", "plan.jpg"], "is written as .svg or .png"),
        (["clip", "-o", "clip.avi"], "is written as .mp4"),
    ],
)
def test_what_cannot_be_exported_is_said_in_one_line(
    session: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    before = sorted(session.parent.iterdir())
    try:
        code = main(["export", str(session), *arguments])
    except SystemExit as ended:
        code = int(ended.code or 0)
    assert code == 2
    err = capsys.readouterr().err
    assert re.search(said, err)
    assert err.count("\n") == 1
    assert sorted(session.parent.iterdir()) == before


@pytest.mark.parametrize(("what", "ending"), [("clip", ".mp4"), ("report", ".html")])
def test_a_long_export_tells_how_far_it_is_and_broken_off_leaves_nothing(
    session: Path, tmp_path: Path, what: str, ending: str
) -> None:
    told: list[float] = []

    def breaks(done: float) -> None:
        if done > 0.3:
            raise KeyboardInterrupt

    out = tmp_path / f"turn{ending}"
    with pytest.raises(KeyboardInterrupt):
        write_export(session, what, out, progress=breaks)
    assert list(tmp_path.iterdir()) == []
    write_export(session, what, out, progress=told.append)
    assert told == sorted(told)
    assert len(told) > 3
    assert told[-1] == 1.0
    assert [file.name for file in tmp_path.iterdir()] == [out.name]


def test_a_file_where_the_folder_should_be_is_told(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("mine")
    for name, what in (("taken/x.mp4", ["clip"]), ("taken/x.html", ["report"]), ("taken/p", ["plan", "--turn", "all"])):
        assert main(["export", str(session), *what, "-o", str(tmp_path / name)]) == 2
        assert "cannot be written" in capsys.readouterr().err
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_game_without_cameras_has_no_clip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(recorded(tmp_path / "a.mcap", 1, video=False)), "clip"]) == 2
    assert "was recorded without cameras" in capsys.readouterr().err


def test_hostile_names_stay_words(tmp_path: Path) -> None:
    """A player whose name is mark-up, or a formula, is shown as such."""
    game = msgspec.structs.replace(sample_game(), players=("purple", "=<b>&\u0007"), first="purple", turns=())
    layouts = tuple(_renamed(layout) for layout in game.layouts[:2])
    path = tmp_path / "a.mcap"
    writer = SessionWriter.begin(path, head_of(game), print, lambda: START_NS)
    list(play_into(writer, msgspec.structs.replace(game, layouts=layouts), 0, 1, video=False))
    writer.close()
    for what in ("report", "plan", "scores"):
        assert main(["export", str(path), what]) == 0
    assert "<b>&" not in path.with_suffix(".html").read_text("utf-8").replace("<b>not finished", "")
    ElementTree.parse(path.with_suffix(".svg"))
    assert "'=<b>&" in path.with_suffix(".csv").read_text("utf-8")


def _renamed(layout: Layout) -> Layout:
    return msgspec.json.decode(
        msgspec.json.encode(layout).replace(b'"owner":"green"', b'"owner":"=<b>&\\u0007"'), type=Layout
    )
