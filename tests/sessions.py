"""Small recorded sessions for tests: the first turns of the sample game, with pictures that a number is painted on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gui.files import sample_game
from gui.session import Head
from gui.session_writer import SessionWriter
from referee.game import Game
from referee.match import Played
from vision.gate import Settled
from vision.view import Picture

START_NS = 1_700_000_000_000_000_000
SECOND = 1_000_000_000
FRAMES = 5
"""Pictures of video per turn, a second apart; a turn is accepted half a second after the last one."""


def head_of(game: Game) -> Head:
    return Head.of_game(game)


def picture(number: int, size: tuple[int, int] = (120, 160)) -> Picture:
    """A picture that can be told from its neighbours: a bright bar that moves, on noise."""
    noise = np.random.default_rng(number).integers(0, 60, (*size, 3))
    noise[:, 4 * number % size[1] : 4 * number % size[1] + 4] += 180
    return noise.astype(np.uint8)


def turn_ns(turn: int) -> int:
    """When a turn is accepted."""
    return START_NS + turn * FRAMES * SECOND + (FRAMES - 1) * SECOND + SECOND // 2


def play_into(writer: SessionWriter, game: Game, first: int, last: int, video: bool = True) -> Iterator[int]:
    """Record turns, telling each when it is accepted."""
    for turn in range(first, last + 1):
        for number in range(turn * FRAMES, (turn + 1) * FRAMES if video else 0):
            for camera in ("overhead", "side"):
                writer.recorder.frame(camera, picture(number), START_NS + number * SECOND, wait=True)
        pair = Settled({"overhead": picture(turn), "side": picture(100 + turn)}, 0.0, None) if video else None
        settled = writer.settled(game.layouts[turn], None, None, pair, turn_ns(turn))
        if turn == 0:
            writer.start(game.layouts[0], settled, turn_ns(0))
        else:
            writer.apply(Played(game.layouts[turn], game.note(turn)), settled, turn_ns(turn))
        yield turn


def recorded(path: Path, turns: int = 4, video: bool = True) -> Path:
    """A session of so many turns, cleanly closed."""
    game = sample_game()
    writer = SessionWriter.begin(path, head_of(game), print, lambda: START_NS)
    list(play_into(writer, game, 0, turns, video))
    writer.close()
    return path
