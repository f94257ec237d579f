"""Replay: the same rulings byte for byte, from the record or judged again; any moment, at any speed."""

from __future__ import annotations

import dataclasses
import io
import json
import os
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from gui.cli import main
from gui.files import SAMPLE_GAME, sample_game
from gui.looking_again import ManyEyes
from gui.rejudging import rejudge
from gui.replay import SPEEDS, Replay
from gui.replay_pace import Pace
from gui.session import Begun, load
from referee.game import play
from referee.layout import with_pieces
from tests.sessions import FRAMES, SECOND, START_NS, picture, recorded, turn_ns
from tests.test_vision_watch import FIRST
from tests.test_vision_watch import SECOND as SECOND_LAYOUT
from tests.vision_drawing import RIG, drawn
from vision.session_source import session_videos
from vision.sources import in_step

RULINGS = play(sample_game()).rulings
Out = pytest.CaptureFixture[bytes]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("replay") / "game.mcap", 6)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole sample game, recorded by the command line without pictures."""
    path = tmp_path_factory.mktemp("whole") / "game.mcap"
    assert main(["record", str(path), "--game", str(SAMPLE_GAME)]) == 0
    return path


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two drawn pairs, recorded by the command line through vision."""
    folder = tmp_path_factory.mktemp("seen")
    for turn, layout in enumerate((FIRST, SECOND_LAYOUT)):
        for name, drawing in drawn(layout, seed=turn).items():
            cv2.imwrite(str(folder / f"turn_{turn:02d}_{name}.png"), drawing)
    (folder / "rig.json").write_bytes(msgspec.json.encode(RIG))
    path = folder / "game.mcap"
    rig = str(folder / "rig.json")
    assert main(["record", str(path), "--frames", str(folder), "--rig", rig, "--edition", "second-edition"]) == 0
    return path


def lines(capfdbinary: Out, *arguments: str) -> list[bytes]:
    capfdbinary.readouterr()
    assert main(arguments) == 0
    return capfdbinary.readouterr().out.splitlines()


def test_replay_says_byte_for_byte_what_judge_says(whole: Path, capfdbinary: Out) -> None:
    replayed = lines(capfdbinary, "replay", str(whole), "--json")
    judged = lines(capfdbinary, "judge", str(SAMPLE_GAME))
    assert [msgspec.json.encode(msgspec.json.decode(line)["ruling"]) for line in replayed] == judged


def test_judging_again_says_byte_for_byte_what_was_recorded(whole: Path, capfdbinary: Out) -> None:
    recorded_lines = lines(capfdbinary, "replay", str(whole), "--headless", "--json")
    *again, differences = lines(capfdbinary, "replay", str(whole), "--headless", "--json", "--rejudge")
    assert again == recorded_lines
    assert json.loads(differences) == {"differences": []}


def test_a_replay_may_begin_at_a_turn_or_at_a_time(session: Path, capfdbinary: Out) -> None:
    every = lines(capfdbinary, "replay", str(session), "--json")
    assert lines(capfdbinary, "replay", str(session), "--json", "--turn", "2") == every[2:]
    at_s = json.loads(every[2])["time_s"]
    assert lines(capfdbinary, "replay", str(session), "--json", "--at", str(at_s)) == every[2:]
    assert lines(capfdbinary, "replay", str(session), "--json", "--at", str(at_s + 0.001)) == every[3:]


def test_speed_and_steps_change_when_it_is_said_and_not_what(
    session: Path, capfdbinary: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = lines(capfdbinary, "replay", str(session), "--json")
    assert (
        lines(capfdbinary, "replay", str(session), "--json", "--turn", str(len(every) - 1), "--speed", "16")
        == every[-1:]
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("\n" * len(every)))
    assert lines(capfdbinary, "replay", str(session), "--json", "--step") == every


def test_turns_come_when_they_are_due(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    clock = [100.0]

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock[0] += seconds

    monkeypatch.setattr("gui.replay_pace.time.sleep", sleep)
    monkeypatch.setattr("gui.replay_pace.time.monotonic", lambda: clock[0])
    assert list(Pace(speed=4.0, at_s=2.0).turns([1.0, 3.0, 7.0])) == [1, 2]
    assert slept == pytest.approx([0.25, 1.0])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--turn", "99"], "the game has the turns 0 to"),
        (["--turn", "-1"], "the game has the turns 0 to"),
        (["--at", "1e9"], "the session lasts"),
        (["--at", "nan"], "the session lasts"),
        (["--speed", "0.2"], "choose one from 0.25 to 16"),
        (["--speed", "17"], "choose one from 0.25 to 16"),
    ],
)
def test_what_a_session_does_not_have_cannot_be_sought(
    session: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["replay", str(session), *arguments]) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert (out, err.count("\n")) == ("", 1)


def test_another_edition_lists_what_differs(whole: Path, capfdbinary: Out) -> None:
    *_, last = lines(capfdbinary, "replay", str(whole), "--json", "--edition", "second-edition")
    differs = json.loads(last)["differences"]
    assert any(", not " in line for line in differs)
    assert "car types do not count" in differs[0]
    assert not [line for line in differs if line.endswith(": measurements")], "the layouts were measured once"


def test_what_is_judged_by_other_rules_says_by_which(whole: Path, capfdbinary: Out) -> None:
    rules = ["--edition", "second-edition", "--options", '{"first_rule": "next"}']
    said = lines(capfdbinary, "replay", str(whole), "--headless", *rules)[1].decode()
    assert said == "two-player-2024, judged by second-edition with first_rule = next; purple, green"


def test_house_rules_change_the_rulings(whole: Path, capfdbinary: Out) -> None:
    rules = '{"first_rule": "next"}'
    *_, last = lines(capfdbinary, "replay", str(whole), "--json", "--options", rules)
    differs = json.loads(last)["differences"]
    file, found = load(whole)
    with file:
        head = msgspec.structs.replace(found.head, options={**found.head.options, "first_rule": "next"})
        assert tuple(differs) == rejudge(file, found, head).differences


def test_replay_for_people_ends_with_the_score(whole: Path, capfdbinary: Out) -> None:
    said = b"\n".join(lines(capfdbinary, "replay", str(whole), "--headless", "--rejudge")).decode()
    assert "purple wins." in said
    assert "Judged again: nothing differs." in said


def test_the_same_vision_sees_the_same_in_the_stored_stills(seen: Path, capfdbinary: Out) -> None:
    recorded_lines = lines(capfdbinary, "replay", str(seen), "--json")
    *again, differences = lines(capfdbinary, "replay", str(seen), "--json", "--vision")
    assert len(json.loads(again[1])["layout"]["roads"]) == 2
    assert again == recorded_lines
    assert json.loads(differences) == {"differences": []}


def test_many_processes_see_what_one_sees(seen: Path) -> None:
    file, found = load(seen)
    with file:
        assert rejudge(file, found, vision=True, workers=2) == rejudge(file, found, vision=True)


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX systems")
def test_eyes_whose_helpers_are_killed_see_by_themselves(seen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, found = load(seen)
    hand_out = ManyEyes._hand_out

    def then_kill(eyes: ManyEyes) -> None:
        hand_out(eyes)
        for helper in list((eyes._pool._processes or {}).values()):
            helper.kill()

    monkeypatch.setattr(ManyEyes, "_hand_out", then_kill)
    with file:
        assert rejudge(file, found, vision=True, workers=2).differences == ()


def test_where_the_game_takes_another_way_it_is_followed(seen: Path) -> None:
    """The record says that another set-up was seen and accepted: what follows is looked at by what is seen now."""
    file, found = load(seen)
    with file:
        (first_ns, first), *rest = found.settled
        column = first.layout.columns[0]
        other = with_pieces(
            first.layout, {p.id: p for p in first.layout.pieces()} | {column.id: replace(column, x=0.5)}
        )
        (begun_ns, begun), *played = found.steps
        changed = dataclasses.replace(
            found,
            settled=((first_ns, replace(first, layout=other)), *rest),
            steps=((begun_ns, replace(begun, event=Begun(other))), *played),
        )
        one, many = (rejudge(file, changed, vision=True, workers=workers) for workers in (1, 2))
        assert one == many
        assert one.match.rulings == found.rulings


def test_vision_has_nothing_to_look_at_in_a_game_without_cameras(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(whole), "--vision", "--json"]) == 2
    assert "was recorded without cameras" in capsys.readouterr().err


def test_seeking_a_turn_shows_the_game_as_it_was_accepted(session: Path) -> None:
    with Replay(session) as replay:
        assert replay.rulings == ()
        for turn in (3, 0, 6, 2):
            replay.seek_turn(turn)
            assert replay.rulings == RULINGS[: turn + 1]
            assert replay.match is not None
            assert replay.match.rulings == replay.rulings
            assert replay.now_ns == turn_ns(turn)


def test_the_moment_before_a_turn_was_accepted_it_was_not(session: Path) -> None:
    with Replay(session) as replay:
        replay.seek_turn(4)
        replay.now_ns -= 1
        assert len(replay.rulings) == 4


def test_both_views_are_shown_in_step(session: Path) -> None:
    with Replay(session) as replay:
        for seconds in (0.0, 7.5, 3.2):
            replay.seek_s(seconds)
            shown = replay.frames().pictures()
            assert {_number(shown["overhead"]), _number(shown["side"])} == {int(seconds)}


def test_a_session_is_a_source_of_frames_like_any_other(session: Path) -> None:
    pairs = list(in_step(session_videos(session)))
    assert [round(pair.time_s, 3) for pair in pairs] == [float(number) for number in range(7 * FRAMES)]
    assert [_number(pair.pictures()["side"]) for pair in pairs] == list(range(7 * FRAMES))


def test_a_session_without_video_cannot_be_watched_again(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", str(whole.with_name("again.mcap")), "--frames", str(whole)]) == 2
    assert "holds no overhead and no side video" in capsys.readouterr().err


def test_a_session_without_video_shows_its_settled_pairs(seen: Path) -> None:
    with Replay(seen) as replay:
        replay.seek_turn(1)
        assert np.array_equal(replay.frames().pictures()["side"], drawn(SECOND_LAYOUT, seed=1)["side"])


@pytest.mark.parametrize("speed", SPEEDS)
def test_time_passes_at_the_speed_that_is_set(session: Path, speed: float) -> None:
    with Replay(session) as replay:
        replay.speed = speed
        replay.advance(1.5)
        assert replay.time_s == pytest.approx(1.5 * speed)
        replay.advance(1e6)
        assert replay.is_over
        assert replay.time_s == pytest.approx(replay.duration_s)


def test_speed_stays_within_a_quarter_and_sixteen(session: Path) -> None:
    with Replay(session) as replay:
        replay.speed = 1000.0
        replay.advance(1.0)
        assert replay.time_s == pytest.approx(16.0)


def test_single_steps_go_from_picture_to_picture(session: Path) -> None:
    with Replay(session) as replay:
        replay.seek_s(2.0)
        replay.step(1)
        assert replay.now_ns == START_NS + 3 * SECOND
        replay.step(-2)
        assert replay.now_ns == START_NS + 1 * SECOND
        replay.step(-5)
        assert replay.now_ns == START_NS
        replay.seek_s(7 * FRAMES)
        last = replay.now_ns
        replay.step(1)
        assert replay.now_ns == last


def test_going_on_with_a_recording_needs_no_turn_twice(seen: Path, tmp_path: Path, capfdbinary: Out) -> None:
    """The third pair shows the table as the second one did: what it is explained by must have been found again."""
    path = tmp_path / "game.mcap"
    path.write_bytes(seen.read_bytes())
    before = lines(capfdbinary, "replay", str(path), "--json")
    for file in seen.parent.glob("turn_*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    for name, drawing in drawn(SECOND_LAYOUT, seed=2).items():
        cv2.imwrite(str(tmp_path / f"turn_02_{name}.png"), drawing)
    told = lines(capfdbinary, "record", str(path), "--resume", "--frames", str(tmp_path))
    assert any(b"recovered to turn 1, nothing lost" in line for line in told)
    *first, last = lines(capfdbinary, "replay", str(path), "--json")
    assert first == before
    assert json.loads(last)["layout"]["roads"] == json.loads(before[-1])["layout"]["roads"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "there is nothing to record from"),
        (["--frames", "."], "holds no settled stills"),
        (["--game", "nothing.json"], "No such file"),
        (["--resume", "--game", str(SAMPLE_GAME)], "no such file"),
    ],
)
def test_a_recording_that_cannot_begin_leaves_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["record", str(tmp_path / "a.mcap"), *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_videos_that_cannot_be_read_leave_no_session(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rig.json").write_bytes(msgspec.json.encode(RIG))
    for name in ("overhead.mp4", "side.mp4"):
        (tmp_path / name).write_text("no video")
    there = ["--frames", str(tmp_path), "--rig", str(tmp_path / "rig.json"), "--edition", "second-edition"]
    assert main(["record", str(tmp_path / "a.mcap"), *there]) == 2
    assert "overhead.mp4: cannot be read" in capsys.readouterr().err
    assert sorted(file.name for file in tmp_path.iterdir()) == ["overhead.mp4", "rig.json", "side.mp4"]


def _number(shown: np.ndarray) -> int:
    """Which of the test's pictures this is."""
    assert shown.shape == picture(0).shape
    return int(shown.mean(axis=(0, 2)).reshape(-1, 4).mean(axis=1).argmax())
