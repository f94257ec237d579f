"""Mistakes on request: the next turn broken in exactly one way, labelled with the rule and by how many mm."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from referee.layout import Layout
from referee.match import Match
from referee.network import base_points
from referee.notes import NO_NOTE, Note
from referee.ruling import Ruling

from .faults import faults
from .makers import MAKERS
from .players import at_turn, judged, new_ids

BREAKABLE = (
    "T1", "T2", "T3", "T4", "T5", "T7", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "C4", "C6", "C7", "C8", "E1",
)  # fmt: skip
"""Rules that one turn can break and a picture can show."""
MEASURED = ("R1", "R2", "R3", "R5", "R6", "R7", "T7")
"""Those that are a matter of millimetres."""
UNAVOIDABLE: dict[str, set[str]] = {"T5": {"T2"}, "R4": {"T1", "T5"}}
"""A column with no way out left is no base point; a road to a column that stands has no new one."""
_TRIES = 60


class CannotBreak(ValueError):
    """This rule cannot be broken (or kept so closely) here: by this edition, on this table, in one turn."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A next turn that breaks `rule` by `by_mm` (None: not a matter of mm); a near miss keeps it so closely."""

    layout: Layout
    note: Note
    rule: str
    by_mm: float | None


def mistake(match: Match, rule: str, rng: np.random.Generator, by_mm: float | None = None) -> Mistake:
    """The next turn, broken; the referee names the rule, and others only where that cannot be helped."""
    _refuse(match, rule)
    if rule in ("R5", "R6"):
        by_mm = 0.0
    elif rule in MEASURED and by_mm is None:
        by_mm = round(float(rng.uniform(0.4, 5.0)), 3)
    best: tuple[int, Layout, float | None] | None = None
    for layout, made_mm in islice(MAKERS[rule](match, rng, rule, by_mm or 0.0, -1.0), _TRIES):
        ruling = judged(match, layout)
        if not _named(ruling, rule, made_mm) or not _stands(match, layout, rule):
            continue
        others = [v for v in ruling.violations if v.rule not in UNAVOIDABLE.get(rule, set())]
        if best is None or len(others) < best[0]:
            best = len(others), layout, made_mm
        if len(others) == 1:
            break
    if best is None:
        raise CannotBreak(f"{rule}: no way found to break it in turn {match.position.turn + 1}")
    return Mistake(best[1], NO_NOTE, rule, best[2])


def near_miss(match: Match, rule: str, by_mm: float, rng: np.random.Generator) -> Mistake:
    """The legal neighbour: the next turn, within the rule by `by_mm`."""
    _refuse(match, rule)
    if rule not in MEASURED:
        raise CannotBreak(f"{rule}: not a matter of mm, so nothing is near it")
    for layout, made_mm in islice(MAKERS[rule](match, rng, rule, by_mm, 1.0), _TRIES):
        if judged(match, layout).verdict == "legal" and not faults(layout, match.setup.kit, new_ids(match, layout)):
            return Mistake(layout, NO_NOTE, rule, made_mm)
    raise CannotBreak(f"{rule}: no legal turn found within {by_mm:g} mm of it in turn {match.position.turn + 1}")


def somewhere(game: Match, rule: str, rng: np.random.Generator, most: int = 8) -> tuple[Match, Mistake]:
    """A mistake in some turn of a played game that has room for it, with the match up to that turn."""
    why = CannotBreak(f"{rule}: the game has no turns")
    for turn in rng.permutation(game.position.turn)[:most]:
        match = at_turn(game, int(turn))
        try:
            return match, mistake(match, rule, rng)
        except CannotBreak as refused:
            why = refused
    raise why


def _refuse(match: Match, rule: str) -> None:
    options, layout = match.setup.rules.options, match.position.layout
    reasons = {
        "C6": not options.must_place and "earned cars may be kept back here",
        "E1": options.exit_any_height and "exits may start at any height here",
        "R6": not layout.buildings and "there are no buildings",
        "R7": not (options.city and layout.areas) and "there are no city areas",
    }
    if rule not in BREAKABLE:
        raise CannotBreak(f"{rule}: not something that one turn can break and a picture can show")
    if match.position.to_move is None or not base_points(layout, match.position.to_move):
        raise CannotBreak(f"{rule}: nobody can build now")
    if reasons.get(rule):
        raise CannotBreak(f"{rule}: {reasons[rule]}")


def _named(ruling: Ruling, rule: str, by_mm: float | None) -> bool:
    """Whether the referee names the rule, and measures what was meant."""
    found = [v for v in ruling.violations if v.rule == rule and v.verdict == "illegal"]
    if not found or by_mm is None:
        return bool(found)
    over = [abs(v.measured_mm or 0.0) - (v.limit_mm or 0.0) for v in found]
    return any(abs(o - by_mm) < 1e-3 for o in over)


def _stands(match: Match, layout: Layout, rule: str) -> bool:
    """Plausible, but for what the mistake is: a road that misses its column hangs beside it."""
    found = faults(layout, match.setup.kit, new_ids(match, layout))
    return not [f for f in found if rule != "R1" or "floats" not in f]
