"""House rules as people choose them: what each option may be, what the edition says, and how it is read. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args, get_origin, get_type_hints

from gui.words import capital
from referee.edition import OPTION_WORDS, Options, rules_for

Value = bool | int | float | str | None
MOST_CARS, MOST_MM = 20, 50.0

_FOR_PEOPLE = {
    "cars": "S1: cars dealt to each player, where it is not as the rules deal them (children: fewer)",
    "types": "C7: cars have types, and everybody has one of each",
    "must_place_bonus": "C6: the exit's bonus car must be placed",
}
"""Where the words for game files speak of values that nobody writes here."""


@dataclass(frozen=True, slots=True)
class HouseRule:
    """One option: a switch, some choices, or a number."""

    name: str
    by_edition: Value
    words: str
    choices: tuple[Value, ...]
    """Empty where it is a number."""
    most: float = 0.0
    unit: str = ""

    @property
    def title(self) -> str:
        return capital(self.name.replace("_mm", " in mm").replace("_", " "))

    @property
    def is_switch(self) -> bool:
        return set(self.choices) == {True, False} and len(self.choices) == 2


def house_rules(edition: str, players: int, mission: bool) -> tuple[HouseRule, ...]:
    """Every option of an edition."""
    options, hints = rules_for(edition, players, mission).options, get_type_hints(Options)
    return tuple(_rule(name, getattr(options, name), hints[name]) for name in Options.__struct_fields__)


def _rule(name: str, value: object, hint: object) -> HouseRule:
    words = _FOR_PEOPLE.get(name, OPTION_WORDS[name])
    if get_origin(hint) is Literal:
        return HouseRule(name, str(value), words, get_args(hint))
    if hint == bool | None:
        return HouseRule(name, None if value is None else bool(value), words, (None, True, False))
    if hint is float:
        return HouseRule(name, float(str(value)), words, (), MOST_MM, " mm")
    if hint == int | None:
        return HouseRule(name, None if value is None else int(str(value)), words, (), MOST_CARS)
    return HouseRule(name, bool(value), words, (True, False))


def choice_words(value: Value) -> str:
    """A choice as it stands in a list."""
    if isinstance(value, str):
        return value.replace("_", " ")
    return "as the other rules say" if value is None else "yes" if value else "no"
