"""Records turn after turn, and says so when each one is accepted; whoever started it ends it as it likes."""

import sys
from pathlib import Path

import numpy as np

from gui.files import sample_game
from gui.session_writer import SessionWriter
from tests.sessions import START_NS, head_of, play_into


def main(path: str, noise_frames: int) -> None:
    game = sample_game()
    writer = SessionWriter.begin(Path(path), head_of(game), lambda text: print("warning", text, flush=True))
    rng = np.random.default_rng(0)
    for turn in play_into(writer, game, 0, len(game.layouts) - 1):
        for _ in range(noise_frames):
            writer.recorder.frame("side", rng.integers(0, 255, (480, 640, 3), np.uint8), START_NS, wait=True)
        writer.recorder.drain()
        print("accepted", turn, flush=True)
    print("played", flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
