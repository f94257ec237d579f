"""Camera processes: a frame is never torn, a trouble shows, and whatever happens to one camera spares the other."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import cv2
import numpy as np
import pytest

from gui.mjpeg_server import MjpegServer
from tests.noise import noisy
from vision.deaf import deaf_children
from vision.frame import Frame, FramePair
from vision.health import SAME_S, STALE_S, Condition, Pulse
from vision.reader import LOOK_EVERY_S, CameraReader, LiveCameras
from vision.ring import LINUX_SHARED, SLOTS, FrameRing
from vision.sources import Recorded, source_of
from vision.stream import NetworkStream

DEADLINE_S = 60.0
"""Generous: a process may take seconds to start on a busy machine. Reached only where something is broken."""
SIZE = (160, 90)


def until(cameras: LiveCameras, wanted: Callable[[FramePair], bool]) -> FramePair:
    """The first pair that is as wanted."""
    end_s = time.monotonic() + DEADLINE_S
    for pair in cameras:
        if wanted(pair):
            return pair
        assert time.monotonic() < end_s, f"never came; last were {pair.troubles}"
    raise AssertionError("the cameras ended")


def both(pair: FramePair) -> bool:
    return set(pair.frames) == {"overhead", "side"}


# --- the ring ---


def write_even_frames(name: str, most_px: int, count: int) -> None:
    ring = FrameRing.attach(name, most_px)
    for number in range(1, count + 1):
        ring.publish(np.full((120, 160, 3), number % 251, np.uint8), number, number)
    ring.close()


def test_a_frame_is_never_torn_and_never_older_than_the_last() -> None:
    ring = FrameRing.create(160 * 120)
    writer = multiprocessing.get_context("spawn").Process(target=write_even_frames, args=(ring.name, 160 * 120, 4000))
    writer.start()
    seen: list[int] = []
    writing = True
    while writing:
        writing = writer.is_alive()
        for frame, _ in ring.since(seen[-1] if seen else 0):
            assert (frame.picture == frame.number % 251).all()
            seen.append(frame.number)
    writer.join()
    assert seen == sorted(set(seen))
    assert seen[-1] == 4000
    ring.close()


def test_a_writer_that_was_killed_in_mid_frame_leaves_the_others_readable() -> None:
    ring = FrameRing.create(160 * 120)
    picture = np.zeros((120, 160, 3), np.uint8)
    ring.publish(picture, 1, 1)
    ring._slots[2, 0] |= 1  # the next slot as a killed writer leaves it
    assert [frame.number for frame, _ in ring.since(0)] == [1]
    ring.publish(picture + 7, 2, 2)
    ((found, _),) = ring.since(1)
    assert (found.picture == 7).all()
    ring.close()


@pytest.mark.parametrize(("late", "found"), [(SLOTS, SLOTS), (SLOTS + 1, SLOTS)])
def test_whoever_comes_late_finds_every_frame_in_order_as_far_as_the_slots_reach(late: int, found: int) -> None:
    ring = FrameRing.create(16 * 9)
    for number in range(1, late + 1):
        ring.publish(np.full((9, 16, 3), number, np.uint8), number, number)
    frames = [frame for frame, _ in ring.since(0)]
    assert [frame.number for frame in frames] == list(range(late - found + 1, late + 1))
    assert [frame.picture[0, 0, 0] for frame in frames] == [frame.number for frame in frames]
    assert list(ring.since(late)) == []
    ring.close()


@pytest.mark.skipif(not LINUX_SHARED.exists(), reason="shared memory is a file on Linux")
def test_too_little_shared_memory_is_an_error_and_no_death() -> None:
    more_px = shutil.disk_usage(LINUX_SHARED).total  # three bytes for each
    ring = FrameRing.create(more_px)
    ring.reserve(160 * 120 * 3)
    with pytest.raises(OSError, match="No space left"):
        ring.reserve(more_px * 3)
    ring.close()


def test_nothing_is_left_in_shared_memory() -> None:
    ring = FrameRing.create(160 * 120)
    name = ring.name
    ring.close()
    ring.close()
    with pytest.raises(FileNotFoundError):
        SharedMemory(name)


# --- health, by the clock it is given ---


def pulse(wanted: tuple[int, int] | None = SIZE, frames: int = 10, same_since_s: float | None = None) -> Pulse:
    """Ten frames a second, up to time 1.0."""
    told = Pulse(repeats_s=1.5, wanted=wanted, begun_s=0.0)
    for number in range(1, frames + 1):
        frame = Frame(np.zeros((SIZE[1], SIZE[0], 3), np.uint8), number / 10, number)
        told.beat(frame, frame.time_s if same_since_s is None else same_since_s)
    return told


def test_a_camera_that_runs_tells_its_rate_and_age() -> None:
    health = pulse().health(1.05)
    assert health.is_fit
    assert health.fps == pytest.approx(10.0)
    assert health.age_s == pytest.approx(0.05)
    assert (health.dropped, health.size) == (0, SIZE)


@pytest.mark.parametrize(("later_s", "condition"), [(-0.1, Condition.RUNNING), (0.1, Condition.FROZEN)])
def test_a_frame_that_is_too_old_is_not_judged(later_s: float, condition: Condition) -> None:
    assert pulse().health(1.0 + STALE_S + later_s).condition is condition


@pytest.mark.parametrize(("since_s", "condition"), [(-0.6, Condition.FROZEN), (-0.4, Condition.RUNNING)])
def test_the_same_picture_for_too_long_is_a_camera_that_hangs(since_s: float, condition: Condition) -> None:
    assert pulse(same_since_s=since_s).health(1.0).condition is condition


@pytest.mark.parametrize(("since_s", "doubt"), [(-0.1, "the same picture for 1 s"), (0.1, "")])
def test_the_same_picture_is_told_before_it_is_taken_for_a_camera_that_hangs(since_s: float, doubt: str) -> None:
    health = pulse(same_since_s=since_s).health(1.0)
    assert health.is_fit
    assert health.doubt == doubt


def test_a_camera_that_hangs_is_no_longer_in_doubt() -> None:
    assert pulse(same_since_s=-0.6).health(1.0).doubt == ""


def test_another_size_than_calibrated_is_told_with_both() -> None:
    health = pulse(wanted=(1280, 720)).health(1.0)
    assert health.condition is Condition.RESIZED
    assert "160 x 90" in health.words
    assert "1280 x 720" in health.words


def test_frames_that_nobody_saw_are_counted() -> None:
    told = pulse()
    told.beat(Frame(np.zeros((90, 160, 3), np.uint8), 1.3, 13), 1.3)
    assert told.health(1.3).dropped == 2


# --- real processes on real streams ---


def test_two_cameras_run_and_the_loss_of_one_never_touches_the_other() -> None:
    with (
        MjpegServer(noisy(5), fps=12, jitter=0.5) as overhead,
        MjpegServer(noisy(7), fps=9, jitter=0.8, seed=1) as side,
        LiveCameras(
            {"overhead": source_of(overhead.address), "side": source_of(side.address)},
            {"overhead": SIZE, "side": SIZE},
        ) as cameras,
    ):
        until(cameras, both)
        spared = cameras.readers["side"].process_id

        killed = cameras.readers["overhead"].process_id
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        until(cameras, lambda pair: both(pair) and cameras.readers["overhead"].process_id != killed)

        overhead.hung_up.set()
        lost = until(cameras, lambda pair: "overhead" in pair.troubles)
        assert set(lost.frames) == {"side"}, "a stale picture is not handed on"
        overhead.hung_up.clear()
        until(cameras, both)

        overhead.holding.set()
        assert "hangs" in until(cameras, lambda pair: "overhead" in pair.troubles).troubles["overhead"]
        overhead.holding.clear()
        until(cameras, both)

        overhead.show(noisy(5, (320, 180)))
        words = until(cameras, lambda pair: "overhead" in pair.troubles).troubles["overhead"]
        assert "320 x 180" in words

        health = cameras.health()["side"]
        assert (health.restarts, health.condition) == (0, Condition.RUNNING)
        assert cameras.readers["side"].process_id == spared


def test_a_trouble_shows_within_two_seconds() -> None:
    assert max(STALE_S, SAME_S) + LOOK_EVERY_S < 2.0


def test_a_camera_that_falls_silent_is_told() -> None:
    with (
        MjpegServer(noisy(5), fps=15) as server,
        LiveCameras({"overhead": source_of(server.address)}) as cameras,
    ):
        until(cameras, lambda pair: "overhead" in pair.frames)
        server.silent.set()
        assert "no picture for" in until(cameras, lambda pair: "overhead" in pair.troubles).troubles["overhead"]


class Patient(NetworkStream):
    """A camera that may send a still table as one picture for a while."""

    @property
    def repeats_s(self) -> float:
        return 60.0


def test_a_camera_that_may_repeat_a_picture_is_gone_on_with_and_people_are_told() -> None:
    with (
        MjpegServer(noisy(5), fps=15) as server,
        LiveCameras({"overhead": Patient(server.address, 30.0)}) as cameras,
    ):
        until(cameras, lambda pair: "overhead" in pair.frames)
        server.holding.set()
        doubted = until(cameras, lambda pair: bool(pair.doubts))
        assert "the same picture for" in doubted.doubts["overhead"]
        assert set(doubted.frames) == {"overhead"}
        assert [note for note in cameras.notes() if "the same picture" in note]
        server.holding.clear()
        until(cameras, lambda pair: not pair.doubts and "overhead" in pair.frames)


def test_closing_leaves_no_process_and_no_memory() -> None:
    with MjpegServer(noisy(3)) as server:
        reader = CameraReader(source_of(server.address))
        process, ring = reader._process, reader._ring.name
        pid = reader.process_id
        reader.close()
    with pytest.raises(ValueError, match="closed"):
        process.is_alive()
    with pytest.raises(FileNotFoundError):
        SharedMemory(ring)
    assert pid is not None
    assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()


def say_again(line: Connection) -> None:
    while True:
        line.send(line.recv())


@pytest.mark.skipif(os.name != "posix", reason="signals are of POSIX systems")
def test_ctrl_c_does_not_reach_a_process_that_is_just_starting() -> None:
    spawn = multiprocessing.get_context("spawn")
    line, theirs = spawn.Pipe()
    process = spawn.Process(target=say_again, args=(theirs,), daemon=True)
    with deaf_children():
        process.start()
    theirs.close()
    os.kill(process.pid or 0, signal.SIGINT)
    line.send("still here")
    assert line.recv() == "still here"
    os.kill(process.pid or 0, signal.SIGINT)
    line.send("and here")
    assert line.recv() == "and here"
    process.kill()
    process.join()


def test_a_video_stands_in_for_a_camera_and_ends(tmp_path: Path) -> None:
    for number, picture in enumerate(noisy(3)):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture)
    with LiveCameras({"overhead": Recorded(tmp_path)}) as cameras:
        numbers = [pair.frames["overhead"].number for pair in cameras if pair.frames]
    assert numbers == sorted(numbers)
    assert numbers[-1] == 3
