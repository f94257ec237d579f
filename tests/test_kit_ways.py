"""The ways to a kit.json besides two named pictures: live cameras, and a calibration take with the card in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from calibration import store
from calibration.camera import Rig
from calibration.kit_register import RegisteredKit
from calibration.store import keep_lens
from gui.cli import main
from gui.mjpeg_server import MjpegServer
from referee.pieces import Kit
from tests.table_pictures import Shot, lens_near, photograph, strips_round

CARD = Path(__file__).resolve().parent.parent / "sample_frames" / "kit_card"
RIG = msgspec.json.decode((CARD / "rig.json").read_bytes(), type=Rig)
TRUE = msgspec.json.decode((CARD / "kit.json").read_bytes(), type=Kit)


def measured(file: Path) -> RegisteredKit:
    kit = msgspec.json.decode(file.read_bytes(), type=RegisteredKit)
    assert kit.disc_diameter_mm == pytest.approx(TRUE.disc_diameter_mm, abs=0.5)
    assert kit.road_length_mm == pytest.approx(TRUE.road_length_mm, abs=1.0)
    return kit


def test_live_cameras_show_the_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = [np.asarray(cv2.imread(str(CARD / f"{name}_kit.jpg")), np.uint8) for name in RIG.cameras]
    out = tmp_path / "kit.json"
    with MjpegServer(shown[:1]) as overhead, MjpegServer(shown[1:]) as side:
        given = ["--live", overhead.address, side.address, "--rig", str(CARD / "rig.json"), "-o", str(out)]
        assert main(["calibrate", "--kit-card", *given]) == 0
    measured(out)
    assert "lay the kit card with its pieces in sight of both cameras" in capsys.readouterr().out


def _take(folder: Path) -> list[str]:
    """A take with the strips and the kit card in it, and how it is calibrated with kept lenses."""
    rng = np.random.default_rng(5)
    strips = strips_round(rng, 120.0, 4)
    folder.mkdir()
    kept = []
    for name, camera in RIG.cameras.items():
        keep_lens(f"home {name}", lens_near(camera, rng, 0.1))
        kept += [f"--{name}-kept", f"home {name}"]
        cv2.imwrite(str(folder / f"{name}_table.png"), photograph(camera, strips, Shot(), rng))
        shutil.copy(CARD / f"{name}_kit.jpg", folder)
    return ["calibrate", str(folder), *kept, "--ruler", "100", "-o", str(folder.with_name("rig.json"))]


def test_a_take_that_holds_the_card_gives_a_kit_beside_its_rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "folder", lambda: tmp_path / "kept")
    assert main(_take(tmp_path / "take")) == 0
    kit = measured(tmp_path / "kit.json")
    assert "road" in kit.paints


def test_a_take_whose_card_cannot_be_read_leaves_no_rig_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(store, "folder", lambda: tmp_path / "kept")
    given = _take(tmp_path / "take")
    for name, camera in RIG.cameras.items():
        cv2.imwrite(str(tmp_path / "take" / f"{name}_kit.jpg"), np.full((camera.height, camera.width, 3), 90, np.uint8))
    assert main(given) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not (tmp_path / "rig.json").exists()
    assert not (tmp_path / "kit.json").exists()
