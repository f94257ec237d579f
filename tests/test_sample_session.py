"""The bundled sample session: small, whole, and judged the same wherever it is opened; and how it is made."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from gui.cli import main
from gui.files import SAMPLE_SESSION
from gui.film_session import FilmTable
from gui.rejudging import rejudge
from gui.replay import Replay
from gui.session import load
from referee.game import Game
from tests.drawn_films import FPS, HAND_FRAMES, STILL_FRAMES, write_film
from tests.test_vision_watch import FIRST, KIT, PLAYERS, SECOND
from tests.vision_drawing import RIG
from vision.playback import still_pair
from vision.views import CAMERAS

MOST_BYTES = 10_000_000


def test_the_sample_is_small_enough_to_be_cloned() -> None:
    assert SAMPLE_SESSION.stat().st_size < MOST_BYTES


def test_every_turn_of_the_sample_has_its_stills_and_its_moment_in_both_videos() -> None:
    with Replay(SAMPLE_SESSION) as replay:
        numbers = {settled.number: time_ns for time_ns, settled in replay.recorded.settled}
        assert len(replay.recorded.turns) == 12
        for turn, played in enumerate(replay.recorded.turns):
            assert played.settled is not None
            assert set(still_pair(replay.file, played.settled, numbers[played.settled])) == set(CAMERAS)
            replay.seek_turn(turn)
            assert set(replay.frames().pictures()) == set(CAMERAS)


def test_the_sample_is_judged_again_as_it_was() -> None:
    file, found = load(SAMPLE_SESSION)
    with file:
        assert rejudge(file, found).differences == ()


def test_the_command_line_replays_the_sample(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["replay", str(SAMPLE_SESSION), "--headless", "--json"]) == 0
    lines = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    assert [line["turn"] for line in lines] == list(range(12))
    assert lines[11]["ruling"]["penalties"], "somebody brought a column down in turn 11"


def test_a_filmed_game_is_recorded_with_its_players(tmp_path: Path) -> None:
    """The set-up lacks an entrance, and a second car is not seen as it was built: the players see to both."""
    film = write_film(tmp_path, [FIRST, SECOND])
    after = STILL_FRAMES + HAND_FRAMES
    spans = ((0, STILL_FRAMES - 1), (after, after + STILL_FRAMES - 1))
    states = [
        {"turn": turn, "first_frame": first, "last_frame": last, "complete": True, "layout": layout}
        for turn, ((first, last), layout) in enumerate(zip(spans, (FIRST, SECOND), strict=True))
    ]
    (film / "film.json").write_bytes(msgspec.json.encode({"fps": FPS, "states": states, "hands": {}}))
    (film / "rig.json").write_bytes(msgspec.json.encode(RIG))
    game = Game("second-edition", PLAYERS, (FIRST, SECOND), kit=KIT)
    (film / "game.json").write_bytes(msgspec.json.encode(game))
    table = FilmTable(film, tmp_path / "a.mcap", pytest.fail)
    table.record(None, lambda _: None)
    table.close()
    figures = table.figures
    assert (figures.opened, figures.states, figures.missed) == (2, 2, [])
    assert [turn.turn for turn in figures.turns] == [0, 1]
    file, found = load(tmp_path / "a.mcap")
    with file:
        assert len(found.turns) == 2
        assert len(found.turns[1].record.layout.roads) == 2
        assert rejudge(file, found).differences == ()
