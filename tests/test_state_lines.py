"""What a live table says on a terminal: each state once, and every trouble with its reason."""

from __future__ import annotations

from gui.state_lines import StateLines
from vision.gate import GateReport, GateState

MOVING = GateReport(GateState.MOVING, "something moves (side)")


def _paused(words: str) -> GateReport:
    return GateReport(GateState.PAUSED, words)


def _told(*reports: GateReport) -> list[str | None]:
    lines = StateLines()
    return [lines.line(report) for report in reports]


def test_a_state_is_told_once_whatever_moves() -> None:
    other = GateReport(GateState.MOVING, "something moves (overhead and side)")
    assert _told(MOVING, other, MOVING) == [MOVING.words, None, None]


def test_why_a_camera_does_not_start_is_told_when_it_is_known() -> None:
    known = "side: http://10.0.0.7:8080/video: nothing answers at this port; start the app's server"
    assert _told(_paused("side: starting"), _paused(known)) == [
        "side: starting, judging paused",
        f"{known}, judging paused",
    ]


def test_a_trouble_that_lasts_is_told_once_not_every_second() -> None:
    told = _told(*(_paused(f"side: no picture for {seconds} s") for seconds in (1, 2, 9, 10)))
    assert told == ["side: no picture for 1 s, judging paused", None, None, None]


def test_a_second_camera_that_is_lost_is_told_too() -> None:
    both = "overhead: no picture for 1 s; side: no picture for 4 s"
    assert _told(_paused("side: no picture for 1 s"), _paused(both))[1] == f"{both}, judging paused"


def test_what_is_about_to_be_is_not_told() -> None:
    settling = GateReport(GateState.SETTLING, "settling")
    assert _told(MOVING, settling, MOVING) == [MOVING.words, None, None]
