"""The sample film: vision reads it ahead, its players answer and put right, and nothing in it is a dead end."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
import pytest

from gui.desk import Desk
from gui.explaining import Answer, AtOnce, Question
from gui.feed import Acted, HandsIn, Puzzled, Reading, Report, Settled
from gui.film import SAMPLE_FILM, FilmFeed
from gui.film_players import players_step, put_right
from gui.film_sight import FilmSight, Pair
from referee.game import Game, play, read_json, setup_of
from referee.layout import BARE_TABLE, Candidate, Layout
from referee.notes import NO_NOTE
from vision.scoring import score


@pytest.fixture(scope="module")
def game() -> Game:
    return read_json((SAMPLE_FILM / "game.json").read_bytes(), Game)


def at_turn(game: Game, turn: int) -> Desk:
    desk = Desk.begin(msgspec.structs.replace(setup_of(game), layout=BARE_TABLE))
    for layout in game.layouts[:turn]:
        desk = desk.settled(layout)
        desk = desk.accept() if desk.sure or desk.match is None else desk.overrule()
    return desk


def until_accepted(desk: Desk, built: Layout, most: int = 12) -> list[Desk]:
    """What the desk goes through while the film's players act."""
    went = [desk]
    for _ in range(most):
        if desk.turn > went[0].turn:
            return went
        step = players_step(desk, built, NO_NOTE)
        assert step is not None
        desk = step(desk)
        went.append(desk)
    raise AssertionError(f"still {desk.phase} after {most} steps")


def columns_replaced(layout: Layout, **fields: object) -> Layout:
    return msgspec.structs.replace(
        layout, columns=(*layout.columns[:-1], msgspec.structs.replace(layout.columns[-1], **fields))
    )


def test_a_question_is_answered_by_what_was_built(game: Game) -> None:
    built = game.layouts[2]
    height = built.columns[-1].height
    odds = (Candidate(0.6, height=height + 1), Candidate(0.4, height=height))
    desk = at_turn(game, 2).settled(columns_replaced(built, height=height + 1, unsure="height", candidates=odds))
    assert desk.phase == "asked"
    assert until_accepted(desk, built)[-1].accepted.columns[-1].height == height


def test_a_piece_that_is_no_piece_is_sent_away(game: Game) -> None:
    built = game.layouts[2]
    ghost = msgspec.structs.replace(built.columns[-1], id="ghost", x=200.0, unsure="a print", candidates=())
    desk = at_turn(game, 2).settled(msgspec.structs.replace(built, columns=(*built.columns, ghost)))
    assert {c.id for c in until_accepted(desk, built)[-1].accepted.columns} == {c.id for c in built.columns}


@pytest.mark.parametrize("missed", ["road", "everything", "other height"])
def test_what_was_seen_wrong_and_sure_is_put_right_and_goes_on(game: Game, missed: str) -> None:
    built = game.layouts[2]
    seen = {
        "road": msgspec.structs.replace(built, roads=built.roads[:-1], cars=built.cars[:-1]),
        "everything": game.layouts[1],
        "other height": columns_replaced(built, height=7),
    }[missed]
    desk = at_turn(game, 2).settled(seen)
    last = until_accepted(desk, built)[-1]
    assert not score(last.accepted, built).faults
    assert last.match is not None
    assert last.match.rulings[-1].verdict == play(game).rulings[2].verdict


def test_pieces_keep_the_names_they_were_seen_by_when_they_are_put_right(game: Game) -> None:
    built = game.layouts[2]
    other = msgspec.json.decode(msgspec.json.encode(built).replace(b'"' + b"pc0" + b'"', b'"x1"'), type=Layout)
    wrong = columns_replaced(other, height=7)
    mended = put_right(wrong, built, score(wrong, built))
    assert {c.id for c in mended.columns} == {c.id for c in other.columns}
    assert {(r.from_, r.to) for r in mended.roads} == {(r.from_, r.to) for r in other.roads}


class Slow:
    """Says what it is told to, when it is told to; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.next: Answer | None = None

    def ask(self, question: Question) -> None:
        self.asked.append(question)

    def answer(self) -> Answer | None:
        answer, self.next = self.next, None
        return answer

    def close(self) -> None:
        return


def pairs(count: int) -> Iterator[Pair | None]:
    for number in range(count):
        yield None
        yield {"overhead": np.full((2, 2, 3), number, np.uint8)}


def test_the_next_turn_is_read_while_this_one_waits_to_be_accepted_and_read_anew_where_it_came_otherwise(
    game: Game,
) -> None:
    seer = Slow()
    sight = FilmSight(pairs(4), (0, 1, 2, 3), FilmFeed().rig, game.kit, game.players, seer)
    desk = at_turn(game, 1)
    while not seer.asked:
        assert sight.look(1, desk) is None
    assert seer.asked[0].accepted is not None
    seer.next = Answer(game.layouts[1])
    answer = sight.look(1, desk)
    assert answer is not None
    assert answer.layout == game.layouts[1]
    proposed = desk.settled(game.layouts[1])
    assert proposed.sure
    for _ in range(3):
        sight.advance(2, proposed)
    assert len(seer.asked) == 2, "turn 2 is read against what turn 1 will be"
    seer.next = Answer(game.layouts[2])
    sight.advance(2, proposed)
    assert sight.look(2, proposed.accept()) is not None
    otherwise = desk.entered(columns_replaced(game.layouts[1], x=game.layouts[1].columns[-1].x + 3.0)).overrule()
    assert sight.look(2, otherwise) is None
    assert len(seer.asked) == 3, "what was accepted is not what was foreseen"


def test_vision_reads_the_first_turns_of_the_film_and_the_ruling_is_from_what_it_saw(game: Game) -> None:
    feed = FilmFeed(SAMPLE_FILM, speed=1000.0, reader=AtOnce)
    desk = at_turn(game, 0)
    told: list[Report] = []

    def tell(report: Report) -> None:
        nonlocal desk
        match report:
            case HandsIn():
                desk = desk.hands_in()
            case Reading():
                desk = desk.looked_at()
            case Settled(layout):
                told.append(report)
                desk = desk.settled(layout)
                desk = desk.accept() if desk.sure else desk
            case Acted(step):
                desk = step(desk)
            case Puzzled(why):
                desk = desk.puzzled(why)
        feed.follow(desk)
        if desk.turn == 2:
            feed.stop()

    feed.run(tell)
    assert desk.match is not None
    assert len(told) == 2
    seen = told[1]
    assert isinstance(seen, Settled)
    assert all(road.sigma is not None for road in seen.layout.roads), "measured, not taken from a file"
    assert not score(desk.accepted, game.layouts[1]).faults
