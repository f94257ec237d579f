"""What the reference referee judges and says, and how samples decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from referee.layout import Column, Road
from referee.measure import Places
from referee.pieces import Kit

Verdict = Literal["legal", "illegal", "too_close"]

EXACT_MM = 1e-6
DECIDED_PERCENT = 99


@dataclass(frozen=True)
class Violation:
    """A rule that some pieces break or may break."""

    rule: str
    pieces: frozenset[str]
    verdict: Verdict
    measured_mm: float | None


@dataclass(frozen=True)
class Crossing:
    """A road that a new one crosses."""

    road: str
    side: str
    earns: bool
    sure: bool


@dataclass(frozen=True)
class Findings:
    """What the plain referee says of a turn."""

    violations: tuple[Violation, ...]
    crossings: tuple[Crossing, ...]
    earned: int


@dataclass(frozen=True)
class Table:
    """What is judged: the table after the turn, what is new on it, who moved and by which options."""

    places: Places
    kit: Kit
    player: str
    new_columns: frozenset[str]
    new_roads: frozenset[str]
    targets: Literal["columns", "any"]
    first_rule: Literal["first", "next"]
    own_crossing_voids: bool

    @property
    def roads(self) -> tuple[Road, ...]:
        return self.places.layout.roads

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.places.layout.columns

    def tips(self, road: Road) -> list[list[list[float]]]:
        """One pair of tips per sample."""
        rows: list[list[list[float]]] = self.places.road(road).tolist()
        return rows

    def centres(self, column: Column) -> list[list[float]]:
        rows: list[list[float]] = self.places.column(column).tolist()
        return rows


def decide(faults: list[bool]) -> Verdict:
    """The first row is the measurement itself; it decides alone where there are no samples."""
    if len(faults) == 1:
        return "illegal" if faults[0] else "legal"
    percent = 100 * sum(faults[1:]) / (len(faults) - 1)
    if percent > DECIDED_PERCENT:
        return "illegal"
    return "legal" if percent < 100 - DECIDED_PERCENT else "too_close"


def told(rule: str, pieces: Iterable[str], values: list[float], faults: list[bool]) -> Iterator[Violation]:
    """The violation, unless it is clear that there is none."""
    verdict = decide(faults)
    if verdict != "legal":
        yield Violation(rule, frozenset(pieces), verdict, values[0])


def sure(faults: list[bool]) -> bool:
    """Nearly all samples say the same."""
    return len(faults) == 1 or decide(faults) != "too_close"
