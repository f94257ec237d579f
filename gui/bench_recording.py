"""Recording two 1080p streams as at a live table: sent over loopback, read, filmed and watched by the gate."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from gui.mjpeg_server import MjpegServer, jpegs
from gui.session import event_topics
from vision.frame import FramePair
from vision.gate import Gate
from vision.hands import HandFinder
from vision.newest import newest
from vision.reader import LiveCameras
from vision.recording import Recorder
from vision.session_scan import scan
from vision.sources import source_of
from vision.view import Picture
from vision.views import CAMERAS

FPS = 15
SIZE = (1920, 1080)
NOISE = 1.5
"""What a webcam's sensor adds; without it the encoder has too easy a time."""
VARIANTS = 8
TABLE_EVERY_S = 10.0
"""So often the table changes; in between only noise does."""
TENTHS = 10
ARRIVED_S = 1.0
"""Whatever was sent has come by then."""
Tables = Sequence[dict[str, list[bytes]]]


def recording_figures(folder: Path, pairs: Sequence[Mapping[str, Picture]], minutes: float) -> dict[str, Any]:
    """Record for so long, and see what it costs and what is lost on the way."""
    tables = [{camera: jpegs(noisy(pair[camera], SIZE)) for camera in CAMERAS} for pair in pairs[:2]]
    path = folder / "recording.mcap"
    recorder = Recorder.begin(path, event_topics(), {}, print)
    with _Servers(tables) as servers:
        sources = {camera: source_of(address) for camera, address in servers.addresses.items()}
        with LiveCameras(sources, dict.fromkeys(CAMERAS, SIZE)) as cameras:
            soak = _Soak(recorder, cameras, servers)
            soak.run(minutes * 60)
            recorder.cut()
    return {"minutes": minutes, "asked_fps": FPS, **soak.figures(path)}


class _Soak:
    """The live path of `highway record`, without vision: that runs beside it, and is measured by itself."""

    def __init__(self, recorder: Recorder, cameras: LiveCameras, servers: _Servers) -> None:
        self._recorder, self._cameras, self._servers = recorder, cameras, servers
        self._pids = [os.getpid(), *(r.process_id or 0 for r in cameras.readers.values())]
        self._memory: list[float] = []

    def run(self, seconds: float) -> None:
        gate, self._began_s, self._gate_s = Gate(hands=HandFinder()), float("inf"), 0.0
        for pair in newest(self._cameras, self._film):
            if self._began_s == float("inf") and len(pair.frames) == len(CAMERAS):
                self._before, self._began_s = self._counts(), time.monotonic()
                continue
            looked = time.thread_time()
            gate.look(pair)
            now_s = time.monotonic()
            if now_s < self._began_s:
                continue
            self._gate_s += time.thread_time() - looked
            self._memory.append(sum(_memory_mb(pid) for pid in self._pids))
            if now_s >= self._began_s + seconds:
                self._spent_s = now_s - self._began_s
                self._after = self._counts()
                break

    def figures(self, path: Path) -> dict[str, Any]:
        spent = {name: self._after[name] - self._before[name] for name in self._before}
        begin_ns = round(self._began_s * 1e9)
        stored = {camera: sum(t > begin_ns for t in scan(path).times_ns(f"/{camera}")) for camera in CAMERAS}
        return {
            "sent": spent["sent"], "stored": stored, "dropped": spent["sent"] - sum(stored.values()),
            "overtaken": spent["overtaken"], "not_encoded": spent["not encoded"],
            "cores": spent["cpu"] / self._spent_s, "reading_cores": spent["reading cpu"] / self._spent_s,
            "gate_cores": self._gate_s / self._spent_s, "sending_cores": spent["sending cpu"] / self._spent_s,
            "mbit_per_s": path.stat().st_size * 8e-6 / self._spent_s,
            "memory_mb": [float(np.mean(part)) for part in np.array_split(self._memory, TENTHS)],
        }  # fmt: skip

    def _film(self, pair: FramePair) -> None:
        for camera, frames in pair.came.items():
            for frame in frames:
                self._recorder.frame(camera, frame.picture, round(frame.time_s * 1e9))

    def _counts(self) -> dict[str, float]:
        """What has been counted so far, while nothing is on its way."""
        with self._servers.quiet():
            time.sleep(ARRIVED_S)
            self._recorder.drain()
            return {
                "sent": self._servers.sent(),
                "overtaken": sum(health.dropped for health in self._cameras.health().values()),
                "not encoded": sum(self._recorder.dropped.values()),
                "cpu": sum(_cpu_s(pid) for pid in self._pids),
                "reading cpu": sum(_cpu_s(pid) for pid in self._pids[1:]),
                "sending cpu": _cpu_s(self._servers.pid),
            }


class _Servers:
    """Both cameras, in a process of their own so that they cost the recording nothing but what a network would."""

    def __init__(self, tables: Tables) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._line, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(theirs, tables), daemon=True)
        self._process.start()
        self.pid = self._process.pid or 0
        self.addresses: dict[str, str] = self._line.recv()

    def sent(self) -> int:
        """Pictures sent so far."""
        self._line.send(None)
        count: int = self._line.recv()
        return count

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Nothing is sent meanwhile."""
        self._line.send(True)
        yield
        self._line.send(False)

    def __enter__(self) -> _Servers:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()


def _serve(line: Connection, tables: Tables) -> None:
    with ExitStack() as stack:
        servers = {camera: stack.enter_context(MjpegServer([], FPS)) for camera in CAMERAS}
        number = 0
        while True:
            for camera, server in servers.items():
                server.show_jpegs(tables[number % len(tables)][camera])
            if number == 0:
                line.send({camera: server.address for camera, server in servers.items()})
            number, end_s = number + 1, time.monotonic() + TABLE_EVERY_S
            while line.poll(max(0.0, end_s - time.monotonic())):
                match line.recv():
                    case None:
                        line.send(sum(server.sent for server in servers.values()))
                    case quiet:
                        for server in servers.values():
                            (server.silent.set if quiet else server.silent.clear)()


def noisy(picture: Picture, size: tuple[int, int]) -> list[Picture]:
    """A few pictures of a still table at this size, as a sensor sees them."""
    rng = np.random.default_rng(0)
    big = np.asarray(cv2.resize(picture, size), np.float32)
    grain = (rng.normal(0, NOISE, (size[1], size[0], 3)).astype(np.float32) for _ in range(VARIANTS))
    return [np.clip(np.rint(big + one), 0, 255).astype(np.uint8) for one in grain]


def _memory_mb(pid: int) -> float:
    """What a process holds now; 0 where the system does not tell."""
    statm = Path(f"/proc/{pid}/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if statm.exists() else 0.0


def _cpu_s(pid: int) -> float:
    """Processor time that a process has spent; 0 where the system does not tell."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    spent = stat.read_text().rpartition(")")[2].split()
    return (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK")
