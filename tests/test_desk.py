"""The desk: how a turn goes from hands to ruling, and what players may do on the way."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from gui.desk import Desk
from gui.notices import notice_now
from gui.reseat import edits_between, put_column
from gui.scene import scene_now
from referee.errors import BadGame
from referee.game import Game, play, read_json, setup_of
from referee.layout import BARE_TABLE, Candidate, Column, Layout, with_pieces
from referee.match import Match
from referee.notation import read_game
from tests.test_match import GAME

FILM = Path(__file__).parent.parent / "sample_frames" / "film_two_players"


@pytest.fixture(scope="module")
def game() -> Game:
    return read_game(GAME)


@pytest.fixture
def desk(game: Game) -> Desk:
    """A table after its set-up, purple to move."""
    return Desk.begin(setup_of(game))


def without(layout: Layout, *ids: str) -> Layout:
    return with_pieces(layout, {p.id: p for p in layout.pieces() if p.id not in ids})


def column(layout: Layout, name: str) -> Column:
    return next(c for c in layout.columns if c.id == name)


# --- the flow of a turn ---


def test_a_turn_goes_from_waiting_through_hands_to_proposed_and_accepted(desk: Desk, game: Game) -> None:
    assert (desk.phase, desk.turn, desk.mover) == ("waiting", 1, "purple")
    busy = desk.hands_in()
    assert busy.phase == "hands"
    proposed = busy.settled(game.layouts[1])
    assert (proposed.phase, proposed.sure, proposed.fresh) == ("proposed", True, frozenset({"a1", "r1"}))
    accepted = proposed.accept()
    assert (accepted.phase, accepted.turn, accepted.mover) == ("waiting", 2, "green")
    assert accepted.match is not None
    assert accepted.match.log == Match.begin(desk.setup).play(game.layouts[1]).log


def test_hands_that_leave_everything_as_it_was_leave_the_desk_waiting(desk: Desk) -> None:
    looked = desk.hands_in().settled(desk.accepted)
    assert (looked.phase, looked.seen) == ("waiting", None)


def test_half_a_turn_is_being_built_and_never_accepted_by_itself(desk: Desk, game: Game) -> None:
    half = desk.settled(without(game.layouts[1], "r1"))
    assert (half.phase, half.sure) == ("building", False)
    assert half.ruling is not None
    assert half.ruling.violations == ()
    assert half.settled(game.layouts[1]).phase == "proposed"


def test_accepting_half_a_turn_shows_what_is_missing_and_plays_nothing(desk: Desk, game: Game) -> None:
    insisted = desk.settled(without(game.layouts[1], "r1")).accept()
    assert (insisted.phase, insisted.turn) == ("proposed", 1)
    assert insisted.ruling is not None
    assert [v.rule for v in insisted.ruling.violations] == ["T1"]


def test_a_set_up_with_an_entrance_missing_is_being_built_and_the_whole_one_begins_the_match(game: Game) -> None:
    bare = Desk.begin(msgspec.structs.replace(setup_of(game), layout=BARE_TABLE))
    assert (bare.phase, bare.turn, bare.match) == ("setting_up", 0, None)
    assert bare.settled(without(game.layouts[0], "b0", "rb", "kb")).phase == "building"
    whole = bare.settled(game.layouts[0])
    assert (whole.phase, whole.sure) == ("proposed", True)
    assert whole.accept() == Desk.begin(setup_of(game))


# --- illegal, too close, unsure ---


def illegal(game: Game) -> Layout:
    return put_column(game.layouts[1], msgspec.structs.replace(column(game.layouts[1], "a1"), height=4), game.kit)


def test_an_illegal_turn_is_not_accepted_but_can_be_mended_or_overruled(desk: Desk, game: Game) -> None:
    wrong = desk.settled(illegal(game))
    assert (wrong.phase, wrong.sure, wrong.accept().turn) == ("proposed", False, 1)
    assert wrong.settled(game.layouts[1]).sure
    overruled = wrong.overrule()
    assert overruled.turn == 2
    assert overruled.match is not None
    assert [(e.was, e.verdict) for e in overruled.match.rulings[-1].events] == [("illegal", "legal")]


def test_what_is_too_close_to_call_waits_and_stands_by_the_players_word(desk: Desk, game: Game) -> None:
    wobbly = tuple(msgspec.structs.replace(c, sigma=(9.0, 9.0)) for c in game.layouts[1].columns)
    close = desk.settled(msgspec.structs.replace(game.layouts[1], columns=wobbly))
    assert close.ruling is not None
    assert (close.phase, close.ruling.verdict, close.sure) == ("proposed", "too_close", False)
    accepted = close.accept()
    assert accepted.match is not None
    assert [(e.was, e.verdict) for e in accepted.match.rulings[-1].events] == [("too_close", "legal")]
    assert scene_now(close).doubts, "what the players are to look at is marked"
    assert not scene_now(accepted).doubts, "what they have decided is not"
    notice = notice_now(close)
    assert notice.text.endswith("?") or notice.text.endswith("more)")
    assert "\u00b1" in notice.fact


def unsure(game: Game) -> Layout:
    doubtful = msgspec.structs.replace(
        column(game.layouts[1], "a1"),
        unsure="height",
        candidates=(Candidate(p=0.3, height=3), Candidate(p=0.7, height=2)),
    )
    return msgspec.structs.replace(game.layouts[1], columns=(*game.layouts[0].columns, doubtful))


def test_an_unsure_height_is_asked_and_one_answer_settles_it(desk: Desk, game: Game) -> None:
    asked = desk.settled(unsure(game))
    assert not scene_now(asked).badged, "no word covers what is asked for"
    assert (asked.phase, [q.text for q in asked.questions]) == ("asked", ["Is this column 2 or 3 high?"])
    assert asked.accept() == asked
    assert asked.answer("a1", Candidate(height=2)).sure
    three = asked.answer("a1", Candidate(height=3))
    assert three.ruling is not None
    assert three.ruling.verdict == "illegal"
    assert three.layout.roads[-1].b[2] == pytest.approx(asked.layout.roads[-1].b[2] + game.kit.disc_height_mm)


def test_a_set_up_with_many_doubts_is_asked_as_a_whole_and_taken_as_drawn_by_one_word(game: Game) -> None:
    layout = game.layouts[0]
    columns = tuple(msgspec.structs.replace(c, unsure="its foot is hidden") for c in layout.columns)
    doubtful = msgspec.structs.replace(layout, columns=columns, unsure="more lies on this table than could be read")
    desk = Desk.begin(msgspec.structs.replace(setup_of(game), layout=BARE_TABLE)).settled(doubtful)
    assert (desk.phase, desk.asks_as_a_whole, desk.sure) == ("asked", True, False)
    assert desk.accept().match is None, "nothing unsure begins a match"
    drawn = desk.as_drawn()
    assert drawn.phase == "proposed"
    assert drawn.seen is not None
    assert drawn.seen.unsure is None
    assert drawn.settled(doubtful).phase == "proposed", "who has said so is not asked again"
    assert drawn.accept().turn == 1


def test_a_single_doubt_of_the_set_up_is_a_question_of_its_own(game: Game) -> None:
    layout = game.layouts[0]
    first = msgspec.structs.replace(layout.columns[0], unsure="its foot is hidden")
    one = msgspec.structs.replace(layout, columns=(first, *layout.columns[1:]))
    desk = Desk.begin(msgspec.structs.replace(setup_of(game), layout=BARE_TABLE)).settled(one)
    assert (desk.phase, desk.asks_as_a_whole) == ("asked", False)


def test_what_may_be_missing_from_a_turn_is_asked_before_it_can_be_accepted(desk: Desk, game: Game) -> None:
    seen = desk.settled(msgspec.structs.replace(game.layouts[1], unsure="more lies on this table than could be read"))
    assert (seen.phase, seen.asks_as_a_whole) == ("asked", True)
    assert seen.accept() is seen
    assert seen.as_drawn().accept().turn == 2
    assert seen.entered(game.layouts[1]).phase == "proposed", "people who enter it say what is there"


def test_an_answer_holds_when_hands_come_back_and_vision_is_unsure_again(desk: Desk, game: Game) -> None:
    answered = desk.settled(unsure(game)).answer("a1", None)
    assert answered.hands_in().settled(unsure(game)).phase == "proposed"
    assert answered.accept().answers == {}


# --- taking back and correcting ---


def test_what_was_undone_is_shown_again_and_not_accepted_by_itself(desk: Desk, game: Game) -> None:
    played = desk.settled(game.layouts[1]).accept()
    back = played.undo()
    assert (back.phase, back.turn, back.sure) == ("proposed", 1, False)
    assert back.accept().turn == 2
    assert played.undo().redo().match.rulings == played.match.rulings  # type: ignore[union-attr]
    assert desk.undo().trouble == "there is nothing to undo"
    assert desk.redo().trouble == "there is nothing to redo"


def test_a_correction_judges_everything_after_it_again_and_lists_the_differences(game: Game) -> None:
    match = play(game)
    desk = Desk(match.setup, match)
    layout = match.timeline[1].layout
    higher = put_column(layout, msgspec.structs.replace(column(layout, "a1"), height=3), game.kit)
    corrected = desk.correct(1, *edits_between(layout, higher))
    assert corrected.differences[0].startswith("turn 1: illegal, not legal")
    assert column(corrected.accepted, "a1").height == 3
    assert corrected.undo().match.rulings == match.rulings  # type: ignore[union-attr]
    with pytest.raises(BadGame, match="turn: 9"):
        desk.correct(9, *edits_between(layout, higher))


def test_a_correction_reaches_the_turn_that_is_being_played(desk: Desk, game: Game) -> None:
    pending = desk.settled(game.layouts[1]).accept().settled(game.layouts[2])
    before, moved = game.layouts[0], msgspec.structs.replace(column(game.layouts[0], "b0"), x=96.0)
    corrected = pending.correct(0, *edits_between(before, put_column(before, moved, game.kit)))
    assert corrected.seen is not None
    assert column(corrected.seen, "b0").x == 96.0
    assert corrected.phase == "proposed"


def test_a_pass_is_judged_and_can_be_taken_back(desk: Desk) -> None:
    passing = desk.passed()
    assert passing.ruling is not None
    assert (passing.phase, [v.rule for v in passing.ruling.violations]) == ("proposed", ["W2"])
    assert passing.undo().phase == "waiting"
    assert passing.overrule().mover == "green"


# --- falls and lost cameras ---


@pytest.fixture
def played(game: Game) -> Desk:
    """All three turns accepted, green to move."""
    match = play(game)
    return Desk(match.setup, match)


def test_a_fall_pauses_judging_until_all_stands_again_and_costs_what_the_edition_says(played: Desk) -> None:
    fall = played.settled(without(played.accepted, "a2", "r3"))
    assert (fall.phase, fall.ruling) == ("fallen", None)
    assert fall.fall is not None
    assert (fall.fall.by, fall.fall.owners, fall.fall.down) == ("green", ("purple",), frozenset({"a2", "r3"}))
    assert [(p.by, p.owner, p.grey, p.yellow) for p in fall.penalties] == [("green", "purple", 1, 0)]
    half = fall.settled(without(played.accepted, "r3"))
    assert half.phase == "fallen"
    again = half.settled(played.accepted)
    assert again.phase == "building"
    assert again.full_note.rebuilt == ("a2", "r3")
    assert again.ruling is not None
    assert [(p.by, p.owner, p.grey) for p in again.ruling.penalties] == [("green", "purple", 1)]


def test_players_say_who_knocked_it_over_and_whether_they_pay_in_yellow(played: Desk) -> None:
    fall = played.settled(without(played.accepted, "a2", "r3"))
    assert fall.blamed("purple").penalties == ()
    yellow = fall.pays_yellow("purple", 1)
    assert [(p.grey, p.yellow) for p in yellow.penalties] == [(0, 1)]
    assert [(p.grey, p.yellow) for p in yellow.pays_yellow("purple", 0).penalties] == [(1, 0)]


def test_players_may_go_on_without_rebuilding(played: Desk) -> None:
    on = played.settled(without(played.accepted, "a2")).go_on()
    assert on.phase == "building"
    assert on.fall is not None
    assert on.fall.down == {"a2"}


def test_a_column_that_lost_its_upper_discs_fell(played: Desk) -> None:
    stump = msgspec.structs.replace(column(played.accepted, "a2"), height=1)
    fall = played.settled(msgspec.structs.replace(played.accepted, columns=(*played.accepted.columns[:-1], stump)))
    assert fall.phase == "fallen"
    assert fall.fall is not None
    assert fall.fall.knocks()[0].discs == 2


def test_a_lost_camera_pauses_and_what_was_shown_is_there_when_it_comes_back(desk: Desk, game: Game) -> None:
    proposed = desk.settled(game.layouts[1])
    lost = proposed.camera_lost("the side camera sends no pictures")
    assert (lost.phase, lost.sure, lost.accept()) == ("paused", False, lost)
    assert lost.camera_found() == proposed


def test_a_turn_entered_by_hand_is_judged_without_a_camera_and_waits_to_be_accepted(desk: Desk, game: Game) -> None:
    entered = desk.camera_lost("no camera").entered(game.layouts[1])
    assert (entered.phase, entered.sure) == ("proposed", False)
    accepted = entered.accept()
    assert (accepted.turn, accepted.phase) == (2, "paused")


# --- a whole filmed game ---


def test_the_filmed_game_plays_itself_to_the_rulings_of_the_referee() -> None:
    game = read_json((FILM / "game.json").read_bytes(), Game)
    states = json.loads((FILM / "film.json").read_bytes())["states"]
    desk = Desk.begin(msgspec.structs.replace(setup_of(game), layout=BARE_TABLE))
    phases: list[str] = []
    for state in states:
        layout = msgspec.convert(state["layout"], Layout)
        desk = desk.hands_in().settled(layout)
        phases.append(desk.phase)
        desk = desk.accept() if desk.sure else desk
        if desk.phase == "proposed":
            phases.append("overruled")
            desk = desk.overrule()
    assert desk.phase == "over"
    assert phases.count("building") == 1
    assert phases.count("fallen") == 2
    assert phases.count("overruled") == 1
    assert desk.match is not None
    assert desk.match.rulings == play(game).rulings
