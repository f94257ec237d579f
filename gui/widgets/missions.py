"""The mission board: every mission with each player's points so far, and how to get the next."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QGridLayout, QLabel, QScrollArea, QWidget

from gui.theme import BODY, LARGE, SMALL, STEP, TITLE, Theme
from gui.widgets.marks import PlayerMark
from gui.widgets.parts import clear, label, stack
from referee.ruling import State

COUNT_MS = 700
WIDE = 420
LINE, LEAST_FIT = 1.15, 0.65
"""A line of type, in its size; and how small the board may be written where it is low."""
MISSIONS: dict[str, tuple[str, str]] = {
    "M1": ("Drive", "1 for each car on the road"),
    "M2": ("Development", "1 for each development area with a column"),
    "M3": ("Jam", "2 for three connected roads with cars"),
    "M4": ("Rainbow", "2 for a car on a road through the rainbow"),
    "M5": ("Airport", "2 for an exit on the airport"),
    "M6": ("Green", "2 for an exit on the green area"),
    "M7": ("Buildings", "1 for each building enclosed by your roads"),
    "M8": ("Tower", "doubles the buildings, if it is enclosed too"),
    "M9": ("Tallest", "2 for the tallest grey column"),
    "M10": ("Supplies", "1 for every 5 discs left"),
}


class MissionView(QScrollArea):
    """A row for each mission, a column for each player."""

    counted_out = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = QWidget()
        self._grid = QGridLayout(body)
        self._grid.setContentsMargins(STEP, STEP, STEP, STEP)
        self._grid.setVerticalSpacing(STEP // 2)
        self._grid.setHorizontalSpacing(2 * STEP)
        self.setWidget(body)
        self.counted = len(MISSIONS)
        """How many missions are counted out; all of them while the game is on."""
        self._fit = 1.0
        self._counting = QTimer(self)
        self._counting.timeout.connect(self._count_on)
        self._state: State | None = None
        self._players: tuple[str, ...] = ()

    def show_state(self, state: State | None, players: tuple[str, ...]) -> None:
        if state != self._state or players != self._players:
            self._state, self._players = state, players
            self._draw()

    @property
    def is_counting(self) -> bool:
        """Whether the final scoring is still being told."""
        return self.counted < len(MISSIONS)

    def count_out(self) -> None:
        """The final scoring: one mission after the other."""
        self.counted = 0
        self._draw()
        self._counting.start(COUNT_MS)

    def _count_on(self) -> None:
        self.counted += 1
        self._draw()
        if not self.is_counting:
            self._counting.stop()
            self.counted_out.emit()

    def _px(self, size: float) -> int:
        return round(self.theme.px(size) * self._fit)

    def _fitting(self) -> float:
        """How much smaller the board is written so that all of it shows; never so small that nobody can read it."""
        line = LARGE if self._is_wide else BODY + SMALL
        return min(max(self._room_px() / (LINE * self.theme.px(len(MISSIONS) * line + 2 * TITLE)), LEAST_FIT), 1.0)

    def _room_px(self) -> float:
        return self.height() - (len(MISSIONS) + 6) * STEP / 2

    @property
    def _is_wide(self) -> bool:
        """Whether a mission and how it scores stand side by side: where the board is too low for two lines each."""
        low = self._room_px() < LINE * self.theme.px(len(MISSIONS) * (BODY + SMALL) + 2 * TITLE)
        return low and self.width() >= self.theme.px(WIDE)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if abs(self._fitting() - self._fit) > 0.02:
            self._draw()

    def _draw(self) -> None:
        self._fit = self._fitting()
        clear(self._grid)
        if self._state is None:
            self._grid.addWidget(label("Points are counted from the set-up on", "dim"), 0, 0)
            return
        for column, player in enumerate(self._players, start=2):
            mark = PlayerMark(self.theme, 22)
            mark.show_player(player, self._players)
            self._grid.addWidget(mark, 0, column, Qt.AlignmentFlag.AlignCenter)
        totals = dict.fromkeys(self._players, 0)
        for line, (mission, (title, how)) in enumerate(MISSIONS.items(), start=1):
            words, told = label(f"{mission}  {title}"), label(how, wrap=True)
            words.setStyleSheet(f"font-size: {self._px(BODY)}px; font-weight: 600;")
            told.setStyleSheet(f"font-size: {self._px(SMALL)}px; color: {self.theme.colour('dim').name()};")
            if self._is_wide:
                self._grid.addWidget(words, line + 1, 0)
                self._grid.addWidget(told, line + 1, 1)
            else:
                self._grid.addLayout(stack(words, told, space=0), line + 1, 0, 1, 2)
            for column, player in enumerate(self._players, start=2):
                scored = (self._state.players[player].missions or {}).get(mission, 0)
                shown = line <= self.counted
                totals[player] += scored if shown else 0
                self._figure(str(scored) if shown else "", line + 1, column, scored > 0)
            if line == self.counted and self._counting.isActive():
                QTimer.singleShot(0, partial(self._bring_up, words))
        # The sum comes first: it shows however low the board is.
        self._grid.addWidget(label("Points", "large"), 1, 0)
        for column, player in enumerate(self._players, start=2):
            self._figure(str(totals[player]), 1, column, True)
        self._grid.setColumnStretch(1, 1)
        self._grid.setRowStretch(len(MISSIONS) + 2, 1)

    def _bring_up(self, words: QLabel) -> None:
        with suppress(RuntimeError):  # drawn anew meanwhile
            self.ensureWidgetVisible(words)

    def _figure(self, text: str, line: int, column: int, scored: bool) -> None:
        figure = label(text)
        colour = self.theme.colour("text" if scored else "dim").name()
        figure.setStyleSheet(f"font-size: {self._px(LARGE)}px; font-weight: 600; color: {colour};")
        self._grid.addWidget(figure, line, column, Qt.AlignmentFlag.AlignCenter)
