"""What can be changed of one piece in the editor, and the cars of the turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame

from gui.draft import Draft
from gui.theme import STEP, Theme
from gui.widgets.choice import Choice
from gui.widgets.parts import Button, button, clear, label, row, stack
from gui.words import named
from referee.layout import Car, Column, Piece, Road
from referee.pieces import CAR_TYPES


class Inspector(QFrame):
    """Buttons for the picked piece and for every car of the turn."""

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
        facts = (name, _facts(piece), tuple(_facts(car) for car in cars), draft.new_road is not None)
        if facts == self._shown:
            return  # dragging changes places only; the buttons stay as they are
        self._shown = facts
        clear(self._body)
        match piece:
            case Column():
                self._column(piece)
            case Road():
                self._title(f"{piece.kind} {name}", f"from {piece.from_ or 'the table'} to {piece.to or 'the table'}")
                self._owner_and_remove(piece)
                if name not in draft.before:
                    self._body.addWidget(self._add_car(draft, name))
            case Car():
                self._title(f"{named(piece.type)} {name}", f"on road {piece.road}" if piece.road else "on no road")
                self._body.addWidget(self._kinds(piece))
                self._owner_and_remove(piece)
            case None:
                self._body.addWidget(label("Pick a piece on the plan,\nor go through them with N and B", "dim"))
        self._body.addSpacing(2 * STEP)
        self._body.addWidget(label("Cars of this turn", "large"))
        for car in cars:
            self._car(car)
        if draft.new_road is not None and not isinstance(piece, Road):
            self._body.addWidget(self._add_car(draft))
        elif not cars:
            self._body.addWidget(label("Build the road first", "dim"))
        self._body.addStretch(1)
        if self.by_hand:
            self._body.addWidget(self._exit_button())

    def _add_car(self, draft: Draft, road: str = "") -> Button:
        free = next((t for t in CAR_TYPES if t not in {c.type for c in draft.layout.cars}), CAR_TYPES[0])
        return self._button("Add a car", "plus", Draft.with_car, car_type=free if self.typed else None, on=road)

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

    def _title(self, title: str, text: str) -> None:
        self._body.addWidget(label(title[:1].upper() + title[1:], "large"))
        self._body.addWidget(label(text, "dim"))

    def _column(self, column: Column) -> None:
        name = column.id
        self._title(f"{'junction' if column.junction else 'column'} {name}", f"{column.height} high")
        lower = self._button("Lower", "arrow-down", Draft.heightened, "-", name=name, by=-1)
        taller = self._button("Taller", "arrow-up", Draft.heightened, "+", name=name, by=1)
        self._body.addLayout(row(lower, taller))
        top = "Grey on top" if column.junction else "Yellow on top"
        self._body.addWidget(self._button(top, "layers", Draft.topped, "Y", name=name))
        self._owner_and_remove(column)

    def _owner_and_remove(self, piece: Piece) -> None:
        self._body.addWidget(self._button("Remove", "trash-2", Draft.dropped, "Delete", name=piece.id))
        self._body.addWidget(label(f"{(piece.owner or 'nobody').capitalize()}'s. Whose is it?", "dim"))
        owners = []
        for player in self.players:
            made = self._button(player, "", Draft.owned_by, name=piece.id, owner=player)
            made.setCheckable(True)
            made.setChecked(player == piece.owner)
            owners.append(made)
        for start in range(0, len(owners), 3):
            self._body.addLayout(row(*owners[start : start + 3]))

    def _kinds(self, car: Car) -> Choice:
        at = CAR_TYPES.index(car.type) if car.type in CAR_TYPES else -1
        kinds = Choice(self.theme, "Type", [(named(kind), kind) for kind in CAR_TYPES], at, "type not known")
        kinds.setEnabled(self.typed)
        kinds.chosen.connect(lambda i: self.changed.emit(partial(Draft.typed, name=car.id, car_type=CAR_TYPES[i])))
        return kinds

    def _car(self, car: Car) -> None:
        kinds = self._kinds(car)
        remove = self._button("", "trash-2", Draft.dropped, name=car.id)
        remove.setToolTip("Remove this car")
        remove.setFixedWidth(self.theme.px(48))
        pair = row(kinds, remove)
        pair.setStretch(0, 1)
        self._body.addLayout(pair)

    def _button(self, text: str, icon: str, step: Callable[..., Draft], key: str = "", **told: object) -> Button:
        return button(self.theme, text, lambda: self.changed.emit(partial(step, **told)), icon, key=key)


def _facts(piece: Piece | None) -> tuple[object, ...]:
    match piece:
        case Column():
            return piece.id, piece.height, piece.junction, piece.owner
        case Road():
            return piece.id, piece.kind, piece.from_, piece.to, piece.owner
        case Car():
            return piece.id, piece.type, piece.owner, piece.road
    return ()
