"""What comes through the gate: filmed games with hands, hands held still, real clips, and what watching costs."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import av
import cv2
import msgspec
import numpy as np

from calibration.camera import Camera, Rig
from calibration.drift import LEAST_TAGS, Watcher
from calibration.rig_quality import SolvedRig
from gui.stills import read_struct
from gui.watch_frames import VIDEOS, videos_in
from vision.errors import VisionError
from vision.frame import Frame, FramePair
from vision.gate import Gate, GateState
from vision.hands import HandFinder
from vision.sources import Recorded, in_step
from vision.view import Picture

SAMPLES = Path(__file__).resolve().parent.parent / "sample_frames"
BUNDLED = ("film_two_players", "film_mission")
CLIPS = VIDEOS | {".gif"}
HELD_EVERY, SCENE_FRAMES, HELD_FRAMES = 6, 9, 11
"""One in so many hand frames is held still for so long, after the scene before it was seen for as long as it takes."""
STREAM_SIZE, STREAM_FPS, STREAM_S = (1920, 1080), 10, 8
CODECS = {"H.264": ("libx264", "yuv420p", ".mp4"), "MJPEG": ("mjpeg", "yuvj422p", ".avi")}
ROUNDS = 2


class _Stretch(msgspec.Struct):
    first_frame: int
    last_frame: int


class _Film(msgspec.Struct):
    """What the bench reads of film.json."""

    fps: float
    states: list[_Stretch]
    hands: dict[str, list[tuple[int, int]]]
    """In view, by camera."""
    hands_over_play_area: list[tuple[int, int]] | None = None
    """Seen or not, in the films that tell it; in others all hands in view count as over it."""


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure everything that is there."""
    films = arguments.films or [SAMPLES / name for name in BUNDLED]
    hands = HandFinder()
    clips = [file for folder in arguments.hands or () for file in sorted(folder.iterdir()) if file.suffix in CLIPS]
    result: dict[str, Any] = {
        "films": [_film(folder, hands) for folder in films],
        "clips": [_clip(file, hands) for file in clips],
        "cpu": _cpu(films[0], hands),
        "note": "the films are rendered; a clip's frames all count as having a hand in view",
    }
    hands.close()
    return result


def table(result: dict[str, Any]) -> str:
    """The result as plain text."""
    lines = ["Gate: filmed games (rendered); frames with a hand over the play area"]
    lines += [
        _row("film", "hand frames", "passed", "held still", "passed", "states", "opened", "extra", "opens after s")
    ]
    for film in result["films"]:
        delay = f"{film['delay_median_s']:.1f} (most {film['delay_most_s']:.1f})" if film["opened"] else "-"
        cells = [film[key] for key in ("hand_frames", "passed", "held", "held_passed", "states", "opened", "extra")]
        lines.append(_row(film["name"], *cells, delay))
        for key, words in (("passed_frames", "passed"), ("held_frames", "passed when held still")):
            lines += [f"    {words} with a hand over the play area: frames {film[key]}"] if film[key] else []
        beside = film["beside"]
        lines.append(
            f"    hands in view beside the play area, which keep nothing shut: {beside['passed']} of "
            f"{beside['hand_frames']} frames passed, {beside['held_passed']} of {beside['held']} held still"
        )
        lines += [f"    not opened: the state from frame {first}: {why}" for first, why in film["missed"].items()]
    if result["clips"]:
        lines.append("Real hands, the whole picture as play area: frames that passed")
        lines += [_row(clip["name"], clip["frames"], clip["passed"]) for clip in result["clips"]]
    lines.append(
        f"A still table, two {STREAM_SIZE[0]} x {STREAM_SIZE[1]} streams at {STREAM_FPS} fps: CPU by wall time"
    )
    for codec, rounds in result["cpu"].items():
        told = ", ".join(
            f"decoding {r['decode']:.0%}, with the gate {r['gate']:.0%}: {r['times']:.2f} x" for r in rounds
        )
        lines.append(f"{codec:<10}{told}")
    return "\n".join(lines)


def _row(label: str, *cells: object) -> str:
    return f"{label:<24}" + "".join(f"{cell!s:>15}" for cell in cells)


def _film(folder: Path, hands: HandFinder) -> dict[str, Any]:
    """Every frame of a filmed game through the gate, against what its film.json says."""
    truth, rig = read_struct(folder / "film.json", _Film), read_struct(folder / "rig.json", Rig)
    videos = videos_in(folder)
    if not videos:
        raise VisionError(f"{folder}: holds no videos overhead.* and side.*")
    with_hand = _frames([span for spans in truth.hands.values() for span in spans])
    told = truth.hands_over_play_area
    over = with_hand if told is None else with_hand & _frames(told)
    gate, held = Gate(rig, _watcher(folder, rig), hands), _Held(rig, hands)
    opened: list[int] = []
    passed: list[int] = []
    words: list[str] = []
    for number, pair in enumerate(in_step(videos)):
        report = gate.look(pair)
        words.append(report.words)
        if report.settled is not None:
            opened.append(number)
            held.scene = report.settled.pictures
        if number in with_hand:
            passed += [number] if report.state is GateState.OPEN else []
            held.look(number, pair)
    within = {s.first_frame: [n for n in opened if s.first_frame <= n <= s.last_frame] for s in truth.states}
    delays = [(found[0] - first) / truth.fps for first, found in within.items() if found]
    return {
        "name": folder.name, **_counted(over, passed, held), "beside": _counted(with_hand - over, passed, held),
        "states": len(truth.states), "opened": len(delays), "extra": len(opened) - sum(map(len, within.values())),
        "missed": {s.first_frame: _told(words, s) for s in truth.states if not within[s.first_frame]},
        "delay_median_s": float(np.median(delays)) if delays else None, "delay_most_s": max(delays, default=None),
    }  # fmt: skip


def _frames(spans: Iterable[tuple[int, int]]) -> set[int]:
    return {frame for first, last in spans for frame in range(first, last + 1)}


def _counted(frames: set[int], passed: Sequence[int], held: _Held) -> dict[str, Any]:
    """Hands in these frames that the gate let through, moving and held still."""
    through, kept = ([number for number in found if number in frames] for found in (passed, held.passed))
    return {
        "hand_frames": len(frames), "passed": len(through), "passed_frames": through,
        "held": sum(number in frames for number in held.tried), "held_passed": len(kept), "held_frames": kept,
    }  # fmt: skip


def _told(words: list[str], state: _Stretch) -> str:
    """What the gate said in a stretch, each once and in order."""
    return ", ".join(dict.fromkeys(words[state.first_frame : state.last_frame + 1]))


class _Held:
    """Hands at rest, which the films hardly have: some of their hand frames, held still after the scene before them."""

    def __init__(self, rig: Rig, hands: HandFinder) -> None:
        self._rig, self._hands = rig, hands
        self.scene: Mapping[str, Picture] | None = None
        self.tried: list[int] = []
        self.passed: list[int] = []

    def look(self, number: int, pair: FramePair) -> None:
        if self.scene is None or number % HELD_EVERY:
            return
        self.tried.append(number)
        gate = Gate(self._rig, None, self._hands)
        scenes = [self.scene] * SCENE_FRAMES + [pair.pictures()] * HELD_FRAMES
        states = [gate.look(_frame(scene, at)).state for at, scene in enumerate(scenes)]
        if GateState.OPEN in states[SCENE_FRAMES:]:
            self.passed.append(number)


def _frame(pictures: Mapping[str, Picture], number: int) -> FramePair:
    time_s = number / STREAM_FPS
    return FramePair({name: Frame(picture, time_s, number) for name, picture in pictures.items()}, time_s)


def _watcher(folder: Path, rig: Rig) -> Watcher | None:
    """Drift by the tags that lie on the table, where there are enough."""
    file = folder / "tags.json"
    if not file.exists():
        return None
    known = msgspec.json.decode(b'{"cameras": {}, "tags": %s}' % file.read_bytes(), type=SolvedRig)
    solved = msgspec.structs.replace(known, cameras=rig.cameras, play_area=rig.play_area)
    return Watcher.of(solved) if len(solved.tags) >= LEAST_TAGS else None


def _clip(file: Path, hands: HandFinder) -> dict[str, Any]:
    """One camera alone, all of its picture the play area."""
    gate = Gate(None, None, hands, cameras=("overhead",))
    states = [gate.look(pair).state for pair in in_step({"overhead": Recorded(file)})]
    passed = [number for number, state in enumerate(states) if state is GateState.OPEN]
    return {"name": file.name, "frames": len(states), "passed": len(passed), "passed_frames": passed}


def _cpu(folder: Path, hands: HandFinder) -> dict[str, list[dict[str, float]]]:
    """What watching a still table costs beside decoding alone, as shares of one core, for two ways to send it."""
    rig = read_struct(folder / "rig.json", Rig)
    first = next(in_step(videos_in(folder))).pictures()
    found: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as place:
        for codec, (encoder, pixels, ending) in CODECS.items():
            streams = {name: Path(place) / f"{name}{ending}" for name in first}
            for name, picture in first.items():
                _write_stream(streams[name], picture, encoder, pixels)
            found[codec] = [_measured(streams, rig, hands) for _ in range(ROUNDS)]
    return found


def _measured(streams: Mapping[str, Path], rig: Rig, hands: HandFinder) -> dict[str, float]:
    larger = msgspec.structs.replace(rig, cameras={name: _enlarged(camera) for name, camera in rig.cameras.items()})
    gate = Gate(larger, None, hands)
    sources = {name: Recorded(file) for name, file in streams.items()}
    for pair in in_step(sources):
        gate.look(pair)  # it opens once; what is measured is watching a table on which nothing happens
    spent = []
    for look in (lambda pair: None, gate.look):
        begun = time.process_time()
        for pair in in_step(sources):
            look(pair)
        spent.append((time.process_time() - begun) / STREAM_S)
    return {"decode": spent[0], "gate": spent[1], "times": spent[1] / spent[0]}


def _enlarged(camera: Camera) -> Camera:
    """The camera for its picture at the streams' size."""
    by = STREAM_SIZE[0] / camera.width
    (fx, skew, cx), (_, fy, cy), last = camera.K
    k = ((fx * by, skew * by, (cx + 0.5) * by - 0.5), (0.0, fy * by, (cy + 0.5) * by - 0.5), last)
    return msgspec.structs.replace(camera, width=STREAM_SIZE[0], height=STREAM_SIZE[1], K=k)


def _write_stream(file: Path, picture: Picture, encoder: str, pixels: str) -> None:
    """A still table as a webcam sends it: one picture, with new noise in every frame."""
    rng = np.random.default_rng(0)
    large = np.asarray(cv2.resize(picture, STREAM_SIZE, interpolation=cv2.INTER_CUBIC), np.uint8)
    noise = [rng.integers(0, 7, large.shape, dtype=np.uint8) for _ in range(4)]
    with av.open(str(file), "w") as container:
        stream = container.add_stream(encoder, rate=STREAM_FPS)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height = STREAM_SIZE
        stream.pix_fmt = pixels
        stream.options = {"preset": "ultrafast", "crf": "23"} if encoder == "libx264" else {"q": "4"}
        for number in range(STREAM_FPS * STREAM_S):
            shown = cv2.add(large, noise[number % len(noise)])
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.asarray(shown, np.uint8), format="bgr24")))
        container.mux(stream.encode())
