"""House rules on the new game page: switches, lists and numbers, each with how it is read."""

from __future__ import annotations

from functools import partial

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtWidgets import QDoubleSpinBox, QLabel, QSpinBox, QWidget

from gui.game_plan import GamePlan
from gui.house_rules import HouseRule, Value, choice_words, house_rules
from gui.theme import STEP, Theme
from gui.widgets.choice import Choice
from gui.widgets.parts import clear, label, row, stack
from gui.widgets.switch import Switch

AT_A_TIME = 2


class HouseRules(QWidget):
    """A line for every rule; those that the table plays otherwise are marked."""

    chosen = pyqtSignal(str, object, bool)
    """The rule, its value, and whether that is the edition's own."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.fields: dict[str, QWidget] = {}
        self._told: dict[str, tuple[HouseRule, QLabel]] = {}
        self._shown: tuple[object, ...] = ()
        self._coming: list[HouseRule] = []
        self._plan = GamePlan()
        self._more = QTimer(self)
        self._more.setSingleShot(True)
        self._more.timeout.connect(self._add_some)
        self._lines = stack(space=STEP)
        self.setLayout(self._lines)
        theme.changing.connect(self._take_away)
        theme.changed.connect(self._bring_back)

    def show_plan(self, plan: GamePlan) -> None:
        """The rules of an edition, with what is chosen of them; made anew only where the edition changes."""
        shown = (plan.edition, len(plan.players), plan.mission)
        if shown != self._shown:
            self._take_away()
            self._shown = shown
            self._coming = list(house_rules(*shown))
            self.setUpdatesEnabled(False)  # nobody sees lines find their places
            self._more.start()
        self._plan = plan
        self._mark()

    def _take_away(self) -> None:
        clear(self._lines, at_once=True)
        self.fields, self._told, self._coming, self._shown = {}, {}, [], ()

    def _bring_back(self) -> None:
        self.show_plan(self._plan)

    @property
    def is_whole(self) -> bool:
        """Whether every rule is there."""
        return not self._coming

    def _add_some(self) -> None:
        """A few at a time: all at once would hold up the window."""
        coming, self._coming = self._coming[:AT_A_TIME], self._coming[AT_A_TIME:]
        for rule in coming:
            self._add(rule, self._plan.options.get(rule.name, rule.by_edition))
        self._mark()
        if self._coming:
            self._more.start()
        else:
            QTimer.singleShot(0, partial(self.setUpdatesEnabled, True))

    def _mark(self) -> None:
        plan = self._plan
        for name, (rule, words) in self._told.items():
            words.setText(rule.words + ("  (house rule)" if name in plan.options else ""))

    def _add(self, rule: HouseRule, value: Value) -> None:
        words = label("", "small", wrap=True)
        field = self._field(rule, value)
        field.setToolTip(rule.words)
        field.setAccessibleName(rule.title)
        self.fields[rule.name], self._told[rule.name] = field, (rule, words)
        line = row(field) if rule.is_switch else row(label(rule.title), None, field)
        self._lines.addLayout(stack(line, words, space=0))

    def _field(self, rule: HouseRule, value: Value) -> QWidget:
        if rule.is_switch:
            switch = Switch(self.theme, rule.title, bool(value))
            switch.toggled.connect(partial(self._choose, rule))
            return switch
        if rule.choices:
            return self._list(rule, value)
        return self._number(rule, value)

    def _list(self, rule: HouseRule, value: Value) -> Choice:
        items = [(choice_words(one), one) for one in rule.choices]
        choice = Choice(self.theme, rule.title, items, rule.choices.index(value))
        choice.chosen.connect(lambda i: self._choose(rule, rule.choices[i]))
        return choice

    def _number(self, rule: HouseRule, value: Value) -> QWidget:
        if rule.unit:
            length = QDoubleSpinBox()
            length.setDecimals(1)
            length.setRange(0.0, rule.most)
            length.setSuffix(rule.unit)
            length.setValue(float(value or 0.0))
            length.valueChanged.connect(partial(self._choose, rule))
            return length
        count = QSpinBox()
        count.setRange(0, int(rule.most))
        count.setSpecialValueText("as dealt")
        count.setValue(int(value or 0))
        count.valueChanged.connect(lambda number: self._choose(rule, number or None))
        return count

    def _choose(self, rule: HouseRule, value: Value) -> None:
        self.chosen.emit(rule.name, value, value == rule.by_edition)
