"""Games from files: game.json or the notation, from disk or standard input, and the bundled samples."""

from __future__ import annotations

import sys
from pathlib import Path

from referee.errors import BadGame
from referee.game import MOST_BYTES, Game, read_json
from referee.notation import read_game

SAMPLES = Path(__file__).resolve().parent.parent / "sample_frames"
SAMPLE_GAME = SAMPLES / "sample_game.hwy"
SAMPLE_SESSION = SAMPLES / "sample_session.mcap"
"""What `python -m gui.sample_session` has made."""


def load_game(name: str) -> Game:
    """The game in a file; JSON if it begins with a brace, else the notation."""
    data = _bytes(name)
    begins = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if not begins:
        raise BadGame(f"{name}: the file is empty")
    if begins in (b"{", b"["):
        return read_json(data, Game)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadGame(f"{name}: neither JSON nor the notation: byte {error.start} is not UTF-8") from None
    return read_game(text)


def sample_game() -> Game:
    """The game that comes with the program."""
    return load_game(str(SAMPLE_GAME))


def _bytes(name: str) -> bytes:
    try:
        if name == "-":
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise BadGame(f"{name}: {error.strerror or error}") from None
    except ValueError as error:
        raise BadGame(f"{name!r}: {error}") from None
    if len(data) > MOST_BYTES:
        raise BadGame(f"{name}: more than {MOST_BYTES} bytes, which is no game")
    return data
