"""Calibration takes: the printed board moved before both cameras, the strips on the table, and the whole truth."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import cv2
import msgspec
import numpy as np

from calibration.camera import Camera

from .assets import StudioError
from .lens import Picture, expose, jpeg, photograph
from .splits import add_size_argument, add_split_arguments, seeds_in, size_in
from .take_film import film_of
from .take_plan import FPS, SECONDS, Spoilt, Take, plan
from .take_stage import Stage, moment, stage_of, with_strips
from .take_warp import SAMPLES, Floats, view_of

TABLE_PICTURES = 3
CRF = "22"


def board_poses(take: Take) -> Floats:
    """table_from_board (frames, 4, 4) at the middle of every exposure."""
    return take.walk.table_from_board(take.times_s)


def bare_stage(take: Take, name: str) -> Stage:
    """What one camera sees before anything is laid or held."""
    return stage_of(view_of(take.rig.cameras[name]), take.lights, take.room, take.card, take.holder)


def frames(take: Take, name: str, bare: Stage) -> Iterator[Picture]:
    """The video of one camera, frame by frame."""
    rng = np.random.default_rng([take.seed, 3, *name.encode()])
    camera, sensor = take.rig.cameras[name], take.sensors[name]
    stage = with_strips(bare, take.strips) if take.filmed_strips else bare
    # The exposure is locked with the board in view, where it is brightest of a few places.
    locked_s = (*take.walk.phases[name], *take.walk.phases["both"])
    held = [moment(stage, take.walk.table_from_board(np.full(SAMPLES, time_s))) for time_s in locked_s]
    film = film_of(sensor, (camera.width, camera.height), min(expose(light, sensor) for light in held), rng)
    spread_s = ((np.arange(SAMPLES) + 0.5) / SAMPLES - 0.5) * take.exposure_s[name]
    for time_s in take.times_s:
        poses = take.walk.table_from_board(time_s + spread_s)
        yield _turned(film.picture(moment(stage, poses), rng), take.spoilt)


def table_pictures(take: Take, name: str, bare: Stage) -> Iterator[Picture]:
    """The strips on the table, as one camera photographs them a few times."""
    rng = np.random.default_rng([take.seed, 4, *name.encode()])
    empty = with_strips(bare, take.strips).empty
    for _ in range(TABLE_PICTURES):
        sensor = replace(take.sensors[name], exposure=take.sensors[name].exposure * float(rng.uniform(0.92, 1.08)))
        yield _turned(photograph(empty, sensor, rng), take.spoilt)


def _turned(picture: Picture, spoilt: Spoilt) -> Picture:
    return np.ascontiguousarray(picture[:, ::-1]) if spoilt.mirrored else picture


def shoot(take: Take, folder: Path, progress: bool = False) -> None:
    """Film a take and write it with its truth; the folder appears whole or not at all."""
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, camera in take.rig.cameras.items():
        bare = bare_stage(take, name)
        with _video(part / f"{name}_lens.mp4", camera, take.fps) as write:
            for number, picture in enumerate(frames(take, name, bare)):
                write(picture)
                if progress:
                    _show(f"{folder.name} {name}", number + 1, len(take.times_s))
        for number, picture in enumerate(table_pictures(take, name, bare)):
            file = part / f"{name}_table_{number}.jpg"
            file.write_bytes(jpeg(picture, take.sensors[name].jpeg_quality))
    (part / "rig.json").write_bytes(msgspec.json.format(msgspec.json.encode(take.rig)))
    tags = {str(tag): at.round(6).tolist() for strip in take.strips for tag, at in strip.tags.items()}
    (part / "tags.json").write_bytes(msgspec.json.encode(tags))
    (part / "take.json").write_bytes(msgspec.json.encode(truth_of(take)))
    part.rename(folder)


def truth_of(take: Take) -> dict[str, object]:
    """What `take.json` holds; poses are a rotation vector and a place in mm, at the middle of each exposure."""
    poses = board_poses(take)
    by_camera = {name: _camera_from_table(camera) @ poses for name, camera in take.rig.cameras.items()}
    return {
        "seed": take.seed,
        "paper": take.paper.name,
        "spoilt": take.spoilt,
        "times_s": take.times_s.round(6).tolist(),
        "exposure_s": take.exposure_s,
        "phases_s": take.walk.phases,
        "strips_in_videos": take.filmed_strips,
        "corners_in_board": take.card.corners_in_board().round(6).tolist(),
        "table_from_board": _as_vectors(poses),
        "camera_from_board": {name: _as_vectors(found) for name, found in by_camera.items()},
    }


def _camera_from_table(camera: Camera) -> Floats:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = camera.R, camera.t
    return matrix


def _as_vectors(poses: Floats) -> list[dict[str, list[float]]]:
    turns = [cv2.Rodrigues(pose[:3, :3])[0].ravel() for pose in poses]
    return [
        {"rotation": turn.round(9).tolist(), "place_mm": pose[:3, 3].round(6).tolist()}
        for turn, pose in zip(turns, poses, strict=True)
    ]


@contextmanager
def _video(file: Path, camera: Camera, fps: int) -> Iterator[Callable[[Picture], None]]:
    """A function that adds a frame to an H.264 file."""
    with av.open(str(file), "w") as container:
        # With its macroblock tree, x264 on AVX-512 makes other bytes from the same pictures now and then.
        options = {"crf": CRF, "preset": "veryfast", "x264-params": "mbtree=0"}
        stream = container.add_stream("libx264", rate=fps, options=options)
        stream.width, stream.height, stream.pix_fmt = camera.width, camera.height, "yuv420p"
        stream.thread_count = 1  # another number of threads makes other bytes

        def write(picture: Picture) -> None:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))

        yield write
        container.mux(stream.encode())


def add_take_command(commands: Any) -> None:
    """The subcommand `takes`; the parsed arguments carry `run`."""
    takes = commands.add_parser("takes", help="film calibration takes, a folder each; go on where it stopped")
    add_split_arguments(takes)
    add_size_argument(takes)
    takes.add_argument("--seconds", type=float, default=SECONDS, help="how long each camera films")
    takes.add_argument("--fps", type=int, default=FPS, help="frames a second")
    takes.add_argument("--print-scale", type=float, default=1.0, help="a wrong print: 0.97 is 3 %% too small")
    takes.add_argument("--bow", type=float, default=0.0, help="how far the board's middle stands out, mm")
    takes.add_argument("--blur", type=float, default=0.0, help="a lens out of focus, px")
    takes.add_argument("--mirrored", action="store_true", help="pictures as in a mirror")
    takes.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Film the takes that are not there yet."""
    seeds, size = seeds_in(arguments), size_in(arguments)
    if round(arguments.seconds * arguments.fps) < 1:
        raise StudioError(f"{arguments.seconds:g} s at {arguments.fps} frames a second is no film; 25 s at 5 is usual")
    if not 0.5 <= arguments.print_scale <= 2.0:
        raise StudioError(f"--print-scale {arguments.print_scale:g}: 1 is right, 0.97 is 3 % too small; 0.5 to 2 works")
    spoilt = Spoilt(arguments.print_scale, arguments.bow, arguments.mirrored, arguments.blur)
    begun = time.monotonic()
    for number, seed in seeds.items():
        folder = arguments.out / f"take_{number:03d}"
        if not folder.exists():
            shoot(plan(seed, size, arguments.seconds, arguments.fps, spoilt), folder, progress=True)
        print(f"\r{folder.name}: done, {time.monotonic() - begun:.0f} s so far{'':40}", file=sys.stderr)
    return 0


def _show(words: str, done: int, whole: int) -> None:
    bar = "#" * round(30 * done / whole)
    print(f"\r{words:<20} [{bar:<30}] {done}/{whole} ", end="", file=sys.stderr, flush=True)
