"""Cameras in the dashboard: trying one out, calibrating by the bundled take, a live table through the gate."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from gui.camera_look import is_mirrored, warnings_for
from gui.feed import Picture
from gui.measure_words import kit_words
from gui.mjpeg_server import MjpegServer
from gui.pages.calibrate import CalibratePage
from gui.pages.new_game import remembered, remembers
from gui.pages.phone import PhonePage
from gui.widgets.meters import Meter
from gui.window import Window
from tests.dashboard import new_window

FRAMES = Path(__file__).parent.parent / "sample_frames"
TAKE = FRAMES / "calibration_take"


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Window:
    monkeypatch.setattr("calibration.store.folder", lambda: tmp_path / "calibrations")
    return new_window(qtbot, tmp_path)


@pytest.fixture(scope="module")
def table() -> Picture:
    return np.asarray(cv2.imread(str(TAKE / "overhead_table_0.jpg")), np.uint8)


def test_a_mirrored_picture_is_told_by_its_tags(table: Picture) -> None:
    assert not is_mirrored(table)
    assert is_mirrored(np.ascontiguousarray(table[:, ::-1]))
    assert not is_mirrored(np.zeros((480, 640, 3), np.uint8))


def test_what_a_phone_is_set_wrong_on_is_said(table: Picture) -> None:
    assert warnings_for(table, 25.0, False, False, 100) == ()
    upright = np.ascontiguousarray(np.rot90(table))
    told = " ".join(warnings_for(upright, 5.0, True, True, 100))
    assert all(word in told for word in ("upright", "mirrored", "rotation", "Only 5 pictures"))
    assert warnings_for(table, 0.0, False, False, 3) == (), "a rate is not judged by its first pictures"


def test_a_camera_is_tried_out_and_people_say_which_one_looks_down(qtbot: QtBot, window: Window) -> None:
    window.open_page("phone")
    page = window.pages.currentWidget()
    assert isinstance(page, PhonePage)
    one, other = page.slots
    one.address.setText("/no/such/camera")
    one.test()
    assert "no camera" in one.glimpse.words.text()
    one.address.setText(str(TAKE / "side_lens.mp4"))
    one.test()
    qtbot.waitUntil(lambda: "1280 x 720" in one.glimpse.words.text(), timeout=20_000)
    other.address.setText("1")
    page.choose(1)
    plan = remembered(window.settings)
    assert (plan.overhead, plan.side) == ("1", str(TAKE / "side_lens.mp4"))


def test_the_wizard_calibrates_the_bundled_take_and_keeps_it_for_the_next_game(qtbot: QtBot, window: Window) -> None:
    window.open_page("calibrate")
    page = window.pages.currentWidget()
    assert isinstance(page, CalibratePage)
    assert not page.buttons["table"].isEnabled()
    told: list[str] = []
    page._seen.connect(lambda glimpse: told.append(glimpse.words))
    meters: list[tuple[Meter, ...]] = []
    page._seen.connect(lambda _: meters.append(page.meters.shown))
    for camera, field in (("overhead", page.overhead), ("side", page.side)):
        field.setText(str(TAKE / f"{camera}_lens.mp4"))
        page.buttons[camera].click()
        result = page.results[camera]
        qtbot.waitUntil(lambda: "px" in result.text(), timeout=120_000)  # noqa: B023 (waited for at once)
        field.setText(str(TAKE / f"{camera}_table_0.jpg"))
    assert any("tilt its" in words for words in told)
    tilts = [shown[0] for shown in meters if shown]
    assert tilts[0].words == "Tilts: 0 of 4"
    assert {tilt.have for tilt in tilts} >= {0, 4}, "they fill while the board is moved"
    assert not page.meters.isVisible(), "the lens is solved"
    page.buttons["table"].click()
    qtbot.waitUntil(lambda: "mm at the middle" in page.results["table"].text(), timeout=60_000)
    page.buttons["keep"].click()
    assert remembered(window.settings).rig == "my table"
    assert remembered(window.settings).rig_read() == page.steps.rig


def test_the_wizard_measures_the_pieces_on_the_bundled_kit_card_and_keeps_them(qtbot: QtBot, window: Window) -> None:
    remembers(window.settings, rig=str(FRAMES / "kit_card" / "rig.json"))
    window.open_page("calibrate")
    page = window.pages.currentWidget()
    assert isinstance(page, CalibratePage)
    assert page.buttons["kit"].isEnabled(), "a calibrated table is enough"
    for field, camera in ((page.overhead, "overhead"), (page.side, "side")):
        field.setText(str(FRAMES / "kit_card" / f"{camera}_kit.jpg"))
    page.buttons["kit"].click()
    qtbot.waitUntil(lambda: "mm across" in page.results["kit"].text(), timeout=120_000)
    page.buttons["keep"].click()
    assert remembered(window.settings).kit_read().road_length_mm == (
        page.steps.kit.road_length_mm if page.steps.kit else None
    )
    assert "known to" in kit_words(remembered(window.settings))


def test_a_stick_that_is_put_down_is_measured_and_held_against_the_kit(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    pair = Path(__file__).parent / "touch_pair"
    remembers(window.settings, rig=str(pair / "rig.json"), kit=str(pair / "kit.json"))
    window.open_page("calibrate")
    page = window.pages.currentWidget()
    assert isinstance(page, CalibratePage)
    for field, camera in ((page.overhead, "overhead"), (page.side, "side")):
        folder = tmp_path / camera
        folder.mkdir()
        for number, moment in enumerate(["before"] * 3 + ["after"] * 3):
            (folder / f"{number}.jpg").write_bytes((pair / f"{moment}_{camera}.jpg").read_bytes())
        field.setText(str(folder))
    page.buttons["touch"].click()
    result = page.results["touch"]
    qtbot.waitUntil(lambda: bool(result.text()), timeout=60_000)
    assert "95.0 mm by the kit" in result.text()
    assert result.text().endswith("good")


def test_an_address_in_a_qr_code_that_one_camera_sees_is_taken_for_the_other(
    qtbot: QtBot, window: Window, table: Picture, tmp_path: Path
) -> None:
    code = cv2.QRCodeEncoder.create().encode("http://192.168.1.20:8080/video")
    seen = table.copy()
    seen[200:500, 400:700] = 255
    seen[220:480, 420:680] = cv2.resize(code, (260, 260), interpolation=cv2.INTER_NEAREST)[..., None]
    with MjpegServer([seen]) as camera:
        window.open_page("phone")
        page = window.pages.currentWidget()
        assert isinstance(page, PhonePage)
        one, other = page.slots
        one.address.setText(camera.address)
        one.test()
        qtbot.waitUntil(lambda: other.address.text() == "http://192.168.1.20:8080/video", timeout=30_000)


def test_a_camera_that_is_not_there_is_told_in_words_and_the_step_can_begin_again(qtbot: QtBot, window: Window) -> None:
    window.open_page("calibrate")
    page = window.pages.currentWidget()
    assert isinstance(page, CalibratePage)
    page.overhead.setText("/no/such/video.mp4")
    page.buttons["overhead"].click()
    qtbot.waitUntil(lambda: "/no/such/video.mp4" in page.results["overhead"].text())
    assert page.buttons["overhead"].isEnabled()
