"""Head and foot of the match view: whose turn it is and for how long, and what can be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PyQt6.QtWidgets import QFrame, QProgressBar, QWidget

from gui.table_state import TableState
from gui.theme import STEP, TITLE, Theme
from gui.widgets.marks import PlayerMark
from gui.widgets.parts import button, label, row, stack


class TurnTitle(QFrame):
    """The turn's number, the player's name and shape, and how long the turn has taken."""

    def __init__(self, theme: Theme, leave: Callable[[], object]) -> None:
        super().__init__()
        self.theme = theme
        self.setProperty("role", "panel")
        self.home = button(theme, "", leave, "arrow-left", "flat", "Alt+Left")
        self.home.setToolTip("Home (Alt+Left)")
        self.home.setAccessibleName("Home")
        self._turn, self._clock = label("", "dim"), label("0:00", "dim")
        self._mark, self._name = PlayerMark(theme, 32), label()
        name = row(self._mark, self._name, None, space=STEP)
        head = row(self.home, self._turn, None, self._clock, space=STEP // 2)
        box = stack(head, name, None, space=STEP // 2)
        box.setContentsMargins(STEP, STEP // 2, 2 * STEP, STEP // 2)
        name.setContentsMargins(STEP, 0, 0, 0)
        self.setLayout(box)
        theme.changed.connect(self._size)
        self._size()

    def _size(self) -> None:
        self.setFixedSize(self.theme.px(236), self.theme.px(104))
        self._name.setStyleSheet(f"font-size: {self.theme.px(TITLE)}px; font-weight: 700;")

    def show_turn(self, turn: int, player: str | None, players: Sequence[str]) -> None:
        self._turn.setText("Set-up" if turn == 0 else f"Turn {turn}")
        self._name.setText((player or ("All players" if turn == 0 else "Game over")).upper())
        self._mark.setVisible(player is not None)
        self._mark.show_player(player, players)

    def show_clock(self, seconds: float) -> None:
        minutes, rest = divmod(int(seconds), 60)
        self._clock.setText(f"{minutes}:{rest:02d}")


class Doer(Protocol):
    """A page that these buttons act on."""

    def accept(self) -> None: ...
    def undo(self) -> None: ...
    def redo(self) -> None: ...
    def correct(self) -> None: ...
    def pass_turn(self) -> None: ...
    def by_hand(self) -> None: ...
    def pause(self) -> None: ...


class ActionBar(QWidget):
    """Undo, correct, pass, by hand, accept; a film's progress and its pause."""

    def __init__(self, theme: Theme, page: Doer) -> None:
        super().__init__()
        self.theme, self.paused = theme, False
        self.play = button(theme, "", page.pause, "pause", "flat", "Space")
        self.undo = button(theme, "Undo", page.undo, "undo-2", "flat", "Backspace")
        self.correct = button(theme, "Correct", page.correct, "pencil", "flat", "C")
        self.by_hand = button(theme, "By hand", page.by_hand, "hand", "flat", "H")
        self.skip = button(theme, "Pass", page.pass_turn, "skip-forward", "flat", "P")
        self.accept = button(theme, "Accept", page.accept, "check", "primary", "Enter")
        self.film = QProgressBar()
        self.film.setTextVisible(False)
        self.film.setRange(0, 1000)
        self.play.hide()
        self.film.hide()
        buttons = row(self.play, self.undo, self.correct, self.by_hand, self.skip, self.accept, space=STEP // 2)
        self.setLayout(stack(self.film, buttons, space=STEP // 2))

    def show_desk(self, desk: TableState, now: bool) -> None:
        match = desk.match
        ruling = desk.ruling if match is not None else None  # a set-up is the players' own
        broken = ruling is not None and ruling.complete and ruling.verdict == "illegal"
        whole = desk.phase == "asked" and desk.asks_as_a_whole
        self.accept.setEnabled(now and (whole or desk.phase in ("proposed", "building")) and not broken)
        self.undo.setEnabled(match is not None and (len(match.versions) > 1 or bool(desk.note.pass_)))
        self.correct.setEnabled(match is not None or desk.seen is not None)
        self.by_hand.setEnabled(desk.phase not in ("hands", "over"))
        self.skip.setEnabled(desk.phase == "waiting")
        self.accept.setText(" Accept" if desk.phase != "building" else " End turn")
        self.play.icon_name = "play" if self.paused else "pause"
        self.play.setToolTip(f"{'Play' if self.paused else 'Pause'} (Space)")
        self.play.draw()

    def show_time(self, time_s: float, length_s: float | None) -> None:
        if length_s:
            self.film.show()
            self.play.show()
            self.film.setValue(round(1000 * time_s / length_s))
