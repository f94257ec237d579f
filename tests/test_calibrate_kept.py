"""`highway calibrate` with lenses that are kept: files, live cameras, clicks, a bank card; a mismatch is refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from calibration import store
from calibration.camera import Rig
from calibration.kit_card import BANK_CARD_MM, kit_card
from calibration.page import Page, Rect
from calibration.rig_quality import SolvedRig
from calibration.sheets import A4
from calibration.store import keep_lens
from gui.cli import main
from tests.table_pictures import Laid, Shot, lens_near, photograph

TAKE = Path(__file__).resolve().parent.parent / "sample_frames" / "calibration_take"
TRUE = msgspec.json.decode((TAKE / "rig.json").read_bytes(), type=Rig)
TABLES = [
    *("--overhead-table", str(TAKE / "overhead_table_0.jpg"), "--side-table", str(TAKE / "side_table_0.jpg")),
]
KEPT = ["--overhead-kept", "home overhead", "--side-kept", "home side"]


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of its own, with good lenses of both cameras."""
    monkeypatch.setattr(store, "folder", lambda: tmp_path / "kept")
    for name, camera in TRUE.cameras.items():
        keep_lens(f"home {name}", lens_near(camera, np.random.default_rng(3)))


def solved(out: Path) -> SolvedRig:
    return msgspec.json.decode(out.read_bytes(), type=SolvedRig)


def test_with_kept_lenses_a_picture_of_the_table_from_each_camera_is_enough(tmp_path: Path) -> None:
    out = tmp_path / "rig.json"
    assert main(["calibrate", *TABLES, *KEPT, "--ruler", "100", "-o", str(out)]) == 0
    rig = solved(out)
    assert rig.quality is not None
    assert rig.quality.grade == "good"
    apart = [np.linalg.norm(cameras["overhead"].centre_in_table() - cameras["side"].centre_in_table())
             for cameras in (rig.cameras, TRUE.cameras)]  # fmt: skip
    assert apart[0] == pytest.approx(apart[1], rel=0.005)


def test_a_kept_lens_of_another_size_is_refused_with_the_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = cv2.resize(cv2.imread(str(TAKE / "side_table_0.jpg")), (640, 360))  # type: ignore[arg-type]
    cv2.imwrite(str(tmp_path / "small.png"), small)
    files = [*TABLES[:2], "--side-table", str(tmp_path / "small.png")]
    assert main(["calibrate", *files, *KEPT, "--ruler", "100", "-o", str(tmp_path / "rig.json")]) == 2
    told = capsys.readouterr().err
    assert "the lens 'home side' was calibrated at 1280 x 720, the pictures have 640 x 360" in told
    assert "set the camera to that size, or calibrate it at this one" in told
    assert not (tmp_path / "rig.json").exists()


@pytest.mark.parametrize(("scale", "correct"), [(1.0, False), (0.97, False), (0.97, True)])
def test_a_bank_card_on_its_outline_checks_the_print(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], scale: float, correct: bool
) -> None:
    card = kit_card(A4)
    sheet = Laid(card.page, Rect(0, 0, card.page.width_mm, card.page.height_mm), 0.0, 0.0, 0.3, scale)
    x, y, _ = sheet.in_table(np.array([card.bank_card.centre_mm]))[0]
    on_it = Laid(Page("card", *BANK_CARD_MM, 1, ()), Rect(0, 0, *BANK_CARD_MM), x, y, 0.302, 1.0, 0.86, 0.3)
    picture = photograph(TRUE.overhead, (sheet, on_it), Shot(), np.random.default_rng(2))
    cv2.imwrite(str(tmp_path / "card.png"), picture)
    out = tmp_path / "rig.json"
    given = [*TABLES, *KEPT, "--bank-card", str(tmp_path / "card.png"), *(["--correct"] if correct else [])]
    refused = scale != 1.0 and not correct
    assert main(["calibrate", *given, "-o", str(out)]) == (2 if refused else 0)
    told = capsys.readouterr()
    assert out.exists() is not refused
    if refused:
        assert "too small; add --correct to reckon with that, or print again at 100 %" in told.err
    else:
        assert ("true to scale" if scale == 1.0 else "too small") in told.out


def test_clicks_may_go_through_kept_lenses(tmp_path: Path) -> None:
    points = np.array([[-105.0, 148.5, 0.0], [105.0, 148.5, 0.0], [105.0, -148.5, 0.0], [-105.0, -148.5, 0.0]])
    views = {
        name: {"size": [camera.width, camera.height],
               "clicks": np.column_stack([points[:, :2], camera.project(points)]).tolist()}
        for name, camera in TRUE.cameras.items()
    }  # fmt: skip
    (tmp_path / "clicks.json").write_bytes(msgspec.json.encode(views))
    off = []
    for kept in ([], KEPT):
        out = tmp_path / "rig.json"
        assert main(["calibrate", "--clicks", str(tmp_path / "clicks.json"), *kept, "-o", str(out)]) == 0
        off.append(abs(solved(out).side.K[0][0] / TRUE.side.K[0][0] - 1))
    assert off[1] < 0.002 < off[0]


class Stream(BaseHTTPRequestHandler):
    """Sends a picture of the table again and again, as phone apps do."""

    def do_GET(self) -> None:
        data = (TAKE / f"{self.path.strip('/')}_table_0.jpg").read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        head = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data)
        try:
            while True:
                self.wfile.write(head + data + b"\r\n")
        except (BrokenPipeError, ConnectionResetError):
            return

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def cameras() -> Iterator[list[str]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield [f"http://127.0.0.1:{server.server_address[1]}/{name}" for name in TRUE.cameras]
    server.shutdown()
    server.server_close()


def test_live_cameras_with_kept_lenses_need_only_a_still_table(tmp_path: Path, cameras: list[str]) -> None:
    out = tmp_path / "rig.json"
    assert main(["calibrate", "--live", *cameras, *KEPT, "--ruler", "100", "-o", str(out)]) == 0
    assert len(solved(out).tags) >= 12
