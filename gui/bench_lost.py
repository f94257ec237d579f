"""How soon people see that a camera is lost: real servers killed, frozen or hanging under a running `highway watch`."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from gui.bench_recording import noisy
from gui.mjpeg_server import MjpegServer, jpegs
from vision.view import Picture
from vision.views import CAMERAS

FPS = 15
TIMES = 3
PAUSED = "judging paused"
PATIENCE_S = 60.0
"""Reached only where something is broken."""


def lost_figures(rig: Path, pair: Mapping[str, Picture]) -> dict[str, Any]:
    """Seconds from each trouble of one camera until the command says so, and from its end until it sees again."""
    with contextlib.ExitStack() as stack:
        cameras = {name: _Camera(jpegs(noisy(pair[name], _size(pair[name])))) for name in CAMERAS}
        for camera in cameras.values():
            stack.callback(camera.kill)
        lines = stack.enter_context(_watching(rig, [camera.address for camera in cameras.values()]))
        lines.wait(lambda line: line == "settled")
        overhead = cameras["overhead"]
        troubles: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
            "killed": (overhead.kill, overhead.start),
            "silent": (overhead.freeze, overhead.thaw),
            "same picture": (lambda: overhead.hold(True), lambda: overhead.hold(False)),
        }
        return {what: [_timed(lines, *both) for _ in range(TIMES)] for what, both in troubles.items()}


def lost_rows(figures: Mapping[str, Sequence[Sequence[float]]]) -> list[tuple[str, str]]:
    """As rows of a table: the worst of each."""
    return [
        (
            f"  told of a camera that {words} after, sees again",
            f"{max(told for told, _ in figures[what]):.1f} s, {max(back for _, back in figures[what]):.1f} s",
        )
        for what, words in (("killed", "is killed"), ("silent", "falls silent"), ("same picture", "hangs"))
    ]


def _size(picture: Picture) -> tuple[int, int]:
    return picture.shape[1], picture.shape[0]


def _timed(lines: _Lines, cause: Callable[[], None], mend: Callable[[], None]) -> tuple[float, float]:
    begun_s = time.monotonic()
    cause()
    told_s = lines.wait(lambda line: PAUSED in line)
    mend()
    mended_s = time.monotonic()
    return told_s - begun_s, lines.wait(lambda line: PAUSED not in line) - mended_s


class _Lines:
    """What a program says, with when it said so."""

    def __init__(self, running: subprocess.Popen[str]) -> None:
        self._said: queue.SimpleQueue[tuple[float, str]] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(running,), daemon=True).start()

    def wait(self, wanted: Callable[[str], bool]) -> float:
        """When the first line came that is as wanted."""
        end_s = time.monotonic() + PATIENCE_S
        while True:
            try:
                at_s, line = self._said.get(timeout=max(end_s - time.monotonic(), 0.0))
            except queue.Empty:
                raise RuntimeError(f"`highway watch` did not say what was waited for in {PATIENCE_S:.0f} s") from None
            if wanted(line):
                return at_s

    def _read(self, running: subprocess.Popen[str]) -> None:
        for line in running.stderr or ():
            self._said.put((time.monotonic(), line.strip()))


@contextlib.contextmanager
def _watching(rig: Path, addresses: Sequence[str]) -> Iterator[_Lines]:
    """The command as people start it."""
    command = [sys.executable, "-m", "gui.cli", "watch", "--rig", str(rig), "--live", *addresses]
    root = Path(__file__).resolve().parent.parent
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=root, bufsize=1
    ) as running:
        try:
            yield _Lines(running)
        finally:
            running.send_signal(signal.SIGINT)
            try:
                running.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                running.kill()


class _Camera:
    """A camera in a process of its own, at one address for as long as it lives, killed or not."""

    def __init__(self, pictures: list[bytes]) -> None:
        self._pictures, self._port = pictures, 0
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}/video"

    def start(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._line, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(theirs, self._pictures, self._port), daemon=True)
        self._process.start()
        self._port = self._line.recv()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()

    def freeze(self) -> None:
        os.kill(self._process.pid or 0, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self._process.pid or 0, signal.SIGCONT)

    def hold(self, held: bool) -> None:
        """The same picture from here on, or not."""
        self._line.send(held)


def _serve(line: Connection, pictures: list[bytes], port: int) -> None:
    with MjpegServer([], FPS, port=port) as server:
        server.show_jpegs(pictures)
        line.send(server.port)
        while True:
            (server.holding.set if line.recv() else server.holding.clear)()
