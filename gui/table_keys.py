"""What people type about the turn that waits, where there is no window: a letter or a number, and Enter. Qt-free."""

from __future__ import annotations

import os
import select

from gui.desk import Desk
from gui.questions import candidate_words
from referee.layout import Candidate


class Typed:
    """Lines from a terminal or a pipe, without waiting for them. Windows cannot tell without waiting: none there."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._rest = descriptor, b""
        self._is_open = os.name == "posix"

    def lines(self) -> list[str]:
        """Those that were finished since the last time."""
        while self._is_open and select.select([self._descriptor], [], [], 0)[0]:
            more = os.read(self._descriptor, 4096)
            self._is_open = bool(more)
            self._rest += more
        *whole, self._rest = self._rest.split(b"\n")
        return [line.decode("utf-8", "replace").strip().lower() for line in whole]


def said(desk: Desk, line: str) -> Desk:
    """The desk after what was typed; the same one where it means nothing here."""
    asked = desk.questions[0] if desk.phase == "asked" else None
    match line:
        case "" if asked is not None:
            return desk.answer(asked.piece.id, asked.candidates[0] if asked.candidates else None)
        case "":
            return desk.accept()
        case "n" if asked is not None:
            return desk.not_there(asked.piece.id)
        case "o":
            return desk.overrule()
        case "p":
            return desk.passed().accept()
        case "g":
            return desk.go_on()
        case "u":
            return desk.undo()
    if asked is not None and line.isdigit() and 0 < int(line) <= len(asked.candidates):
        return desk.answer(asked.piece.id, asked.candidates[int(line) - 1])
    return desk


def hints(desk: Desk) -> list[str]:
    """What can be typed now."""
    match desk.phase:
        case "asked":
            asked = desk.questions[0]
            choices = [f"{number}: {_choice(desk, one)}" for number, one in enumerate(asked.candidates, 1)]
            first = f"Enter: {_choice(desk, asked.candidates[0]) if asked.candidates else 'yes'}"
            return [asked.text, ", ".join([first, *choices, "n: it is not there"])]
        case "fallen":
            return ["Pieces have fallen. Put them back up; or g: go on as it stands"]
        case "proposed" if desk.ruling is not None and desk.ruling.verdict == "illegal":
            return ["o: it counts all the same; or put it right"]
        case "proposed" | "building" if desk.match is None or desk.phase == "proposed":
            return ["Enter: accept"]
    return []


def _choice(desk: Desk, candidate: Candidate) -> str:
    return candidate_words(desk.questions[0].piece, candidate)
