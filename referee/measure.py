"""Measured places and what they can decide: joint samples of a layout, and three verdicts from them."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Literal

import msgspec
import numpy as np

from .geometry import EXACT_MM, Bools, Floats
from .layout import Car, Column, Layout, Piece, Road, TipSigmas

Verdict = Literal["legal", "illegal", "too_close"]

SAMPLES = 300
DECIDED_PERCENT = 99
"""A measurement decides when more than this share of the samples agrees."""
REACH = 6.0
"""No sample strays further than this many sigmas (1 in 10^9 would)."""


class Places:
    """Where the pieces of a layout may be: row 0 as measured, then joint samples (none for an exact layout).

    Without `shared` errors only what is each piece's own is sampled: a calibration that is off is off alike before
    and after a turn, so it makes nothing move.
    """

    def __init__(self, layout: Layout, shared: bool = True) -> None:
        self.layout = layout
        self.joint = layout.joint if shared else None
        self._cache: dict[str, Floats] = {}
        self.exact = self.joint is None and all(p.sigma is None for p in layout.pieces())
        self.rows = 1 if self.exact else SAMPLES + 1

    def road(self, road: Road) -> Floats:
        """Tips of a road, (rows, 2, 3)."""
        spread = np.zeros(6) if road.sigma is None else np.array((*road.sigma.a, *road.sigma.b))
        return self._place(road.id, np.array((*road.a, *road.b)), spread, _AXES[Road]).reshape(-1, 2, 3)

    def column(self, column: Column) -> Floats:
        """Centre of a column, (rows, 2)."""
        spread = np.zeros(2) if column.sigma is None else np.array(column.sigma)
        return self._place(column.id, np.array((column.x, column.y)), spread, _AXES[Column])

    def car(self, car: Car) -> Floats:
        """Centre of a car, (rows, 3)."""
        spread = np.zeros(3) if car.sigma is None else np.array((*car.sigma, 0.0))
        return self._place(car.id, np.array((car.x, car.y, car.z)), spread, _AXES[Car])

    def reach_mm(self, piece: Piece) -> float:
        """How far any point of the piece may be from where it was measured."""
        if self.exact:
            return 0.0
        axes = _AXES[type(piece)]
        match piece:
            case Road(sigma=TipSigmas(a, b)):
                spread = max(*a, *b)
            case Column(sigma=(sx, sy)) | Car(sigma=(sx, sy)):
                spread = max(sx, sy)
            case _:
                spread = 0.0
        shared = max(self._factor_norms.get(f"{piece.id}.{axis}", 0.0) for axis in axes)
        return 2.0 * REACH * float(np.hypot(spread, shared))

    def _place(self, piece_id: str, nominal: Floats, spread: Floats, axes: tuple[str, ...]) -> Floats:
        if piece_id not in self._cache:
            placed = np.broadcast_to(nominal, (self.rows, len(nominal)))
            if not self.exact:
                noise = np.zeros((self.rows, len(nominal)))
                if spread.any():
                    noise[1:] = self._normals(piece_id, len(nominal)) * spread
                for index, axis in enumerate(axes):
                    factors = self._factors.get(f"{piece_id}.{axis}")
                    if factors is not None:
                        noise[1:, index] += self._shared @ factors
                placed = placed + noise
            self._cache[piece_id] = placed
        return self._cache[piece_id]

    def _normals(self, name: str, width: int) -> Floats:
        """Unit normals that depend on the layout and the name alone, not on the order of pieces."""
        seed = hashlib.blake2b(name.encode(), key=self._digest, digest_size=16).digest()
        return np.random.Generator(np.random.PCG64(int.from_bytes(seed, "big"))).standard_normal((SAMPLES, width))

    @cached_property
    def _digest(self) -> bytes:
        layout = self.layout
        kinds = (layout.columns, layout.roads, layout.cars, layout.buildings, layout.areas)
        ordered = [sorted(kind, key=lambda piece: piece.id) for kind in kinds]
        return hashlib.blake2b(msgspec.json.encode([*ordered, layout.joint]), digest_size=32).digest()

    @cached_property
    def _factors(self) -> dict[str, Floats]:
        joint = self.joint
        if joint is None or not joint.factors:
            return {}
        return {name: np.array(row) for name, row in zip(joint.order, joint.rows(), strict=True)}

    @cached_property
    def _factor_norms(self) -> dict[str, float]:
        return {name: float(np.linalg.norm(row)) for name, row in self._factors.items()}

    @cached_property
    def _shared(self) -> Floats:
        """The shared unit normals; no piece has an empty id, so the name is theirs alone."""
        return self._normals("", len(next(iter(self._factors.values()))))


_AXES: dict[type[Piece], tuple[str, ...]] = {
    Road: ("a.x", "a.y", "a.z", "b.x", "b.y", "b.z"),
    Column: ("x", "y"),
    Car: ("x", "y", "z"),
}


def decide(fault: Bools) -> Verdict:
    """The verdict on a fault that holds in some rows: row 0 alone decides if there are no samples."""
    if len(fault) == 1:
        return "illegal" if fault[0] else "legal"
    samples = len(fault) - 1
    faults = int(np.count_nonzero(fault[1:]))
    if 100 * faults > DECIDED_PERCENT * samples:
        return "illegal"
    return "legal" if 100 * (samples - faults) > DECIDED_PERCENT * samples else "too_close"


def below(values: Floats, limit_mm: float) -> Bools:
    """Where a distance that must exceed its limit does not (touching counts as not)."""
    result: Bools = values <= limit_mm + EXACT_MM
    return result


def above(values: Floats, limit_mm: float) -> Bools:
    """Where a distance that must not exceed its limit does."""
    result: Bools = values > limit_mm + EXACT_MM
    return result


def sigma_mm(values: Floats) -> float:
    """One standard deviation of the samples."""
    return float(np.std(values[1:])) if len(values) > 1 else 0.0
