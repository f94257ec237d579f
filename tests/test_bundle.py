"""The bundled frames: complete, within their size, and labelled as the referee judges them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
import pytest

from calibration.camera import Rig
from referee.game import Game, play, read_json
from referee.layout import Layout
from referee.match import Match
from referee.pieces import Kit
from sample_frames.faults import faults
from sample_frames.players import at_turn
from sample_frames.stories import KINDS, Label

ROOT = Path(__file__).resolve().parent.parent / "sample_frames"
STILLS = sorted(folder for folder in (ROOT / "stills").iterdir() if folder.is_dir())
FILMS = [ROOT / "film_two_players", ROOT / "film_mission"]
MOST_BYTES = 90_000_000


def label_of(folder: Path) -> Label:
    return msgspec.convert(msgspec.json.decode((folder / "truth.json").read_bytes())["label"], Label)


def played(folder: Path) -> tuple[Match, Layout]:
    """The game up to the last turn, and the layout after it."""
    game = read_json((folder / "truth.json").read_bytes(), Game)
    return at_turn(play(game), len(game.layouts) - 2), game.layouts[-1]


def test_all_of_it_is_small_enough_to_clone() -> None:
    assert (
        sum(file.stat().st_size for file in ROOT.rglob("*") if file.is_file() and file.suffix != ".pyc") <= MOST_BYTES
    )


def test_there_are_forty_still_pairs_from_twenty_tables_and_every_kind_of_story() -> None:
    pairs = [file for folder in STILLS for file in folder.glob("turn_*_overhead.jpg")]
    assert len(pairs) >= 40
    assert len(STILLS) >= 20
    assert {label_of(folder).kind for folder in STILLS} == set(KINDS)


@pytest.mark.parametrize("folder", STILLS, ids=lambda f: f.name)
def test_every_picture_has_the_size_of_its_camera_and_both_views(folder: Path) -> None:
    rig = msgspec.json.decode((folder / "rig.json").read_bytes(), type=Rig)
    msgspec.json.decode((folder / "kit.json").read_bytes(), type=Kit)
    turn = label_of(folder).turn
    for number in (turn - 1, turn):
        for name, camera in rig.cameras.items():
            picture = cv2.imread(str(folder / f"turn_{number:02d}_{name}.jpg"), cv2.IMREAD_REDUCED_GRAYSCALE_8)
            assert picture is not None
            assert abs(picture.shape[1] * 8 - camera.width) < 8
            assert abs(picture.shape[0] * 8 - camera.height) < 8
            assert picture.std() > 5.0


@pytest.mark.parametrize("folder", STILLS, ids=lambda f: f.name)
def test_the_referee_agrees_with_the_label(folder: Path) -> None:
    label = label_of(folder)
    match, after = played(folder)
    assert all(ruling.verdict == "legal" for ruling in match.rulings)
    ruling = match.observe(after)
    if label.verdict == "legal":
        assert ruling.verdict == "legal"
        assert set(label.moved) <= {piece for event in ruling.events for piece in event.pieces}
    elif label.verdict == "illegal":
        judged = match.play(after).rulings[-1]
        broken = [v for v in judged.violations if v.verdict == "illegal" and v.rule == label.rule]
        assert broken
        if label.by_mm is not None:
            over = [abs(v.measured_mm or 0.0) - (v.limit_mm or 0.0) for v in broken]
            assert min(abs(o - label.by_mm) for o in over) < 1e-3
    assert ruling.complete == label.complete or label.kind in ("light_only", "knock", "mistake")
    assert set(label.fallen).isdisjoint(piece.id for piece in after.pieces())


@pytest.mark.parametrize("folder", STILLS, ids=lambda f: f.name)
def test_nothing_floats_and_nothing_goes_through_another(folder: Path) -> None:
    label = label_of(folder)
    match, after = played(folder)
    assert faults(match.position.layout, match.setup.kit) == []
    if label.kind != "mistake":
        assert faults(after, match.setup.kit) == []


@pytest.mark.parametrize("folder", FILMS, ids=lambda f: f.name)
def test_a_filmed_game_is_whole_and_its_videos_run_in_step(folder: Path) -> None:
    game = read_json((folder / "game.json").read_bytes(), Game)
    match = play(game)
    assert match.position.over
    assert game.mission == (folder.name == "film_mission")
    film: dict[str, Any] = msgspec.json.decode((folder / "film.json").read_bytes())
    shown = [state["turn"] for state in film["states"] if state["complete"]]
    assert shown == list(range(len(game.layouts)))
    counts = set()
    for name in ("overhead", "side"):
        capture = cv2.VideoCapture(str(folder / f"{name}.mp4"))
        counts.add(int(capture.get(cv2.CAP_PROP_FRAME_COUNT)))
        assert round(capture.get(cv2.CAP_PROP_FPS)) == film["fps"]
        capture.release()
    assert counts == {film["states"][-1]["last_frame"] + 1}


@pytest.mark.parametrize("folder", FILMS, ids=lambda f: f.name)
def test_settled_stretches_are_still_and_hands_are_where_the_film_says(folder: Path) -> None:
    film: dict[str, Any] = msgspec.json.decode((folder / "film.json").read_bytes())
    capture = cv2.VideoCapture(str(folder / "overhead.mp4"))
    frames = []
    for _ in range(400):
        done, picture = capture.read()
        assert done
        frames.append(cv2.resize(picture, (160, 90), interpolation=cv2.INTER_AREA).astype(np.int16))
    change = [0.0, *(float(np.abs(b - a).max()) for a, b in pairwise(frames))]
    for state in film["states"]:
        span = range(state["first_frame"] + 1, min(state["last_frame"] + 1, len(frames)))
        assert max((change[n] for n in span), default=0.0) < 12
    for first, last in film["hands"]["overhead"]:
        if last < len(frames):
            assert max(change[first : last + 1]) > 25
