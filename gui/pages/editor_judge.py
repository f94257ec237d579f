"""The referee's word on a draft while it is being changed: asked in the background, of the newest draft alone."""

from __future__ import annotations

import threading

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from gui.desk import Desk
from gui.draft import Draft
from gui.notices import Notice, ruling_notice
from gui.reseat import edits_between
from gui.words import capital, sentence
from referee.errors import BadGame
from referee.layout import Layout
from referee.match import differences
from referee.ruling import Ruling

JUDGE_AFTER_MS = 150


class DraftJudge(QObject):
    """Judges what a draft makes of a past turn, or (None) of the one being played; `original` is what it was."""

    told = pyqtSignal(object, bool)
    """The sign for the newest draft (None: as it was), and whether it may be handed in."""
    _judged = pyqtSignal(object, object)

    def __init__(self, desk: Desk, turn: int | None, original: Layout) -> None:
        super().__init__()
        self._desk, self._turn, self._original = desk, turn, original
        self._draft: Draft | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._judge)
        self._judged.connect(self._tell)

    def show_draft(self, draft: Draft) -> None:
        """Judge this one, once people pause."""
        if draft is not self._draft:
            self._draft = draft
            self._timer.start(JUDGE_AFTER_MS)

    def _judge(self) -> None:
        threading.Thread(target=self._judge_draft, args=(self._draft,), daemon=True).start()

    def _judge_draft(self, draft: Draft) -> None:
        try:
            if self._turn is None:
                after = self._desk.entered(draft.layout)
                self._judged.emit(draft, after.ruling or after.trouble)
                return
            match, edits = self._desk.match, edits_between(self._original, draft.layout)
            if match is not None and edits:
                self._judged.emit(draft, differences(match, match.correct(self._turn, *edits)))
        except BadGame as error:
            self._judged.emit(draft, str(error))

    def _tell(self, draft: Draft, said: object) -> None:
        if draft is not self._draft:
            return
        match said:
            case str():
                self.told.emit(Notice("too_close", "triangle-alert", "That cannot be", said), False)
            case Ruling(complete=False):
                self.told.emit(Notice("quiet", "layers", "Not all there yet", sentence(said, draft.layout)), True)
            case Ruling():
                self.told.emit(ruling_notice(said, draft.layout), True)
            case tuple():
                more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
                text = f"{said[0]}{more}" if said else "No ruling changes"
                self.told.emit(Notice("quiet", "rotate-ccw", "Judged again", capital(text)), True)
            case None:
                self.told.emit(None, True)
