"""What can be changed of one piece in the editor, and the cars of the turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFrame

from gui.draft import Draft
from gui.theme import STEP, Theme
from gui.widgets.parts import Button, button, clear, label, row, stack
from gui.words import named
from referee.layout import Car, Column
from referee.pieces import CAR_TYPES


class Inspector(QFrame):
    """Buttons for the picked column and for every car of the turn."""

    changed = pyqtSignal(object)
    """A step on the draft."""

    def __init__(self, theme: Theme, players: tuple[str, ...], typed: bool, by_hand: bool) -> None:
        super().__init__()
        self.theme, self.players, self.typed, self.by_hand = theme, players, typed, by_hand
        self.exit_wanted = False
        self.setProperty("role", "panel")
        self._body = stack(margin=2 * STEP)
        self.setLayout(self._body)
        self._shown: tuple[object, ...] = ()

    def show_piece(self, draft: Draft, name: str) -> None:
        piece = draft.piece(name)
        cars = tuple(car for car in draft.layout.cars if car.id not in draft.before)
        facts = (name, _facts(piece), tuple((c.id, c.type, c.owner) for c in cars), draft.new_road is not None)
        if facts == self._shown:
            return  # dragging changes places only; the buttons stay as they are
        self._shown = facts
        clear(self._body)
        if isinstance(piece, Column):
            self._column(piece)
        else:
            self._body.addWidget(label("Pick a column on the plan", "dim"))
        self._body.addSpacing(2 * STEP)
        self._body.addWidget(label("Cars of this turn", "large"))
        for car in cars:
            self._car(car)
        if draft.new_road is not None:
            free = next((t for t in CAR_TYPES if t not in {c.type for c in draft.layout.cars}), CAR_TYPES[0])
            self._body.addWidget(
                self._button("Add a car", "plus", Draft.with_car, car_type=free if self.typed else None)
            )
        elif not cars:
            self._body.addWidget(label("Build the road first", "dim"))
        self._body.addStretch(1)
        if self.by_hand:
            self._body.addWidget(self._exit_button())

    def _exit_button(self) -> Button:
        wants = Button(self.theme, "Next click is an exit", "route", key="E")
        wants.setCheckable(True)
        wants.setChecked(self.exit_wanted)
        wants.toggled.connect(self._want_exit)
        self._wants = wants
        return wants

    def _want_exit(self, wanted: bool) -> None:
        self.exit_wanted = wanted

    def toggle_exit(self) -> None:
        """The next click lays an exit, or a column again."""
        if self.by_hand:
            self._wants.toggle()

    def _column(self, column: Column) -> None:
        name = column.id
        self._body.addWidget(label(f"{'Junction' if column.junction else 'Column'} {name}", "large"))
        self._body.addWidget(label(f"{column.height} high, {column.owner or 'nobody'}'s", "dim"))
        lower = self._button("Lower", "arrow-down", Draft.heightened, name=name, by=-1)
        taller = self._button("Taller", "arrow-up", Draft.heightened, name=name, by=1)
        self._body.addLayout(row(lower, taller))
        top = "Grey on top" if column.junction else "Yellow on top"
        remove = self._button("Remove", "trash-2", Draft.dropped, name=name)
        self._body.addLayout(row(self._button(top, "layers", Draft.topped, name=name), remove))
        self._body.addWidget(label("Whose is it?", "dim"))
        owners = [self._button(p, "", Draft.owned_by, name=name, owner=p) for p in self.players]
        for start in range(0, len(owners), 3):
            self._body.addLayout(row(*owners[start : start + 3]))

    def _car(self, car: Car) -> None:
        kinds = QComboBox()
        for kind in CAR_TYPES:
            kinds.addItem(named(kind), kind)
        kinds.setCurrentIndex(CAR_TYPES.index(car.type) if car.type in CAR_TYPES else -1)
        kinds.setEnabled(self.typed)
        kinds.activated.connect(lambda i: self.changed.emit(partial(Draft.typed, name=car.id, car_type=CAR_TYPES[i])))
        remove = self._button("", "trash-2", Draft.dropped, name=car.id)
        remove.setToolTip("Remove this car")
        remove.setFixedWidth(self.theme.px(48))
        pair = row(kinds, remove)
        pair.setStretch(0, 1)
        self._body.addLayout(pair)

    def _button(self, text: str, icon: str, step: Callable[..., Draft], **told: object) -> Button:
        return button(self.theme, text, lambda: self.changed.emit(partial(step, **told)), icon)


def _facts(piece: object) -> tuple[object, ...]:
    return (piece.height, piece.junction, piece.owner) if isinstance(piece, Column) else ()
