"""Still pairs with exact truth: one seed, one table, two moments of one game with something between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import msgspec
import numpy as np
from scipy.spatial.transform import Rotation

from calibration.camera import Camera, Rig
from referee.layout import Layout
from referee.pieces import Kit
from sample_frames.players import COLOURS, deal, play_game
from sample_frames.stories import KINDS, Story, tell

from .clutter import random_clutter
from .hands import random_hand
from .lens import Sensor, expose, jpeg, photograph, random_sensor
from .light import changed
from .looks import Look, camouflaged, random_kit, random_look
from .paper_tags import random_strips
from .parts import Part
from .render import Renderer, Truth
from .rigs import SIZES, moved, random_rig
from .scene import Props
from .sensor import View

WITH_TAGS = 0.7
"""Share of tables on which the printed strips lie."""
CAMOUFLAGED = 8
"""One story in so many has pieces painted as the table is."""
BUMP_DEG = (0.1, 0.8)


@dataclass(frozen=True, slots=True)
class Shot:
    """Everything that makes the pictures of one story, before a ray is traced."""

    seed: int
    story: Story
    look: Look
    rig: Rig
    sensors: dict[str, Sensor]
    aperture_mm: float
    centre: np.ndarray
    clear_mm: float

    @property
    def kit(self) -> Kit:
        return self.story.match.setup.kit


def plan(seed: int, size: tuple[int, int] | None = None, tries: int = 20) -> Shot:
    """Who plays with what, how far they are, where the cameras stand: all from the seed."""
    number = seed % 1_000_000
    rng = np.random.default_rng(seed)
    count = int(rng.choice([2, 2, 2, 3, 4]))
    players = COLOURS[:count]
    kit = Kit() if rng.random() < 0.3 else random_kit(rng)
    story = None
    while story is None:
        setup = deal("two-player-2024" if count == 2 else "rainbow-city", players, kit, rng)
        turns = int(rng.integers(2, 13 * count))
        match = play_game(setup, int(rng.integers(2**31)), tries=tries, most_turns=turns)
        story = None if match.position.over else tell(match, KINDS[number % len(KINDS)], rng)
    centre, span_mm = middle_of(story.after)
    chosen = size or SIZES[int(rng.choice(len(SIZES), p=[0.56, 0.36, 0.05, 0.03]))]
    rig = random_rig(rng, centre, span_mm, chosen)
    look = random_look(rng, players)
    if number % CAMOUFLAGED == CAMOUFLAGED - 1:
        look = camouflaged(look, rng)
    sensors = {name: random_sensor(rng) for name in rig.cameras}
    return Shot(seed, story, look, rig, sensors, float(rng.uniform(0.0, 1.2)), centre, span_mm / 2 + 20.0)


def middle_of(layout: Layout) -> tuple[np.ndarray, float]:
    """The middle of what stands on the table, and how wide it is with some room round it, in mm."""
    corners = [tip[:2] for road in layout.roads for tip in (road.a, road.b)]
    corners += [corner for piece in layout.city() for corner in piece.outline]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    return np.array([*((low + high) / 2), 0.0]), float(max((high - low).max() + 60.0, 260.0))


def shoot(shot: Shot, folder: Path, samples: int, pixels: bool = False) -> None:
    """Render both pairs and write them with their truth; the folder appears whole or not at all."""
    part = folder.with_name(folder.name + ".part")
    part.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([shot.seed, 1])
    still, tags = surroundings(shot, rng)
    props = Props(shot.kit, shot.look, shot.seed)
    before, label = shot.story.match.position, shot.story.label
    kind, rig, lighting = label.kind, shot.rig, shot.look.lighting
    first = Renderer(props.stage(before.layout, (), still))
    gains: dict[str, float] | None = take_pair(
        first, rig, shot, part / f"turn_{before.turn:02d}", samples, rng, None, pixels
    )
    sensors = shot.sensors
    if kind in ("light", "light_only"):
        lighting = changed(lighting, rng)
    if kind == "exposure":
        sensors = {name: sensor.drifted(rng) for name, sensor in sensors.items()}
        gains = None
    if kind == "bump":
        rig = _bumped(rig, rng)
        (part / f"rig_{label.turn:02d}.json").write_bytes(msgspec.json.format(msgspec.json.encode(rig)))
    hand: tuple[Part, ...] = random_hand(shot.story.after, shot.centre, shot.clear_mm, rng) if kind == "hand" else ()
    second = Renderer(props.stage(shot.story.after, shot.story.fallen, (*still, *hand), lighting))
    later = replace(shot, sensors=sensors)
    take_pair(second, rig, later, part / f"turn_{label.turn:02d}", samples, rng, gains, pixels)
    write_beside(part, shot, truth_of(shot), tags)
    part.rename(folder)


def surroundings(shot: Shot, rng: np.random.Generator) -> tuple[tuple[Part, ...], dict[int, np.ndarray]]:
    """What lies round the game and never moves, and where the corners of its printed tags are."""
    around = random_clutter(rng, shot.kit, shot.look, shot.story.match.setup.players, shot.centre, shot.clear_mm)
    strips, tags = random_strips(rng, shot.centre, shot.clear_mm) if rng.random() < WITH_TAGS else ((), {})
    return (*around, *strips), tags


def write_beside(part: Path, shot: Shot, truth: dict[str, object], tags: dict[int, np.ndarray]) -> None:
    """The rig, the kit, what is true and where the tags are, beside the pictures."""
    (part / "rig.json").write_bytes(msgspec.json.format(msgspec.json.encode(shot.rig)))
    (part / "kit.json").write_bytes(msgspec.json.format(msgspec.json.encode(shot.kit)))
    (part / "truth.json").write_bytes(msgspec.json.encode(truth))
    corners = {str(tag): points.round(6).tolist() for tag, points in tags.items()}
    (part / "tags.json").write_bytes(msgspec.json.encode(corners))


def truth_of(shot: Shot) -> dict[str, object]:
    """A game.json of all turns with what is true of the last one; a picture's number says which layout it shows."""
    setup = shot.story.match.setup
    return {
        "seed": shot.seed,
        "edition": setup.rules.edition,
        "players": setup.players,
        "first": setup.first,
        "mission": setup.rules.mission,
        "options": msgspec.to_builtins(setup.rules.options),
        "kit": setup.kit,
        "layouts": [*(position.layout for position in shot.story.match.positions), shot.story.after],
        "label": shot.story.label,
        "fallen": [
            {"id": f.id, "kind": f.kind, "pose": f.pose.round(6).tolist(), "owner": f.owner, "type": f.type}
            for f in shot.story.fallen
        ],
    }


def take_pair(
    renderer: Renderer, rig: Rig, shot: Shot, stem: Path, samples: int, rng: np.random.Generator,
    gains: dict[str, float] | None, pixels: bool,
) -> dict[str, float]:  # fmt: skip
    """One pair of pictures; with the gains of the last pair where the exposure is locked."""
    used = {}
    for name, camera in rig.cameras.items():
        focus_mm = float(camera.depth_mm(shot.centre[None])[0])
        light = renderer.light(View(camera, shot.aperture_mm, focus_mm), samples, shot.seed % 2**31)
        sensor = shot.sensors[name]
        used[name] = expose(light, sensor) if gains is None else gains[name]
        picture = photograph(light, sensor, rng, used[name])
        stem.with_name(f"{stem.name}_{name}.jpg").write_bytes(jpeg(picture, sensor.jpeg_quality))
        if pixels:
            _write_pixels(renderer.truth(View(camera)), stem.with_name(f"{stem.name}_{name}"))
    return used


def _bumped(rig: Rig, rng: np.random.Generator) -> Rig:
    """One of the cameras looks a little elsewhere."""
    name = str(rng.choice(list(rig.cameras)))
    axis = rng.normal(size=3)
    turn = Rotation.from_rotvec(axis / np.linalg.norm(axis) * np.deg2rad(rng.uniform(*BUMP_DEG)))
    camera: Camera = moved(rig.cameras[name], turn.as_matrix())
    return msgspec.structs.replace(rig, cameras={**rig.cameras, name: camera})


def _write_pixels(truth: Truth, stem: Path) -> None:
    """Per pixel: piece numbers as a 16-bit PNG, depth in twentieths of a millimetre likewise, and the names."""
    cv2.imwrite(f"{stem}_ids.png", truth.ids)
    cv2.imwrite(f"{stem}_depth.png", np.clip(truth.depth_mm * 20, 0, 65_535).astype(np.uint16))
    Path(f"{stem}_ids.json").write_bytes(msgspec.json.encode(truth.names))
