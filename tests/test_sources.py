"""Sources: whatever a person names becomes frames in order, or one plain sentence."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from gui.mjpeg_server import MjpegServer
from tests.noise import noisy
from vision.errors import VisionError
from vision.frame import Frame
from vision.pace import SAVED
from vision.sources import Recorded, in_step, source_of
from vision.usb import AUTOMATIC, V4L2_MANUAL_EXPOSURE, UsbCamera, lock, words_of
from vision.view import Picture


def ignore(words: str) -> None:
    return


def read(text: str) -> list[Frame]:
    return list(source_of(text).frames(ignore))


def video(path: Path, pictures: list[Picture], fps: int) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps)
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        container.mux(stream.encode())
    return path


def grey(level: int) -> Picture:
    return np.full((64, 96, 3), level, np.uint8)


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    return video(tmp_path / "overhead.mp4", [grey(20 * number) for number in range(8)], fps=10)


def test_a_video_gives_every_frame_in_order_by_its_own_time(clip: Path) -> None:
    frames = read(str(clip))
    assert [frame.number for frame in frames] == list(range(8))
    assert [round(frame.time_s, 3) for frame in frames] == [number / 10 for number in range(8)]
    assert np.allclose([frame.picture.mean() for frame in frames], [20 * number for number in range(8)], atol=6)


def test_a_folder_gives_its_pictures_in_order_2_before_10(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        cv2.imwrite(str(tmp_path / f"shot_{number}.png"), grey(number))
    assert [int(frame.picture[0, 0, 0]) for frame in read(str(tmp_path))] == [1, 2, 10]


def test_two_videos_run_in_step_and_the_same_way_every_time(tmp_path: Path, clip: Path) -> None:
    side = video(tmp_path / "side.mp4", [grey(10 * number) for number in range(12)], fps=20)
    sources = {"overhead": Recorded(clip), "side": Recorded(side)}
    runs = [
        [(pair.frames["overhead"].number, pair.frames["side"].number, pair.time_s) for pair in in_step(sources)]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert {(o, s) for o, s, _ in runs[0]} >= {(o, 2 * o) for o in range(6)}
    assert all(abs(o * 0.1 - s * 0.05) < 0.1 for o, s, _ in runs[0])
    assert runs[0][-1][1] == 11, "it ends when the shorter one does"


@pytest.mark.parametrize("size", [(160, 90), (320, 180)])
def test_an_mjpeg_address_gives_frames_with_rising_arrival_times(size: tuple[int, int]) -> None:
    with MjpegServer(noisy(4, size)) as server:
        frames = source_of(server.address).frames(ignore)
        found = [next(frames) for _ in range(5)]
        frames.close()  # type: ignore[attr-defined]
    assert {frame.size for frame in found} == {size}
    times = [frame.time_s for frame in found]
    assert times == sorted(times)


def test_frames_faster_than_wanted_are_passed_over() -> None:
    with MjpegServer(noisy(4), fps=200) as server:
        frames = source_of(server.address, most_fps=10).frames(ignore)
        times = [next(frames).time_s for _ in range(8)]
        frames.close()  # type: ignore[attr-defined]
    assert times[-1] - times[0] > (7 - SAVED) / 10 - 0.01


def test_a_camera_that_stops_in_mid_stream_is_an_error_in_words() -> None:
    with MjpegServer(noisy(4)) as server:
        frames = source_of(server.address).frames(ignore)
        next(frames)
        server.hung_up.set()
        with pytest.raises(VisionError, match="start it again"):
            list(frames)


# --- what cannot be read ---


@pytest.fixture
def web_page() -> Iterator[str]:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/":
                self.send_error(404)
                return
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html><body>IP Webcam</body></html>" * 50)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_a_web_page_is_no_video(web_page: str) -> None:
    with pytest.raises(VisionError, match="no video to be had; copy the address of the video"):
        read(f"{web_page}/")


def test_a_wrong_path_is_told_apart_from_a_wrong_port(web_page: str) -> None:
    with pytest.raises(VisionError, match="no video at this path"):
        read(f"{web_page}/nowhere")
    with pytest.raises(VisionError, match="nothing answers at this port"):
        read("http://127.0.0.1:9/video")
    with pytest.raises(VisionError, match="nothing answers at this port"):
        read("rtsp://127.0.0.1:9/live")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ftp://example.org/video", "addresses begin with http, https, rtsp"),
        ("no_such_file.mp4", "is no file, no folder and no camera"),
    ],
)
def test_what_is_no_source_is_refused_before_anything_is_opened(text: str, words: str) -> None:
    with pytest.raises(VisionError, match=words):
        source_of(text)


@pytest.mark.parametrize("contents", [b"", b"this is no video", b"\x00" * 4096])
def test_a_file_that_is_no_video_is_one_sentence(tmp_path: Path, contents: bytes) -> None:
    file = tmp_path / "film.mp4"
    file.write_bytes(contents)
    with pytest.raises(VisionError, match=r"film\.mp4: .*again"):
        read(str(file))


def test_a_camera_that_is_not_there_is_named_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(VisionError, match="highway cameras"):
        read("63")


@pytest.mark.skipif(sys.platform != "linux", reason="devices as Linux has them")
def test_a_camera_that_another_program_holds_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """No camera is on this machine: what is no camera fails at the same place, with the same answer of the system."""
    with pytest.raises(VisionError, match="is no other program using it"):
        read("/dev/null")
    assert capfd.readouterr().err == "", "OpenCV's own words are not for people"


# --- a driver's controls: no camera is on this machine, so the driver is a table of its settings ---


class Driver:
    """Settings that a driver has; those in `fixed` it refuses to change."""

    def __init__(self, fixed: set[int]) -> None:
        self.fixed = fixed
        self.values = {prop: 3.0 for prop, _ in AUTOMATIC.values()} | {value: 42.0 for _, value in AUTOMATIC.values()}

    def get(self, property_id: int, /) -> float:
        return self.values[property_id]

    def set(self, property_id: int, value: float, /) -> bool:
        if property_id in self.fixed:
            return False
        self.values[property_id] = value
        return True


def test_everything_automatic_is_switched_off_at_the_value_it_had() -> None:
    driver = Driver(fixed=set())
    locked = lock(driver, cv2.CAP_V4L2)
    assert locked == dict.fromkeys(AUTOMATIC, True)
    assert words_of(locked) == "exposure, focus and white balance locked"
    exposure, focus = AUTOMATIC["exposure"], AUTOMATIC["focus"]
    assert driver.values[exposure[0]] == V4L2_MANUAL_EXPOSURE
    assert driver.values[focus[0]] == 0.0
    assert {driver.values[value] for _, value in AUTOMATIC.values()} == {42.0}


def test_what_the_driver_refuses_is_told() -> None:
    locked = lock(Driver(fixed={AUTOMATIC["focus"][0]}), cv2.CAP_V4L2)
    assert locked == {"exposure": True, "focus": False, "white balance": True}
    assert words_of(locked).startswith("exposure and white balance locked; focus cannot be locked")


def test_a_camera_is_asked_for_the_size_it_was_calibrated_at() -> None:
    assert source_of("0", (1920, 1080)) == UsbCamera("0", (1920, 1080), 15.0)
