"""Matches: corrections of every kind, overruling, unfinished turns."""

from __future__ import annotations

import msgspec
import pytest

from referee.correction import DeleteTurn, DropPiece, InsertTurn, PutPiece, SetNote, SetTurn
from referee.errors import BadGame
from referee.game import play
from referee.layout import BARE_TABLE, Layout
from referee.match import Match, differences, fold
from referee.notation import read_game
from referee.notes import Knock, Note

GAME = """
edition two-player-2024
players purple green
turn 0
column a0 purple 1 (0, 0)
column b0 green 1 (95, 0)
entrance ra purple > a0 heading 90
entrance rb green > b0 heading 270
car ka purple sedan on ra
car kb green sedan on rb
turn 1
column a1 purple 2 from a0 heading 30
road r1 purple a0 > a1
turn 2
column b1 green 4y from b0 heading 130
road r2 green b0 > b1
car k2 green limousine on r2
turn 3
column a2 purple 3 from a1 heading 0
road r3 purple a1 > a2
"""


@pytest.fixture(scope="module")
def match() -> Match:
    return play(read_game(GAME))


def piece(layout: Layout, piece_id: str) -> object:
    return next(p for p in layout.pieces() if p.id == piece_id)


def test_the_game_is_legal_as_played(match: Match) -> None:
    assert [r.verdict for r in match.rulings] == ["legal"] * 4
    assert match.rulings[2].earned == 1
    assert match.position.to_move == "green"


def test_a_height_corrected_at_its_turn_is_carried_into_every_later_layout(match: Match) -> None:
    column = match.timeline[1].layout.columns[-1]
    corrected = match.correct(1, PutPiece(msgspec.structs.replace(column, height=3)))
    assert all(piece(r.layout, "a1").height == 3 for r in corrected.timeline[1:])  # type: ignore[attr-defined]
    assert {v.rule for v in corrected.rulings[1].violations} == {"T3", "R1"}
    lines = differences(match, corrected)
    assert lines[0].startswith("turn 1: illegal, not legal")
    assert any("purple's grey discs: 26, not 27" in line for line in lines)


def test_a_place_corrected_at_its_turn_shifts_later_places_by_the_same_way(match: Match) -> None:
    column = match.timeline[1].layout.columns[-1]
    corrected = match.correct(1, PutPiece(msgspec.structs.replace(column, x=column.x + 2.0)))
    assert [piece(r.layout, "a1").x for r in corrected.timeline[1:]] == [column.x + 2.0] * 3  # type: ignore[attr-defined]
    assert corrected.rulings[3].verdict == "legal"


def test_an_owner_and_a_type_can_be_corrected(match: Match) -> None:
    car = match.timeline[2].layout.cars[-1]
    other_type = match.correct(2, PutPiece(msgspec.structs.replace(car, type="highway_bus")))
    assert "highway_bus" not in (other_type.rulings[-1].state.players["green"].types or ())
    assert "limousine" in (other_type.rulings[-1].state.players["green"].types or ())
    other_owner = match.correct(2, PutPiece(msgspec.structs.replace(car, owner="purple")))
    assert [v.rule for v in other_owner.rulings[2].violations] == ["C7"]


def test_a_piece_that_was_missed_can_be_added_and_a_false_one_dropped(match: Match) -> None:
    without = match.correct(2, DropPiece("k2"))
    assert [v.rule for v in without.rulings[2].violations] == ["C6"]
    again = without.correct(2, PutPiece(match.timeline[2].layout.cars[-1]))
    assert again.rulings == match.rulings
    with pytest.raises(BadGame, match="no piece 'k9'"):
        match.correct(2, DropPiece("k9"))
    with pytest.raises(BadGame, match="no column 'a1'"):
        match.correct(1, DropPiece("a1"))


def test_a_note_can_be_corrected_penalty_order_and_overruling(match: Match) -> None:
    fined = match.correct(3, SetNote(Note(knocked=(Knock("purple", "green", discs=2),))))
    assert [(p.by, p.owner, p.grey) for p in fined.rulings[3].penalties] == [("purple", "green", 1)]
    assert fined.rulings[3].state.players["green"].grey == match.rulings[3].state.players["green"].grey + 1
    swapped = match.correct(1, SetNote(Note(player="green")))
    assert [v.rule for v in swapped.rulings[1].violations] == ["T2", "T2", "T2"]
    overruled = swapped.correct(1, SetNote(Note(player="green", overruled="legal")))
    assert overruled.rulings[1].verdict == "legal"
    assert [(e.was, e.verdict) for e in overruled.rulings[1].events] == [("illegal", "legal")]


def test_a_whole_turn_can_be_entered_inserted_and_deleted(match: Match) -> None:
    deleted = match.correct(3, DeleteTurn())
    assert deleted.rulings == match.rulings[:3]
    entered = deleted.correct(2, SetTurn(match.timeline[1].layout))
    assert [v.rule for v in entered.rulings[2].violations] == ["W2"]
    inserted = match.correct(3, InsertTurn(match.timeline[2].layout, Note(pass_=True)))
    assert [r.player for r in inserted.rulings] == [None, "purple", "green", "purple", "green"]
    assert {v.rule for v in inserted.rulings[4].violations} == {"T2"}
    for edit in (InsertTurn(BARE_TABLE), DeleteTurn()):
        with pytest.raises(BadGame, match="turn: 0"):
            match.correct(0, edit)
    with pytest.raises(BadGame, match="turn: 9"):
        match.correct(9, DeleteTurn())


def test_undo_goes_back_through_corrections_and_a_new_turn_forgets_what_was_undone(match: Match) -> None:
    corrected = match.correct(2, DropPiece("k2"))
    assert corrected.undo().rulings == match.rulings
    assert corrected.undo().undo().rulings == match.rulings[:3]
    fresh = corrected.undo().undo().play(match.timeline[3].layout)
    with pytest.raises(BadGame, match="nothing to redo"):
        fresh.redo()
    with pytest.raises(BadGame, match="nothing to undo"):
        Match.begin(match.setup).undo()
    assert fold(match.setup, corrected.undo().log).rulings == match.rulings


def test_a_turn_being_built_is_no_fault(match: Match) -> None:
    before = Match.begin(match.setup)
    full = match.timeline[1].layout
    column_only = msgspec.structs.replace(full, roads=full.roads[:-1])
    building = before.observe(column_only)
    assert (building.complete, building.verdict, building.violations) == (False, "legal", ())
    assert before.observe(full).complete
    assert before.play(column_only).rulings[-1].verdict == "illegal"


def test_a_road_without_its_earned_car_is_being_built(match: Match) -> None:
    before = match.undo().undo()
    full = match.timeline[2].layout
    without = msgspec.structs.replace(full, cars=full.cars[:-1])
    building = before.observe(without)
    assert (building.complete, building.verdict, building.earned) == (False, "legal", 1)
    assert before.observe(full).complete


def test_a_fault_already_made_shows_while_building(match: Match) -> None:
    before = Match.begin(match.setup)
    full = match.timeline[1].layout
    tall = msgspec.structs.replace(full.columns[-1], height=4)
    ruling = before.observe(msgspec.structs.replace(full, columns=(*full.columns[:-1], tall)))
    assert "T3" in {v.rule for v in ruling.violations}


def test_owners_may_be_unknown_throughout(match: Match) -> None:
    def anonymous(layout: Layout) -> Layout:
        return msgspec.structs.replace(
            layout,
            columns=tuple(msgspec.structs.replace(c, owner=None) for c in layout.columns),
            roads=tuple(msgspec.structs.replace(r, owner=None) for r in layout.roads),
        )

    game = read_game(GAME)
    nameless = msgspec.structs.replace(game, layouts=tuple(map(anonymous, game.layouts)))
    assert play(nameless).rulings == match.rulings


def test_a_fallen_piece_that_comes_back_is_rebuilt_not_built(match: Match) -> None:
    game = read_game(GAME)
    last = game.layouts[-1]
    fallen = msgspec.structs.replace(last, cars=last.cars[:-1])
    played = play(msgspec.structs.replace(game, layouts=(*game.layouts[:-1], fallen)))
    assert [(e.kind, e.pieces) for e in played.rulings[3].events] == [("fallen", ("k2",))]
    assert [(p.by, p.owner, p.grey) for p in played.rulings[3].penalties] == [("purple", "green", 1)]
    back = played.play(last)
    assert [(e.kind, e.pieces) for e in back.rulings[4].events if e.kind == "rebuilt"] == [("rebuilt", ("k2",))]
    assert back.rulings[4].placed == 0
