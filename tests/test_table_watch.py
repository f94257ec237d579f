"""Gate and vision joined: what is asked of vision, against what, and which answers count."""

from __future__ import annotations

import pytest

from gui.explaining import Answer, Beside, Question
from gui.table_watch import NotSeen, Seen, TableWatch
from referee.layout import Layout
from tests.test_gate import FIRST, KIT, RIG, SECOND, Film, Pair, table, with_arm
from vision.gate import Gate, GateReport, GateState

PLAYERS = ("purple", "green")


class Patient:
    """An explainer that answers when it is told to."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.ready: Answer | None = None

    def ask(self, question: Question) -> None:
        self.questions.append(question)

    def answer(self) -> Answer | None:
        ready, self.ready = self.ready, None
        return ready

    def close(self) -> None:
        return


class Table:
    """A watched table, its film and its explainer."""

    def __init__(self) -> None:
        self.explainer = Patient()
        self.watch = TableWatch(Gate(RIG), RIG, KIT, PLAYERS, self.explainer)
        self.film = Film()

    def show(self, scene: Pair, seconds: float = 1.0) -> list[GateReport | Seen | NotSeen]:
        return [news for pair in self.film.shoot(scene, seconds) for news in self.watch.look(pair)]

    def answer(self, layout: Layout | None, trouble: str | None = None) -> list[Seen | NotSeen]:
        self.explainer.ready = Answer(layout, trouble)
        return list(self.watch.answers())

    @property
    def asked(self) -> Question:
        return self.explainer.questions[-1]


@pytest.fixture
def watched() -> Table:
    """A table whose set-up was seen and accepted."""
    made = Table()
    made.show(table("first"))
    assert made.asked.accepted is None
    (seen,) = made.answer(FIRST)
    assert isinstance(seen, Seen)
    made.watch.accepted(FIRST, "purple", seen.settled)
    return made


def test_a_gate_state_is_told_once_for_as_long_as_it_lasts(watched: Table) -> None:
    news = watched.show(table("first"), 1.0)
    assert news == []
    moving = watched.show(with_arm(table("first")), 0.1)
    assert [one.state for one in moving if isinstance(one, GateReport)] == [GateState.MOVING]


def test_a_settled_pair_is_explained_against_what_was_accepted(watched: Table) -> None:
    watched.show(table("second"))
    assert watched.asked.accepted is not None
    assert (watched.asked.accepted.layout, watched.asked.accepted.player) == (FIRST, "purple")
    (seen,) = watched.answer(SECOND)
    assert isinstance(seen, Seen)
    assert seen.layout == SECOND


def test_what_vision_cannot_tell_is_told(watched: Table) -> None:
    watched.show(table("second"))
    (told,) = watched.answer(None, "the pictures are black")
    assert isinstance(told, NotSeen)
    assert told.words == "the pictures are black"


def test_an_answer_to_what_no_longer_holds_is_thrown_away_and_asked_anew(watched: Table) -> None:
    watched.show(table("second"))
    watched.watch.accepted(FIRST, "green")
    assert watched.answer(SECOND) == []
    assert watched.asked.accepted is not None
    assert watched.asked.accepted.player == "green"
    assert len(watched.answer(SECOND)) == 1


def test_pairs_that_settle_while_vision_is_busy_are_overtaken_by_the_newest(watched: Table) -> None:
    watched.show(table("second"))
    busy = len(watched.explainer.questions)
    for scene in ("first", "second", "first"):
        watched.show(table(scene))
    assert len(watched.explainer.questions) == busy
    watched.answer(SECOND)
    assert len(watched.explainer.questions) == busy + 1
    assert watched.watch.is_busy
    watched.answer(FIRST)
    assert not watched.watch.is_busy


def test_a_turn_accepted_late_is_accepted_on_the_pair_it_was_seen_on(watched: Table) -> None:
    watched.show(table("second"))
    (seen,) = watched.answer(SECOND)
    watched.show(table("first"))
    watched.watch.accepted(SECOND, "green")
    watched.answer(FIRST)
    assert watched.asked.accepted is not None
    assert watched.asked.accepted.settled is seen.settled


def test_a_turn_taken_back_is_compared_with_the_pair_before_it(watched: Table) -> None:
    first = watched.asked.settled
    watched.show(table("second"))
    (seen,) = watched.answer(SECOND)
    watched.watch.accepted(SECOND, "green", seen.settled)
    watched.watch.accepted(FIRST, "purple")
    watched.watch.look_again()
    list(watched.watch.answers())
    assert watched.asked.settled is seen.settled
    assert watched.asked.accepted is not None
    assert watched.asked.accepted.settled is first


def test_what_people_say_before_anything_was_seen_is_what_the_first_settled_pair_shows() -> None:
    said = Table()
    said.watch.accepted(FIRST, "purple")
    said.show(table("first"))
    assert said.asked.accepted is not None
    assert (said.asked.accepted.layout, said.asked.accepted.player) == (FIRST, "purple")
    assert said.asked.accepted.settled is said.asked.settled


def test_vision_that_is_killed_over_a_question_says_so_and_is_started_again(watched: Table) -> None:
    beside = Beside()
    try:
        beside.ask(watched.asked)
        beside._process.kill()
        beside._process.join()
        answer = beside.answer()
        assert answer is not None
        assert answer.layout is None
        assert "started again" in (answer.trouble or "")
        assert beside._process.is_alive()
    finally:
        beside.close()
