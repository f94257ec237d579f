"""A filmed game as a feed: two videos in step, and what its film.json says was seen when the table was still."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import av
import msgspec
import numpy as np

from calibration.camera import Rig
from gui.desk import Desk
from gui.feed import Ended, HandsIn, Picture, Said, Settled, Shown, Tell
from referee.errors import BadGame
from referee.game import Game, read_json
from referee.layout import Layout
from referee.notes import NO_NOTE

SAMPLE_FILM = Path(__file__).resolve().parent.parent / "sample_frames" / "film_two_players"
SAMPLE_MISSION = SAMPLE_FILM.parent / "film_mission"
SETTLE_FRAMES = 3
"""How long after the hands the table counts as still."""
MOST_SHOWN_PER_S = 30.0
SAID_AFTER_S = 4.0
"""How long a ruling stands before the players of the film say what they said."""


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
    """Plays a film at its own pace or faster, and waits where the players have to decide."""

    def __init__(self, folder: Path = SAMPLE_FILM, speed: float = 1.0) -> None:
        try:
            self.film = msgspec.json.decode((folder / "film.json").read_bytes(), type=Film)
            self.rig: Rig = msgspec.json.decode((folder / "rig.json").read_bytes(), type=Rig)
            self.game = read_json((folder / "game.json").read_bytes(), Game)
        except (OSError, msgspec.DecodeError) as error:
            raise BadGame(f"{folder}: is no film: {error}") from None
        self.folder, self.speed = folder, speed
        self._running, self._moved_on = threading.Event(), threading.Condition()
        self._running.set()
        self._stopped, self._accepted = False, -1

    def run(self, tell: Tell) -> None:
        """Play to the end; `tell` hears frames, hands and settled states."""
        states = {state.first_frame + SETTLE_FRAMES: state for state in self.film.states}
        ends = {state.last_frame: state for state in self.film.states}
        busy = {n for spans in self.film.hands.values() for first, last in spans for n in range(first, last + 1)}
        length_s = (self.film.states[-1].last_frame + 1) / self.film.fps
        hands = False
        every = max(1, round(self.film.fps * self.speed / MOST_SHOWN_PER_S))
        for number, frames in enumerate(self._pairs()):
            due = time.monotonic() + 1 / (self.film.fps * self.speed)
            if number % every == 0 or number in states:
                pictures = {name: _bgr(frame) for name, frame in frames.items()}
                tell(Shown(pictures, number / self.film.fps, length_s))
            if number in busy and not hands:
                tell(HandsIn())
                hands = True
            if number in states:
                tell(Settled(states[number].layout, pictures))
                hands = False
            if number in ends:
                self._wait_for(ends[number], tell)
            while not self._running.wait(0.1) and not self._stopped:
                due = time.monotonic()
            if self._stopped:
                return
            time.sleep(max(due - time.monotonic(), 0.0))
        tell(Ended())

    def follow(self, desk: Desk) -> None:
        with self._moved_on:
            self._accepted = desk.turn - 1
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

    def _pairs(self) -> Iterator[dict[str, av.VideoFrame]]:
        with av.open(str(self.folder / "overhead.mp4")) as above, av.open(str(self.folder / "side.mp4")) as beside:
            for over, side in zip(above.decode(video=0), beside.decode(video=0), strict=False):
                yield {"overhead": over, "side": side}

    def _wait_for(self, state: FilmState, tell: Tell) -> None:
        """A film of people who waited for the referee waits too: until the turn is accepted."""
        note = self.game.note(state.turn) if state.turn else NO_NOTE

        def accepted() -> bool:
            return self._stopped or self._accepted >= state.turn

        with self._moved_on:
            if not state.complete:
                return
            if note.overruled is not None and not self._moved_on.wait_for(accepted, SAID_AFTER_S / self.speed):
                tell(Said(note))
            self._moved_on.wait_for(accepted)


def _bgr(frame: av.VideoFrame) -> Picture:
    return np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)
