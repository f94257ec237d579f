"""A live table in the dashboard: two cameras on loopback, hands, a turn, a camera that falls silent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from PyQt6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gui.desk import Desk
from gui.game_plan import GamePlan
from gui.mjpeg_server import MjpegServer
from gui.pages.doors import open_game
from gui.pages.match import MatchPage
from gui.pages.new_game import NewGamePage, remembers
from gui.window import Window
from tests.dashboard import new_window
from tests.test_vision_watch import FIRST, SECOND
from tests.test_watch_frames import grainy
from tests.vision_drawing import RIG, drawn
from vision.view import Picture

WAIT_MS = 120_000


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Window:
    monkeypatch.setattr("calibration.store.folder", lambda: tmp_path / "calibrations")
    monkeypatch.setattr("gui.sessions_folder.folder", lambda: tmp_path / "sessions")
    return new_window(qtbot, tmp_path)


@pytest.fixture
def cameras() -> Iterator[dict[str, MjpegServer]]:
    shown = drawn(FIRST, seed=1)
    servers = {name: MjpegServer(grainy(shown[name]), fps=8) for name in RIG.cameras}
    with servers["overhead"], servers["side"]:
        yield servers


def swept(picture: Picture) -> list[Picture]:
    """An arm that reaches over the table, here and there."""
    frames = []
    for number in range(6):
        frame = picture.copy()
        height, width = frame.shape[:2]
        tip = (width // 2 + 40 * (number % 3), height // 2 + 20 * (number % 2))
        cv2.line(frame, (width // 3 + 60 * number, height - 1), tip, (120, 150, 205), height // 8)
        frames.append(np.asarray(frame, np.uint8))
    return frames


def test_hands_freeze_it_a_turn_is_shown_when_they_leave_and_a_silent_camera_pauses_it(
    qtbot: QtBot, window: Window, cameras: dict[str, MjpegServer], tmp_path: Path
) -> None:
    (tmp_path / "rig.json").write_bytes(msgspec.json.encode(RIG))
    plan = GamePlan(
        edition="second-edition", first="purple", rig=str(tmp_path / "rig.json"), accept_after_s=0.0,
        overhead=cameras["overhead"].address, side=cameras["side"].address,
    )  # fmt: skip
    open_game(window, plan)
    qtbot.waitUntil(lambda: isinstance(window.pages.currentWidget(), MatchPage), timeout=WAIT_MS)
    page = window.pages.currentWidget()
    assert isinstance(page, MatchPage)
    phases: list[str] = []
    page.host.desk_changed.connect(lambda desk: phases.append(desk.phase))
    qtbot.waitUntil(lambda: page.desk.seen is not None, timeout=WAIT_MS)
    page.host.do(lambda desk: desk.entered(FIRST).accept())
    qtbot.waitUntil(lambda: page.desk.match is not None)
    for server, picture in zip(cameras.values(), drawn(FIRST, seed=1).values(), strict=True):
        server.show(swept(picture))
    qtbot.waitUntil(lambda: page.desk.phase == "hands", timeout=WAIT_MS)
    assert "hands" in page.picture.veil
    for name, picture in drawn(SECOND, seed=2).items():
        cameras[name].show(grainy(picture))
    qtbot.waitUntil(lambda: page.desk.seen is not None, timeout=WAIT_MS)
    assert phases.index("reading") < len(phases) - 1, "people are told that it is being read"
    assert len(page.desk.layout.roads) == len(SECOND.roads)
    cameras["side"].silent.set()
    qtbot.waitUntil(lambda: page.desk.phase == "paused", timeout=WAIT_MS)
    assert "side" in (page.desk.lost or "")
    cameras["side"].silent.clear()
    qtbot.waitUntil(lambda: page.desk.phase != "paused", timeout=WAIT_MS)
    page.host.do(Desk.undo)


def test_new_game_shows_what_its_cameras_see_and_lets_them_go(
    qtbot: QtBot, window: Window, cameras: dict[str, MjpegServer]
) -> None:
    remembers(window.settings, overhead=cameras["overhead"].address, side="/no/such/camera")
    window.open_page("new")
    page = window.pages.currentWidget()
    assert isinstance(page, NewGamePage)
    glimpses = page.cameras.glimpses
    qtbot.waitUntil(lambda: "pictures a second" in glimpses["overhead"].words.text(), timeout=WAIT_MS)
    assert "no camera" in glimpses["side"].words.text()
    released = page.cameras.stop()
    released()


def test_house_rules_of_every_kind_are_chosen_and_remembered(qtbot: QtBot, window: Window) -> None:
    window.open_page("new")
    page = window.pages.currentWidget()
    assert isinstance(page, NewGamePage)
    qtbot.waitUntil(lambda: page.rules.is_whole, timeout=30_000)
    fields = page.rules.fields
    fields["first_rule"].choose(1)  # type: ignore[attr-defined]
    fields["push_mm"].setValue(7.5)  # type: ignore[attr-defined]
    fields["cars"].setValue(6)  # type: ignore[attr-defined]
    fields["must_place"].click()  # type: ignore[attr-defined]
    chosen = {"first_rule": "next", "push_mm": 7.5, "cars": 6, "must_place": False}
    assert page.plan.options == chosen
    assert page.plan.setup().rules.options.push_mm == 7.5
    fields["push_mm"].setValue(5.0)  # type: ignore[attr-defined]
    fields["cars"].setValue(0)  # type: ignore[attr-defined]
    assert set(page.plan.options) == {"first_rule", "must_place"}, "as the edition says is no house rule"


def test_a_change_of_theme_dresses_no_house_rule_and_brings_back_all_as_they_were(qtbot: QtBot, window: Window) -> None:
    window.open_page("new")
    page = window.pages.currentWidget()
    assert isinstance(page, NewGamePage)
    qtbot.waitUntil(lambda: page.rules.is_whole, timeout=30_000)
    before = set(page.rules.fields)
    page.rules.fields["push_mm"].setValue(7.5)  # type: ignore[attr-defined]
    left: list[int] = []
    window.theme.changing.connect(lambda: left.append(len(page.rules.findChildren(QWidget))))
    window.light(True)
    assert left == [0], "hundreds of widgets dressed at once would hold up the window"
    qtbot.waitUntil(lambda: page.rules.is_whole, timeout=30_000)
    assert set(page.rules.fields) == before
    assert page.rules.fields["push_mm"].value() == 7.5  # type: ignore[attr-defined]
    assert page.plan.options == {"push_mm": 7.5}
