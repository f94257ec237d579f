"""A whole game as two synchronised videos, hands between the turns, with the frames in which the table is settled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from referee.edition import rules_for
from referee.game import Game
from referee.notation import read_game
from referee.pieces import Kit
from sample_frames.players import COLOURS, deal, play_game

from .clips import join_clips, write_clip
from .film_plan import Settled
from .grain import filmed
from .lens import Light, random_sensor
from .looks import random_look
from .rigs import random_rig
from .shooting import FPS, PAUSE_S, SETTLED_S, Film, Frames, Shooting
from .stills import middle_of

CRF = 26
STEP_FRAMES, STEP_GAINS = 6, (1.3, 0.82)
"""An automatic exposure step: so many frames long, up to one gain or down to the other, as the seed has it."""
SIZE = (1280, 720)
SAMPLE_GAME = Path(__file__).resolve().parent.parent / "sample_game.hwy"


def plan_film(seed: int, mission: bool) -> Film:
    """The sample game, or a game in mission mode, on some table."""
    rng = np.random.default_rng(seed)
    game = _mission_game(seed) if mission else read_game(SAMPLE_GAME.read_text("utf-8"))
    centre, span_mm = middle_of(game.layouts[-1])
    rig = random_rig(rng, centre, span_mm, SIZE)
    look = random_look(rng, game.players)
    sensors = {name: random_sensor(rng) for name in rig.cameras}
    return Film(seed, game, look, rig, sensors, float(rng.uniform(0.1, 0.6)), centre, span_mm / 2 + 20.0)


def _mission_game(seed: int) -> Game:
    setup = deal("rainbow-city", COLOURS[:2], Kit(), np.random.default_rng(seed), mission=True)
    match = play_game(setup, seed, tries=120)
    plain = rules_for(setup.rules.edition, 2, mission=True).options
    chosen: dict[str, Any] = msgspec.to_builtins(setup.rules.options)
    options = {key: value for key, value in chosen.items() if value != msgspec.to_builtins(plain)[key]}
    layouts = tuple(position.layout for position in match.positions)
    return Game(setup.rules.edition, setup.players, layouts, setup.first, True, options, setup.kit)


def shoot_film(film: Film, folder: Path, progress: Callable[[int, bool], None]) -> None:
    """Film a game turn by turn; a film that was cut off goes on after its last whole turn."""
    part = folder.with_name(folder.name + ".part")
    part.mkdir(parents=True, exist_ok=True)
    turns = len(film.game.layouts)
    shooting: Shooting | None = None
    lights: dict[str, Light] | None = None
    for turn in range(turns):
        log = part / f"turn_{turn:02d}.json"
        missing = not log.exists()
        if missing:
            shooting = shooting or Shooting(film)
            if turn == 0:
                frames, lights = Frames(), shooting.state(0)
                frames.settled.append((*frames.hold(lights, SETTLED_S), film.game.layouts[0], True, ()))
            else:
                frames, lights = shooting.turn(turn, lights or shooting.state(turn - 1))
            _write_turn(part, film, turn, frames, shooting)
        else:
            lights = None
        progress(turn + 1, missing)
    _finish(part, film)
    part.rename(folder)


def _write_turn(part: Path, film: Film, turn: int, frames: Frames, shooting: Shooting) -> None:
    rng = np.random.default_rng([film.seed, 3, turn])
    for name, lights in frames.lights.items():
        gains = [shooting.gains[name] * _gain(film, turn, number) for number in range(len(lights))]
        pictures = filmed(lights, gains, film.sensors[name], rng)
        write_clip(part / f"turn_{turn:02d}_{name}.mp4", pictures, FPS, CRF)
    states = [Settled(turn, a, b, whole, layout, fallen) for a, b, layout, whole, fallen in frames.settled]
    note = {"frames": len(frames), "states": states, "hands": frames.hands, "over": frames.over}
    tags = {str(tag): corners.round(6).tolist() for tag, corners in shooting.tags.items()}
    (part / "tags.json").write_bytes(msgspec.json.encode(tags))
    (part / f"turn_{turn:02d}.json").write_bytes(msgspec.json.encode(note))


def _gain(film: Film, turn: int, frame: int) -> float:
    """Of the exposure step."""
    if turn <= film.exposure_turn:
        return 1.0
    share = min(frame / STEP_FRAMES, 1.0) if turn == film.exposure_turn + 1 else 1.0
    return 1.0 + (STEP_GAINS[film.seed % len(STEP_GAINS)] - 1.0) * share


def _finish(part: Path, film: Film) -> None:
    """Join the turns, write what is true, and remove what was only there to go on from."""
    turns = range(len(film.game.layouts))
    notes = [msgspec.json.decode((part / f"turn_{turn:02d}.json").read_bytes()) for turn in turns]
    starts = np.concatenate([[0], np.cumsum([note["frames"] for note in notes])])
    states: list[dict[str, Any]] = []
    hands: dict[str, list[bool]] = {name: [] for name in film.rig.cameras}
    over: list[bool] = []
    for note, start in zip(notes, starts.tolist(), strict=False):
        for state in note["states"]:
            span = {key: state[key] + start for key in ("first_frame", "last_frame")}
            states.append({**state, **span})
        for name, flags in note["hands"].items():
            hands[name] += flags
        over += note["over"]
    for name in film.rig.cameras:
        join_clips([part / f"turn_{turn:02d}_{name}.mp4" for turn in turns], part / f"{name}.mp4", FPS)
    truth = {
        "seed": film.seed,
        "fps": FPS,
        "states": states,
        "hands": {name: _runs(flags) for name, flags in hands.items()},
        "hands_over_play_area": _runs(over),
        "light_changes": [int(starts[film.light_turn + 1]) + round(PAUSE_S * FPS)],
        "exposure_steps": [int(starts[film.exposure_turn + 1])],
    }
    (part / "film.json").write_bytes(msgspec.json.encode(truth))
    (part / "game.json").write_bytes(msgspec.json.encode(film.game))
    (part / "rig.json").write_bytes(msgspec.json.format(msgspec.json.encode(film.rig)))
    (part / "kit.json").write_bytes(msgspec.json.format(msgspec.json.encode(film.game.kit)))
    for file in (*part.glob("turn_*.mp4"), *part.glob("turn_*.json")):
        file.unlink()


def _runs(flags: list[bool]) -> list[tuple[int, int]]:
    """First and last frame of each stretch in which the flag is up."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.array(flags, dtype=np.int8), [0]])))
    return [(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)]
