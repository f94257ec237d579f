"""Recording two 1080p streams in real time with the gate looking on: cores, drops and memory."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from gui.session import event_topics
from vision.frame import Frame, FramePair
from vision.gate import Gate
from vision.recording import Recorder
from vision.view import Picture
from vision.views import CAMERAS

FPS = 15
SIZE = (1920, 1080)
NOISE = 1.5
"""What a webcam's sensor adds; without it the encoder has too easy a time."""
VARIANTS = 8
SHARE = 0.1


def recording_figures(folder: Path, pairs: Sequence[Mapping[str, Picture]], minutes: float) -> dict[str, Any]:
    """Feed pictures at their pace for so long, and see what it costs."""
    frames = {camera: _noisy([pair[camera] for pair in pairs[:2]]) for camera in CAMERAS}
    path = folder / "recording.mcap"
    recorder = Recorder.begin(path, event_topics(), {}, print)
    gate, total = Gate(), round(minutes * 60 * FPS)
    gate_s, memory = 0.0, []
    begun, cpu = time.perf_counter(), time.process_time()
    for number in range(total):
        late_s = number / FPS - (time.perf_counter() - begun)
        if late_s > 0:
            time.sleep(late_s)
        # The table changes every ten seconds; in between only noise does.
        which = number // (10 * FPS) % 2 * VARIANTS + number % VARIANTS
        pair = {camera: Frame(frames[camera][which], number / FPS, number) for camera in CAMERAS}
        for camera, frame in pair.items():
            recorder.frame(camera, frame.picture, round(frame.time_s * 1e9))
        looked = time.thread_time()
        gate.look(FramePair(pair, number / FPS))
        gate_s += time.thread_time() - looked
        memory.append(_memory_mb() or 0.0)
    recorder.drain()
    spent, used = time.perf_counter() - begun, time.process_time() - cpu
    recorder.cut()
    part = max(round(SHARE * total), 1)
    return {
        "minutes": minutes, "asked_fps": FPS, "pictures": 2 * total, "dropped": sum(recorder.dropped.values()),
        "cores": used / (minutes * 60), "gate_cores": gate_s / (minutes * 60), "late_s": spent - minutes * 60,
        "mbit_per_s": path.stat().st_size * 8e-6 / (minutes * 60), "threads": threading.active_count(),
        "memory_mb": [float(np.mean(memory[part : 2 * part])), float(np.mean(memory[-part:]))],
    }  # fmt: skip


def _noisy(pictures: list[Picture]) -> list[Picture]:
    rng = np.random.default_rng(0)
    big = [np.asarray(cv2.resize(picture, SIZE), np.float32) for picture in pictures]
    grain = [rng.normal(0, NOISE, (SIZE[1], SIZE[0], 3)).astype(np.float32) for _ in range(VARIANTS)]
    return [np.clip(np.rint(picture + one), 0, 255).astype(np.uint8) for picture in big for one in grain]


def _memory_mb() -> float | None:
    """What this process holds now; None where the system does not tell."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if statm.exists() else None
