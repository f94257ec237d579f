"""RTSP, as network cameras and some phone apps speak it, from a real server: GStreamer's, where it is installed."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.noise import noisy
from tests.test_reader import until
from tests.test_sources import ignore, video
from vision.errors import VisionError
from vision.reader import LiveCameras
from vision.sources import source_of
from vision.stream import NetworkStream

SERVER = Path(__file__).parent / "rtsp_server.py"
PYTHON = shutil.which("python3", path="/usr/bin")
SIZE = (160, 90)
FPS = 10


def _has_gstreamer() -> bool:
    """Whether the system's Python can serve H.264 by GStreamer."""
    asked = "import gi; gi.require_version('GstRtspServer', '1.0'); from gi.repository import Gst; Gst.init(None); "
    asked += "raise SystemExit(not all(map(Gst.ElementFactory.find, ('qtdemux', 'h264parse', 'rtph264pay'))))"
    return PYTHON is not None and subprocess.run([PYTHON, "-c", asked], capture_output=True).returncode == 0


pytestmark = pytest.mark.skipif(
    not _has_gstreamer(),
    reason="no RTSP server here: apt install python3-gi gir1.2-gst-rtsp-server-1.0 gstreamer1.0-plugins-{good,bad}",
)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a minute of noise with a bright half, so that a picture can be told from none."""
    pictures = [np.vstack([p[: SIZE[1] // 2], np.maximum(p[SIZE[1] // 2 :], 200)]) for p in noisy(30 * FPS, SIZE)]
    return video(tmp_path_factory.mktemp("film") / "film.mp4", pictures, FPS)


@contextlib.contextmanager
def serving(film: Path, carried_by: str, *account: str, port: str = "0") -> Iterator[str]:
    """The address of a server for as long as it is needed, without its beginning."""
    assert PYTHON is not None
    command = [PYTHON, str(SERVER), str(film), carried_by, port, *account]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        yield f"127.0.0.1:{int(server.stdout.readline())}/video"
        server.kill()


@pytest.mark.parametrize("carried_by", ["tcp", "udp"])
def test_an_rtsp_address_gives_frames_with_rising_arrival_times(film: Path, carried_by: str) -> None:
    with serving(film, carried_by) as address:
        frames = source_of(f"rtsp://{address}").frames(ignore)
        found = [next(frames) for _ in range(8)]
        frames.close()  # type: ignore[attr-defined]
    assert {frame.size for frame in found} == {SIZE}
    assert all(np.diff([frame.time_s for frame in found]) > 0)
    for frame in found:
        dark, bright = np.split(frame.picture, 2)[0].mean(), np.split(frame.picture, 2)[1].mean()
        assert bright > dark + 60


def test_a_server_that_goes_away_is_told_and_its_return_needs_nobody(film: Path) -> None:
    with contextlib.ExitStack() as cameras:
        with serving(film, "tcp") as address:
            live = cameras.enter_context(LiveCameras({"side": source_of(f"rtsp://{address}")}, {"side": SIZE}))
            until(live, lambda pair: "side" in pair.frames)
        until(live, lambda pair: "nothing answers at this port" in pair.troubles.get("side", ""))
        with serving(film, "tcp", port=address.partition(":")[2].partition("/")[0]):
            until(live, lambda pair: "side" in pair.frames)


def test_a_wrong_path_is_told(film: Path) -> None:
    with serving(film, "tcp") as address, pytest.raises(VisionError, match="no video at this path"):
        next(iter(source_of(f"rtsp://{address}s").frames(ignore)))


def test_a_password_is_asked_for_and_never_shown(film: Path) -> None:
    with serving(film, "tcp", "me", "secret") as address:
        for account in ("", "me:wrong@"):
            with pytest.raises(VisionError, match="asks for a name and a password") as caught:
                next(iter(source_of(f"rtsp://{account}{address}").frames(ignore)))
            assert "wrong" not in str(caught.value)
        let_in = source_of(f"rtsp://me:secret@{address}")
        assert next(iter(let_in.frames(ignore))).size == SIZE
    assert let_in.name == f"rtsp://me:***@{address}"


def test_an_address_without_a_password_is_shown_as_it_is() -> None:
    for address in ("http://192.168.1.20:8080/video", "rtsp://me@host:554/a:b@c"):
        assert NetworkStream(address, 15).name == address
