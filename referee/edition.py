"""An edition is data: a file of options and materials. Code asks for options, never for an edition's name."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from .errors import BadGame
from .pieces import CAR_TYPES, SEDAN


class Materials(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one player is dealt (S1)."""

    cars: int
    grey: int
    yellow: int
    roads: int


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every difference between editions, and every house rule. OPTION_WORDS says what each one means."""

    start: Literal["entrance", "column"] = "entrance"
    spacing: Literal["centres", "between", "all"] = "centres"
    spacing_mm: float = 10.0
    buildings: bool = False
    city: bool = False
    cars: int | None = None
    types: bool | tuple[str, ...] = False
    types_alike: bool = False
    junctions: bool = True
    adjust: Literal["turn", "next_column"] = "turn"
    approval: Literal["table", "opponents"] = "table"
    push_mm: float = 5.0
    push_penalty: bool = False
    obstacles: Literal["touch", "lie"] = "touch"
    targets: Literal["columns", "any"] = "any"
    first_rule: Literal["first", "next"] = "first"
    first_counts: Literal["now", "ever"] = "now"
    cars_on_columns: bool = True
    own_crossing_voids: bool = False
    must_place: bool = True
    must_place_bonus: bool | None = None
    exit_any_height: bool = False
    penalty: Literal["incident", "piece", "like"] = "incident"
    penalty_owners: Literal["each", "first"] = "each"
    rebuilt_by: Literal["all", "offender", "owner"] = "all"
    same_type: bool = False
    same_type_limit: Literal["turn", "player"] = "turn"
    same_type_roads: Literal["crossed", "earning"] = "crossed"
    play_on: bool = False
    material: Literal["pass", "at_turn"] = "pass"
    no_base: Literal["pass", "loss"] = "pass"
    free_pass: bool = False
    city_by: Literal["centre", "any_part"] = "centre"


OPTION_WORDS: dict[str, str] = {
    "start": "S2: each player starts with an entrance (column, road, car), or with a bare column",
    "spacing": "S3: one road length from centre to centre of neighbours, in the space between them, or from all others",
    "spacing_mm": "S3: how far off the spacing may be before it is told",
    "buildings": "S5: with 3 or 4 players each puts a building on the table",
    "city": "S6, R7: city areas with buildings and a tower; columns and exits keep to them",
    "cars": "S1: cars dealt to each player; null deals what the number of players says (children: fewer)",
    "types": "C7: cars have types; true for all ten, or the list of those in play",
    "types_alike": "S7: everybody plays the same types",
    "junctions": "T4: yellow discs are played (children: not)",
    "adjust": "T7: new pieces may be adjusted until the turn is over, or until the next player builds a column",
    "approval": "T8: who accepts a turn",
    "push_mm": "T7: how far a standing piece may be nudged",
    "push_penalty": "house rule: a pushed piece costs the penalty of a fallen one",
    "obstacles": "R6: roads may not touch buildings, or may not lie on them",
    "targets": "C1: only roads between two columns count as crossed, or any road",
    "first_rule": "C2: the crossed road has no other road over (under) it, or is the next one at the crossing",
    "first_counts": "house rule for C2: what lies over or under now counts, or what ever did",
    "cars_on_columns": "C4: a car may stand over the two columns of its road",
    "own_crossing_voids": "C5: a road that also crosses one's own road earns no crossing car",
    "must_place": "C6: earned cars must be placed",
    "must_place_bonus": "C6: the exit's bonus car must be placed; null: as must_place says",
    "exit_any_height": "E1: an exit from any height that reaches the table, or from height 1 only",
    "penalty": "P1: one disc per owner and incident, one per fallen piece, or like for like",
    "penalty_owners": "house rule for P1: a knock that hits several owners pays each, or only the first",
    "rebuilt_by": "P3: who puts fallen pieces back",
    "same_type": "V1: a car of a type on the crossed road takes a disc from its owner",
    "same_type_limit": "V1: at most one disc a turn, or one a turn from each player",
    "same_type_roads": "house rule for V1: every crossed road counts, or only those that earned a car",
    "play_on": "W1: after the first player has finished, the others play on for the ranking",
    "material": "W2: without material a player passes first and loses a round later, or loses as their turn begins",
    "no_base": "house rule for W2: a player with no base point left passes, or has lost",
    "free_pass": "house rule for W2: a player may pass although they could build",
    "city_by": "house rule for M4 to M6: judged by the road's centre line and tip, or by any part of it",
}


class Edition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One edition file: who can play it, what they are dealt, and the options it sets."""

    title: str
    rulebook: str
    special: str
    players: tuple[int, int]
    materials: dict[str, Materials]
    options: dict[str, Any] = {}
    mission: dict[str, Any] | None = None
    """Options that mission mode sets on top; None where the edition has no mission mode."""


class Rules(msgspec.Struct, frozen=True):
    """The options in force at one table, and what each player is dealt."""

    edition: str
    mission: bool
    options: Options
    dealt: Materials

    def car_types(self) -> tuple[str, ...] | None:
        """Types that each player's stock begins with; None where cars have none or which is not known."""
        if self.options.types is False:
            return None
        if self.options.types is True:
            return CAR_TYPES if self.dealt.cars >= len(CAR_TYPES) else None
        return self.options.types

    @property
    def typed(self) -> bool:
        return self.options.types is not False


@cache
def editions() -> dict[str, Edition]:
    """All editions by id, read from the files beside this module."""
    found = {}
    for file in sorted(resources.files(__package__).joinpath("editions").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".toml"):
            found[file.name.removesuffix(".toml")] = msgspec.convert(tomllib.loads(file.read_text("utf-8")), Edition)
    return found


def rules_for(
    edition_id: str, player_count: int, mission: bool = False, options: dict[str, Any] | None = None
) -> Rules:
    """The rules of one table: the edition, then mission mode, then the table's own options."""
    edition = editions().get(edition_id)
    if edition is None:
        raise BadGame(f"edition: '{edition_id}' is unknown; known are {', '.join(editions())}")
    low, high = edition.players
    if not low <= player_count <= high:
        span = str(low) if low == high else f"{low} to {high}"
        raise BadGame(f"players: {edition_id} is for {span} players, not {player_count}")
    if mission and edition.mission is None:
        raise BadGame(f"mission: true, but {edition_id} has no mission mode")
    merged = {**edition.options, **(edition.mission or {} if mission else {}), **(options or {})}
    chosen = _convert(merged)
    dealt = edition.materials[str(player_count)]
    if chosen.cars is not None:
        dealt = msgspec.structs.replace(dealt, cars=chosen.cars)
    elif isinstance(chosen.types, tuple):
        dealt = msgspec.structs.replace(dealt, cars=len(chosen.types))
    return Rules(edition_id, mission, chosen, dealt)


def _convert(merged: dict[str, Any]) -> Options:
    for key, value in merged.items():
        if key not in OPTION_WORDS:
            raise BadGame(f"options.{key}: no such option ({value!r}); 'highway editions' lists them")
        try:
            msgspec.convert({key: value}, Options)
        except msgspec.ValidationError:
            raise BadGame(f"options.{key}: {value!r} is not one of {option_values(key)}") from None
    options = msgspec.convert(merged, Options)
    if options.cars is not None and not 1 <= options.cars <= 100:
        raise BadGame(f"options.cars: {options.cars} is out of range (1 to 100)")
    for key in ("push_mm", "spacing_mm"):
        if not 0.0 <= (value := getattr(options, key)) <= 1_000.0:
            raise BadGame(f"options.{key}: {value} is out of range (0 to 1000)")
    if isinstance(options.types, tuple):
        unknown = [t for t in options.types if t not in CAR_TYPES]
        if unknown or SEDAN not in options.types or len(set(options.types)) != len(options.types):
            raise BadGame(f"options.types: {list(options.types)!r}: car types, each once, the {SEDAN} among them")
        if options.cars is not None and len(options.types) != options.cars:
            raise BadGame(f"options.types: {len(options.types)} types for {options.cars} cars")
    return options


def option_values(key: str) -> str:
    """What may stand behind an option, in words."""
    if key == "types":
        return "true, false, or a list of car types"
    hint = get_type_hints(Options)[key]
    if get_origin(hint) is Literal:
        return ", ".join(f'"{value}"' for value in get_args(hint))
    names = {
        bool: "true, false",
        bool | None: "true, false, null",
        float: "a number of mm",
        int | None: "a whole number, null",
    }
    return names[hint]
