"""The bundled film over two phones' worth of network: jitter, skew and drops on loopback, and the gate behind it."""

from __future__ import annotations

from functools import cache
from itertools import islice

import av
import numpy as np

from gui.film import SAMPLE_FILM, FilmFeed, bgr
from gui.mjpeg_server import MjpegServer
from vision.gate import Gate, GateState, Settled
from vision.reader import LiveCameras
from vision.sources import source_of
from vision.view import Picture
from vision.views import CAMERAS

BEFORE, HANDS = range(2, 16), range(22, 28)
"""Frames of the film: the set-up, and hands over it."""
ENOUGH = 40_000
"""Looks that nobody needs: reached only where something is broken."""


@cache
def film(camera: str) -> list[Picture]:
    """The beginning of a bundled video."""
    with av.open(str(SAMPLE_FILM / f"{camera}.mp4")) as video:
        return [bgr(frame) for frame in islice(video.decode(video=0), 60)]


def test_each_state_of_the_film_comes_through_once_and_no_hand_does() -> None:
    feed = FilmFeed(SAMPLE_FILM)
    second = next(state for state in feed.film.states if state.first_frame > HANDS[-1])
    after = range(second.first_frame + 1, min(second.last_frame, 59))
    servers = {
        "overhead": MjpegServer(_part("overhead", BEFORE), fps=14, jitter=0.6, drops=0.2),
        "side": MjpegServer(_part("side", BEFORE), fps=9, jitter=0.9, seed=1, drops=0.1),
    }
    sizes = {name: (camera.width, camera.height) for name, camera in feed.rig.cameras.items()}
    sources = {name: source_of(server.address) for name, server in servers.items()}
    with servers["overhead"], servers["side"], LiveCameras(sources, sizes) as cameras:
        gate = Gate(feed.rig)
        assert _shows(_until_open(gate, cameras), BEFORE[5])
        for part, words in ((HANDS, "hands"), (after, "after")):
            for camera, server in servers.items():
                server.show(_part(camera, part))
            if words == "hands":
                _until_moving(gate, cameras)
        settled = _until_open(gate, cameras)
        assert _shows(settled, after[2])
        assert not _shows(settled, HANDS[3])


def _part(camera: str, frames: range) -> list[Picture]:
    return [film(camera)[number] for number in frames]


def _until_open(gate: Gate, cameras: LiveCameras) -> Settled:
    for pair in islice(cameras, ENOUGH):
        report = gate.look(pair)
        if report.settled is not None:
            return report.settled
    raise AssertionError("the gate never opened")


def _until_moving(gate: Gate, cameras: LiveCameras) -> None:
    for pair in islice(cameras, ENOUGH):
        report = gate.look(pair)
        assert report.settled is None, "a hand came through"
        if report.state in (GateState.MOVING, GateState.HANDS):
            return
    raise AssertionError("no movement was seen")


def _shows(settled: Settled, frame: int) -> bool:
    """Whether both pictures are, but for noise, those of a frame of the film."""
    apart = (np.abs(settled.pictures[c].astype(int) - film(c)[frame]) > 40 for c in CAMERAS)
    return all(float(changed.mean()) < 0.0005 for changed in apart)
