"""The score board: each player's shape, who leads, and what is left of cars, discs and roads."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFrame, QGridLayout, QLabel, QWidget

from gui.standing import lead_words, leaders
from gui.theme import LARGE, STEP, TITLE, Theme
from gui.widgets.marks import PlayerMark
from gui.widgets.parts import clear, label, row
from referee.ruling import PlayerState, State

_COLUMNS = (("cars", "cars"), ("grey", "discs"), ("yellow", "junctions"), ("roads", "roads"))


class ScoreBoard(QFrame):
    """One row for each player; the one to move stands out, numbers that changed are lit."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setProperty("role", "panel")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(2 * STEP, STEP, 2 * STEP, STEP)
        self._grid.setHorizontalSpacing(STEP)
        self._grid.setVerticalSpacing(STEP // 2)
        self._state: State | None = None
        self._mover: str | None = None
        self._lit: dict[str, PlayerState] = {}
        theme.changed.connect(self._draw)
        self._draw()

    def show_state(self, state: State | None, players: tuple[str, ...], mover: str | None) -> None:
        if state == self._state and mover == self._mover:
            return
        self._lit = dict(self._state.players) if self._state is not None else {}
        self._state, self._players, self._mover = state, players, mover
        self._draw()

    def _draw(self) -> None:
        clear(self._grid)
        if self._state is None:
            self._grid.addWidget(label("The score begins with the set-up", "dim"), 0, 0)
            return
        columns = list(_COLUMNS)
        if any(has.points is not None for has in self._state.players.values()):
            columns.insert(0, ("points", "points"))
        left = label("left in stock", "small")
        self._grid.addWidget(left, 0, 0, 1, 2)
        for number, (_, words) in enumerate(columns):
            self._put(label(words, "small"), 0, number + 2)
        for line, (player, has) in enumerate(self._state.players.items(), start=1):
            self._player(line, player, has, columns)
        self._grid.setColumnStretch(1, 1)

    def _player(self, line: int, player: str, has: PlayerState, columns: list[tuple[str, str]]) -> None:
        mark = PlayerMark(self.theme, 24)
        mark.show_player(player, self._players)
        self._grid.addWidget(mark, line, 0)
        standing = f"  {_ordinal(has.rank)}" if has.rank else "  out" if has.out else ""
        name = label(player.upper() + standing)
        to_move = player == self._mover and has.rank is None
        weight = 700 if to_move else 500
        underline = (
            f"border-bottom: {self.theme.px(3)}px solid {self.theme.colour('accent').name()};" if to_move else ""
        )
        name.setStyleSheet(f"font-size: {self.theme.px(LARGE)}px; font-weight: {weight}; {underline}")
        name.setToolTip(f"{player}{', to move' if to_move else ''}")
        self._grid.addLayout(row(name, *self._lead(player, has), None), line, 1)
        before = self._lit.get(player)
        for number, (field, words) in enumerate(columns):
            value = getattr(has, field)
            figure = label(str(value))
            size = TITLE if number == 0 else LARGE
            lit = before is not None and getattr(before, field) != value
            colour = self.theme.colour("accent" if lit else "text").name()
            figure.setStyleSheet(f"font-size: {self.theme.px(size)}px; font-weight: 600; color: {colour};")
            figure.setToolTip(f"{player}: {value} {words} left")
            self._put(figure, line, number + 2)

    def _lead(self, player: str, has: PlayerState) -> tuple[QLabel, ...]:
        """A cup and a word beside whoever is ahead."""
        if self._state is None or player not in leaders(self._state):
            return ()
        cup, word = QLabel(), label("leads", "small")
        cup.setPixmap(self.theme.pixmap("trophy", self.theme.colour("text"), 16))
        for part in (cup, word):
            part.setToolTip(lead_words(player, has))
        return cup, word

    def _put(self, widget: QLabel | QWidget, line: int, column: int) -> None:
        self._grid.addWidget(widget, line, column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def _ordinal(rank: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(rank, f"{rank}th")
