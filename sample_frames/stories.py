"""What happens between two pictures of one table: a turn, a mistake, a nudge, a fall, or nothing but other light."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np

from referee.layout import Layout, Road
from referee.match import Match

from .falls import Fallen, knock
from .mistakes import MEASURED, CannotBreak, mistake, near_miss
from .nudges import nudge
from .players import new_ids, play_turn

Kind = Literal[
    "turn", "mistake", "near_miss", "nudge", "knock", "unfinished", "hand", "light", "light_only", "exposure", "bump"
]  # fmt: skip
KINDS: tuple[Kind, ...] = (
    "turn", "light", "mistake", "turn", "nudge", "near_miss", "turn", "knock", "turn", "unfinished", "mistake",
    "exposure", "turn", "bump", "turn", "hand", "mistake", "turn", "light_only", "near_miss", "turn", "unfinished",
    "mistake", "knock",
)  # fmt: skip
"""What happens, story by story: every kind within two dozen of them, ordinary turns most often."""
VISIBLE = ("R3", "R5", "R2", "T3", "R1", "T2", "C4", "T4", "C6", "C7", "R6", "R7", "T5")
"""Rules whose breaking two pictures of one turn show."""
NUDGE_MM = (0.8, 4.0)
NEAR_MM = (0.3, 2.5)


class Label(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is true of the last turn, as far as the players who made it know."""

    turn: int
    kind: Kind
    verdict: Literal["legal", "illegal"] | None = None
    """None where there is nothing to judge: not finished, or pieces down."""
    rule: str | None = None
    """The rule that was broken, or almost."""
    by_mm: float | None = None
    moved: tuple[str, ...] = ()
    """Old pieces that were pushed."""
    fallen: tuple[str, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Story:
    """A game up to a turn, and the table after it."""

    match: Match
    after: Layout
    label: Label
    fallen: tuple[Fallen, ...] = ()


def tell(match: Match, kind: Kind, rng: np.random.Generator, tries: int = 60) -> Story | None:
    """One more turn of this kind; None where this table has no room for it."""
    turn = match.position.turn + 1
    if kind in ("mistake", "near_miss"):
        return _measured(match, kind, turn, rng)
    if kind == "light_only":
        return Story(match, match.position.layout, Label(turn, kind))
    if kind == "knock":
        down = knock(match, rng)
        ids = tuple(dict.fromkeys(lying.id for lying in down.fallen))
        return Story(match, down.layout, Label(turn, kind, fallen=ids), down.fallen)
    played = play_turn(match, rng, tries)
    if played is None or played.position.layout == match.position.layout:
        return None
    if kind == "nudge":
        pushed = nudge(played, rng, round(float(rng.uniform(*NUDGE_MM)), 2))
        moved = set(pushed.pieces) - new_ids(match, played.position.layout) if pushed else set()
        if pushed is None or not moved or match.play(pushed.layout).rulings[-1].verdict != "legal":
            return None
        return Story(match, pushed.layout, Label(turn, kind, "legal", moved=tuple(sorted(moved))))
    if kind == "unfinished":
        return Story(match, _half_built(match, played.position.layout, rng), Label(turn, kind, complete=False))
    return Story(match, played.position.layout, Label(turn, kind, "legal"))


def _measured(match: Match, kind: Kind, turn: int, rng: np.random.Generator) -> Story | None:
    rules = [r for r in VISIBLE if kind == "mistake" or (r in MEASURED and r != "T7")]
    for rule in rng.permutation(rules):
        try:
            if kind == "mistake":
                made = mistake(match, str(rule), rng)
                return Story(match, made.layout, Label(turn, kind, "illegal", made.rule, made.by_mm))
            made = near_miss(match, str(rule), round(float(rng.uniform(*NEAR_MM)), 2), rng)
            return Story(match, made.layout, Label(turn, kind, "legal", made.rule, made.by_mm))
        except CannotBreak:
            continue
    return None


def _half_built(match: Match, after: Layout, rng: np.random.Generator) -> Layout:
    """The turn before its cars are placed, if it earned any, or before its road."""
    new = new_ids(match, after)
    cars = tuple(c for c in after.cars if c.id not in new)
    roads: tuple[Road, ...] = after.roads
    if len(cars) == len(after.cars) or rng.random() < 0.5:
        roads = tuple(r for r in after.roads if r.id not in new)
    return msgspec.structs.replace(after, cars=cars, roads=roads)
