"""How sessions keep up: the bundled film recorded and judged again, two hours sought in, two 1080p streams recorded."""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gui.bench_lost import lost_figures, lost_rows
from gui.bench_recording import recording_figures
from gui.film import SAMPLE_FILM, FilmFeed
from gui.film_session import FilmTable
from gui.progress import bar
from gui.rejudging import rejudge
from gui.replay import Replay
from gui.session import Head, load
from gui.session_writer import SessionWriter
from referee.match import Played
from vision.h264 import LIVE, Encoder
from vision.session_file import open_session
from vision.view import Picture
from vision.views import CAMERAS

SECOND = 1_000_000_000
HOURS = 2.0
FPS = 15
SEEKS = 10
START_NS = 1_790_000_000 * SECOND


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure; everything is written to a folder that is taken away again."""
    with tempfile.TemporaryDirectory(prefix="highway-bench-") as folder:
        path = Path(folder) / "film.mcap"
        film = _filmed(path)
        with Replay(path) as replay:
            pictures = [_shown(replay, turn) for turn in (1, 2)]
        return {
            **film,
            **_judging(path),
            **_two_hours(Path(folder), [pair["overhead"] for pair in pictures]),
            "recording": recording_figures(Path(folder), pictures, arguments.minutes),
            "lost": lost_figures(SAMPLE_FILM / "rig.json", pictures[0]) if os.name == "posix" else None,
        }


def table(result: dict[str, Any]) -> str:
    """The result as plain text."""
    recording = result["recording"]
    rows = (
        (f"judged again from layouts ({result['turns']} turns)", _pace(result, "layouts")),
        (f"judged again with vision ({result['differences']} differences)", _pace(result, "vision")),
        (f"a cut session of 2 h ({result['megabytes']:.0f} MB) gets its index in", f"{result['index_s']:.1f} s"),
        ("opening it then", f"{result['open_s']:.2f} s"),
        ("seeking in it, both views, median and worst", f"{result['seek_s']:.2f} s, {result['worst_seek_s']:.2f} s"),
        (f"recording two live 1080p streams, {recording['asked_fps']} fps", f"{recording['cores']:.2f} cores"),
        ("  of which reading, the gate", f"{recording['reading_cores']:.2f}, {recording['gate_cores']:.2f} cores"),
        ("  not in the film", f"{recording['dropped']:.0f} of {recording['sent']:.0f} pictures"),
        ("  video", f"{recording['mbit_per_s']:.1f} Mbit/s"),
        ("  memory, tenth by tenth", f"{' '.join(f'{part:.0f}' for part in recording['memory_mb'])} MB"),
        *(lost_rows(result["lost"]) if result["lost"] else ()),
    )
    title = f"Sessions: the bundled film of {result['film_s']:.0f} s; {recording['minutes']:g} min of recording"
    recorded = [f"  {line}" for line in result["film"]]
    made = f"the film recorded through gate and vision in {result['record_s']:.0f} s:"
    return "\n".join([title, made, *recorded, *(f"{label:<58}{value}" for label, value in rows)])


def _pace(result: dict[str, Any], what: str) -> str:
    """How many times faster than the film, by the clock and by the time that the processor spent on it."""
    by_cpu = result["film_s"] / result[f"{what}_cpu_s"]
    return f"{result[f'{what}_times']:.1f} times real time ({by_cpu:.1f} by processor time)"


def _filmed(path: Path) -> dict[str, Any]:
    """The bundled film recorded as at a live table, and how that went."""
    table = FilmTable(SAMPLE_FILM, path, _shout, LIVE)
    spent_s, _ = _timed(lambda: table.record(None, bar("recording the bundled film")))
    table.close()
    return {"record_s": spent_s, "film": table.figures.lines()}


def _judging(path: Path) -> dict[str, Any]:
    """That recording judged again: from its layouts, and by vision on its stills."""
    file, recorded = load(path)
    with file:
        begin_ns, end_ns = file.span_ns()
        layouts_s, layouts_cpu_s, _ = _measured(lambda: rejudge(file, recorded))
        tell = bar("looking at every turn again")
        vision_s, vision_cpu_s, again = _measured(lambda: rejudge(file, recorded, None, True, None, tell))
    film_s = (end_ns - begin_ns) / SECOND
    return {
        "film_s": film_s, "turns": len(recorded.turns) - 1, "differences": len(again.differences),
        "layouts_s": layouts_s, "layouts_cpu_s": layouts_cpu_s, "layouts_times": film_s / layouts_s,
        "vision_s": vision_s, "vision_cpu_s": vision_cpu_s, "vision_times": film_s / vision_s,
    }  # fmt: skip


def _shown(replay: Replay, turn: int) -> dict[str, Picture]:
    replay.seek_turn(turn)
    return replay.frames().pictures()


def _two_hours(folder: Path, pictures: list[Picture]) -> dict[str, Any]:
    """A session of two hours at 720p: a few seconds of video again and again, cut off, indexed, opened, sought in."""
    path = folder / "long.mcap"
    game = FilmFeed(SAMPLE_FILM).game
    head = Head.of_game(game)
    writer = SessionWriter.begin(path, head, _shout, lambda: START_NS)
    encoder = Encoder(pictures[0].shape[1], pictures[0].shape[0])
    packets = [encoder.packet(pictures[n // FPS % len(pictures)], n / FPS) for n in range(4 * FPS)]
    every = math.ceil(HOURS * 3600 * FPS / len(game.layouts))
    for number in range(round(HOURS * 3600 * FPS)):
        at = START_NS + number * SECOND // FPS
        for camera in CAMERAS:
            writer.recorder.put_packet(camera, packets[number % len(packets)], at)
        if number % every == 0:
            turn = number // every
            layout = game.layouts[turn]
            settled = writer.settled(layout, None, None, None, at)
            _ = writer.start(layout, settled, at) if turn == 0 else writer.apply(Played(layout), settled, at)
    writer.recorder.cut()
    index_s, file = _timed(lambda: open_session(path))
    file.close()
    open_s, replay = _timed(lambda: Replay(path))
    with replay:
        spent = [_seek_s(replay, float(at)) for at in np.random.default_rng(0).uniform(0, HOURS * 3600, SEEKS)]
    return {
        "megabytes": path.stat().st_size / 1e6, "index_s": index_s, "open_s": open_s,
        "seek_s": float(np.median(spent)), "worst_seek_s": max(spent),
    }  # fmt: skip


def _seek_s(replay: Replay, time_s: float) -> float:
    replay.seek_s(time_s)
    spent, pair = _timed(replay.frames)
    if len(pair.frames) < len(CAMERAS):
        raise RuntimeError(f"no pictures at {time_s:.1f} s")
    return spent


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    found = work()
    return time.perf_counter() - begun, found


def _measured(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """By the clock, by the time that processors spent on it here and in processes of its own, and what came out."""
    before = os.times()
    spent_s, found = _timed(work)
    after = os.times()
    return spent_s, sum(after[:4]) - sum(before[:4]), found


def _shout(text: str) -> None:
    raise RuntimeError(text)
