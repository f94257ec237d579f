"""How sessions keep up: judging again, opening and seeking two hours, recording two 1080p streams."""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gui.bench_recording import recording_figures
from gui.film import SAMPLE_FILM, FilmFeed
from gui.rejudging import rejudge
from gui.replay import Replay
from gui.session import Head, load, solved
from gui.session_writer import SessionWriter
from referee.match import Match, Played
from vision.gate import Settled
from vision.h264 import Encoder
from vision.session_file import open_session
from vision.sources import Recorded, in_step
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
        film = FilmFeed(SAMPLE_FILM)
        stills = _settled_pairs(film)
        pictures = [pair.pictures for pair in stills.values()]
        return {
            **_judging(Path(folder), film, stills),
            **_two_hours(Path(folder), [pair["overhead"] for pair in pictures]),
            "recording": recording_figures(Path(folder), pictures, arguments.minutes),
        }


def table(result: dict[str, Any]) -> str:
    """The result as plain text."""
    recording = result["recording"]
    rows = (
        (f"judged again from layouts ({result['turns']} turns)", _pace(result, "layouts")),
        ("judged again with vision", _pace(result, "vision")),
        (f"a cut session of 2 h ({result['megabytes']:.0f} MB) gets its index in", f"{result['index_s']:.1f} s"),
        ("opening it then", f"{result['open_s']:.2f} s"),
        ("seeking in it, both views, median and worst", f"{result['seek_s']:.2f} s, {result['worst_seek_s']:.2f} s"),
        (f"recording two live 1080p streams, {recording['asked_fps']} fps", f"{recording['cores']:.2f} cores"),
        ("  of which reading, the gate", f"{recording['reading_cores']:.2f}, {recording['gate_cores']:.2f} cores"),
        ("  dropped", f"{recording['dropped']} of {recording['sent']} pictures"),
        ("  video", f"{recording['mbit_per_s']:.1f} Mbit/s"),
        ("  memory, first and last tenth", f"{recording['memory_mb'][0]:.0f} MB, {recording['memory_mb'][1]:.0f} MB"),
    )
    title = f"Sessions: the bundled film of {result['film_s']:.0f} s; {recording['minutes']:g} min of recording"
    return "\n".join([title, *(f"{label:<58}{value}" for label, value in rows)])


def _pace(result: dict[str, Any], what: str) -> str:
    """How many times faster than the film, by the clock and by the time that the processor spent on it."""
    by_cpu = result["film_s"] / result[f"{what}_cpu_s"]
    return f"{result[f'{what}_times']:.1f} times real time ({by_cpu:.1f} by processor time)"


def _settled_pairs(film: FilmFeed) -> dict[int, Settled]:
    """The pair of each finished turn, from the film."""
    wanted = {state.last_frame: state.turn for state in film.film.states if state.complete}
    videos = in_step({camera: Recorded(film.folder / f"{camera}.mp4") for camera in CAMERAS})
    return {wanted[n]: Settled(pair.pictures(), pair.time_s, None) for n, pair in enumerate(videos) if n in wanted}


def _judging(folder: Path, film: FilmFeed, stills: dict[int, Settled]) -> dict[str, Any]:
    """Judging the film again: by vision on its stills, and from the layouts that vision measured there."""
    game, film_s = film.game, (film.film.states[-1].last_frame + 1) / film.film.fps
    head = Head.of_game(game, solved(film.rig))
    true = [Played(layout, game.note(turn)) for turn, layout in enumerate(game.layouts)]
    path = _session(folder / "true.mcap", head, true, stills)
    file, recorded = load(path)
    with file:
        cpu_s = time.process_time()
        vision_s, again = _timed(lambda: rejudge(file, recorded, vision=True, workers=None))
        vision_cpu_s = time.process_time() - cpu_s
    file, recorded = load(_session(folder / "seen.mcap", head, _events(again.match), {}))
    with file:
        cpu_s = time.process_time()
        layouts_s, _ = _timed(lambda: rejudge(file, recorded))
        layouts_cpu_s = time.process_time() - cpu_s
    return {
        "film_s": film_s, "turns": len(game.layouts) - 1, "vision_times": film_s / vision_s,
        "layouts_times": film_s / layouts_s, "vision_s": vision_s, "layouts_s": layouts_s,
        "vision_cpu_s": vision_cpu_s, "layouts_cpu_s": layouts_cpu_s,
    }  # fmt: skip


def _events(match: Match) -> list[Played]:
    return [Played(record.layout, record.note) for record in match.timeline]


def _session(path: Path, head: Head, turns: list[Played], stills: dict[int, Settled]) -> Path:
    writer = SessionWriter.begin(path, head, _shout, lambda: START_NS)
    for number, turn in enumerate(turns):
        at = START_NS + number * SECOND
        settled = writer.settled(turn.layout, None, None, stills.get(number), at)
        if number == 0:
            writer.start(turn.layout, settled, at)
        else:
            writer.apply(turn, settled, at)
    writer.close()
    return path


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


def _shout(text: str) -> None:
    raise RuntimeError(text)
