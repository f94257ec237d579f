"""Still pairs with exact truth: one seed, one table, one moment of one game."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import msgspec
import numpy as np

from calibration.camera import Camera, Rig
from referee.layout import Layout
from referee.match import Match
from referee.pieces import Kit
from sample_frames.players import COLOURS, deal, play_game

from .clutter import random_clutter
from .lens import Sensor, jpeg, photograph, random_sensor
from .looks import Look, random_kit, random_look
from .paper_tags import random_strips
from .render import Renderer, Truth
from .rigs import SIZES, random_rig
from .scene import stage

SPLITS = {"train": range(0, 1_000_000), "dev": range(1_000_000, 1_001_000), "test": range(2_000_000, 2_001_000)}
"""Seeds of each split; those of `test` are never rendered for anything else."""
WITH_TAGS = 0.7
"""Share of tables on which the printed strips lie."""


@dataclass(frozen=True, slots=True)
class Shot:
    """Everything that makes one pair of pictures, before a ray is traced."""

    seed: int
    match: Match
    turn: int
    look: Look
    rig: Rig
    sensors: dict[str, Sensor]
    aperture_mm: float
    centre: np.ndarray
    clear_mm: float

    @property
    def layout(self) -> Layout:
        return self.match.positions[self.turn].layout

    @property
    def kit(self) -> Kit:
        return self.match.setup.kit


def plan(seed: int, size: tuple[int, int] | None = None, tries: int = 20) -> Shot:
    """Who plays with what, how far they are, where the cameras stand: all from the seed."""
    rng = np.random.default_rng(seed)
    count = int(rng.choice([2, 2, 2, 3, 4]))
    players = COLOURS[:count]
    kit = Kit() if rng.random() < 0.3 else random_kit(rng)
    edition = "two-player-2024" if count == 2 else "rainbow-city"
    setup = deal(edition, players, kit, rng)
    turns = int(rng.integers(2, 13 * count))
    match = play_game(setup, int(rng.integers(2**31)), tries=tries, most_turns=turns)
    turn = match.position.turn
    layout = match.position.layout
    corners = [tip[:2] for road in layout.roads for tip in (road.a, road.b)]
    corners += [corner for piece in layout.city() for corner in piece.outline]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    centre = np.array([*((low + high) / 2), 0.0])
    span_mm = float(max((high - low).max() + 60.0, 260.0))
    chosen = size or SIZES[int(rng.choice(len(SIZES), p=[0.25, 0.55, 0.12, 0.08]))]
    rig = random_rig(rng, centre, span_mm, chosen)
    look = random_look(rng, players)
    sensors = {name: random_sensor(rng) for name in rig.cameras}
    return Shot(seed, match, turn, look, rig, sensors, float(rng.uniform(0.0, 1.2)), centre, span_mm / 2 + 20.0)


def shoot(shot: Shot, folder: Path, samples: int, pixels: bool = False) -> None:
    """Render a pair and write it with its truth; the folder appears whole or not at all."""
    part = folder.with_name(folder.name + ".part")
    part.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([shot.seed, 1])
    players = shot.match.setup.players
    around = random_clutter(rng, shot.kit, shot.look, players, shot.centre, shot.clear_mm)
    strips, tags = random_strips(rng, shot.centre, shot.clear_mm) if rng.random() < WITH_TAGS else ((), {})
    renderer = Renderer(stage(shot.layout, shot.kit, shot.look, rng, (*around, *strips)))
    for name, camera in shot.rig.cameras.items():
        picture = _picture(renderer, camera, shot, name, samples, rng)
        (part / f"turn_{shot.turn:02d}_{name}.jpg").write_bytes(jpeg(picture, shot.sensors[name].jpeg_quality))
        if pixels:
            _write_pixels(renderer.truth(camera), part / f"turn_{shot.turn:02d}_{name}")
    (part / "rig.json").write_bytes(msgspec.json.format(msgspec.json.encode(shot.rig)))
    (part / "kit.json").write_bytes(msgspec.json.format(msgspec.json.encode(shot.kit)))
    (part / "truth.json").write_bytes(msgspec.json.encode(truth_of(shot)))
    corners = {str(tag): points.round(6).tolist() for tag, points in tags.items()}
    (part / "tags.json").write_bytes(msgspec.json.encode(corners))
    part.rename(folder)


def truth_of(shot: Shot) -> dict[str, object]:
    """The game as layouts, as `truth.json` holds it: the picture's number says which one it shows."""
    return {
        "seed": shot.seed,
        "edition": shot.match.setup.rules.edition,
        "players": shot.match.setup.players,
        "layouts": [position.layout for position in shot.match.positions],
    }


def _picture(
    renderer: Renderer, camera: Camera, shot: Shot, name: str, samples: int, rng: np.random.Generator
) -> np.ndarray:
    focus_mm = float(camera.depth_mm(shot.centre[None])[0])
    light = renderer.light(camera, samples, shot.seed % 2**31, shot.aperture_mm, focus_mm, 1.0)
    return photograph(light, shot.sensors[name], rng)


def _write_pixels(truth: Truth, stem: Path) -> None:
    """Per pixel: piece numbers as a 16-bit PNG, depth in hundredths of a millimetre likewise, and the names."""
    cv2.imwrite(f"{stem}_ids.png", truth.ids)
    cv2.imwrite(f"{stem}_depth.png", np.clip(truth.depth_mm * 20, 0, 65_535).astype(np.uint16))
    Path(f"{stem}_ids.json").write_bytes(msgspec.json.encode(truth.names))
