"""What the referee says of a turn."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from .geometry import Bools, Floats
from .measure import Verdict, decide, sigma_mm

EventKind = Literal[
    "nudged", "pushed", "fallen", "rebuilt", "same_type", "pass", "out", "finished", "road_put_away", "overruled",
    "game_over",
]  # fmt: skip


class Violation(msgspec.Struct, frozen=True):
    """A rule broken, or too close to tell, with what was measured."""

    rule: str
    verdict: Verdict
    pieces: tuple[str, ...]
    text: str
    measured_mm: float | None = None
    limit_mm: float | None = None
    sigma_mm: float | None = None


class Crossing(msgspec.Struct, frozen=True):
    """The new road over or under another one."""

    road: str
    side: Literal["over", "under"]
    earns: bool
    why: str
    by: tuple[str, ...] = ()
    """Roads that stand in the way of a car."""
    sure: bool = True


class Penalty(msgspec.Struct, frozen=True):
    """What was paid for knocking somebody's pieces down."""

    by: str
    owner: str
    pieces: tuple[str, ...]
    grey: int
    yellow: int
    roads: int = 0


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that happened besides building."""

    kind: EventKind
    pieces: tuple[str, ...] = ()
    mm: float | None = None
    player: str | None = None
    by: str | None = None
    owner: str | None = None
    type: str | None = None
    grey: int | None = None
    yellow: int | None = None
    rank: int | None = None
    was: Verdict | None = None
    verdict: Verdict | None = None
    winners: tuple[str, ...] = ()


class PlayerState(msgspec.Struct, frozen=True):
    """A player's stock and standing after a turn."""

    cars: int
    grey: int
    yellow: int
    roads: int
    put_away: int = 0
    types: tuple[str, ...] | None = None
    points: int | None = None
    missions: dict[str, int] | None = None
    out: bool = False
    rank: int | None = None


class State(msgspec.Struct, frozen=True):
    """The score after a turn."""

    players: dict[str, PlayerState]
    next: str | None
    over: bool = False
    winner: str | None = None
    winners: tuple[str, ...] = ()
    """Everybody who shares the win; `winner` is null where that is more than one."""


class Ruling(msgspec.Struct, frozen=True):
    """The referee's word on one turn."""

    turn: int
    player: str | None
    verdict: Verdict
    complete: bool
    violations: tuple[Violation, ...]
    crossings: tuple[Crossing, ...]
    earned: int
    placed: int
    penalties: tuple[Penalty, ...]
    events: tuple[Event, ...]
    state: State


def natural(piece_id: str) -> tuple[tuple[int, str], ...]:
    """Sort key that puts r2 before r10."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", piece_id) if part)


def by_id(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(ids, key=natural))


def measured(
    rule: str, pieces: Iterable[str], values: Floats, fault: Bools, limit_mm: float, text: str
) -> tuple[Violation, ...]:
    """The violation by a measurement; none where it is clear that there is none. `text` may hold {mm}."""
    verdict = decide(fault)
    if verdict == "legal":
        return ()
    value, sigma = _micrometres(float(values[0])), _micrometres(sigma_mm(values))
    sentence = text.format(mm=f"{abs(value):.1f} mm" if abs(value) >= 0.05 else f"{abs(value):.3f} mm")
    if verdict == "too_close":
        sentence = f"too close to call (measured {value:.2f} +- {sigma:.2f} mm, limit {limit_mm:g} mm): {sentence}"
    return (Violation(rule, verdict, tuple(pieces), sentence, value, limit_mm, sigma),)


def plain(rule: str, pieces: Iterable[str], text: str, verdict: Verdict = "illegal") -> Violation:
    """A violation that is a matter of fact, not of millimetres."""
    return Violation(rule, verdict, tuple(pieces), text)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """`illegal` beats `too_close` beats `legal`."""
    found = set(verdicts)
    if "illegal" in found:
        return "illegal"
    return "too_close" if "too_close" in found else "legal"


def _micrometres(value_mm: float) -> float:
    """Rounded so that moving the whole table does not change the record by the last bits of a float."""
    return round(value_mm, 6) + 0.0
