"""A game being filmed: the settled states, and between them hands that bring one piece after another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from calibration.camera import Rig
from calibration.play_area import seen_by_both
from referee.game import Game, play
from referee.layout import Layout

from .clutter import random_clutter
from .compose import FILM_PX, Window, lay_over, window_of
from .film_plan import Action, actions, seats
from .hand_tracks import DOWN, track
from .hands import HAND_ID, Person, hand_parts, random_person
from .lens import Light, Sensor, expose
from .light import Lighting, changed
from .looks import Look
from .mesh import Floats
from .paper_tags import random_strips
from .parts import Part
from .render import Renderer
from .scene import Props
from .sensor import View

FPS = 10
ACTION_S, PAUSE_S, SETTLED_S = 0.7, 0.3, 1.4
HALF_BUILT_TURNS = 6
"""In one turn of so many the players pause before the road, long enough to count as settled."""
STATE_SAMPLES, HAND_SAMPLES = 8, 2


@dataclass(frozen=True, slots=True)
class Film:
    """A game, and how and where it is filmed."""

    seed: int
    game: Game
    look: Look
    rig: Rig
    sensors: dict[str, Sensor]
    aperture_mm: float
    centre: Floats
    clear_mm: float

    @property
    def light_turn(self) -> int:
        """After this turn the light changes."""
        return len(self.game.layouts) // 3

    @property
    def exposure_turn(self) -> int:
        """After this turn the cameras' exposure takes a step."""
        return len(self.game.layouts) * 2 // 3


class Frames:
    """The frames of one turn as light, and which of them are settled."""

    def __init__(self) -> None:
        self.lights: dict[str, list[Light]] = {"overhead": [], "side": []}
        self.hands: dict[str, list[bool]] = {"overhead": [], "side": []}
        self.over: list[bool] = []
        """Whether a hand, or what it carries, is over the play area."""
        self.settled: list[tuple[int, int, Layout, bool, tuple[str, ...]]] = []

    def __len__(self) -> int:
        return len(self.lights["overhead"])

    def add(self, lights: dict[str, Light], hands: dict[str, bool], over: bool = False) -> None:
        self.over.append(over)
        for name in self.lights:
            self.lights[name].append(lights[name])
            self.hands[name].append(hands[name])

    def hold(self, lights: dict[str, Light], seconds: float) -> tuple[int, int]:
        """The table alone, for a while: its first and last frame."""
        first = len(self)
        for _ in range(round(seconds * FPS)):
            self.add(lights, dict.fromkeys(lights, False))
        return first, len(self) - 1


class Shooting:
    """A film being made: what stays the same from turn to turn."""

    def __init__(self, film: Film) -> None:
        self.film = film
        rng = np.random.default_rng([film.seed, 1])
        players = film.game.players
        around = random_clutter(rng, film.game.kit, film.look, players, film.centre, film.clear_mm)
        strips, self.tags = random_strips(rng, film.centre, film.clear_mm)
        self.still = (*around, *strips)
        self.props = Props(film.game.kit, film.look, film.seed)
        self.people: dict[str, Person] = {player: random_person(rng) for player in players}
        self.area = shapely.Polygon(film.rig.play_area or seen_by_both(film.rig.cameras, None))
        self.seats = seats(players, film.centre, film.clear_mm, float(rng.uniform(0, 2 * np.pi)))
        self.later = changed(film.look.lighting, rng)
        match = play(film.game)
        self.who = [ruling.player for ruling in match.rulings]
        self.gains = {name: expose(light, film.sensors[name]) for name, light in self.state(0).items()}

    def lighting(self, turn: int) -> Lighting:
        return self.later if turn > self.film.light_turn else self.film.look.lighting

    def state(self, turn: int, lighting: Lighting | None = None) -> dict[str, Light]:
        """What both cameras see after a turn, in the light of that turn or another."""
        layout = self.film.game.layouts[turn]
        renderer = Renderer(self.props.stage(layout, (), self.still, lighting or self.lighting(turn)))
        return {n: renderer.light(self.view(n), STATE_SAMPLES, self.film.seed + turn) for n in self.film.rig.cameras}

    def view(self, name: str, window: Window | None = None) -> View:
        camera = self.film.rig.cameras[name]
        focus_mm = float(camera.depth_mm(self.film.centre[None])[0])
        scale = 1.0 if window is None else FILM_PX[1] / window[3]
        return View(camera, self.film.aperture_mm, focus_mm, window, scale)

    def turn(self, turn: int, before: dict[str, Light]) -> tuple[Frames, dict[str, Light]]:
        """All frames of a turn, from the last settled state to the next."""
        rng = np.random.default_rng([self.film.seed, 2, turn])
        frames, lights = Frames(), before
        if self.lighting(turn) != self.lighting(turn - 1):
            frames.hold(lights, PAUSE_S)
            lights = self.state(turn - 1, self.lighting(turn))
            frames.hold(lights, PAUSE_S)
        layout = self.film.game.layouts[turn - 1]
        player = self.who[turn] or self.film.game.players[0]
        todo = actions(self.film.game, turn, player, rng)
        goal = self.state(turn)
        fallen: tuple[str, ...] = ()
        for number, action in enumerate(todo):
            last = number == len(todo) - 1
            after = goal if last else self._with(action, lights, turn)
            self._visit(action, layout, lights, after, frames, turn, rng)
            lights, layout = after, action.after
            fallen = tuple(dict.fromkeys(lying.id for lying in action.fallen))
            half_built = action.what == "column" and turn % HALF_BUILT_TURNS == 0
            if not last:
                span = frames.hold(lights, SETTLED_S if fallen or half_built else PAUSE_S)
                if fallen or half_built:
                    frames.settled.append((*span, layout, False, fallen))
        span = frames.hold(goal, SETTLED_S)
        frames.settled.append((*span, self.film.game.layouts[turn], True, ()))
        return frames, goal

    def _with(self, action: Action, lights: dict[str, Light], turn: int) -> dict[str, Light]:
        """The table when the hand has gone: what it brought, or brushed off, laid over what was there."""
        if action.piece is None and not action.fallen:
            return lights
        renderer = Renderer(self.props.stage(action.after, action.fallen, self.still, self.lighting(turn)))
        if action.fallen or action.piece is None:
            return {name: renderer.light(self.view(name), STATE_SAMPLES, self.film.seed) for name in lights}
        parts = list(self.props.parts(action.piece, action.road))
        return self._over(renderer, parts, {action.piece.id}, lights)[0]

    def _visit(
        self, action: Action, layout: Layout, before: dict[str, Light], after: dict[str, Light], frames: Frames,
        turn: int, rng: np.random.Generator,
    ) -> None:  # fmt: skip
        """A hand comes, does one thing and leaves."""
        edge, person = self.seats[action.player], self.people[action.player]
        length_mm = self.film.game.kit.road_length_mm
        run = track(action.what, action.target, edge, rng, action.grip_above_mm, length_mm)
        home = np.linalg.inv(action.target)
        count = round(ACTION_S * FPS)
        scenes: dict[bool, Renderer] = {}
        for number in range(count):
            time = (number + float(rng.uniform(0.3, 0.7))) / count
            states = run(time)
            carried = states[0].table_from_piece
            parts, ids = hand_parts(states, person), {HAND_ID}
            placed = time >= DOWN
            if not placed and action.piece is not None and carried is not None:
                at_rest = self.props.parts(action.piece, action.road)
                parts += [part.moved(carried @ home, f"carried_{n}") for n, part in enumerate(at_rest)]
                ids.add(action.piece.id)
            if placed not in scenes or not scenes[placed].move(parts):
                table, fallen = (action.after, action.fallen) if placed else (layout, ())
                stage = self.props.stage(table, fallen, (*self.still, *parts), self.lighting(turn))
                scenes[placed] = Renderer(stage)
            under = after if placed else before
            frames.add(*self._over(scenes[placed], parts, ids, under), self._reaches_in(parts))

    def _reaches_in(self, parts: list[Part]) -> bool:
        """Whether anything of these parts is over the play area."""
        plan = np.concatenate([part.mesh.vertices[:, :2] for part in parts])
        return bool(shapely.contains_xy(self.area, plan).any())

    def _over(
        self, renderer: Renderer, parts: list[Part], ids: set[str], lights: dict[str, Light]
    ) -> tuple[dict[str, Light], dict[str, bool]]:
        """The lights with these parts over them, and in which views any of them is to be seen."""
        cameras = self.film.rig.cameras
        windows = {name: window_of(parts, cameras[name]) for name in lights}
        views = {name: self.view(name, window or (0, 0, *FILM_PX)) for name, window in windows.items()}
        masks = {}
        for name, view in views.items():
            truth = renderer.truth(view)
            wanted = [number for number, piece in enumerate(truth.names) if piece in ids]
            masks[name] = np.isin(truth.ids, wanted)
        shown = {name: windows[name] is not None and bool(mask.any()) for name, mask in masks.items()}
        if not any(shown.values()):
            return lights, shown
        seen = renderer.lights(tuple(views.values()), HAND_SAMPLES, self.film.seed, draft=True)
        new = {
            name: lay_over(lights[name], over, masks[name], view.window) if shown[name] else lights[name]
            for (name, view), over in zip(views.items(), seen, strict=True)
        }
        return new, shown
