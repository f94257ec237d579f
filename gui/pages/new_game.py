"""The new game page: edition, players, house rules, cameras; everything as it was the last time."""

from __future__ import annotations

from functools import partial

import msgspec
from PyQt6.QtCore import QSettings, Qt, pyqtSignal
from PyQt6.QtGui import QShowEvent
from PyQt6.QtWidgets import QFrame, QLayout, QScrollArea, QSpinBox, QVBoxLayout, QWidget

from calibration.errors import CalibrationError
from gui.game_plan import COLOURS, GamePlan
from gui.pages.house_rules import HouseRules
from gui.pages.new_cameras import CameraChoice
from gui.theme import STEP, Theme
from gui.widgets.choice import Choice
from gui.widgets.marks import PlayerMark
from gui.widgets.parts import button, clear, label, panel, row, shortcut, stack
from gui.widgets.switch import Switch
from gui.words import capital
from referee.edition import editions
from referee.errors import BadGame
from vision.errors import VisionError

SETTING = "new_game"


class NewGamePage(QWidget):
    """Choices on the left, house rules and cameras on the right, Start at the foot."""

    started = pyqtSignal(object)
    left = pyqtSignal()
    phone_wanted = pyqtSignal()

    def __init__(self, theme: Theme, settings: QSettings) -> None:
        super().__init__()
        self.theme, self.settings = theme, settings
        self.plan = remembered(settings)
        self._editions, self._players = QVBoxLayout(), QVBoxLayout()
        self.rules = HouseRules(theme)
        self.rules.chosen.connect(self._choose_rule)
        self.cameras = CameraChoice(theme, self.plan)
        self.cameras.changed.connect(self._take_cameras)
        self._trouble = label("", wrap=True)
        self.start_button = button(theme, "Start", self.start, "play", "primary", "Enter")
        self._arrange()
        self._show()
        theme.changing.connect(self._take_away)
        theme.changed.connect(self._show)

    def _arrange(self) -> None:
        choices = _panel(label("Edition", "large"), self._editions, STEP, label("Players", "large"), self._players)
        how = label("As the edition has them; switch what your table plays otherwise", "small")
        rules = _panel(label("House rules", "large"), how, self.rules)
        phone = button(self.theme, "Add a phone, or try a camera", self.phone_wanted.emit, "smartphone")
        cameras = _panel(self.cameras, phone)
        body = QWidget()
        columns = row(stack(choices, cameras, None, space=2 * STEP), stack(rules, None), space=2 * STEP)
        columns.setStretch(0, 1)
        columns.setStretch(1, 1)
        body.setLayout(columns)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(body)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        back = button(self.theme, "Home", self.left.emit, "arrow-left", "flat", "Esc")
        head = row(back, label("New game", "title"), None)
        foot = row(self._trouble, None, self.start_button)
        foot.setStretch(0, 1)
        whole = stack(head, area, foot, space=2 * STEP, margin=3 * STEP)
        whole.setStretch(1, 1)
        self.setLayout(whole)
        shortcut(self, "Escape", self.left.emit)
        shortcut(self, "Return", self.start)

    def change(self, **fields: object) -> None:
        """Choose something; what no longer fits is fitted."""
        self.plan = msgspec.structs.replace(self.plan, **fields).fitted()
        self.settings.setValue(SETTING, msgspec.json.encode(self.plan).decode())
        self._show()

    def _take_cameras(self, fields: dict[str, object]) -> None:
        self.plan = msgspec.structs.replace(self.plan, **fields)
        self.settings.setValue(SETTING, msgspec.json.encode(self.plan).decode())

    def start(self) -> None:
        """Begin, or say what is missing."""
        plan = self.plan.drawn()
        try:
            plan.setup()
        except (BadGame, CalibrationError, VisionError) as error:
            self._trouble.setText(str(error))
            return
        self.started.emit(plan)

    def _take_away(self) -> None:
        for part in (self._editions, self._players):
            clear(part, at_once=True)

    def _show(self) -> None:
        self._trouble.setText("")
        self._show_editions()
        self._show_players()
        self.rules.show_plan(self.plan)

    def _show_editions(self) -> None:
        clear(self._editions)
        names = list(editions())
        items = [(f"{e.title}  ({_span(*e.players)} players)", name) for name, e in editions().items()]
        choice = Choice(self.theme, "Edition", items, names.index(self.plan.edition))
        choice.chosen.connect(lambda i: self.change(edition=names[i], options={}))
        self._editions.addWidget(choice)
        edition = editions()[self.plan.edition]
        self._editions.addWidget(label(f"{capital(edition.special)}.", "dim", wrap=True))
        mission = Switch(self.theme, "Mission mode", self.plan.mission)
        mission.setVisible(edition.mission is not None)
        mission.toggled.connect(lambda on: self.change(mission=on, options={}))
        self._editions.addWidget(mission)

    def _show_players(self) -> None:
        clear(self._players)
        low, high = editions()[self.plan.edition].players
        for seat, player in enumerate(self.plan.players):
            mark = PlayerMark(self.theme, 24)
            mark.show_player(player, self.plan.players)
            colours = [(colour, colour) for colour in COLOURS]
            colour = Choice(self.theme, f"Colour of player {seat + 1}", colours, COLOURS.index(player))
            colour.chosen.connect(partial(self._recolour, seat))
            remove = button(self.theme, "", partial(self._drop, player), "x", "flat")
            remove.setToolTip(f"{player} does not play")
            remove.setEnabled(len(self.plan.players) > low)
            line = row(mark, colour, remove)
            line.setStretch(1, 1)
            self._players.addLayout(line)
        add = button(self.theme, "Add a player", self._add, "plus", "flat")
        add.setEnabled(len(self.plan.players) < high)
        who = ["", *self.plan.players]
        begins = [(f"{player} begins" if player else "drawn when the game begins", player) for player in who]
        first = Choice(self.theme, "First player", begins, who.index(self.plan.first) if self.plan.first in who else 0)
        first.chosen.connect(lambda i: self.change(first=who[i]))
        self._players.addLayout(row(add, None))
        self._players.addLayout(row(label("First player", "dim"), first, None))
        wait = QSpinBox()
        wait.setRange(0, 30)
        wait.setSuffix(" s")
        wait.setSpecialValueText("never")
        wait.setValue(round(self.plan.accept_after_s))
        wait.valueChanged.connect(lambda value: self._take_cameras({"accept_after_s": float(value)}))
        self._players.addLayout(row(label("A sure and legal turn is accepted by itself after", "dim"), wait, None))

    def _recolour(self, seat: int, index: int) -> None:
        players, colour = list(self.plan.players), COLOURS[index]
        if colour in players:
            players[players.index(colour)] = players[seat]
        players[seat] = colour
        self.change(players=tuple(players))

    def _add(self) -> None:
        free = next(colour for colour in COLOURS if colour not in self.plan.players)
        self.change(players=(*self.plan.players, free))

    def _drop(self, player: str) -> None:
        self.change(players=tuple(p for p in self.plan.players if p != player))

    def _choose_rule(self, name: str, value: object, as_edition: bool) -> None:
        options = {key: chosen for key, chosen in self.plan.options.items() if key != name}
        self.plan = msgspec.structs.replace(self.plan, options=options if as_edition else {**options, name: value})
        self.settings.setValue(SETTING, msgspec.json.encode(self.plan).decode())
        self._trouble.setText("")
        self.rules.show_plan(self.plan)

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        self.cameras.watch()

    def close_table(self) -> None:
        self.cameras.stop()


def remembered(settings: QSettings) -> GamePlan:
    """The plan of the last game; a fresh one where there is none that can be read."""
    try:
        return msgspec.json.decode(str(settings.value(SETTING, "{}")), type=GamePlan).fitted()
    except msgspec.DecodeError:
        return GamePlan()


def remembers(settings: QSettings, **fields: object) -> None:
    """Change the plan of the next game."""
    plan = msgspec.structs.replace(remembered(settings), **fields)
    settings.setValue(SETTING, msgspec.json.encode(plan).decode())


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _panel(*items: QWidget | QLayout | int | None) -> QFrame:
    frame = panel()
    frame.setLayout(stack(*items, margin=2 * STEP))
    return frame
