"""Recording live cameras on loopback: killed between two turns, it goes on where it was."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from gui.mjpeg_server import MjpegServer
from gui.record_sources import lost_pictures
from gui.session import load
from tests.test_vision_watch import FIRST, SECOND
from tests.test_watch_frames import grainy
from tests.vision_drawing import RIG, drawn
from vision.health import Condition, Health
from vision.playback import Video

ROOT = Path(__file__).parents[1]
HUNG_S = 280.0
"""Nobody waits longer for a line that does not come."""

POSIX = pytest.mark.skipif(os.name != "posix", reason="kill -9 and Ctrl-C for another process are of POSIX systems")


@contextlib.contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A process that does not outlive the test, whatever happens in it."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT) as running:
        hung = threading.Timer(HUNG_S, running.kill)
        hung.start()
        try:
            yield running
        except BaseException:
            running.kill()
            raise
        finally:
            hung.cancel()


def _said(running: subprocess.Popen[str], words: str) -> None:
    """Wait until it says so."""
    assert running.stdout is not None
    while words not in (line := running.stdout.readline()):
        assert line, f"it ended before it said '{words}'"


@POSIX
def test_a_live_table_is_recorded_on_after_kill_9(tmp_path: Path) -> None:
    before, after = drawn(FIRST, seed=1), drawn(SECOND, seed=2)
    (tmp_path / "rig.json").write_bytes(msgspec.json.encode(RIG))
    (tmp_path / "setup.json").write_bytes(msgspec.json.encode(FIRST))
    servers = {name: MjpegServer(grainy(before[name]), fps=8, jitter=0.3) for name in RIG.cameras}
    session = tmp_path / "live.mcap"
    command = [sys.executable, "-m", "gui.cli", "record", str(session), "--accept", "complete"]
    command += ["--live", *(server.address for server in servers.values())]
    with servers["overhead"], servers["side"]:
        first = [*command, "--rig", str(tmp_path / "rig.json"), "--edition", "second-edition"]
        first += ["--setup", str(tmp_path / "setup.json")]
        with _running(first) as running:
            _said(running, "Turn  0")
            running.send_signal(signal.SIGKILL)
        # Nobody says again which cameras, nor which turns are accepted.
        with _running([*command[:5], "--resume"]) as running:
            _said(running, "recovered to turn 0, nothing lost")
            for name, server in servers.items():
                server.show(grainy(after[name]))
            _said(running, "Turn  1")
            servers["side"].hung_up.set()
            _said(running, "judging paused")
            running.send_signal(signal.SIGINT)
            _said(running, "1 turns recorded")
    file, found = load(session)
    with file:
        assert len(found.rulings) == 2
        assert len(found.turns[1].record.layout.roads) == 2
        assert [remark.kind for _, remark in found.remarks].count("resumed") == 1
        for camera in RIG.cameras:
            assert Video(file, camera).at(found.turns[1].time_ns) is not None


@POSIX
def test_an_address_where_nobody_answers_is_told_and_leaves_no_session(tmp_path: Path) -> None:
    (tmp_path / "rig.json").write_bytes(msgspec.json.encode(RIG))
    session = tmp_path / "live.mcap"
    command = [sys.executable, "-m", "gui.cli", "record", str(session), "--edition", "second-edition"]
    command += ["--rig", str(tmp_path / "rig.json"), "--live", *["http://127.0.0.1:1/video"] * 2]
    with _running(command) as running:
        _said(running, "nothing answers at this port; start the app's server")
        running.send_signal(signal.SIGINT)
        _said(running, "nothing came, nothing was recorded")
    assert not session.exists()


def test_pictures_that_nobody_fetched_are_counted_by_camera() -> None:
    health = {
        name: Health(Condition.RUNNING, "running", 15.0, 0.1, lost, None, 0)
        for name, lost in (("overhead", 0), ("side", 3))
    }
    (words,) = lost_pictures(health)
    assert words.startswith("side: 3 pictures came and were not fetched in time")
