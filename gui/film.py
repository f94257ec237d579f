"""A filmed game as a feed: two videos in step, each settled pair read by vision, and players who answer in the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import msgspec
import numpy as np

from calibration.camera import Rig
from gui.desk import Desk
from gui.explaining import Explainer
from gui.feed import Acted, Ended, HandsIn, Picture, Pictures, Puzzled, Reading, Settled, Shown, Tell
from gui.film_players import accepted_step, players_step
from gui.film_sight import FilmSight
from referee.errors import BadGame
from referee.game import Game, read_json, setup_of
from referee.layout import BARE_TABLE, Layout
from referee.notes import NO_NOTE

SAMPLE_FILM = Path(__file__).resolve().parent.parent / "sample_frames" / "film_two_players"
SAMPLE_MISSION = SAMPLE_FILM.parent / "film_mission"
SETTLE_FRAMES = 3
"""How long after the hands the table counts as still."""
MOST_SHOWN_PER_S = 30.0
SAID_AFTER_S = 4.0
"""How long a ruling or a question stands before the players of the film do what they did."""
SAID_AGAIN_S = 1.5
"""How long the next question of the same turn stands."""
POLL_S = 0.02
Reader = Callable[[], Explainer]


class FilmState(msgspec.Struct, frozen=True):
    """A moment when nothing moved."""

    turn: int
    first_frame: int
    last_frame: int
    complete: bool
    layout: Layout


class Film(msgspec.Struct, frozen=True):
    """What film.json holds."""

    fps: float
    states: tuple[FilmState, ...]
    hands: dict[str, tuple[tuple[int, int], ...]]


class FilmFeed:
    """Plays a film at its own pace or faster, and waits where vision reads or the players have to decide."""

    def __init__(self, folder: Path = SAMPLE_FILM, speed: float = 1.0, reader: Reader | None = None) -> None:
        """Without a reader the table stands as film.json says."""
        try:
            self.film = msgspec.json.decode((folder / "film.json").read_bytes(), type=Film)
            self.rig: Rig = msgspec.json.decode((folder / "rig.json").read_bytes(), type=Rig)
            self.game = read_json((folder / "game.json").read_bytes(), Game)
        except (OSError, msgspec.DecodeError) as error:
            raise BadGame(f"{folder}: is no film: {error}") from None
        self.folder, self.speed = folder, speed
        self._running, self._moved_on = threading.Event(), threading.Condition()
        self._running.set()
        self._stopped = False
        self._desk = Desk.begin(msgspec.structs.replace(setup_of(self.game), layout=BARE_TABLE))
        self._reader = reader
        self._sight: FilmSight | None = None

    def run(self, tell: Tell) -> None:
        """Play to the end; `tell` hears frames, hands and settled states."""
        states = {state.first_frame + SETTLE_FRAMES: i for i, state in enumerate(self.film.states)}
        ends = {state.last_frame: state for state in self.film.states}
        busy = {n for spans in self.film.hands.values() for first, last in spans for n in range(first, last + 1)}
        length_s = (self.film.states[-1].last_frame + 1) / self.film.fps
        hands, coming = False, 0
        if self._reader is not None:
            self._sight = self._seen_by(self._reader())
        every = max(1, round(self.film.fps * self.speed / MOST_SHOWN_PER_S))
        for number, frames in enumerate(self.frames()):
            due = time.monotonic() + 1 / (self.film.fps * self.speed)
            if number % every == 0 or number in states:
                pictures = {name: bgr(frame) for name, frame in frames.items()}
                tell(Shown(pictures, number / self.film.fps, length_s))
            if number in busy and not hands:
                tell(HandsIn())
                hands = True
            if number in states:
                self._settle(states[number], pictures, tell)
                hands, coming = False, min(states[number] + 1, len(self.film.states) - 1)
            if number in ends:
                self._wait_for(ends[number], coming, tell)
            while not self._running.wait(0.1) and not self._stopped:
                due = time.monotonic()
            if self._stopped:
                break
            if self._sight is not None:
                self._sight.advance(coming, self._desk)
            time.sleep(max(due - time.monotonic(), 0.0))
        else:
            tell(Ended())
        if self._sight is not None:
            self._sight.close()

    def follow(self, desk: Desk) -> None:
        with self._moved_on:
            self._desk = desk
            self._moved_on.notify_all()

    def pause(self, paused: bool) -> None:
        if paused:
            self._running.clear()
        else:
            self._running.set()

    def stop(self) -> None:
        self._stopped = True
        self._running.set()
        with self._moved_on:
            self._moved_on.notify_all()

    def frames(self) -> Iterator[dict[str, av.VideoFrame]]:
        """Both videos in step."""
        with av.open(str(self.folder / "overhead.mp4")) as above, av.open(str(self.folder / "side.mp4")) as beside:
            for over, side in zip(above.decode(video=0), beside.decode(video=0), strict=False):
                yield {"overhead": over, "side": side}

    def _seen_by(self, explainer: Explainer) -> FilmSight:
        wanted = {state.first_frame + SETTLE_FRAMES for state in self.film.states}
        pairs = (
            {name: bgr(frame) for name, frame in frames.items()} if number in wanted else None
            for number, frames in enumerate(self.frames())
        )  # fmt: skip
        turns = tuple(state.turn for state in self.film.states)
        return FilmSight(pairs, turns, self.rig, self.game.kit, self.game.players, explainer)

    def _settle(self, number: int, pictures: Pictures, tell: Tell) -> None:
        """Tell what a state shows, once all before it is accepted and it has been read."""
        state = self.film.states[number]
        with self._moved_on:
            self._moved_on.wait_for(lambda: self._stopped or self._desk.turn >= state.turn)
        if self._sight is None:
            tell(Settled(state.layout, pictures))
            return
        answer, told = self._sight.look(number, self._desk), False
        while answer is None and not self._stopped:
            if not told:
                tell(Reading())
                told = True
            time.sleep(POLL_S)
            answer = self._sight.look(number, self._desk)
        if answer is not None and answer.layout is not None:
            tell(Settled(answer.layout, pictures))
        elif answer is not None:
            tell(Puzzled(answer.trouble or "nothing can be told from these pictures"))

    def _wait_for(self, state: FilmState, coming: int, tell: Tell) -> None:
        """A film of people who waited for the referee waits too: until the turn is accepted, by them in the end."""
        note = self.game.note(state.turn) if state.turn else NO_NOTE
        shown, since_s, pace_s = self._desk, time.monotonic(), SAID_AFTER_S
        while state.complete and self._desk.turn <= state.turn and not self._stopped:
            if self._desk is not shown or not self._running.is_set():
                shown, since_s = self._desk, time.monotonic()
            if time.monotonic() - since_s >= pace_s / self.speed:
                step = players_step(shown, state.layout, note)
                since_s, pace_s = time.monotonic(), SAID_AGAIN_S
                if step is not None:
                    tell(Acted(step))
            if self._sight is not None:
                self._sight.advance(coming, shown)
            with self._moved_on:
                if self._desk is shown and not self._stopped:
                    self._moved_on.wait(POLL_S)
        put_right = accepted_step(self._desk, state.turn, state.layout) if state.complete else None
        if put_right is not None:
            tell(Acted(put_right))


def bgr(frame: av.VideoFrame) -> Picture:
    """A decoded frame as a picture."""
    return np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)
